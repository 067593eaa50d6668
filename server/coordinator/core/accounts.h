// What each client of the coordinator uses of it, over all its sessions, and the most
// that it may: the others shall find room.
//
// A client is told by an identity (services/client_identity.h): whoever cannot be told
// from another shares an account with him. Accounts are there while something uses them.
//
// Threading: one thread at a time.
// Ownership: an account belongs to the book, and is counted: account_use, account_unuse.
// Errors: RESOURCE_EXHAUSTED says whose quota it is, how much of it is used, by how many
// sessions, and what to do.

#ifndef SERVER_COORDINATOR_CORE_ACCOUNTS_H_
#define SERVER_COORDINATOR_CORE_ACCOUNTS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/coordinator/core/turns.h"

typedef enum account_quota_t {
  ACCOUNT_SESSIONS = 0,
  ACCOUNT_EXECUTIONS,  // That have not ended.
  ACCOUNT_COMPILES,    // That wait for the compiler.
  ACCOUNT_HOST_BYTES,  // Of the coordinator's memory: modules, puts, profiles under way.
  ACCOUNT_PROGRAM_BYTES,  // Of it too: programs that executables hold.
  ACCOUNT_QUOTAS,
} account_quota_t;

typedef struct account_limits_t {
  int64_t most[ACCOUNT_QUOTAS];  // 0: no bound.
  int64_t hbm_bytes;             // Of arrays on a chip; 0: no bound.
} account_limits_t;

typedef struct account_book_t account_book_t;

typedef struct account_t {
  account_book_t *book;
  char *identity;
  int32_t use_count;
  turn_clock_t clock;
  int64_t used[ACCOUNT_QUOTAS];
  int64_t *hbm_bytes;  // By chip.
} account_t;

// Returns owned.
account_book_t *account_book_create(const account_limits_t *limits, int32_t chip_count);

// No account is in use. Accepts NULL.
void account_book_destroy(account_book_t *book);

// The client's, made when it is not there. Returns a use.
account_t *account_find(account_book_t *book, const char *identity);

// Returns it. Both accept NULL.
account_t *account_use(account_t *account);
void account_unuse(account_t *account);

// Takes `amount` of the quota, or nothing. An account of NULL has no bounds.
POD_MUST_USE pod_status_t account_take(account_t *account, account_quota_t quota,
                                       int64_t amount);
void account_give_back(account_t *account, account_quota_t quota, int64_t amount);

// Whether arrays of so many bytes may be on these chips in addition.
POD_MUST_USE pod_status_t account_check_hbm(const account_t *account, int32_t chip_count,
                                            const int32_t *chips, int64_t size_bytes);

// They are there from now on, or, with fewer than 0 bytes, no more.
void account_add_hbm(account_t *account, int32_t chip_count, const int32_t *chips,
                     int64_t size_bytes);

#endif  // SERVER_COORDINATOR_CORE_ACCOUNTS_H_
