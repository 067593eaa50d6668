// Who is calling, and what he may do.
//
// A caller is known by what the kernel proves (a process of our own user, on a unix
// socket), by a client certificate, or by a bearer token. Tokens are kept as SHA-256, and
// compared in a time that says nothing of them. A token that is known decides also for
// who is proven otherwise: it may be lesser, and somebody wants it so. One that is not
// known gives nothing, and takes nothing from who is proven otherwise.
//
// Cost: a token costs a SHA-256 and a walk over the table, some microseconds.
// Threading: an access_t is filled by one thread; then any may ask, but while that fills
//            it again.
// Ownership: access_create returns owned (access_destroy); texts are borrowed for the
// call.
// Errors: UNAUTHENTICATED for who has not shown who he is, PERMISSION_DENIED for who may
// not do it. No message holds a token.

#ifndef COMMON_ACCESS_ACCESS_H_
#define COMMON_ACCESS_ACCESS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
  ACCESS_NAME_BYTES_MAX = 160,  // Of a caller's name, with its NUL.
  ACCESS_TOKENS_MAX = 1024,
  ACCESS_TOKEN_BYTES_MIN = 20,
  ACCESS_TOKEN_BYTES_MAX = 512,
  ACCESS_TOKEN_NAME_BYTES_MAX = 64,
};

// What a method asks for, and what a token or a certificate gives. READ to ADMINISTER
// grow; WORKER is apart.
typedef enum access_role_t {
  ACCESS_OPEN = 0,  // Of methods only: for everybody.
  ACCESS_READ,
  ACCESS_RUN,
  ACCESS_ADMINISTER,
  ACCESS_WORKER,
  ACCESS_ROLE_COUNT,
} access_role_t;

// "read", "run", "administer", "worker"; "open".
const char *access_role_name(access_role_t role);

// False for what is no role; "open" is none that anybody has.
bool access_role_parse(const char *name, access_role_t *out_role);

typedef struct access_t access_t;

access_t *access_create(void);

// Accepts NULL.
void access_destroy(access_t *access);

// Whoever is not known otherwise may do everything, as long as there are no tokens from a
// file; and is a worker, if `has_open_workers`.
void access_open(access_t *access, bool has_open_workers);

// Two of one name or one token are INVALID_ARGUMENT.
POD_MUST_USE pod_status_t access_add_token(access_t *access, access_role_t role,
                                           const char *name, const char *token);

// The token of this process's own user: who has it is the same caller as a process that
// the kernel knows to be ours.
POD_MUST_USE pod_status_t access_add_own_token(access_t *access, const char *token);

// Lines of `ROLE NAME TOKEN`; empty ones and those that begin with # are left out. Errors
// begin with "PATH:LINE:".
POD_MUST_USE pod_status_t access_parse_tokens(access_t *access, const char *path,
                                              const char *text, size_t length);

// FAILED_PRECONDITION when others can read the file.
POD_MUST_USE pod_status_t access_load_tokens(access_t *access, const char *path);

// In place of those that are not our own: who was known by one that is not there any more
// is unknown from the next call on. After an error all is as it was. A server that has
// had tokens is not open to anybody when they are all gone.
POD_MUST_USE pod_status_t access_reload_tokens(access_t *access, const char *path);

// How many there are that are not our own.
int access_token_count(const access_t *access);

// Until access_end_loan, who shows `token` is the caller of this name, who may run
// programs: what works for somebody who is not there, on an errand (a number of the
// lender's, not 0). A few at a time. Both by the thread that asks.
void access_lend(access_t *access, const char *name, const char *token, uint64_t errand);
void access_end_loan(access_t *access, const char *token);

// What is known of a caller without looking at tokens.
typedef struct access_caller_t {
  bool is_own_user;
  const char *certificate_name, *certificate_role;  // NULL: none.
  const char *authorization;                        // The header's value; NULL: none.
  size_t authorization_bytes;
} access_caller_t;

typedef struct access_identity_t {
  unsigned roles;                    // A bit each, those that are included too.
  bool is_anybody;                   // Nothing is known of him.
  uint64_t errand;                   // Of access_lend; 0: he is here himself.
  char name[ACCESS_NAME_BYTES_MAX];  // "token ci": equal for the same caller only.
} access_identity_t;

// UNAUTHENTICATED says how to get in.
POD_MUST_USE pod_status_t access_identify(const access_t *access,
                                          const access_caller_t *caller,
                                          access_identity_t *out_identity);

// Of who shows a code (common/access/code.h) of a token that is known, and until when
// that is good (Unix): who asks sees to it that it is taken once. UNAUTHENTICATED.
POD_MUST_USE pod_status_t access_identify_code(const access_t *access, const char *code,
                                               int64_t now_s,
                                               access_identity_t *out_identity,
                                               int64_t *out_until_s);

bool access_allows(const access_identity_t *identity, access_role_t role);

// PERMISSION_DENIED names the caller, what he has and what `what` needs; UNAUTHENTICATED
// when nothing is known of him.
POD_MUST_USE pod_status_t access_require(const access_identity_t *identity,
                                         access_role_t role, const char *what);

// The token of "Bearer TOKEN" (the scheme in any case), or NULL; not NUL-terminated.
const char *access_bearer(const char *authorization, size_t size_bytes,
                          size_t *out_token_bytes);

#endif  // COMMON_ACCESS_ACCESS_H_
