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

#define RNG(distribution, type, size, result)                                         \
  "%0 = stablehlo.rng %a, %a, %n, distribution = " distribution " : (" type ", " type \
  ", " size ") -> " result

static void test_rng_needs_bounds_of_its_type_and_a_size_per_dimension(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"%a: tensor<i32>, %n: tensor<1xi64>",
       RNG("NORMAL", "tensor<i32>", "tensor<1xi64>", "tensor<4xi32>"),
       "test.mlir:2:8: 'stablehlo.rng': makes floats; with UNIFORM integers"},
      {"%a: tensor<complex<f32>>, %n: tensor<1xi64>",
       RNG("UNIFORM", "tensor<complex<f32>>", "tensor<1xi64>", "tensor<4xcomplex<f32>>"),
       "makes floats"},
      {"%a: tensor<f32>, %n: tensor<1xi64>",
       RNG("UNIFORM", "tensor<f32>", "tensor<1xi64>", "tensor<4xf64>"),
       "operand 0 must be one element of the result's type"},
      {"%a: tensor<f32>, %n: tensor<2xi64>",
       RNG("UNIFORM", "tensor<f32>", "tensor<2xi64>", "tensor<4xf32>"),
       "operand 2 must have a size for each of 1 dimensions"},
      {"%a: tensor<f32>, %n: tensor<1xi64>",
       RNG("ODD", "tensor<f32>", "tensor<1xi64>", "tensor<4xf32>"),
       "'rng_distribution' must be one of"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

#define RAGGED(numbers, result)                                                      \
  "%0 = \"chlo.ragged_dot\"(%a, %b, %s) {ragged_dot_dimension_numbers = "            \
  "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = " \
  "[1], " numbers ">} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> " result

static void test_ragged_dot_needs_a_group_for_each_size(void **state) {
  (void)state;
  static const char *const arguments =
      "%a: tensor<4x2xf32>, %b: tensor<3x2x5xf32>, %s: tensor<3xi32>";
  const row_t rows[] = {
      {arguments,
       RAGGED("lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]",
              "tensor<4x5xf32>"),
       "test.mlir:2:8: 'chlo.ragged_dot': 'ragged_dot_dimension_numbers' must name"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]",
              "tensor<4x5xf32>"),
       "must name dimensions"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [0], rhs_group_dimensions = [2]",
              "tensor<4x5xf32>"),
       "needs one group dimension of the right side"},
      {arguments, RAGGED("lhs_ragged_dimensions = [0]", "tensor<4x5xf32>"),
       "needs one group dimension of the right side"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
              "tensor<4x6xf32>"),
       "'stablehlo.dot_general'"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]",
              "tensor<4x5xf32>"),
       "its result must begin with a dimension of groups"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

static void test_a_broadcast_from_roots_needs_one_for_each_value(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"%a: tensor<4xf32>, %r: tensor<2xi32>",
       "%0 = \"stablehlo.collective_broadcast\"(%a, %r) {replica_groups = dense<[[0, "
       "1]]> "
       ": tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<2xi32>) -> "
       "tensor<4xf32>",
       "test.mlir:2:8: 'stablehlo.collective_broadcast': needs 'replica_groups' of chips "
       "and, as its last operand, an integer for each result"},
      {"%a: tensor<4xf32>, %r: tensor<1xf32>",
       "%0 = \"stablehlo.collective_broadcast\"(%a, %r) {replica_groups = dense<[[0, "
       "1]]> "
       ": tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<1xf32>) -> "
       "tensor<4xf32>",
       "an integer for each result"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

static void test_a_check_with_a_constant_without_a_type_is_an_error(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<f32>) {\n"
      "  check.expect_eq_const %a, @name\n  return\n}\n";
  mlir_module_t *module = NULL;
  assert_error(mlir_parse("test.mlir", text, (int64_t)strlen(text),
                          compiler_syntax_lookup, &module),
               POD_INVALID_ARGUMENT, "expected dense<…> and its type");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batch_norm_needs_floats_and_a_vector_per_feature),
      cmocka_unit_test(test_a_broadcast_needs_sizes_that_fit_the_result),
      cmocka_unit_test(test_rng_needs_bounds_of_its_type_and_a_size_per_dimension),
      cmocka_unit_test(test_ragged_dot_needs_a_group_for_each_size),
      cmocka_unit_test(test_a_check_with_a_constant_without_a_type_is_an_error),
      cmocka_unit_test(test_a_broadcast_from_roots_needs_one_for_each_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
