#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/pjrt/plugin.h"
#include "proto/xla/compile_options.pb-c.h"

// With one option, whose value is `text`, or, when that is NULL, true.
static pod_status_t parse(const char *key, const char *text) {
  Xla__OptionOverrideProto value = XLA__OPTION_OVERRIDE_PROTO__INIT;
  if (text == NULL) {
    value.value_case = XLA__OPTION_OVERRIDE_PROTO__VALUE_BOOL_FIELD;
    value.bool_field = 1;
  } else {
    value.value_case = XLA__OPTION_OVERRIDE_PROTO__VALUE_STRING_FIELD;
    value.string_field = (char *)(uintptr_t)text;
  }
  Xla__EnvOptionOverride option = XLA__ENV_OPTION_OVERRIDE__INIT;
  option.key = (char *)(uintptr_t)key;
  option.value = &value;
  Xla__EnvOptionOverride *options[] = {&option};
  Xla__CompileOptionsProto message = XLA__COMPILE_OPTIONS_PROTO__INIT;
  message.n_env_option_overrides = 1;
  message.env_option_overrides = options;
  uint8_t bytes[256];
  const size_t size = xla__compile_options_proto__pack(&message, bytes);
  compile_options_t parsed;
  const pod_status_t status = compile_options_parse((const char *)bytes, size, &parsed);
  if (status == NULL) {
    compile_options_deinit(&parsed);
  }
  return status;
}

static void expect_refused(const char *key, const char *text, const char *words) {
  const pod_status_t status = parse(key, text);
  assert_non_null(status);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), words));
  pod_status_free(status);
}

static void test_options_of_xla_are_accepted(void **state) {
  (void)state;
  assert_null(parse("xla_embed_ir_in_executable", NULL));
  assert_null(parse("xla_embed_ir_in_executable", "False"));
  assert_null(parse("xla_tpu_scoped_vmem_limit_kib", "65536"));
  assert_null(parse("exec_time_optimization_effort", "0.5"));
}

static void test_what_is_no_option_of_xla_is_refused(void **state) {
  (void)state;
  expect_refused("invalid_key", "value", "No such compile option: 'invalid_key'");
  expect_refused("xla_embed_ir_in_executable", "maybe", "is not a valid bool value.");
}

static void test_options_of_podium_are_taken(void **state) {
  (void)state;
  assert_null(parse("podium_collectives", "off"));
  expect_refused("podium_collectives", NULL, "takes a string");
  expect_refused("podium_anything", "off", "those of Podium are podium_algorithm");
}

static void test_what_a_call_does_not_choose_the_environment_may(void **state) {
  (void)state;
  Xla__OptionOverrideProto value = XLA__OPTION_OVERRIDE_PROTO__INIT;
  value.value_case = XLA__OPTION_OVERRIDE_PROTO__VALUE_STRING_FIELD;
  value.string_field = (char *)(uintptr_t) "combine=off";
  Xla__EnvOptionOverride option = XLA__ENV_OPTION_OVERRIDE__INIT;
  option.key = (char *)(uintptr_t) "podium_collectives";
  option.value = &value;
  Xla__EnvOptionOverride *chosen[] = {&option};
  Xla__CompileOptionsProto message = XLA__COMPILE_OPTIONS_PROTO__INIT;
  message.n_env_option_overrides = 1;
  message.env_option_overrides = chosen;
  uint8_t bytes[256];
  const size_t size = xla__compile_options_proto__pack(&message, bytes);
  assert_int_equal(setenv("PODIUM_COLLECTIVES", "off", 1), 0);
  assert_int_equal(setenv("PODIUM_PROPAGATION", "shardy", 1), 0);
  compile_options_t options;
  assert_null(compile_options_parse((const char *)bytes, size, &options));
  assert_string_equal(options.collectives, "combine=off");
  assert_string_equal(options.propagation, "shardy");
  assert_null(options.algorithms);
  compile_options_deinit(&options);
  assert_int_equal(unsetenv("PODIUM_COLLECTIVES"), 0);
  assert_int_equal(unsetenv("PODIUM_PROPAGATION"), 0);
}

static void test_without_an_assignment_a_program_is_for_the_first_devices(void **state) {
  (void)state;
  Xla__ExecutableBuildOptionsProto build = XLA__EXECUTABLE_BUILD_OPTIONS_PROTO__INIT;
  build.num_partitions = 3;
  Xla__CompileOptionsProto message = XLA__COMPILE_OPTIONS_PROTO__INIT;
  message.executable_build_options = &build;
  uint8_t bytes[64];
  const size_t size = xla__compile_options_proto__pack(&message, bytes);
  compile_options_t options;
  assert_null(compile_options_parse((const char *)bytes, size, &options));
  assert_int_equal(options.device_count, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(options.devices[i], i);
  }
  compile_options_deinit(&options);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options_of_xla_are_accepted),
      cmocka_unit_test(test_without_an_assignment_a_program_is_for_the_first_devices),
      cmocka_unit_test(test_options_of_podium_are_taken),
      cmocka_unit_test(test_what_a_call_does_not_choose_the_environment_may),
      cmocka_unit_test(test_what_is_no_option_of_xla_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
