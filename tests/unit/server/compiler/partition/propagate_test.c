#include "server/compiler/partition/propagate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/mlir/parser.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/verify/verify.h"

// Propagates over @main of a module on the mesh x=2 y=2 z=4 and compares the shardings of
// the values named, in the form `name: sharding; …`; "-> 0" names a result of @main.
static void check_as(const char *words, const char *function, const char *expected) {
  pod_text_t text = {0}, found = {0};
  pod_text_printf(&text, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2, \"z\"=4]>\n%s", function);
  mlir_module_t *module = NULL;
  pod_status_t status =
      compiler_parse("test.mlir", text.bytes, (int64_t)text.length, &module);
  status = status == NULL ? compiler_verify(module) : status;
  pod_arena_t *arena = pod_arena_create();
  shardings_t shardings = {0};
  propagation_t propagation = {0};
  status = status == NULL ? shardings_open(module, arena, 16, &shardings) : status;
  status =
      status == NULL ? propagation_options_parse(words, &shardings.propagation) : status;
  status = status == NULL ? propagate_shardings(&shardings, &propagation) : status;
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  const mlir_block_t *block = propagate_main_block(module);
  pod_text_add(&found, "");
  for (int i = 0; i < block->argument_count; i++) {
    sharding_print(&found, propagation.arguments[i]);
    pod_text_add(&found, " ");
  }
  pod_text_add(&found, "->");
  for (int i = 0; i < block->last->operand_count; i++) {
    pod_text_add(&found, " ");
    sharding_print(&found, propagation.results[i]);
  }
  assert_string_equal(found.bytes, expected);
  pod_text_deinit(&text);
  pod_text_deinit(&found);
  pod_arena_destroy(arena);
  mlir_module_destroy(module);
}

static void check(const char *function, const char *expected) {
  check_as(NULL, function, expected);
}

#define SHARDED(list) "{sdy.sharding = #sdy.sharding<@mesh, " list ">}"

static void test_elementwise_operations_pass_shardings_both_ways(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}, {}]")
        ", %b: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
        "%0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\"}, {}]> <@mesh, [{\"x\", ?}, {?}]> -> "
        "<@mesh, [{\"x\", ?}, {?}]>");
  check("func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> "
        SHARDED("[{\"x\"}, {\"y\"}]") ") {\n"
        "%0 = stablehlo.negate %a : tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\", ?}, {\"y\", ?}]> -> <@mesh, [{\"x\"}, {\"y\"}]>");
}

static void test_a_dot_shards_its_other_operand_along_the_contraction(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x16xf32> " SHARDED("[{\"x\"}, {\"y\"}]")
        ", %b: tensor<16x4xf32>) -> tensor<8x4xf32> {\n"
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
        "return %0 : tensor<8x4xf32> }",
        "<@mesh, [{\"x\"}, {\"y\"}]> <@mesh, [{\"y\", ?}, {?}]> -> "
        "<@mesh, [{\"x\", ?}, {?}]>");
}

static void test_closed_dimensions_keep_what_they_have(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}, {\"y\"}]")
        ", %b: tensor<8x8xf32> " SHARDED("[{}, {?}]") ") -> tensor<8x8xf32> {\n"
        "%0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\"}, {\"y\"}]> <@mesh, [{}, {\"y\", ?}]> -> "
        "<@mesh, [{\"x\", ?}, {\"y\", ?}]>");
}

static void test_replicated_axes_are_not_used(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}, {\"y\"}]")
        ", %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], "
        "replicated={\"x\"}>}) -> tensor<8x8xf32> {\n"
        "%0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\"}, {\"y\"}]> <@mesh, [{?}, {\"y\", ?}], replicated={\"x\"}> -> "
        "<@mesh, [{\"x\", ?}, {\"y\", ?}]>");
}

static void test_conflicts_keep_the_common_part(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\", \"y\"}, {}]")
        ", %b: tensor<8x8xf32> " SHARDED("[{\"x\", \"z\"}, {}]")
        ") -> tensor<8x8xf32> {\n"
        "%0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\", \"y\"}, {}]> <@mesh, [{\"x\", \"z\"}, {}]> -> "
        "<@mesh, [{\"x\", ?}, {?}]>");
}

static void test_the_larger_tensor_wins_an_axis(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<4x8xf32> " SHARDED("[{\"x\"}, {}]")
        ", %b: tensor<8x16xf32> " SHARDED("[{}, {\"x\"}]") ") -> tensor<4x16xf32> {\n"
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>\n"
        "return %0 : tensor<4x16xf32> }",
        "<@mesh, [{\"x\"}, {}]> <@mesh, [{}, {\"x\"}]> -> <@mesh, [{?}, {\"x\", ?}]>");
}

