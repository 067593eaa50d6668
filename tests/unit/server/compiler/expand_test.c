#include "server/compiler/passes.h"
#include "tests/unit/server/compiler/text.h"

typedef struct row_t {
  const char *arguments, *body, *message;
} row_t;

// The second line of the module is the operation.
static void check_rows(size_t count, const row_t *rows) {
  for (size_t i = 0; i < count; i++) {
    pod_text_t text = {0};
    pod_text_printf(&text, "func.func @main(%s) {\n  %s\n  return\n}\n",
                    rows[i].arguments, rows[i].body);
    mlir_module_t *module = parse_text(text.bytes);
    pod_status_t status = compiler_expand(module);
    if (status == NULL) {
      status = compiler_verify(module);
    }
    assert_error(status, POD_INVALID_ARGUMENT, rows[i].message);
    mlir_module_destroy(module);
    pod_text_deinit(&text);
  }
}

#define INFERENCE(epsilon, index, types, result)                           \
  "%0 = \"stablehlo.batch_norm_inference\"(%a, %f, %f, %f, %f) <{" epsilon \
  "feature_index = " index " : i64}> : (" types ") -> " result
#define VECTORS(type, other) type ", " other ", " other ", " other ", " other

static void test_batch_norm_needs_floats_and_a_vector_per_feature(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"%a: tensor<4x2xi32>, %f: tensor<2xi32>",
       INFERENCE("epsilon = 0.0 : f32, ", "1",
                 VECTORS("tensor<4x2xi32>", "tensor<2xi32>"), "tensor<4x2xi32>"),
       "test.mlir:2:8: 'stablehlo.batch_norm_inference': takes floats"},
      {"%a: tensor<4x2xf32>, %f: tensor<2xf32>",
       INFERENCE("epsilon = 0.0 : f32, ", "2",
                 VECTORS("tensor<4x2xf32>", "tensor<2xf32>"), "tensor<4x2xf32>"),
       "'feature_index' is no dimension of operand 0"},
      {"%a: tensor<4x2xf32>, %f: tensor<2xf32>",
       INFERENCE("", "1", VECTORS("tensor<4x2xf32>", "tensor<2xf32>"), "tensor<4x2xf32>"),
       "needs 'epsilon'"},
      {"%a: tensor<4x2xf32>, %f: tensor<4xf32>",
       INFERENCE("epsilon = 0.0 : f32, ", "1",
                 VECTORS("tensor<4x2xf32>", "tensor<4xf32>"), "tensor<4x2xf32>"),
       "operand 1 must be a vector with an element per feature"},
      {"%a: tensor<4x2xf32>, %f: tensor<2xf32>",
       INFERENCE("epsilon = 0.0 : f32, ", "1",
                 VECTORS("tensor<4x2xf32>", "tensor<2xf32>"), "tensor<4x3xf32>"),
       "result 0 must be an array of the type of operand 0"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

static void test_a_broadcast_needs_sizes_that_fit_the_result(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"%a: tensor<4x2xf32>, %b: tensor<3xf32>",
       "%0 = chlo.broadcast_add %a, %b : (tensor<4x2xf32>, tensor<3xf32>) -> "
       "tensor<4x2xf32>",
       "test.mlir:2:8: 'stablehlo.broadcast_in_dim'"},
      {"%a: tensor<4x2xf32>, %b: tensor<2xf32>",
       "%0 = chlo.broadcast_add %a, %b : (tensor<4x2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>",
       "an operand of rank 2 for a result of rank 1"},
      {"%a: tensor<4x2xf32>, %b: tensor<4xf32>",
       "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : "
       "(tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x2xf32>",
       "'broadcast_dimensions' needs 1 values"},
      {"%a: tensor<4x2xf32>, %b: tensor<4xf32>",
       "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : "
       "(tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x2xf32>",
       "'stablehlo.broadcast_in_dim'"},
      {"%a: tensor<4x2xf32>, %b: tensor<2xi32>",
       "%0 = chlo.broadcast_add %a, %b : (tensor<4x2xf32>, tensor<2xi32>) -> "
       "tensor<4x2xf32>",
       "'stablehlo.add'"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batch_norm_needs_floats_and_a_vector_per_feature),
      cmocka_unit_test(test_a_broadcast_needs_sizes_that_fit_the_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
