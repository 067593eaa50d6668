// Secrets in files, and what a proof proves.

#include "common/access/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/digest/digest.h"

static void expect_file(const char *text, bool is_good) {
  char path[] = "/tmp/podium-secret-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  access_secret_t secret;
  const pod_status_t status = access_read_secret(path, &secret);
  if (is_good) {
    assert_null(status);
    char printed[ACCESS_TOKEN_TEXT_BYTES];
    access_print_hex(secret.bytes, printed);
    assert_int_equal(strncasecmp(printed, text, 64), 0);
  } else {
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    assert_null(strstr(pod_status_message(status), "0123456789"));
  }
  pod_status_free(status);
  unlink(path);
}

#define DIGITS "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"

static void test_a_secret_is_a_line_of_64_digits(void **state) {
  (void)state;
  expect_file(DIGITS, true);
  expect_file(DIGITS "\n", true);
  expect_file("", false);
  expect_file("\n", false);
  expect_file(DIGITS "0\n", false);
  expect_file(DIGITS "\n" DIGITS "\n", false);
  expect_file("x123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
              false);
  expect_file("0123456789abcdef\n", false);
}

static void test_a_proof_holds_for_the_same_words_only(void **state) {
  (void)state;
  access_secret_t secret, other;
  digest_random(&secret, sizeof(secret));
  digest_random(&other, sizeof(other));
  const access_part_t parts[] = {{"nonce", 5}, {"more", 4}};
  uint8_t proof[ACCESS_PROOF_BYTES];
  access_prove(&secret, "worker", 2, parts, proof);
  assert_true(access_is_proof(&secret, "worker", 2, parts, proof, sizeof(proof)));
  assert_false(access_is_proof(&other, "worker", 2, parts, proof, sizeof(proof)));
  assert_false(access_is_proof(&secret, "coordinator", 2, parts, proof, sizeof(proof)));
  assert_false(access_is_proof(&secret, "worker", 1, parts, proof, sizeof(proof)));
  assert_false(access_is_proof(&secret, "worker", 2, parts, proof, sizeof(proof) - 1));
  assert_false(access_is_proof(&secret, "worker", 2, parts, NULL, 0));
  // The same bytes, cut elsewhere.
  const access_part_t cut[] = {{"noncem", 6}, {"ore", 3}};
  assert_false(access_is_proof(&secret, "worker", 2, cut, proof, sizeof(proof)));
  proof[0] ^= 1;
  assert_false(access_is_proof(&secret, "worker", 2, parts, proof, sizeof(proof)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_secret_is_a_line_of_64_digits),
      cmocka_unit_test(test_a_proof_holds_for_the_same_words_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
