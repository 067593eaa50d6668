#include "server/compiler/legalize/legalize.h"
#include "server/compiler/verify/verify.h"
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

static void test_a_broadcast_needs_sizes_that_fit_the_result(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"%a: tensor<4x2xf32>, %b: tensor<3xf32>",
       "%0 = chlo.broadcast_add %a, %b : (tensor<4x2xf32>, tensor<3xf32>) -> "
       "tensor<4x2xf32>",
       "test.mlir:2:8: 'chlo.broadcast_add'"},
      {"%a: tensor<4x2xf32>, %b: tensor<2xf32>",
       "%0 = chlo.broadcast_add %a, %b : (tensor<4x2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>",
       "result 0 is declared as tensor<2xf32>, but it is tensor<4x2xf32>"},
      {"%a: tensor<4x2xf32>, %b: tensor<4xf32>",
       "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : "
       "(tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x2xf32>",
       "'broadcast_dimensions' has 2 values; 1 are needed"},
      {"%a: tensor<4x2xf32>, %b: tensor<4xf32>",
       "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : "
       "(tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x2xf32>",
       "'broadcast_dimensions' names dimension 2 of a tensor of rank 2"},
      {"%a: tensor<4x2xf32>, %b: tensor<2xi32>",
       "%0 = chlo.broadcast_add %a, %b : (tensor<4x2xf32>, tensor<2xi32>) -> "
       "tensor<4x2xf32>",
       "must have one element type"},
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
       "test.mlir:2:8: 'chlo.ragged_dot': needs one ragged dimension"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]",
              "tensor<4x5xf32>"),
       "names dimension 2 of rank 2"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [0], rhs_group_dimensions = [2]",
              "tensor<4x5xf32>"),
       "of the right operand has size 5; there are 3 groups"},
      {arguments, RAGGED("lhs_ragged_dimensions = [0]", "tensor<4x5xf32>"),
       "needs one group dimension of its right operand"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
              "tensor<4x6xf32>"),
       "dimension 1 is 5, not 6"},
      {arguments,
       RAGGED("lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]",
              "tensor<4x5xf32>"),
       "takes no group dimension of its right operand"},
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
       "test.mlir:2:8: 'stablehlo.collective_broadcast': the roots are "
       "tensor<2xi32>; they must be tensor<1xi32>"},
      {"%a: tensor<4xf32>, %r: tensor<1xf32>",
       "%0 = \"stablehlo.collective_broadcast\"(%a, %r) {replica_groups = dense<[[0, "
       "1]]> "
       ": tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<1xf32>) -> "
       "tensor<4xf32>",
       "the roots are tensor<1xf32>; they must be tensor<1xi32>"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

static void test_a_check_with_a_constant_without_a_type_is_an_error(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<f32>) {\n"
      "  check.expect_eq_const %a, @name\n  return\n}\n";
  mlir_module_t *module = NULL;
  assert_error(compiler_parse("test.mlir", text, (int64_t)strlen(text), &module),
               POD_INVALID_ARGUMENT, "expected dense<…> and its type");
}

#define CALL(target, attrs, types) \
  "%0 = stablehlo.custom_call @" target "(%a) {" attrs "} : " types

static void test_custom_calls_that_are_known_are_checked(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"%a: tensor<2xf32>", CALL("MoveToHost", "", "(tensor<2xf32>) -> tensor<3xf32>"),
       "target @MoveToHost gives other types than it takes"},
      {"%a: tensor<2xf32>", CALL("ApproxTopK", "", "(tensor<2xf32>) -> tensor<1xf32>"),
       "needs 'reduction_dim'"},
      {"%a: tensor<2xf32>",
       CALL("ApproxTopK",
            "api_version = 1 : i32, mhlo.backend_config = {reduction_dim = 0 : i64}",
            "(tensor<2xf32>) -> tensor<1xf32>"),
       "needs 'called_computations'"},
      {"%a: tensor<2xf32>",
       CALL("stablehlo.dynamic_top_k", "", "(tensor<2xf32>) -> tensor<1xf32>"),
       "takes an array and gives values and indices"},
      {"%a: tensor<2xf32>",
       CALL("stablehlo.dynamic_reduce_window", "", "(tensor<2xf32>) -> tensor<1xf32>"),
       "takes inputs, initial values and five lists"},
      {"%a: tensor<2xi1>",
       "stablehlo.custom_call @shape_assertion(%a) : (tensor<2xi1>) -> ()",
       "target @shape_assertion takes tensor<i1>"},
      {"%a: tensor<2x2xf32>",
       "%0:2 = stablehlo.custom_call @Eigh(%a) {backend_config = \"2,1,100,1e-6\"} : "
       "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)",
       "target @Eigh needs 'backend_config' that begins with two of 0 and 1"},
      {"%a: tensor<2xf32>",
       CALL("ragged_all_to_all", "", "(tensor<2xf32>) -> tensor<2xf32>"),
       "target @ragged_all_to_all takes an operand, an output"},
      {"%a: tensor<2xf32>, %i: tensor<2xi32>",
       "%0 = stablehlo.custom_call @ragged_all_to_all(%a, %a, %i, %i, %i, %i) : "
       "(tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, "
       "tensor<2xi32>) -> tensor<2xf32>",
       "target @ragged_all_to_all needs 'replica_groups' in its 'backend_config'"},
      {"%a: tensor<2xf32>, %i: tensor<2xi32>",
       "%0 = stablehlo.custom_call @ragged_all_to_all(%a, %a, %i, %i, %i, %i) "
       "{api_version = 4 : i32, backend_config = {replica_groups = dense<[[0, 1, 2]]> : "
       "tensor<1x3xi64>}} : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, "
       "tensor<2xi32>, tensor<2xi32>) -> tensor<2xf32>",
       "takes one offset and size for each chip of a group of 3, got 2"},
      {"%a: tensor<2x2xf32>", CALL("Qr", "", "(tensor<2x2xf32>) -> tensor<2x2xf32>"),
       "target @Qr gives 2 values, not 1"},
      {"%a: tensor<2x2xf32>",
       "%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo "
       "= "
       "78 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)",
       "lacks 'uplo', the code of a letter of LU"},
      {"%a: tensor<f32>",
       "%0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<f32>) -> "
       "(tensor<f32>, tensor<i32>, tensor<i32>)",
       "takes matrices, of rank 2 or more"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
}

// Shardings that are strings.
static void test_strings_of_shardy_that_are_none_are_errors(void **state) {
  (void)state;
  static const char sharding[] =
      "mhlo.frontend_attributes = {xla.sdy.sharding = \"#sdy.sharding<\"}";
  pod_text_t text = {0};
  pod_text_printf(&text,
                  "%%0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%%a) {%s} : "
                  "(tensor<2xf32>) -> tensor<2xf32>",
                  sharding);
  const row_t rows[] = {
      {"%a: tensor<2xf32>", text.bytes,
       "test.mlir:2:8: 'stablehlo.custom_call': has a frontend attribute of Shardy's "
       "that "
       "is none"},
  };
  check_rows(sizeof(rows) / sizeof(rows[0]), rows);
  pod_text_deinit(&text);
}

// A module with sizes that do not follow names the operation at which that begins.
static void test_sizes_that_depend_on_values_are_refused_where_they_arise(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"func.func private @f(%n: tensor<1xi32>) -> tensor<?xf32> {\n"
       "  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n"
       "  return %0 : tensor<?xf32>\n}\n"
       "func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {\n"
       "  %0 = call @f(%n) : (tensor<1xi32>) -> tensor<?xf32>\n"
       "  return %0 : tensor<?xf32>\n}\n",
       "test.mlir:2:8: 'stablehlo.dynamic_iota': result 0 stays tensor<?xf32>"},
      {"func.func @main(%x: tensor<?xf32>) {\n  return\n}\n",
       "test.mlir:1:17: argument 0 is tensor<?xf32>"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mlir_module_t *module = parse_text(rows[i].text);
    assert_error(compiler_expand(module), POD_UNIMPLEMENTED, rows[i].message);
    mlir_module_destroy(module);
  }
}

