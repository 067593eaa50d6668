#include "server/coordinator/core/accounts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/memory.h"
#include "common/base/text.h"

struct account_book_t {
  account_limits_t limits;
  int32_t chip_count;
  pod_map_t *accounts;  // By identity.
};

// How a quota is told to people.
typedef struct quota_name_t {
  const char *unit, *flag, *what_to_do;
} quota_name_t;

static const quota_name_t names[ACCOUNT_QUOTAS] = {
    [ACCOUNT_SESSIONS] = {"sessions", "--client-sessions", "end one first"},
    [ACCOUNT_EXECUTIONS] = {"executions that have not ended", "--client-executions",
                            "wait for some of them"},
    [ACCOUNT_COMPILES] = {"modules waiting for the compiler", "--client-compiles",
                          "wait for one of them"},
    [ACCOUNT_HOST_BYTES] = {"bytes of the coordinator's memory", "--client-memory-bytes",
                            "let puts, compiles and profiles end first"},
    [ACCOUNT_PROGRAM_BYTES] = {"bytes of compiled programs", "--client-program-bytes",
                               "free executables first"},
};

account_book_t *account_book_create(const account_limits_t *limits, int32_t chip_count) {
  account_book_t *book = pod_alloc(sizeof(*book));
  *book = (account_book_t){
      .limits = *limits, .chip_count = chip_count, .accounts = pod_map_create()};
  return book;
}

void account_book_destroy(account_book_t *book) {
  if (book != NULL) {
    POD_CHECK(pod_map_count(book->accounts) == 0);
    pod_map_destroy(book->accounts);
    free(book);
  }
}

account_t *account_find(account_book_t *book, const char *identity) {
  account_t *account = pod_map_get(book->accounts, identity);
  if (account == NULL) {
    account = pod_alloc(sizeof(*account));
    *account = (account_t){
        .book = book,
        .identity = pod_strdup(identity),
        .hbm_bytes = pod_alloc((size_t)book->chip_count * sizeof(*account->hbm_bytes))};
    pod_map_put(book->accounts, identity, account);
  }
  return account_use(account);
}

account_t *account_use(account_t *account) {
  if (account != NULL) {
    account->use_count++;
  }
  return account;
}

void account_unuse(account_t *account) {
  if (account == NULL || --account->use_count > 0) {
    return;
  }
  POD_CHECK(pod_map_remove(account->book->accounts, account->identity) == account);
  free(account->identity);
  free(account->hbm_bytes);
  free(account);
}

pod_status_t account_take(account_t *account, account_quota_t quota, int64_t amount) {
  if (account == NULL) {
    return NULL;
  }
  const int64_t most = account->book->limits.most[quota];
  const int64_t used = account->used[quota];
  if (most > 0 && amount > most - used) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "%s has %" PRId64 " %s in %" PRId64 " session%s, and %" PRId64
                     " more would be over its quota of %" PRId64
                     ": %s, or start the coordinator with another %s",
                     account->identity, used, names[quota].unit,
                     account->used[ACCOUNT_SESSIONS],
                     account->used[ACCOUNT_SESSIONS] == 1 ? "" : "s", amount, most,
                     names[quota].what_to_do, names[quota].flag);
  }
  account->used[quota] += amount;
  return NULL;
}

void account_give_back(account_t *account, account_quota_t quota, int64_t amount) {
  if (account != NULL) {
    POD_CHECK(account->used[quota] >= amount);
    account->used[quota] -= amount;
  }
}

pod_status_t account_check_hbm(const account_t *account, int32_t chip_count,
                               const int32_t *chips, int64_t size_bytes) {
  const int64_t most = account == NULL ? 0 : account->book->limits.hbm_bytes;
  for (int32_t i = 0; most > 0 && i < chip_count; i++) {
    const int64_t used = account->hbm_bytes[chips[i]];
    if (size_bytes > most - used) {
      pod_text_t text = {0};
      pod_text_printf(&text,
                      "%s has arrays of %" PRId64 " bytes on chip %" PRId32
                      ", and %" PRId64 " more would be over its quota of %" PRId64
                      ": free some, or start the coordinator with another "
                      "--client-hbm-bytes",
                      account->identity, used, chips[i], size_bytes, most);
      const pod_status_t status =
          pod_error_text(__FILE__, __LINE__, POD_RESOURCE_EXHAUSTED, text.bytes);
      pod_text_deinit(&text);
      return status;
    }
  }
  return NULL;
}

void account_add_hbm(account_t *account, int32_t chip_count, const int32_t *chips,
                     int64_t size_bytes) {
  const bool is_bound = account != NULL && account->book->limits.hbm_bytes > 0;
  for (int32_t i = 0; is_bound && i < chip_count; i++) {
    account->hbm_bytes[chips[i]] += size_bytes;
    POD_CHECK(account->hbm_bytes[chips[i]] >= 0);
  }
}
