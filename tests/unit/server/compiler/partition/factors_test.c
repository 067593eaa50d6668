#include "server/compiler/partition/factors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/mlir/parser.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/verify/verify.h"
#include "server/program/operations.h"

// The rule of the last operation but the return in a function with `arguments`.
static void check_rule(const char *arguments, const char *body, const char *result,
                       const char *expected) {
  pod_text_t text = {0};
  pod_text_printf(&text, "func.func @main(%s) -> %s {\n%s\nreturn %%r : %s\n}", arguments,
                  result, body, result);
  mlir_module_t *module = NULL;
  pod_status_t status =
      compiler_parse("rule.mlir", text.bytes, (int64_t)text.length, &module);
  if (status == NULL) {
    status = compiler_verify(module);
  }
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  const mlir_op_t *op =
      mlir_op_block(mlir_module_find_symbol(module, "main"), 0)->last->previous;
  pod_arena_t *arena = pod_arena_create();
  factors_t *factors = NULL;
  assert_null(compiler_factors_rule(op->kind)(module, op, arena, &factors));
  pod_text_t rule = {0};
  factors_print(&rule, factors);
  assert_string_equal(rule.bytes, expected);
  pod_text_deinit(&rule);
  pod_text_deinit(&text);
  pod_arena_destroy(arena);
  mlir_module_destroy(module);
}

static void test_elementwise_dimensions_are_the_same_and_scalars_have_none(void **state) {
  (void)state;
  check_rule("%a: tensor<2x3xf32>", "%r = stablehlo.add %a, %a : tensor<2x3xf32>",
             "tensor<2x3xf32>", "(i,j)(i,j)->(i,j) {i=2, j=3}");
  check_rule("%p: tensor<i1>, %a: tensor<2x3xf32>",
             "%r = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2x3xf32>",
             "tensor<2x3xf32>", "()(i,j)(i,j)->(i,j) {i=2, j=3}");
}

static void test_a_dot_batches_passes_and_contracts(void **state) {
  (void)state;
  check_rule("%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>",
             "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], "
             "contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> "
             "tensor<2x4x5xf32>",
             "tensor<2x4x5xf32>",
             "(i,j,l)(i,l,k)->(i,j,k) {i=2, j=4, k=5, l=8} reduction={l}");
}

static void test_a_reduced_dimension_is_only_in_the_operand(void **state) {
  (void)state;
  check_rule("%a: tensor<2x3xf32>, %z: tensor<f32>",
             "%r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions "
             "= [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>",
             "tensor<3xf32>", "(i,j)()->(j) {i=2, j=3} reduction={i}");
}

static void test_a_broadcast_adds_dimensions_and_stretches_those_of_one(void **state) {
  (void)state;
  check_rule("%a: tensor<3x1xf32>",
             "%r = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<3x1xf32>) -> "
             "tensor<3x4x5xf32>",
             "tensor<3x4x5xf32>", "(i,1)->(i,j,k) {i=3, j=4, k=5}");
}

static void check_reshape(const char *from, const char *to, const char *expected) {
  char argument[64], body[192], result[64];
  snprintf(argument, sizeof(argument), "%%a: tensor<%sxf32>", from);
  snprintf(result, sizeof(result), "tensor<%sxf32>", to);
  snprintf(body, sizeof(body),
           "%%r = stablehlo.reshape %%a : (tensor<%sxf32>) -> tensor<%sxf32>", from, to);
  check_rule(argument, body, result, expected);
}

static void test_a_reshape_splits_and_merges_dimensions(void **state) {
  (void)state;
  check_reshape("8x32", "256", "(i,j)->(ij) {i=8, j=32}");
  check_reshape("8x32", "8x4x8", "(i,jk)->(i,j,k) {i=8, j=4, k=8}");
  check_reshape("8x4", "2x16", "(ij,k)->(i,jk) {i=2, j=4, k=4}");
  check_reshape("1x6x1", "2x3", "(1,ij,1)->(i,j) {i=2, j=3}");
}

static void test_digits_of_a_reshape_that_do_not_line_up_stay_whole(void **state) {
  (void)state;
  check_reshape("3x2", "2x3", "(i,l)->(j,k) {i=3, j=2, k=3, l=2} replicate={i,j,k,l}");
}

static void test_a_slice_passes_what_it_does_not_cut(void **state) {
  (void)state;
  check_rule("%a: tensor<8x6xf32>",
             "%r = stablehlo.slice %a [1:3, 0:6] : (tensor<8x6xf32>) -> tensor<2x6xf32>",
             "tensor<2x6xf32>", "(i,j)->(i,j) {i=8, j=6} permutation={i}");
}

static void test_a_strided_slice_keeps_whole_strides_together(void **state) {
  (void)state;
  check_rule("%a: tensor<8xf32>",
             "%r = stablehlo.slice %a [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>",
             "tensor<4xf32>", "(ij)->(i) {i=4, j=2} replicate={j}");
}