static void test_a_dimension_gets_no_axes_that_do_not_divide_it(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8xf32> " SHARDED("[{\"z\"}]") ") -> tensor<6xf32> {\n"
        "%0 = stablehlo.slice %a [0:6] : (tensor<8xf32>) -> tensor<6xf32>\n"
        "return %0 : tensor<6xf32> }",
        "<@mesh, [{\"z\"}]> -> <@mesh, [{?}]>");
}

static void test_a_reshape_splits_an_axis_between_dimensions(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8xf32> " SHARDED("[{\"z\"}]")
        ") -> tensor<2x4xf32> {\n"
        "%0 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>\n"
        "return %0 : tensor<2x4xf32> }",
        "<@mesh, [{\"z\"}]> -> <@mesh, [{\"z\":(1)2, ?}, {\"z\":(2)2, ?}]>");
}

static void test_what_a_loop_carries_has_one_sharding(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32> " SHARDED("[{\"x\"}]")
        ") -> tensor<8xf32> {\n"
        "%z = stablehlo.constant dense<false> : tensor<i1>\n"
        "%0 = stablehlo.while(%c = %a) : tensor<8xf32>\n"
        "cond { stablehlo.return %z : tensor<i1> } do {\n"
        "%1 = stablehlo.add %c, %b : tensor<8xf32>\n"
        "stablehlo.return %1 : tensor<8xf32> }\n"
        "return %0 : tensor<8xf32> }",
        "<@mesh, [{\"x\", ?}]> <@mesh, [{\"x\"}]> -> <@mesh, [{\"x\", ?}]>");
}

static void test_what_branches_return_has_one_sharding(void **state) {
  (void)state;
  check("func.func @main(%p: tensor<i1>, %a: tensor<8xf32>, %b: tensor<8xf32> "
        SHARDED("[{\"x\"}]") ") -> tensor<8xf32> {\n"
        "%0 = \"stablehlo.if\"(%p) ({ stablehlo.return %a : tensor<8xf32> }, "
        "{ stablehlo.return %b : tensor<8xf32> }) : (tensor<i1>) -> tensor<8xf32>\n"
        "return %0 : tensor<8xf32> }",
        "<@mesh, []> <@mesh, [{\"x\", ?}]> <@mesh, [{\"x\"}]> -> "
        "<@mesh, [{\"x\", ?}]>");
}

static void test_constants_do_not_carry_shardings_from_use_to_use(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8xf32> " SHARDED("[{\"x\"}]")
        ", %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
        "%c = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
        "%0 = stablehlo.add %a, %c : tensor<8xf32>\n"
        "%1 = stablehlo.add %b, %c : tensor<8xf32>\n"
        "return %0, %1 : tensor<8xf32>, tensor<8xf32> }",
        "<@mesh, [{\"x\"}]> <@mesh, [{?}]> -> <@mesh, [{\"x\", ?}]> <@mesh, [{?}]>");
}

static void test_priorities_take_turns(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}p1, {\"y\"}]")
        ", %b: tensor<8x8xf32> " SHARDED("[{\"z\"}, {\"x\"}p2]")
        ") -> tensor<8x8xf32> {\n"
        "%0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\"}p1, {\"y\"}]> <@mesh, [{\"z\"}, {\"x\"}p2]> -> "
        "<@mesh, [{\"z\", ?}, {\"y\", ?}]>");
}

static void test_manual_computations_pass_what_is_not_manual(void **state) {
  (void)state;
  check("func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}, {\"y\"}]")
        ") -> tensor<8x8xf32> {\n"
        "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\", ?}, {?}]>] "
        "out_shardings=[<@mesh, [{\"x\", ?}, {?}]>] manual_axes={\"x\"} "
        "(%b: tensor<4x8xf32>) {\n"
        "%1 = stablehlo.negate %b : tensor<4x8xf32>\n"
        "sdy.return %1 : tensor<4x8xf32>\n"
        "} : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
        "return %0 : tensor<8x8xf32> }",
        "<@mesh, [{\"x\"}, {\"y\"}]> -> <@mesh, [{\"x\", ?}, {\"y\", ?}]>");
}

static void test_a_program_without_shardings_is_left_whole(void **state) {
  (void)state;
  check(
      "func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<f32>) {\n"
      "%0 = stablehlo.negate %a : tensor<8x8xf32>\n"
      "%1 = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "return %0, %1 : tensor<8x8xf32>, tensor<f32> }",
      "<@mesh, [{}, {}]> -> <@mesh, [{}, {}]> <@mesh, []>");
}

