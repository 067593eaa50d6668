// The types that a caller gives for @main's arguments, and what follows from them.

#include "server/compiler/legalize/signature.h"

#include "common/mlir/diagnostic.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/legalize/refine.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

enum { TYPES_MAX = 4 };

typedef struct given_t {
  int64_t count;
  compiler_argument_type_t types[TYPES_MAX];
} given_t;

static compiler_argument_type_t type_of(const char *argument, tensor_dtype_t dtype,
                                        int rank, const int64_t *dims) {
  return (compiler_argument_type_t){.argument = argument,
                                    .shape = tensor_shape_make(dtype, rank, dims)};
}

static compiler_argument_type_t value_of(const char *argument, int64_t value) {
  return (compiler_argument_type_t){
      .argument = argument, .has_value = true, .value = value};
}

#define DIMS(...)                                                          \
  (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { \
    __VA_ARGS__                                                            \
  }

// Up to the verifier. The caller frees the module.
static pod_status_t prepare(const char *text, const given_t *given,
                            mlir_module_t **out_module) {
  mlir_module_t *module = *out_module = parse_text(text);
  POD_TRY(signature_set_arguments(module, given->count, given->types));
  POD_TRY(compiler_expand(module));
  return compiler_verify(module);
}

static void expect_in(const char *text, const given_t *given, const char *part) {
  mlir_module_t *module;
  assert_ok(prepare(text, given, &module));
  char *printed = print_text(module);
  if (strstr(printed, part) == NULL) {
    fail_msg("no %s in\n%s", part, printed);
  }
  free(printed);
  mlir_module_destroy(module);
}

static void expect_refused(const char *text, const given_t *given, pod_code_t code,
                           const char *part) {
  mlir_module_t *module;
  assert_error(prepare(text, given, &module), code, part);
  mlir_module_destroy(module);
}

static const char open_sizes[] =
    "func.func public @main(%n: tensor<i32>,\n"
    "    %x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<?x8xf32>\n"
    "  return %0 : tensor<?x8xf32>\n"
    "}\n";

static void test_an_argument_gets_its_sizes_and_results_follow(void **state) {
  (void)state;
  const given_t rows[] = {
      {2, {type_of("", TENSOR_S32, 0, NULL), type_of("", TENSOR_F32, DIMS(4, 8))}},
      {1, {type_of("1", TENSOR_F32, DIMS(4, 8))}},
      {1, {type_of("x", TENSOR_INVALID, DIMS(4, 8))}},
      {2, {type_of("x", TENSOR_F32, DIMS(4, 8)), type_of("n", TENSOR_INVALID, 0, NULL)}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    expect_in(open_sizes, &rows[i], "-> tensor<4x8xf32> {");
    expect_in(open_sizes, &rows[i], "%x: tensor<4x8xf32>");
  }
}

static void test_a_type_that_does_not_fit_is_refused_at_its_argument(void **state) {
  (void)state;
  const struct {
    given_t given;
    const char *message;
  } rows[] = {
      {{1, {type_of("1", TENSOR_F32, DIMS(4, 9))}},
       "test.mlir:2:5: argument 1 is tensor<?x8xf32>; 4x9xf32 was given; dimension 1 "
       "must be 8"},
      {{1, {type_of("x", TENSOR_INVALID, DIMS(4, 9))}},
       "test.mlir:2:5: argument 1 is tensor<?x8xf32>; 4x9 was given; dimension 1 must be "
       "8"},
      {{1, {type_of("x", TENSOR_BF16, DIMS(4, 8))}},
       "4x8xbf16 was given; its elements must be f32"},
      {{1, {type_of("x", TENSOR_INVALID, DIMS(8))}}, "8 was given; it must have 2"},
      {{1, {type_of("x", TENSOR_INVALID, 0, NULL)}}, "a scalar was given; it must have"},
      {{1, {type_of("x", TENSOR_INVALID, DIMS(-1, 8))}},
       "dimension 0 must not be negative"},
      {{1, {type_of("x", TENSOR_INVALID, DIMS(INT64_MAX, 8))}}, "2^63"},
      {{1, {type_of("n", TENSOR_S64, 0, NULL)}},
       "test.mlir:1:24: argument 0 is tensor<i32>; i64 was given"},
      {{1, {type_of("y", TENSOR_F32, DIMS(4, 8))}},
       "test.mlir:1:1: 'func.func': has no argument 'y'"},
      {{1, {type_of("2", TENSOR_F32, DIMS(4, 8))}},
       "has 2 arguments; a type is given for argument 2"},
      {{1, {type_of("-1", TENSOR_F32, DIMS(4, 8))}}, "for argument -1"},
      {{2, {type_of("1", TENSOR_F32, DIMS(4, 8)), type_of("x", TENSOR_F32, DIMS(4, 8))}},
       "test.mlir:2:5: two types are given for argument 1"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    expect_refused(open_sizes, &rows[i].given, POD_INVALID_ARGUMENT, rows[i].message);
  }
}

static given_t partly(compiler_argument_type_t type) {
  type.is_partial = true;
  return (given_t){1, {type}};
}

static void test_only_some_sizes_may_be_given(void **state) {
  (void)state;
  const given_t rows[] = {
      partly(type_of("x", TENSOR_INVALID, DIMS(4))),
      partly(type_of("x", TENSOR_INVALID, DIMS(4, -1))),
      partly(type_of("x", TENSOR_F32, DIMS(4, 8))),
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    expect_in(open_sizes, &rows[i], "%0 = stablehlo.add %x, %x : tensor<4x8xf32>");
  }
  given_t both = {
      2,
      {type_of("x", TENSOR_INVALID, DIMS(1, 8)), type_of("1", TENSOR_INVALID, DIMS(4))}};
  both.types[1].is_partial = true;  // In place of a size of the first.
  expect_in(open_sizes, &both, "%0 = stablehlo.add %x, %x : tensor<4x8xf32>");
  const given_t static_size = partly(type_of("x", TENSOR_INVALID, DIMS(-1, 16))),
                too_many = partly(type_of("x", TENSOR_INVALID, DIMS(4, -1, 2))),
                open_still = partly(type_of("x", TENSOR_INVALID, DIMS(-1)));
  expect_refused(open_sizes, &static_size, POD_INVALID_ARGUMENT,
                 "?x16 was given; dimension 1 must be 8, which the module was made for");
  expect_refused(open_sizes, &too_many, POD_INVALID_ARGUMENT,
                 "it must have 2 dimensions");
  expect_refused(open_sizes, &open_still, POD_UNIMPLEMENTED, "argument 1 is");
}

static void test_without_a_type_the_argument_is_named_with_what_to_do(void **state) {
  (void)state;
  expect_refused(open_sizes, &(given_t){0}, POD_UNIMPLEMENTED,
                 "test.mlir:2:5: argument 1 is tensor<?x8xf32>; only tensors of static "
                 "sizes are supported: say what is passed");
}

static void test_tokens_count_as_arguments_that_have_no_elements(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%t: !stablehlo.token, %x: tensor<?xf32>)\n"
      "    -> (!stablehlo.token, tensor<?xf32>) {\n"
      "  return %t, %x : !stablehlo.token, tensor<?xf32>\n"
      "}\n";
  const given_t given = {1, {type_of("1", TENSOR_F32, DIMS(5))}};
  expect_in(text, &given,
            "(%t: tensor<0xi1>, %x: tensor<5xf32>) -> (tensor<0xi1>, tensor<5xf32>)");
}

static void test_the_only_public_function_is_the_main_one(void **state) {
  (void)state;
  static const char text[] =
      "func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %0 = stablehlo.negate %x : tensor<?xf32>\n"
      "  return %0 : tensor<?xf32>\n"
      "}\n"
      "func.func public @entry(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %0 = call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>\n"
      "  return %0 : tensor<?xf32>\n"
      "}\n";
  const given_t given = {1, {type_of("x", TENSOR_F32, DIMS(3))}};
  expect_in(text, &given, "stablehlo.negate %x : tensor<3xf32>");
}

// Two sizes that must be one, as jax.export asks for it.
static const char asserting[] =
    "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %b = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %c = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "  stablehlo.custom_call @shape_assertion(%c, %a, %b) {error_message = \"a is {0}, b "
    "is {1}, not {2} or {x}\", has_side_effect = true} : (tensor<i1>, tensor<i32>, "
    "tensor<i32>) -> ()\n"
    "  %0 = stablehlo.add %x, %y : tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n";

static void test_an_assertion_about_sizes_is_decided_by_the_compiler(void **state) {
  (void)state;
  given_t given = {2,
                   {type_of("", TENSOR_F32, DIMS(3)), type_of("", TENSOR_F32, DIMS(3))}};
  mlir_module_t *module;
  assert_ok(prepare(asserting, &given, &module));
  char *printed = print_text(module);
  assert_null(strstr(printed, "shape_assertion"));
  assert_null(strstr(printed, "check."));
  free(printed);
  mlir_module_destroy(module);
  given.types[1] = type_of("", TENSOR_F32, DIMS(4));
  expect_refused(
      asserting, &given, POD_INVALID_ARGUMENT,
      "test.mlir:5:3: 'stablehlo.custom_call': @shape_assertion does not hold: "
      "a is 3, b is 4, not {2} or {x}");
}

static void test_an_assertion_in_a_branch_is_left_to_the_run(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%p: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %0 = \"stablehlo.if\"(%p) ({\n"
      "    %no = stablehlo.constant dense<false> : tensor<i1>\n"
      "    stablehlo.custom_call @shape_assertion(%no) {error_message = \"no\", "
      "has_side_effect = true} : (tensor<i1>) -> ()\n"
      "    stablehlo.return %x : tensor<?xf32>\n"
      "  }, {\n"
      "    stablehlo.return %x : tensor<?xf32>\n"
      "  }) : (tensor<i1>) -> tensor<?xf32>\n"
      "  return %0 : tensor<?xf32>\n"
      "}\n";
  const given_t given = {1, {type_of("x", TENSOR_F32, DIMS(3))}};
  expect_in(text, &given, "check.expect_eq");
}

static void test_an_assertion_of_a_constant_is_decided_in_static_programs_too(
    void **state) {
  (void)state;
  static const char text[] =
      "func.func @main() {\n"
      "  %no = stablehlo.constant dense<false> : tensor<i1>\n"
      "  stablehlo.custom_call @shape_assertion(%no) {error_message = \"never\"} : "
      "(tensor<i1>) -> ()\n"
      "  return\n"
      "}\n";
  expect_refused(text, &(given_t){0}, POD_INVALID_ARGUMENT, "test.mlir:3:3");
}

static void test_sizes_cross_the_border_of_a_manual_computation(void **state) {
  (void)state;
  static const char text[] =
      "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
      "func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
      "  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>] "
      "out_shardings=[<@mesh, [{\"y\", \"x\"}, {}]>] manual_axes={\"x\", \"y\"} (%a: "
      "tensor<?x4xf32>) {\n"
      "    %s = stablehlo.constant dense<[2, 8]> : tensor<2xi32>\n"
      "    %b = stablehlo.dynamic_reshape %a, %s : (tensor<?x4xf32>, tensor<2xi32>) -> "
      "tensor<?x8xf32>\n"
      "    sdy.return %b : tensor<?x8xf32>\n"
      "  } : (tensor<?x8xf32>) -> tensor<?x8xf32>\n"
      "  return %0 : tensor<?x8xf32>\n"
      "}\n";
  given_t given = {1, {type_of("x", TENSOR_F32, DIMS(8, 8))}};
  expect_in(text, &given, "(%a: tensor<4x4xf32>)");
  expect_in(text, &given, ": (tensor<8x8xf32>) -> tensor<8x8xf32>");
  given.types[0] = type_of("x", TENSOR_F32, DIMS(7, 8));
  expect_refused(text, &given, POD_INVALID_ARGUMENT,
                 "test.mlir:3:8: 'sdy.manual_computation': dimension 0 of operand 0 is "
                 "7, which is not for 2 devices");
}

// As JAX lowers a function of symbolic sizes before export wraps it.
static const char of_dimension[] =
    "func.func @main(%n: tensor<i32> {jax.global_constant = \"n\"}, %x: tensor<f32>) -> "
    "tensor<?xf32> {\n"
    "  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<f32>, "
    "tensor<1xi32>) -> tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n";

static void test_sizes_may_follow_from_the_value_of_an_argument(void **state) {
  (void)state;
  const given_t given = {1, {value_of("n", 5)}};
  expect_in(of_dimension, &given, "-> tensor<5xf32> {");
  expect_in(of_dimension, &given, "check.expect_eq %n, %");
  expect_refused(of_dimension, &(given_t){0}, POD_UNIMPLEMENTED,
                 "say the values of the arguments that sizes follow from (--constant");
}

static void test_a_value_that_the_argument_cannot_have_is_refused(void **state) {
  (void)state;
  given_t given = {1, {value_of("n", INT64_C(1) << 31)}};
  expect_refused(of_dimension, &given, POD_INVALID_ARGUMENT,
                 "test.mlir:1:17: argument 0 is tensor<i32>, which cannot be 2147483648");
  given.types[0] = value_of("x", 1);
  expect_refused(of_dimension, &given, POD_INVALID_ARGUMENT,
                 "argument 1 is tensor<f32>, which cannot be 1");
  given.types[0] = value_of("n", -1);
  expect_refused(of_dimension, &given, POD_UNIMPLEMENTED, "result 0 stays tensor<?xf32>");
}

static void test_gspmd_annotations_may_carry_the_shape(void **state) {
  (void)state;
  static const char text[] =
      "module @m attributes {mhlo.num_partitions = 4 : i32} {\n"
      "  func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
      "    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> "
      "tensor<i32>\n"
      "    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
      "    %c = stablehlo.constant dense<8> : tensor<1xi32>\n"
      "    %s = stablehlo.concatenate %n1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) "
      "-> tensor<2xi32>\n"
      "    %0 = stablehlo.custom_call @Sharding(%x, %s) {backend_config = \"\", "
      "indices_of_shape_operands = dense<1> : tensor<1xi64>, mhlo.sharding = "
      "\"{devices=[2,2]<=[4]}\"} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>\n"
      "    %1 = stablehlo.custom_call @LayoutConstraint(%0) {api_version = 1 : i32} : "
      "(tensor<?x8xf32>) -> tensor<?x8xf32>\n"
      "    return %1 : tensor<?x8xf32>\n"
      "  }\n"
      "}\n";
  const given_t given = {1, {type_of("x", TENSOR_F32, DIMS(8, 8))}};
  expect_in(text, &given, "sdy.sharding_constraint %x");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_argument_gets_its_sizes_and_results_follow),
      cmocka_unit_test(test_a_type_that_does_not_fit_is_refused_at_its_argument),
      cmocka_unit_test(test_only_some_sizes_may_be_given),
      cmocka_unit_test(test_without_a_type_the_argument_is_named_with_what_to_do),
      cmocka_unit_test(test_tokens_count_as_arguments_that_have_no_elements),
      cmocka_unit_test(test_the_only_public_function_is_the_main_one),
      cmocka_unit_test(test_an_assertion_about_sizes_is_decided_by_the_compiler),
      cmocka_unit_test(test_an_assertion_in_a_branch_is_left_to_the_run),
      cmocka_unit_test(test_an_assertion_of_a_constant_is_decided_in_static_programs_too),
      cmocka_unit_test(test_sizes_cross_the_border_of_a_manual_computation),
      cmocka_unit_test(test_sizes_may_follow_from_the_value_of_an_argument),
      cmocka_unit_test(test_a_value_that_the_argument_cannot_have_is_refused),
      cmocka_unit_test(test_gspmd_annotations_may_carry_the_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
