// Sessions of the page: who has a cookie, for how long, and how many may.

#include "server/coordinator/page/visitors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static access_identity_t identity_of(const char *name) {
  access_identity_t identity = {.roles = 1u << ACCESS_READ};
  snprintf(identity.name, sizeof(identity.name), "%s", name);
  return identity;
}

static void test_a_cookie_is_its_bearers_alone(void **state) {
  (void)state;
  visitors_t *visitors = visitors_create();
  const access_identity_t alice = identity_of("token alice"),
                          bob = identity_of("token bob");
  char first[ACCESS_TOKEN_TEXT_BYTES], second[ACCESS_TOKEN_TEXT_BYTES];
  visitors_add(visitors, &alice, SECOND, first);
  visitors_add(visitors, &bob, SECOND, second);
  assert_string_not_equal(first, second);
  access_identity_t found;
  assert_true(visitors_find(visitors, first, 2 * SECOND, &found));
  assert_string_equal(found.name, "token alice");
  assert_true(visitors_find(visitors, second, 2 * SECOND, &found));
  assert_string_equal(found.name, "token bob");
  assert_false(visitors_find(visitors, "", 2 * SECOND, &found));
  first[0] = first[0] == '0' ? '1' : '0';
  assert_false(visitors_find(visitors, first, 2 * SECOND, &found));
  visitors_destroy(visitors);
}

static void test_it_lasts_from_its_last_use(void **state) {
  (void)state;
  visitors_t *visitors = visitors_create();
  const access_identity_t alice = identity_of("token alice");
  char cookie[ACCESS_TOKEN_TEXT_BYTES];
  access_identity_t found;
  visitors_add(visitors, &alice, SECOND, cookie);
  int64_t now_ns = SECOND + VISITOR_SECONDS * SECOND;
  assert_true(visitors_find(visitors, cookie, now_ns, &found));
  now_ns += VISITOR_SECONDS * SECOND;
  assert_true(visitors_find(visitors, cookie, now_ns, &found));
  now_ns += VISITOR_SECONDS * SECOND + 1;
  assert_false(visitors_find(visitors, cookie, now_ns, &found));
  visitors_destroy(visitors);
}

static void test_of_too_many_the_one_goes_that_was_idle_for_longest(void **state) {
  (void)state;
  visitors_t *visitors = visitors_create();
  char cookies[VISITORS_MAX + 1][ACCESS_TOKEN_TEXT_BYTES];
  const access_identity_t alice = identity_of("token alice");
  access_identity_t found;
  for (int i = 0; i < VISITORS_MAX; i++) {
    visitors_add(visitors, &alice, (i + 1) * SECOND, cookies[i]);
  }
  assert_true(visitors_find(visitors, cookies[0], 1000 * SECOND, &found));  // In use.
  visitors_add(visitors, &alice, 1001 * SECOND, cookies[VISITORS_MAX]);
  assert_true(visitors_find(visitors, cookies[0], 1002 * SECOND, &found));
  assert_false(visitors_find(visitors, cookies[1], 1002 * SECOND, &found));
  assert_true(visitors_find(visitors, cookies[2], 1002 * SECOND, &found));
  assert_true(visitors_find(visitors, cookies[VISITORS_MAX], 1002 * SECOND, &found));
  visitors_destroy(visitors);
}

static void test_tokens_that_are_read_again_end_their_sessions(void **state) {
  (void)state;
  visitors_t *visitors = visitors_create();
  const access_identity_t alice = identity_of("token alice"),
                          own = identity_of("own user");
  char first[ACCESS_TOKEN_TEXT_BYTES], second[ACCESS_TOKEN_TEXT_BYTES];
  access_identity_t found;
  visitors_add(visitors, &alice, SECOND, first);
  visitors_add(visitors, &own, SECOND, second);
  visitors_forget_tokens(visitors);
  assert_false(visitors_find(visitors, first, SECOND, &found));
  assert_true(visitors_find(visitors, second, SECOND, &found));
  visitors_destroy(visitors);
}

static void test_a_code_is_taken_once_and_remembered_until_it_ends(void **state) {
  (void)state;
  visitors_t *visitors = visitors_create();
  assert_true(visitors_take_code(visitors, "first", 100, 50));
  assert_false(visitors_take_code(visitors, "first", 100, 99));
  assert_true(visitors_take_code(visitors, "second", 200, 50));
  char code[32];
  for (int i = 2; i < VISITOR_CODES_MAX; i++) {
    snprintf(code, sizeof(code), "code %d", i);
    assert_true(visitors_take_code(visitors, code, 300, 50));
  }
  assert_false(visitors_take_code(visitors, "one too many", 300, 50));
  assert_true(visitors_take_code(visitors, "later", 300, 100));  // The first has ended.
  assert_false(visitors_take_code(visitors, "second", 200, 199));
  visitors_destroy(visitors);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cookie_is_its_bearers_alone),
      cmocka_unit_test(test_it_lasts_from_its_last_use),
      cmocka_unit_test(test_of_too_many_the_one_goes_that_was_idle_for_longest),
      cmocka_unit_test(test_tokens_that_are_read_again_end_their_sessions),
      cmocka_unit_test(test_a_code_is_taken_once_and_remembered_until_it_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
