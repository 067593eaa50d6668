#include "server/compiler/legalize/legalize.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

// What compiling a module up to the verifier ends with.
static void check_module(const char *text, pod_code_t code, const char *message) {
  mlir_module_t *module = parse_text(text);
  pod_status_t status = compiler_expand(module);
  if (status == NULL) {
    status = compiler_verify(module);
  }
  assert_error(status, code, message);
  mlir_module_destroy(module);
}

#define TOKEN "!stablehlo.token"
#define CHANNEL(number) \
  "channel_handle = #stablehlo.channel_handle<handle = " number ", type = 1>"
#define SEND(channel)                           \
  "func.func @send(%x: tensor<i32>, %t: " TOKEN \
  ") {\n  %0 = \"stablehlo.send\"(%x, %t)"      \
  " {" CHANNEL(channel) "} : (tensor<i32>, " TOKEN ") -> " TOKEN "\n  return\n}\n"
#define RECV(channel, type)                                    \
  "func.func @recv(%t: " TOKEN ") -> " type                    \
  " {\n  %0:2 = \"stablehlo.recv\"(%t)"                        \
  " {" CHANNEL(channel) "} : (" TOKEN ") -> (" type ", " TOKEN \
                        ")\n  return %0#0 : " type "\n}\n"
static void test_a_receiver_of_what_nobody_sends_is_an_error(void **state) {
  (void)state;
  check_module(
      SEND("1") RECV("2", "tensor<i32>") "func.func @main(%x: tensor<i32>, %t: " TOKEN
                                         ") {\n  %r = \"interpreter.run_parallel\"(%x, "
                                         "%t, %t) {programs = "
                                         "[[@send, @recv]]} : (tensor<i32>, " TOKEN
                                         ", " TOKEN ") -> tensor<i32>\n  return\n}\n",
      POD_INVALID_ARGUMENT,
      "'stablehlo.recv': receives on a channel on which nothing is sent");
}

static void test_what_is_received_has_the_type_that_is_sent(void **state) {
  (void)state;
  check_module(
      SEND("1") RECV("1", "tensor<2xi32>") "func.func @main(%x: tensor<i32>, %t: " TOKEN
                                           ") {\n  %r = \"interpreter.run_parallel\"(%x, "
                                           "%t, %t) {programs = "
                                           "[[@send, @recv]]} : (tensor<i32>, " TOKEN
                                           ", " TOKEN ") -> tensor<2xi32>\n  return\n}\n",
      POD_INVALID_ARGUMENT, "receives values of other types than channel 1");
}

static void test_several_senders_on_a_channel_need_pairs(void **state) {
  (void)state;
  check_module(
      SEND("1") RECV(
          "1",
          "tensor<i32>") "func.func @main(%x: tensor<i32>, %t: " TOKEN
                         ") {\n  %r = \"interpreter.run_parallel\"(%x, %t, %x, %t, %t) "
                         "{programs = [[@send, @send, @recv]]} : (tensor<i32>, " TOKEN
                         ", tensor<i32>, " TOKEN ", " TOKEN
                         ") -> tensor<i32>\n  return\n}\n",
      POD_UNIMPLEMENTED, "say which to which with 'source_target_pairs'");
}

#define FEED(body, attributes)                                                 \
  "func.func @queue() -> tensor<i32> {\n  %0 = stablehlo.constant dense<1> : " \
  "tensor<i32>\n  return %0 : tensor<i32>\n}\nfunc.func @program(%t: " TOKEN   \
  ") {\n" body "  return\n}\nfunc.func @main(%t: " TOKEN                       \
  ") {\n  \"interpreter.run_parallel\"(" attributes " -> ()\n  return\n}\n"
#define INFEED \
  "  %0:2 = \"stablehlo.infeed\"(%t) : (" TOKEN ") -> (tensor<i32>, " TOKEN ")\n"

