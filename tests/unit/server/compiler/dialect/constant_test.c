#include "server/compiler/dialect/constant.h"

#include "tests/unit/server/compiler/text.h"

static const char MODULE[] =
    "func.func @main(%a: tensor<f32>) -> (tensor<f32>) {\n"
    "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %1 = stablehlo.constant dense<-0.0> : tensor<f32>\n"
    "  %2 = stablehlo.constant dense<0> : tensor<4xi32>\n"
    "  %3 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>\n"
    "  %4 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
    "  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xf32>) -> "
    "tensor<3x2xf32>\n"
    "  %6 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
    "  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<2xf32>) -> "
    "tensor<3x2xf32>\n"
    "  %8 = stablehlo.constant dense<[0]> : tensor<1xi32>\n"
    "  %9 = stablehlo.constant dense<(0.0, 1.0)> : tensor<complex<f32>>\n"
    "  %10 = stablehlo.negate %0 : tensor<f32>\n"
    "  return %a : tensor<f32>\n"
    "}\n";

// Of `results[i]` of the i-th operation of @main.
static const mlir_value_t *result(const mlir_module_t *module, int index) {
  const mlir_op_t *main = mlir_op_block(module->op, 0)->first;
  const mlir_op_t *op = mlir_op_block(main, 0)->first;
  for (int i = 0; i < index; i++) {
    op = op->next;
  }
  return &op->results[0];
}

static void test_zeros_are_found_through_broadcasts(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(MODULE);
  static const bool expected[] = {true,  false, true, false, true, true,
                                  false, false, true, false, false};
  for (int i = 0; i < (int)(sizeof(expected) / sizeof(expected[0])); i++) {
    if (compiler_is_zero(result(module, i)) != expected[i]) {
      fail_msg("%%%d: expected %d", i, expected[i]);
    }
  }
  mlir_module_destroy(module);
}

static void test_an_argument_of_a_block_is_no_zero_and_no_integer(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(MODULE);
  const mlir_op_t *main = mlir_op_block(module->op, 0)->first;
  int64_t number;
  assert_false(compiler_is_zero(mlir_op_block(main, 0)->arguments[0]));
  assert_false(compiler_constant_integer(mlir_op_block(main, 0)->arguments[0], &number));
  mlir_module_destroy(module);
}

static void test_integers_are_read_where_they_stand(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(MODULE);
  int64_t number = -1;
  assert_true(compiler_constant_integer(result(module, 2), &number));
  assert_int_equal(number, 0);
  assert_false(compiler_constant_integer(result(module, 3), &number));
  assert_true(compiler_constant_element(result(module, 3), 1, &number));
  assert_int_equal(number, 1);
  assert_false(compiler_constant_element(result(module, 3), 2, &number));
  assert_false(compiler_constant_integer(result(module, 0), &number));
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zeros_are_found_through_broadcasts),
      cmocka_unit_test(test_an_argument_of_a_block_is_no_zero_and_no_integer),
      cmocka_unit_test(test_integers_are_read_where_they_stand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
