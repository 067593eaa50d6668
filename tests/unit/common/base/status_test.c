#include "common/base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_success_is_null_and_reads_as_ok(void **state) {
  (void)state;
  assert_int_equal(pod_status_code(NULL), POD_OK);
  assert_string_equal(pod_status_message(NULL), "ok");
  assert_null(pod_status_context(NULL, "layer %d", 1));
  assert_null(pod_status_copy(NULL));
  pod_status_free(NULL);
}

static void test_an_error_carries_code_and_sentence(void **state) {
  (void)state;
  const pod_status_t status = pod_error(
      POD_RESOURCE_EXHAUSTED, "needs %.1f GiB, chip %d has %.1f", 18.2, 3, 16.0);
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  assert_string_equal(pod_status_message(status), "needs 18.2 GiB, chip 3 has 16.0");
  pod_status_free(status);
}

static void test_context_goes_before_and_keeps_the_code(void **state) {
  (void)state;
  pod_status_t status = pod_error(POD_NOT_FOUND, "no chip %u", 7u);
  status = pod_status_context(status, "array %s", "w1");
  status = pod_status_context(status, "execute");
  assert_int_equal(pod_status_code(status), POD_NOT_FOUND);
  assert_string_equal(pod_status_message(status), "execute: array w1: no chip 7");
  pod_status_free(status);
}

static void test_a_copy_outlives_the_original(void **state) {
  (void)state;
  const pod_status_t status = pod_error(POD_ABORTED, "gone");
  const pod_status_t copy = pod_status_copy(status);
  pod_status_free(status);
  assert_int_equal(pod_status_code(copy), POD_ABORTED);
  assert_string_equal(pod_status_message(copy), "gone");
  pod_status_free(copy);
}

static void test_sentences_of_any_length_and_percent_signs_survive(void **state) {
  (void)state;
  char *text = malloc(100001);
  assert_non_null(text);
  memset(text, '%', 100000);
  text[100000] = '\0';
  const pod_status_t status = pod_error_text(__FILE__, __LINE__, POD_INTERNAL, text);
  assert_string_equal(pod_status_message(status), text);
  pod_status_free(status);
  free(text);
}

static pod_status_t stop_at(int step, int *reached) {
  for (int i = 0; i < 3; i++) {
    POD_TRY(i == step ? pod_error(POD_UNKNOWN, "step %d", i) : NULL);
    *reached = i;
  }
  return NULL;
}

static void test_try_returns_at_the_first_error(void **state) {
  (void)state;
  int reached = -1;
  const pod_status_t status = stop_at(1, &reached);
  assert_int_equal(reached, 0);
  assert_string_equal(pod_status_message(status), "step 1");
  pod_status_free(status);
  assert_null(stop_at(5, &reached));
  assert_int_equal(reached, 2);
}

static void test_codes_have_the_names_of_grpc(void **state) {
  (void)state;
  assert_string_equal(pod_code_name(POD_OK), "OK");
  assert_string_equal(pod_code_name(POD_CANCELLED), "CANCELLED");
  assert_string_equal(pod_code_name(POD_UNAUTHENTICATED), "UNAUTHENTICATED");
  assert_string_equal(pod_code_name((pod_code_t)17), "UNKNOWN");
  assert_string_equal(pod_code_name((pod_code_t)-1), "UNKNOWN");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_success_is_null_and_reads_as_ok),
      cmocka_unit_test(test_an_error_carries_code_and_sentence),
      cmocka_unit_test(test_context_goes_before_and_keeps_the_code),
      cmocka_unit_test(test_a_copy_outlives_the_original),
      cmocka_unit_test(test_sentences_of_any_length_and_percent_signs_survive),
      cmocka_unit_test(test_try_returns_at_the_first_error),
      cmocka_unit_test(test_codes_have_the_names_of_grpc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