static void test_an_infeed_needs_something_in_the_queue_and_one_cell(void **state) {
  (void)state;
  check_module(FEED(INFEED, "%t) {programs = [[@program]]} : (" TOKEN ")"),
               POD_INVALID_ARGUMENT, "number 1 to take from the infeed");
  check_module(FEED(INFEED,
                    "%t, %t) {programs = [[@program, @program]], infeed = "
                    "[@queue, @queue]} : (" TOKEN ", " TOKEN ")"),
               POD_UNIMPLEMENTED, "an infeed needs a program of a single cell");
  check_module("func.func @main(%t: " TOKEN ") {\n" INFEED "  return\n}\n",
               POD_UNIMPLEMENTED, "a program takes what it reads as arguments");
}

static void test_different_programs_cannot_have_other_collectives(void **state) {
  (void)state;
  check_module(
      "func.func @a(%x: tensor<i32>) -> tensor<i32> {\n  %0 = "
      "\"stablehlo.collective_permute\"(%x) {" CHANNEL("1") ", source_target_pairs = dense<[[0, 1]]> : "
      "tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n}\n"
      "func.func @b(%x: tensor<i32>) -> tensor<i32> {\n  return %x : tensor<i32>\n}\n"
      "func.func @main(%x: tensor<i32>) {\n  %r:2 = \"interpreter.run_parallel\"(%x, %x) "
      "{programs = [[@a, @b]]} : (tensor<i32>, tensor<i32>) -> (tensor<i32>, "
      "tensor<i32>)\n  return\n}\n",
      POD_UNIMPLEMENTED, "in a grid of different programs only stablehlo.send and recv");
}

static void test_a_check_of_a_probe_comes_after_it(void **state) {
  (void)state;
  check_module(
      "func.func @main(%x: tensor<i32>) {\n  check.expect_serialized_eq %x, "
      "probe_id = \"p\" : tensor<i32>\n  %0 = interpreter.probe %x, probe_id = "
      "\"p\" : tensor<i32>\n  return\n}\n",
      POD_INVALID_ARGUMENT, "stands before the probe that it checks");
  check_module(
      "func.func @main(%x: tensor<i32>) {\n  check.expect_serialized_eq %x, "
      "probe_id = \"p\" : tensor<i32>\n  return\n}\n",
      POD_INVALID_ARGUMENT, "the type of probe \"p\"");
  check_module(
      "func.func @main(%x: tensor<i32>) {\n  %0 = interpreter.probe %x, probe_id "
      "= \"p\" : tensor<i32>\n  check.expect_serialized_eq %x, probe_id = \"p\", "
      "iter = 1 : tensor<i32>\n  return\n}\n",
      POD_INVALID_ARGUMENT, "asks for iteration 1 of a probe in no loop");
}

static void test_groups_of_different_sizes_name_every_chip_once(void **state) {
  (void)state;
  static const char *const groups[] = {"[[0, -1], [0, 1]]", "[[-1, 0], [1, 2]]",
                                       "[[0, -1], [0, 2]]"};
  for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
    pod_text_t text = {0};
    pod_text_printf(
        &text,
        "func.func @main(%%x: tensor<i32>) {\n  %%0 = "
        "\"stablehlo.all_reduce\"(%%x) ({\n  ^bb0(%%a: tensor<i32>, %%b: "
        "tensor<i32>):\n  %%c = stablehlo.add %%a, %%b : tensor<i32>\n  "
        "stablehlo.return %%c : tensor<i32>\n  }) {replica_groups = dense<%s> "
        ": tensor<2x2xi64>} : (tensor<i32>) -> tensor<i32>\n  return\n}\n",
        groups[i]);
    check_module(text.bytes, POD_INVALID_ARGUMENT,
                 "'replica_groups' must name every chip once");
    pod_text_deinit(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_receiver_of_what_nobody_sends_is_an_error),
      cmocka_unit_test(test_what_is_received_has_the_type_that_is_sent),
      cmocka_unit_test(test_several_senders_on_a_channel_need_pairs),
      cmocka_unit_test(test_an_infeed_needs_something_in_the_queue_and_one_cell),
      cmocka_unit_test(test_different_programs_cannot_have_other_collectives),
      cmocka_unit_test(test_a_check_of_a_probe_comes_after_it),
      cmocka_unit_test(test_groups_of_different_sizes_name_every_chip_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
