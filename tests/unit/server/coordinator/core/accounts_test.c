// What each client may use of the coordinator.

#include "server/coordinator/core/accounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int32_t chips[] = {0, 1};

static void assert_refused(pod_status_t status, const char *words) {
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  if (strstr(pod_status_message(status), words) == NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  pod_status_free(status);
}

static void test_a_quota_is_a_clients_over_all_its_sessions(void **state) {
  (void)state;
  const account_limits_t limits = {.most = {[ACCOUNT_COMPILES] = 2}};
  account_book_t *book = account_book_create(&limits, 2);
  account_t *account = account_find(book, "ann");
  account_t *again = account_find(book, "ann");
  account_t *other = account_find(book, "bob");
  assert_ptr_equal(account, again);
  assert_null(account_take(account, ACCOUNT_SESSIONS, 1));  // No bound.
  assert_null(account_take(account, ACCOUNT_COMPILES, 1));
  assert_null(account_take(again, ACCOUNT_COMPILES, 1));
  assert_refused(account_take(account, ACCOUNT_COMPILES, 1),
                 "ann has 2 modules waiting for the compiler in 1 session, and 1 more "
                 "would be over its quota of 2: wait for one of them, or start the "
                 "coordinator with another --client-compiles");
  assert_null(account_take(other, ACCOUNT_COMPILES, 2));
  account_give_back(account, ACCOUNT_COMPILES, 1);
  assert_null(account_take(again, ACCOUNT_COMPILES, 1));
  account_unuse(account);
  account_unuse(again);
  account_unuse(other);
  account_book_destroy(book);
}

static void test_hbm_is_counted_on_each_chip(void **state) {
  (void)state;
  const account_limits_t limits = {.hbm_bytes = 100};
  account_book_t *book = account_book_create(&limits, 2);
  account_t *account = account_find(book, "ann");
  account_add_hbm(account, 1, &chips[1], 60);
  assert_null(account_check_hbm(account, 1, &chips[0], 100));
  assert_null(account_check_hbm(account, 2, chips, 40));
  assert_refused(account_check_hbm(account, 2, chips, 41),
                 "ann has arrays of 60 bytes on chip 1, and 41 more would be over its "
                 "quota of 100");
  account_add_hbm(account, 1, &chips[1], -60);
  assert_null(account_check_hbm(account, 2, chips, 100));
  account_unuse(account);
  account_book_destroy(book);
}

static void test_nobodys_account_has_no_bounds(void **state) {
  (void)state;
  assert_null(account_take(NULL, ACCOUNT_SESSIONS, INT64_MAX));
  account_give_back(NULL, ACCOUNT_SESSIONS, INT64_MAX);
  assert_null(account_check_hbm(NULL, 2, chips, INT64_MAX));
  account_add_hbm(NULL, 2, chips, 5);
  account_unuse(account_use(NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_quota_is_a_clients_over_all_its_sessions),
      cmocka_unit_test(test_hbm_is_counted_on_each_chip),
      cmocka_unit_test(test_nobodys_account_has_no_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