static void test_shardy_spreads_axes_that_do_not_divide(void **state) {
  (void)state;
  const char *function = "func.func @main(%a: tensor<6x8xf32> " SHARDED(
      "[{\"z\"}, {\"y\"}]") ") -> tensor<6x8xf32> {\n"
                             "%0 = stablehlo.negate %a : tensor<6x8xf32>\n"
                             "return %0 : tensor<6x8xf32> }";
  check_as("shardy", function,
           "<@mesh, [{\"z\"}, {\"y\"}]> -> <@mesh, [{\"z\", ?}, {\"y\", ?}]>");
}

static void test_shardy_gives_a_value_what_its_constraint_wants(void **state) {
  (void)state;
  const char *function =
      "func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}, {}]")
      ") -> (tensor<8x8xf32>, tensor<8x8xf32>) {\n"
      "%0 = stablehlo.add %a, %a : tensor<8x8xf32>\n"
      "%1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x8xf32>\n"
      "return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32> }";
  check_as("shardy", function,
           "<@mesh, [{\"x\"}, {}]> -> <@mesh, [{?}, {?}]> <@mesh, [{?}, {?}]>");
  check_as("shardy,priorities", function,
           "<@mesh, [{\"x\"}, {}]> -> <@mesh, [{\"x\", ?}, {?}]> <@mesh, [{?}, {?}]>");
}

static void test_shardy_s_basic_pass_takes_what_all_can_have(void **state) {
  (void)state;
  const char *function =
      "func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\", \"y\"}, {}]")
      ", %b: tensor<8x8xf32> " SHARDED("[{?}, {\"y\", ?}]") ") -> tensor<8x8xf32> {\n"
      "%0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
      "return %0 : tensor<8x8xf32> }";
  check_as("shardy,aggressive", function,
           "<@mesh, [{\"x\", \"y\"}, {}]> <@mesh, [{\"x\", ?}, {\"y\", ?}]> -> "
           "<@mesh, [{\"x\", \"y\", ?}, {?}]>");
  check_as("shardy,basic", function,
           "<@mesh, [{\"x\", \"y\"}, {}]> <@mesh, [{\"x\", ?}, {\"y\", ?}]> -> "
           "<@mesh, [{\"x\", ?}, {?}]>");
}

static void test_conservatively_nothing_spreads_where_elements_move(void **state) {
  (void)state;
  const char *function =
      "func.func @main(%a: tensor<8x8xf32> " SHARDED("[{\"x\"}, {\"y\"}]")
      ") -> tensor<8x4xf32> {\n"
      "%0 = stablehlo.slice %a [0:8, 0:4] : (tensor<8x8xf32>) -> tensor<8x4xf32>\n"
      "return %0 : tensor<8x4xf32> }";
  check_as("shardy", function,
           "<@mesh, [{\"x\"}, {\"y\"}]> -> <@mesh, [{\"x\", ?}, {\"y\", ?}]>");
  check_as("shardy,conservative", function,
           "<@mesh, [{\"x\"}, {\"y\"}]> -> <@mesh, [{\"x\", ?}, {?}]>");
}

static void test_ways_that_there_are_none_of_are_refused(void **state) {
  (void)state;
  static const char *const words[] = {"shard", "basic", "shardy,no", ",shardy",
                                      "shardy,,basic"};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    propagation_options_t options;
    const pod_status_t status = propagation_options_parse(words[i], &options);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shardy_spreads_axes_that_do_not_divide),
      cmocka_unit_test(test_shardy_gives_a_value_what_its_constraint_wants),
      cmocka_unit_test(test_shardy_s_basic_pass_takes_what_all_can_have),
      cmocka_unit_test(test_conservatively_nothing_spreads_where_elements_move),
      cmocka_unit_test(test_ways_that_there_are_none_of_are_refused),
      cmocka_unit_test(test_elementwise_operations_pass_shardings_both_ways),
      cmocka_unit_test(test_a_dot_shards_its_other_operand_along_the_contraction),
      cmocka_unit_test(test_closed_dimensions_keep_what_they_have),
      cmocka_unit_test(test_replicated_axes_are_not_used),
      cmocka_unit_test(test_conflicts_keep_the_common_part),
      cmocka_unit_test(test_the_larger_tensor_wins_an_axis),
      cmocka_unit_test(test_a_dimension_gets_no_axes_that_do_not_divide_it),
      cmocka_unit_test(test_a_reshape_splits_an_axis_between_dimensions),
      cmocka_unit_test(test_what_a_loop_carries_has_one_sharding),
      cmocka_unit_test(test_what_branches_return_has_one_sharding),
      cmocka_unit_test(test_constants_do_not_carry_shardings_from_use_to_use),
      cmocka_unit_test(test_priorities_take_turns),
      cmocka_unit_test(test_manual_computations_pass_what_is_not_manual),
      cmocka_unit_test(test_a_program_without_shardings_is_left_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
