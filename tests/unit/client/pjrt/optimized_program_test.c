// What XLA's importer does not know is written otherwise, and shardings as HLO does.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/pjrt/plugin.h"
#include "common/base/text.h"

static char *optimized(const char *body, const compile_options_t *options) {
  pod_text_t text = {0};
  pod_text_printf(&text, "module @m attributes {mhlo.num_partitions = 2 : i32} {\n%s}\n",
                  body);
  const podium_program_info_t info = {.partitioned_text = text.bytes};
  char *program = pjrt_optimized_program(&info, options);
  pod_text_deinit(&text);
  return program;
}

static void expect(const char *body, const char *expected) {
  const compile_options_t options = {.device_count = 2, .devices = (int64_t[]){3, 1}};
  char *program = optimized(body, &options);
  if (strstr(program, expected) == NULL || strstr(program, "podium.") != NULL) {
    fail_msg("no '%s' in:\n%s", expected, program);
  }
  free(program);
}

static void test_groups_name_the_programs_devices(void **state) {
  (void)state;
  expect("replica_groups = dense<[[3, 1]]> : tensor<1x2xi64>",
         "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>");
  expect("source_target_pairs = dense<[[1, 3]]>",
         "source_target_pairs = dense<[[1, 0]]>");
}

static void test_what_is_ours_alone_is_left_out(void **state) {
  (void)state;
  expect("  %1 = op() {podium.axes = \"x\", podium.async} : () -> f\n",
         "%1 = op() : () -> f");
  expect("  a\n  \"podium.async_done\"(%2, %1) : (x, y) -> ()\n  b\n", "  a\n  \n  b\n");
}

static void test_operations_of_ours_become_custom_calls(void **state) {
  (void)state;
  char *program = optimized("  %1:2 = \"podium.qr\"(%0) : (a) -> (b, c)\n",
                            &(compile_options_t){.device_count = 1});
  assert_non_null(
      strstr(program, "%1:2 = stablehlo.custom_call @podium.qr(%0) : (a) -> (b, c)"));
  free(program);
}

static void test_a_sink_is_a_call_with_an_effect(void **state) {
  (void)state;
  expect("  \"podium.dce_sink\"(%0) : (a) -> ()\n",
         "  stablehlo.custom_call @dce_sink(%0) {has_side_effect = true} : (a) -> ()\n");
}

static void test_elided_values_are_zeros_of_their_type(void **state) {
  (void)state;
  static const struct {
    const char *type, *zero;
  } types[] = {{"16x64xf32", "0.0"},
               {"9xi32", "0"},
               {"9xui8", "0"},
               {"2x9xi1", "false"},
               {"2xbf16", "0.0"},
               {"8xf8E4M3FN", "0.0"},
               {"4xcomplex<f32>", "(0.0, 0.0)"}};
  for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
    char body[256];
    char expected[256];
    snprintf(body, sizeof(body), "<{value = dense_resource<__elided__> : tensor<%s>}>\n",
             types[i].type);
    snprintf(expected, sizeof(expected), "<{value = dense<%s> : tensor<%s>}>\n",
             types[i].zero, types[i].type);
    expect(body, expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_name_the_programs_devices),
      cmocka_unit_test(test_what_is_ours_alone_is_left_out),
      cmocka_unit_test(test_operations_of_ours_become_custom_calls),
      cmocka_unit_test(test_a_sink_is_a_call_with_an_effect),
      cmocka_unit_test(test_elided_values_are_zeros_of_their_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