static void test_a_call_with_unknown_sizes_fits_its_function(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      "func.func private @f(%x: tensor<?xf32>) {\n  return\n}\n"
      "func.func @main() {\n  func.call @f() : () -> ()\n  return\n}\n");
  assert_error(compiler_expand(module), POD_INVALID_ARGUMENT,
               "does not fit @f: it has 0 operands and 0 results");
  mlir_module_destroy(module);
}

static void test_a_local_value_without_its_manual_computation_is_refused(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      "func.func @main(%a: tensor<2xf32>) {\n  %0 = stablehlo.custom_call "
      "@xla.sdy.LocalToGlobalShape(%a) : (tensor<2xf32>) -> tensor<4xf32>\n  "
      "return\n}\n");
  assert_error(compiler_expand(module), POD_UNIMPLEMENTED,
               "takes what is no result of a manual computation");
  mlir_module_destroy(module);
}

static void test_a_local_value_is_not_used_outside_of_its_manual_computation(
    void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      "module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = \"{mesh = "
      "#sdy.mesh<[\\22x\\22=2]>}\"}} {\n"
      "func.func @main() -> tensor<f32> {\n"
      "%0 = func.call @xla.sdy.manual_computation_body() : () -> tensor<f32>\n"
      "%1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) "
      "{mhlo.frontend_attributes = {xla.sdy.out_shardings = "
      "\"#sdy.sharding_per_value<[<@mesh, []>]>\"}} : (tensor<f32>) -> tensor<f32>\n"
      "%2 = stablehlo.add %0, %1 : tensor<f32>\n"
      "return %2 : tensor<f32>\n}\n"
      "func.func private @xla.sdy.manual_computation_body() -> tensor<f32> {\n"
      "%c = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "return %c : tensor<f32>\n}\n}\n");
  assert_error(compiler_expand(module), POD_INVALID_ARGUMENT,
               "test.mlir:5:6: 'stablehlo.add': operand 0 is local to a manual "
               "computation");
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_broadcast_needs_sizes_that_fit_the_result),
      cmocka_unit_test(test_ragged_dot_needs_a_group_for_each_size),
      cmocka_unit_test(test_a_check_with_a_constant_without_a_type_is_an_error),
      cmocka_unit_test(test_custom_calls_that_are_known_are_checked),
      cmocka_unit_test(test_strings_of_shardy_that_are_none_are_errors),
      cmocka_unit_test(test_a_local_value_without_its_manual_computation_is_refused),
      cmocka_unit_test(test_a_local_value_is_not_used_outside_of_its_manual_computation),
      cmocka_unit_test(test_sizes_that_depend_on_values_are_refused_where_they_arise),
      cmocka_unit_test(test_a_call_with_unknown_sizes_fits_its_function),
      cmocka_unit_test(test_a_broadcast_from_roots_needs_one_for_each_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