static void test_dynamic_slices_pick_of_the_cut_dimension(void **state) {
  (void)state;
  check_rule("%a: tensor<8x6xf32>, %i: tensor<i32>",
             "%r = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 6] : "
             "(tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>",
             "tensor<2x6xf32>",
             "(i,k)()()->(j,k) {i=8, j=2, k=6} replicate={j} picked={i}");
  check_rule("%a: tensor<8x6xf32>, %u: tensor<1x6xf32>, %i: tensor<i32>",
             "%r = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<8x6xf32>, "
             "tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>",
             "tensor<8x6xf32>",
             "(i,k)(j,k)()()->(i,k) {i=8, j=1, k=6} replicate={j} permutation={i}");
}

static void test_joined_padded_and_reversed_dimensions_are_marked(void **state) {
  (void)state;
  check_rule("%a: tensor<2x3xf32>, %b: tensor<4x3xf32>",
             "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, "
             "tensor<4x3xf32>) -> tensor<6x3xf32>",
             "tensor<6x3xf32>", "(i,j)(i,j)->(i,j) {i=6, j=3} permutation={i}");
  check_rule(
      "%a: tensor<2x3xf32>, %z: tensor<f32>",
      "%r = stablehlo.pad %a, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : "
      "(tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>",
      "tensor<3x3xf32>", "(i,j)()->(i,j) {i=3, j=3} permutation={i}");
  check_rule("%a: tensor<2x3xf32>",
             "%r = stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>", "tensor<2x3xf32>",
             "(i,j)->(i,j) {i=2, j=3} permutation={j}");
}

static void test_dimensions_without_elements_have_no_factors(void **state) {
  (void)state;
  check_rule("%a: tensor<0x3xf32>", "%r = stablehlo.negate %a : tensor<0x3xf32>",
             "tensor<0x3xf32>", "(1,i)->(1,i) {i=3}");
  check_reshape("0x3", "3x0", "(1,1)->(1,1) {}");
}

// A window as large as the dimension that the indexes move it along lies outside in part.
static void test_a_scatter_passes_window_dimensions_that_no_index_moves(void **state) {
  (void)state;
  check_rule("%a: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4x6xf32>",
             "%r = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = "
             "#stablehlo.scatter<update_window_dims = [1, 2], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
             "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
             "stablehlo.return %y : tensor<f32>\n"
             "}) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x4x6xf32>) -> "
             "tensor<4x6xf32>",
             "tensor<4x6xf32>", "(1,i)(1,1)(1,1,i)->(1,i) {i=6}");
}

static void test_every_row_has_a_rule_or_none(void **state) {
  (void)state;
  assert_null(compiler_factors_rule(CHIP_OP_INVALID));
  assert_null(compiler_factors_rule(CHIP_OP_COUNT));
  assert_null(compiler_factors_rule(CHIP_OP_WHILE));
  assert_ptr_equal(compiler_factors_rule(CHIP_OP_ADD), factors_elementwise);
}

static void test_matrices_are_whole_and_their_batches_pass(void **state) {
  (void)state;
  check_rule("%a: tensor<4x3x3xf32>", "%r = stablehlo.cholesky %a : tensor<4x3x3xf32>",
             "tensor<4x3x3xf32>", "(i,1,1)->(i,1,1) {i=4}");
  check_rule("%a: tensor<4x3x8xf32>",
             "%r = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<4x3x8xf32>) -> "
             "tensor<4x3x5xcomplex<f32>>",
             "tensor<4x3x5xcomplex<f32>>", "(i,j,1)->(i,j,1) {i=4, j=3}");
  check_rule("%a: tensor<4x5x3xf32>, %t: tensor<4x2xf32>",
             "%r = \"podium.householder_product\"(%a, %t) : (tensor<4x5x3xf32>, "
             "tensor<4x2xf32>) -> tensor<4x5x3xf32>",
             "tensor<4x5x3xf32>", "(i,1,1)(i,1)->(i,1,1) {i=4}");
  static const char arguments[] = "%a: tensor<4x3x3xf32>, %b: tensor<4x3x5xf32>";
  check_rule(
      arguments,
      "%r = \"stablehlo.triangular_solve\"(%a, %b) {left_side = true, lower = true, "
      "unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : "
      "(tensor<4x3x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>",
      "tensor<4x3x5xf32>", "(i,1,1)(i,1,j)->(i,1,j) {i=4, j=5}");
  check_rule(
      "%a: tensor<4x5x5xf32>, %b: tensor<4x3x5xf32>",
      "%r = \"stablehlo.triangular_solve\"(%a, %b) {left_side = false, lower = true, "
      "unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : "
      "(tensor<4x5x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>",
      "tensor<4x3x5xf32>", "(i,1,1)(i,j,1)->(i,j,1) {i=4, j=3}");
}

static void test_bits_of_an_element_stay_together(void **state) {
  (void)state;
  check_rule("%a: tensor<4x3xf32>",
             "%r = stablehlo.bitcast_convert %a : (tensor<4x3xf32>) -> tensor<4x3x2xi16>",
             "tensor<4x3x2xi16>", "(i,j)->(i,j,1) {i=4, j=3}");
  check_rule("%a: tensor<4x2xi16>",
             "%r = stablehlo.bitcast_convert %a : (tensor<4x2xi16>) -> tensor<4xf32>",
             "tensor<4xf32>", "(i,1)->(i) {i=4}");
}

