// A code is good for minutes, and for who knows the token only.

#include "common/access/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/access/access.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const int64_t now_s = 1800000000;

static void test_a_code_says_whose_it_is_and_not_by_what(void **state) {
  (void)state;
  char code[ACCESS_CODE_BYTES], other[ACCESS_CODE_BYTES];
  access_t *access = access_create();
  assert_null(
      access_add_token(access, ACCESS_READ, "reader", "fedcba9876543210fedcba98"));
  assert_null(access_add_token(access, ACCESS_RUN, "ci", TOKEN));
  access_code_make(TOKEN, now_s, code);
  access_code_make(TOKEN, now_s, other);
  assert_int_equal(strlen(code), ACCESS_CODE_BYTES - 1);
  assert_string_not_equal(code, other);
  assert_null(strstr(code, TOKEN));
  access_identity_t identity;
  int64_t until_s;
  assert_null(access_identify_code(access, code, now_s, &identity, &until_s));
  assert_string_equal(identity.name, "token ci");
  assert_false(identity.is_anybody);
  assert_true(access_allows(&identity, ACCESS_RUN));
  assert_false(access_allows(&identity, ACCESS_ADMINISTER));
  assert_int_equal(until_s, now_s + ACCESS_CODE_SECONDS);
  access_destroy(access);
}

static bool is_known(const access_t *access, const char *code, int64_t at_s) {
  access_identity_t identity;
  int64_t until_s;
  const pod_status_t status =
      access_identify_code(access, code, at_s, &identity, &until_s);
  assert_true(status == NULL || pod_status_code(status) == POD_UNAUTHENTICATED);
  const bool is_it = status == NULL;
  pod_status_free(status);
  return is_it;
}

static void test_what_is_old_or_changed_is_nobodys(void **state) {
  (void)state;
  char code[ACCESS_CODE_BYTES];
  access_t *access = access_create();
  assert_null(access_add_token(access, ACCESS_RUN, "ci", TOKEN));
  access_code_make(TOKEN, now_s, code);
  assert_true(is_known(access, code, now_s + ACCESS_CODE_SECONDS - 1));
  assert_true(is_known(access, code, now_s - 300));  // A clock that is behind.
  assert_false(is_known(access, code, now_s + ACCESS_CODE_SECONDS));
  assert_false(is_known(access, code, now_s - 301));
  for (size_t i = 0; i < ACCESS_CODE_BYTES - 1; i++) {
    const char was = code[i];
    code[i] = was == '0' ? '1' : '0';
    assert_false(is_known(access, code, now_s));
    code[i] = was;
  }
  assert_false(is_known(access, "", now_s));
  code[ACCESS_CODE_BYTES - 2] = '\0';
  assert_false(is_known(access, code, now_s));
  access_code_make("another token of the pod's", now_s, code);
  assert_false(is_known(access, code, now_s));
  access_destroy(access);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_code_says_whose_it_is_and_not_by_what),
      cmocka_unit_test(test_what_is_old_or_changed_is_nobodys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
