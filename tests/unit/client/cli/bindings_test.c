#include "client/cli/bindings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const podium_signature_t signatures[] = {{.name = "x"}, {.name = "0"}};

static void add(cli_bindings_t *bindings, const char *text) {
  assert_int_equal(cli_bindings_option(bindings, text, NULL), 0);
}

static void assert_refused(cli_bindings_t *bindings, const char *words) {
  const pod_status_t status = cli_bindings_resolve(bindings, "argument", 2, signatures);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_string_equal(pod_status_message(status), words);
  pod_status_free(status);
  cli_bindings_deinit(bindings);
}

static void test_a_name_goes_before_a_number(void **state) {
  (void)state;
  cli_bindings_t bindings = {.option = "input"};
  add(&bindings, "0=named");
  add(&bindings, "x=a=b");
  assert_null(cli_bindings_resolve(&bindings, "argument", 2, signatures));
  assert_string_equal(cli_bindings_value(&bindings, 1), "named");
  assert_string_equal(cli_bindings_value(&bindings, 0), "a=b");
  cli_bindings_deinit(&bindings);
  add(&bindings, "1=numbered");
  assert_null(cli_bindings_resolve(&bindings, "argument", 2, signatures));
  assert_null(cli_bindings_value(&bindings, 0));
  assert_string_equal(cli_bindings_value(&bindings, 1), "numbered");
  cli_bindings_deinit(&bindings);
}

static void test_an_unknown_name_is_refused_with_those_that_are_there(void **state) {
  (void)state;
  cli_bindings_t bindings = {.option = "input"};
  add(&bindings, "y=ones");
  assert_refused(&bindings, "the program has no argument 'y', only: x, 0");
  add(&bindings, "2=ones");
  assert_refused(&bindings, "the program has no argument '2', only: x, 0");
}

static void test_two_values_for_one_argument_are_refused_with_both_names(void **state) {
  (void)state;
  cli_bindings_t bindings = {.option = "input"};
  add(&bindings, "0=ones");
  add(&bindings, "1=zeros");
  assert_refused(&bindings, "--input is given twice for argument 0: as '0' and as '1'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_name_goes_before_a_number),
      cmocka_unit_test(test_an_unknown_name_is_refused_with_those_that_are_there),
      cmocka_unit_test(test_two_values_for_one_argument_are_refused_with_both_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