static void test_a_call_of_the_user_s_has_the_rule_that_he_gives_it(void **state) {
  (void)state;
  check_rule(
      "%a: tensor<8x6x3xf32>, %b: tensor<6x5xf32>",
      "%r = \"podium.kernel\"(%a, %b) {sdy.sharding_rule = "
      "#sdy.op_sharding_rule<([ij, k, l], [k, m])->([i, jm]) {i=4, j=2, k=6, l=3, "
      "m=5} reduction={k} need_replication={l} blocked_propagation={m}, custom>} : "
      "(tensor<8x6x3xf32>, tensor<6x5xf32>) -> tensor<4x10xf32>",
      "tensor<4x10xf32>",
      "(ij,k,l)(k,m)->(i,jm) {i=4, j=2, k=6, l=3, m=5} reduction={k} "
      "replicate={l} blocked={m}");
  check_rule("%a: tensor<8xf32>",
             "%r = \"podium.kernel\"(%a) {} : (tensor<8xf32>) -> tensor<8xf32>",
             "tensor<8xf32>", "(1)->(1) {}");
}

static void check_bad_rule(const char *rule, const char *what) {
  pod_text_t text = {0};
  pod_text_printf(&text,
                  "func.func @main(%%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
                  "%%r = \"podium.kernel\"(%%a) {sdy.sharding_rule = "
                  "#sdy.op_sharding_rule<%s>} : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
                  "return %%r : tensor<8x4xf32>\n}",
                  rule);
  mlir_module_t *module = NULL;
  pod_status_t status =
      compiler_parse("rule.mlir", text.bytes, (int64_t)text.length, &module);
  assert_null(status);
  status = compiler_verify(module);
  if (status == NULL) {
    fail_msg("%s is accepted", rule);
  }
  if (strstr(pod_status_message(status), what) == NULL ||
      strstr(pod_status_message(status), "rule.mlir:2:") == NULL) {
    fail_msg("%s: %s", rule, pod_status_message(status));
  }
  pod_status_free(status);
  pod_text_deinit(&text);
  mlir_module_destroy(module);
}

static void test_rules_that_do_not_fit_are_refused(void **state) {
  (void)state;
  check_bad_rule("([i])->([i, j]) {i=8, j=4}", "1 dimensions for operand 0, which has 2");
  check_bad_rule("([i, j], [i])->([i, j]) {i=8, j=4}", "has 2 operands, the operation 1");
  check_bad_rule("([i, j])->() {i=8, j=4}", "has 0 results, the operation 1");
  check_bad_rule("([i, j])->([i, j]) {i=8}", "says no size of factor j");
  check_bad_rule("([i, j])->([i, j]) {i=8, i=8, j=4}", "one size of factor i");
  check_bad_rule("([i, j])->([i, j]) {i=8, j=4, k=2}", "no dimension has the factor k");
  check_bad_rule("([ij, k])->([i, k]) {i=2, j=3, k=4}",
                 "dimension 0 of operand 0 do not make its size, 8");
  check_bad_rule("([i, j])->([i, j]) {i=8, j=4} reduction={j}",
                 "reduces factor j, and result 0 has it");
  check_bad_rule("([i, j])->([i, j]) {i=8, j=4} need_replication={j} permutation={j}",
                 "factor j is of two kinds");
  check_bad_rule("([a, b])->([a, b]) {a=8, b=4}", "expected factors, i to z");
  check_bad_rule("([i, j])->([i, j]) {i=-8, j=4}", ">= 0");
  check_bad_rule("([i, j])->([i, j]) {i=8, j=4} nonsense={j}", "expected");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_call_of_the_user_s_has_the_rule_that_he_gives_it),
      cmocka_unit_test(test_rules_that_do_not_fit_are_refused),
      cmocka_unit_test(test_matrices_are_whole_and_their_batches_pass),
      cmocka_unit_test(test_bits_of_an_element_stay_together),
      cmocka_unit_test(test_elementwise_dimensions_are_the_same_and_scalars_have_none),
      cmocka_unit_test(test_a_dot_batches_passes_and_contracts),
      cmocka_unit_test(test_a_reduced_dimension_is_only_in_the_operand),
      cmocka_unit_test(test_a_broadcast_adds_dimensions_and_stretches_those_of_one),
      cmocka_unit_test(test_a_reshape_splits_and_merges_dimensions),
      cmocka_unit_test(test_digits_of_a_reshape_that_do_not_line_up_stay_whole),
      cmocka_unit_test(test_a_slice_passes_what_it_does_not_cut),
      cmocka_unit_test(test_a_strided_slice_keeps_whole_strides_together),
      cmocka_unit_test(test_dynamic_slices_pick_of_the_cut_dimension),
      cmocka_unit_test(test_joined_padded_and_reversed_dimensions_are_marked),
      cmocka_unit_test(test_dimensions_without_elements_have_no_factors),
      cmocka_unit_test(test_a_scatter_passes_window_dimensions_that_no_index_moves),
      cmocka_unit_test(test_every_row_has_a_rule_or_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
