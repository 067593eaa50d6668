#include "server/compiler/dialect/syntax.h"

#include "server/compiler/dialect/syntax_format.h"
#include "tests/unit/common/mlir/text.h"

// One operation in a function: its pretty form and, unless NULL, its generic form, over
// the arguments given. Both must be the same program.
typedef struct form_t {
  const char *arguments, *pretty, *generic;
} form_t;

static mlir_module_t *parse_in_function(const char *arguments, const char *body) {
  pod_text_t text = {0};
  pod_text_printf(&text, "func.func @f(%s) {\n  %s\n  return\n}\n", arguments, body);
  mlir_module_t *module = parse_with(compiler_syntax_lookup, text.bytes);
  pod_text_deinit(&text);
  return module;
}

static void expect_forms(size_t count, const form_t *forms) {
  for (size_t i = 0; i < count; i++) {
    mlir_module_t *pretty = parse_in_function(forms[i].arguments, forms[i].pretty);
    expect_round_trip(compiler_syntax_lookup, pretty);
    if (forms[i].generic != NULL) {
      mlir_module_t *generic = parse_in_function(forms[i].arguments, forms[i].generic);
      expect_same(pretty, generic);
      // What was written in the generic form is printed in the pretty one.
      char *a = print_with(compiler_syntax_lookup, pretty);
      char *b = print_with(compiler_syntax_lookup, generic);
      assert_string_equal(a, b);
      free(a);
      free(b);
      mlir_module_destroy(generic);
    }
    mlir_module_destroy(pretty);
  }
}

#define EXPECT_FORMS(forms) expect_forms(sizeof(forms) / sizeof((forms)[0]), forms)

static void test_an_operation_has_the_form_that_its_row_names(void **state) {
  (void)state;
  static const char *const pretty[] = {"stablehlo.add", "chlo.acos", "sdy.mesh",
                                       "check.expect_eq", "interpreter.print"};
  for (size_t i = 0; i < sizeof(pretty) / sizeof(pretty[0]); i++) {
    assert_non_null(compiler_syntax_lookup(pretty[i]));
  }
  assert_ptr_equal(compiler_syntax_lookup("stablehlo.add"),
                   compiler_syntax_lookup("stablehlo.multiply"));
  assert_null(compiler_syntax_lookup("func.func"));  // The parser's own.
  assert_null(compiler_syntax_lookup("stablehlo.all_reduce"));
  assert_null(compiler_syntax_lookup("nothing"));
  assert_ptr_equal(compiler_syntax_lookup("mhlo.add"),
                   compiler_syntax_lookup("stablehlo.add"));
}

static void test_elementwise_operations(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<4xf32>", "%0 = stablehlo.abs %a : tensor<4xf32>",
       "%0 = \"stablehlo.abs\"(%a) : (tensor<4xf32>) -> tensor<4xf32>"},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi32>",
       "%0 = \"stablehlo.convert\"(%a) : (tensor<4xf32>) -> tensor<4xi32>"},
      {"%a: tensor<4xf32>, %b: tensor<4xf32>",
       "%0 = stablehlo.add %a, %b {mhlo.x = 1 : i8} : tensor<4xf32>",
       "%0 = \"stablehlo.add\"(%a, %b) {mhlo.x = 1 : i8} : (tensor<4xf32>, "
       "tensor<4xf32>) -> tensor<4xf32>"},
      {"%a: tensor<4xi32>, %b: tensor<4xi32>",
       "%0 = stablehlo.shift_left %a, %b : tensor<4xi32>", NULL},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode "
       "= #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>", NULL},
      {"%a: tensor<4xf32>, %b: tensor<4xf32>",
       "%0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>",
       "%0 = \"stablehlo.complex\"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> "
       "tensor<4xcomplex<f32>>"},
      {"%a: tensor<f32>, %b: tensor<4xf32>",
       "%0 = stablehlo.clamp %a, %b, %a : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> "
       "tensor<4xf32>",
       NULL},
      {"%p: tensor<4xi1>, %a: tensor<4xf32>",
       "%0 = stablehlo.select %p, %a, %a : tensor<4xi1>, tensor<4xf32>",
       "%0 = \"stablehlo.select\"(%p, %a, %a) : (tensor<4xi1>, tensor<4xf32>, "
       "tensor<4xf32>) -> tensor<4xf32>"},
      {"%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<?xf32>",
       "%0 = stablehlo.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) "
       "-> tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) "
       "-> "
       "tensor<4xi1>",
       "%0 = \"stablehlo.compare\"(%a, %a) <{comparison_direction = "
       "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type "
       "TOTALORDER>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.compare EQ, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> "
       "tensor<4xi1>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.reduce_precision %a, format = e5m10 : "
       "tensor<4xf32>",
       "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits "
       "= "
       "10 : i32}> : (tensor<4xf32>) -> tensor<4xf32>"},
      {"%a: tensor<4xf32>, %b: tensor<4xf32>", "%0 = mhlo.add %a, %b : tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = mhlo.compare NE, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
       "%0 = \"mhlo.compare\"(%a, %a) {comparison_direction = #mhlo<comparison_direction "
       "NE>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"},
  };
  EXPECT_FORMS(forms);
}

static void test_constants_and_operations_without_operands(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"", "%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>",
       "%0 = \"stablehlo.constant\"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () "
       "-> tensor<2xf32>"},
      {"", "%0 = stablehlo.constant {mhlo.x} dense<true> : tensor<i1>", NULL},
      {"", "%0 = stablehlo.constant() {value = dense<1> : tensor<i8>} : () -> tensor<i8>",
       "%0 = stablehlo.constant dense<1> : tensor<i8>"},
      {"", "%0 = stablehlo.iota dim = 1 : tensor<2x4xi32>",
       "%0 = \"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> tensor<2x4xi32>"},
      {"", "%0 = stablehlo.partition_id : tensor<ui32>",
       "%0 = \"stablehlo.partition_id\"() : () -> tensor<ui32>"},
      {"", "%0 = stablehlo.create_token : !stablehlo.token", NULL},
      {"", "%0 = stablehlo.after_all : !stablehlo.token", NULL},
      {"%a: !stablehlo.token", "%0 = stablehlo.after_all %a, %a : !stablehlo.token",
       NULL},
      {"", "%0 = sdy.constant dense<1> : tensor<4xi8>", NULL},
  };
  EXPECT_FORMS(forms);
}

static void test_operations_that_move_data(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> "
       "tensor<2x4xf32>",
       "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64: 1>}> "
       ": "
       "(tensor<4xf32>) -> tensor<2x4xf32>"},
      {"%a: tensor<f32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>",
       "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64>}> : "
       "(tensor<f32>) -> tensor<2xf32>"},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>", NULL},
      {"%a: tensor<2x4xf32>",
       "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x4xf32>) -> "
       "tensor<4x2xf32>",
       "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> : "
       "(tensor<2x4xf32>) -> tensor<4x2xf32>"},
      {"%a: tensor<8x8xf32>",
       "%0 = stablehlo.slice %a [0:4, 2:8:2] : (tensor<8x8xf32>) -> tensor<4x3xf32>",
       "%0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 0, 2>, limit_indices = "
       "array<i64: 4, 8>, strides = array<i64: 1, 2>}> : (tensor<8x8xf32>) -> "
       "tensor<4x3xf32>"},
      {"%a: tensor<f32>", "%0 = stablehlo.slice %a [] : (tensor<f32>) -> tensor<f32>",
       NULL},
      {"%a: tensor<8x8xf32>, %i: tensor<i32>",
       "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 2] : (tensor<8x8xf32>, "
       "tensor<i32>, tensor<i32>) -> tensor<4x2xf32>",
       "%0 = \"stablehlo.dynamic_slice\"(%a, %i, %i) <{slice_sizes = array<i64: 4, 2>}> "
       ": "
       "(tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>"},
      {"%a: tensor<f32>",
       "%0 = stablehlo.dynamic_slice %a, sizes = [] : (tensor<f32>) -> tensor<f32>",
       NULL},
      {"%a: tensor<8xf32>, %b: tensor<2xf32>, %i: tensor<i32>",
       "%0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<8xf32>, tensor<2xf32>, "
       "tensor<i32>) -> tensor<8xf32>",
       NULL},
      {"%a: tensor<2xf32>, %b: tensor<3xf32>",
       "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> "
       "tensor<5xf32>",
       "%0 = \"stablehlo.concatenate\"(%a, %b) <{dimension = 0 : i64}> : (tensor<2xf32>, "
       "tensor<3xf32>) -> tensor<5xf32>"},
      {"%a: tensor<2xf32>, %b: tensor<f32>",
       "%0 = stablehlo.pad %a, %b, low = [1], high = [-1], interior = [2] : "
       "(tensor<2xf32>, tensor<f32>) -> tensor<4xf32>",
       "%0 = \"stablehlo.pad\"(%a, %b) <{edge_padding_low = array<i64: 1>, "
       "edge_padding_high = array<i64: -1>, interior_padding = array<i64: 2>}> : "
       "(tensor<2xf32>, tensor<f32>) -> tensor<4xf32>"},
      {"%a: tensor<2xf32>", "%0 = stablehlo.reverse %a, dims = [0] : tensor<2xf32>",
       "%0 = \"stablehlo.reverse\"(%a) <{dimensions = array<i64: 0>}> : (tensor<2xf32>) "
       "-> "
       "tensor<2xf32>"},
      {"%a: tensor<2xf32>",
       "%0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi32>", NULL},
      {"%a: tensor<2xf32>, %b: tensor<i1>",
       "%0 = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, tensor<i1>>\n"
       "  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<i1>>) -> "
       "tensor<i1>",
       "%0 = \"stablehlo.tuple\"(%a, %b) : (tensor<2xf32>, tensor<i1>) -> "
       "tuple<tensor<2xf32>, tensor<i1>>\n"
       "  %1 = \"stablehlo.get_tuple_element\"(%0) <{index = 1 : i32}> : "
       "(tuple<tensor<2xf32>, tensor<i1>>) -> tensor<i1>"},
      {"%a: tensor<2xf32>, %b: tensor<i1>",
       "%0:2 = stablehlo.optimization_barrier %a, %b : tensor<2xf32>, tensor<i1>", NULL},
      {"", "stablehlo.optimization_barrier ()", NULL},
  };
  EXPECT_FORMS(forms);
}

static void test_products_and_convolutions(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<2x8x4xbf16>, %b: tensor<2x4x8xbf16>",
       "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = "
       "[2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x8x4xbf16>, "
       "tensor<2x4x8xbf16>) -> tensor<2x8x8xf32>",
       "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
       "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
       "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, "
       "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision "
       "HIGHEST>]}> : (tensor<2x8x4xbf16>, tensor<2x4x8xbf16>) -> tensor<2x8x8xf32>"},
      {"%a: tensor<8x4xf32>, %b: tensor<4x8xf32>",
       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = "
       "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
       "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
       "allow_imprecise_accumulation = false> : (tensor<8x4xf32>, tensor<4x8xf32>) -> "
       "tensor<8x8xf32>",
       NULL},
      {"%a: tensor<8xf32>, %b: tensor<4xf32>",
       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<8xf32>, "
       "tensor<4xf32>) -> tensor<8x4xf32>",
       NULL},
      {"%a: tensor<8x4xf32>, %b: tensor<4x8xf32>",
       "%0 = stablehlo.dot %a, %b, precision = [HIGH, HIGH] : (tensor<8x4xf32>, "
       "tensor<4x8xf32>) -> tensor<8x8xf32>",
       NULL},
      {"%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x4xf32>",
       "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, "
       "0, "
       "1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], "
       "rhs_dilate = [1, 1], reverse = [0, 1]} {batch_group_count = 1 : i64, "
       "feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> "
       "tensor<1x8x4x4xf32>",
       "%0 = \"stablehlo.convolution\"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, "
       "0, "
       "1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 2>, padding = "
       "dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, "
       "rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, "
       "batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : "
       "(tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x4x4xf32>"},
      {"%a: tensor<4xcomplex<f32>>",
       "%0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> "
       "tensor<4xcomplex<f32>>",
       NULL},
      {"%a: tensor<4x4xf32>",
       "%0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>",
       "%0 = \"stablehlo.cholesky\"(%a) <{lower = true}> : (tensor<4x4xf32>) -> "
       "tensor<4x4xf32>"},
      {"%a: tensor<f32>, %s: tensor<2xi64>",
       "%0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, "
       "tensor<f32>, "
       "tensor<2xi64>) -> tensor<3x3xf32>",
       NULL},
      {"%a: tensor<2xui64>",
       "%0:2 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) "
       "-> "
       "(tensor<2xui64>, tensor<4xui32>)",
       NULL},
      {"%a: tensor<4x4xf32>",
       "%0 = stablehlo.einsum %a, %a, config = \"ab,bc->ac\" : (tensor<4x4xf32>, "
       "tensor<4x4xf32>) -> tensor<4x4xf32>",
       NULL},
  };
  EXPECT_FORMS(forms);
}

static void test_calls_of_others(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.custom_call @Sharding(%a) {backend_config = \"\", mhlo.sharding = "
       "\"{devices=[2,1]<=[2]}\"} : (tensor<4xf32>) -> tensor<4xf32>",
       "%0 = \"stablehlo.custom_call\"(%a) <{call_target_name = \"Sharding\", "
       "backend_config = \"\"}> {mhlo.sharding = \"{devices=[2,1]<=[2]}\"} : "
       "(tensor<4xf32>) -> tensor<4xf32>"},
      {"", "stablehlo.custom_call @\"odd name\"() {has_side_effect = true} : () -> ()",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.custom_call @lapack(%a) {api_version = 2 : i32, operand_layouts = "
       "[dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = stablehlo.composite \"my.op\" %a {decomposition = @f, version = 1 : i32} : "
       "(tensor<4xf32>) -> tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0 = func.call @f(%a) {x = 1 : i8} : (tensor<4xf32>) -> "
       "tensor<4xf32>",
       "%0 = call @f(%a) {x = 1 : i8} : (tensor<4xf32>) -> tensor<4xf32>"},
  };
  EXPECT_FORMS(forms);
}

static const char *const reduce_generic =
    "%0 = \"stablehlo.reduce\"(%a, %z) <{dimensions = array<i64: 1>}> ({\n"
    "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "    %1 = stablehlo.add %x, %y : tensor<f32>\n"
    "    stablehlo.return %1 : tensor<f32>\n"
    "  }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>";

static void test_a_reduction_by_one_operation_builds_its_region(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<2x4xf32>, %z: tensor<f32>",
       "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] "
       ": "
       "(tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>",
       NULL},
  };
  EXPECT_FORMS(forms);
  mlir_module_t *pretty = parse_in_function(forms[0].arguments, forms[0].pretty);
  mlir_module_t *generic = parse_in_function(forms[0].arguments, reduce_generic);
  expect_same(pretty, generic);
  const mlir_block_t *block = mlir_op_block(find_op(generic, "stablehlo.reduce"), 0);
  assert_int_equal(block->argument_count, 2);
  assert_string_equal(block->first->name, "stablehlo.add");
  char *text = print_with(compiler_syntax_lookup, generic);
  assert_non_null(strstr(text, "applies stablehlo.add across dimensions = [1]"));
  free(text);
  mlir_module_destroy(pretty);
  mlir_module_destroy(generic);
}

static void test_a_reduction_with_a_reducer_names_its_arguments_in_pairs(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<4xf32>, %b: tensor<4xi32>, %z: tensor<f32>, %i: tensor<i32>",
       "%0:2 = stablehlo.reduce(%a init: %z), (%b init: %i) across dimensions = [0] : "
       "(tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, "
       "tensor<i32>)\n"
       "   reducer(%x: tensor<f32>, %y: tensor<f32>) (%v: tensor<i32>, %w: tensor<i32>) "
       "{\n"
       "    %1 = stablehlo.maximum %x, %y : tensor<f32>\n"
       "    %2 = stablehlo.minimum %v, %w : tensor<i32>\n"
       "    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>\n"
       "  }",
       "%0:2 = \"stablehlo.reduce\"(%a, %b, %z, %i) <{dimensions = array<i64: 0>}> ({\n"
       "  ^bb0(%x: tensor<f32>, %v: tensor<i32>, %y: tensor<f32>, %w: tensor<i32>):\n"
       "    %1 = stablehlo.maximum %x, %y : tensor<f32>\n"
       "    %2 = stablehlo.minimum %v, %w : tensor<i32>\n"
       "    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>\n"
       "  }) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, "
       "tensor<i32>)"},
  };
  EXPECT_FORMS(forms);
}

static void test_loops_name_their_state_once(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%i: tensor<i32>, %a: tensor<4xf32>",
       "%0:2 = stablehlo.while(%iterArg = %i, %iterArg_0 = %a) : tensor<i32>, "
       "tensor<4xf32> attributes {mhlo.x = 1 : i8}\n"
       "  cond {\n"
       "    %c = stablehlo.constant dense<4> : tensor<i32>\n"
       "    %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) "
       "-> "
       "tensor<i1>\n"
       "    stablehlo.return %1 : tensor<i1>\n"
       "  } do {\n"
       "    %1 = stablehlo.add %iterArg, %iterArg : tensor<i32>\n"
       "    %2 = stablehlo.while(%inner = %1) : tensor<i32>\n"
       "    cond {\n"
       "      %3 = stablehlo.constant dense<true> : tensor<i1>\n"
       "      stablehlo.return %3 : tensor<i1>\n"
       "    } do {\n"
       "      stablehlo.return %inner : tensor<i32>\n"
       "    }\n"
       "    stablehlo.return %2, %iterArg_0 : tensor<i32>, tensor<4xf32>\n"
       "  }",
       NULL},
      {"",
       "stablehlo.while()\n  cond {\n    %c = stablehlo.constant dense<false> : "
       "tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  } do {\n    "
       "stablehlo.return\n  }",
       NULL},
  };
  EXPECT_FORMS(forms);
}

// A pass may give the state other names in the condition than in the body.
static void test_a_loop_whose_regions_disagree_on_names_prints(void **state) {
  (void)state;
  mlir_module_t *module =
      parse_in_function("%i: tensor<i32>",
                        "%0 = \"stablehlo.while\"(%i) ({\n"
                        "  ^bb0(%x: tensor<i32>):\n"
                        "    %y = stablehlo.constant dense<true> : tensor<i1>\n"
                        "    stablehlo.return %y : tensor<i1>\n"
                        "  }, {\n"
                        "  ^bb0(%y: tensor<i32>):\n"
                        "    %x = stablehlo.add %y, %y : tensor<i32>\n"
                        "    stablehlo.return %x : tensor<i32>\n"
                        "  }) : (tensor<i32>) -> tensor<i32>");
  expect_round_trip(compiler_syntax_lookup, module);
  char *text = print_with(compiler_syntax_lookup, module);
  assert_non_null(strstr(text, "stablehlo.while(%x = %i)"));
  free(text);
  mlir_module_destroy(module);
}

static void test_chlo_operations(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<4xf32>", "%0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>",
       "%0 = \"chlo.erf\"(%a) : (tensor<4xf32>) -> tensor<4xf32>"},
      {"%a: tensor<4xf32>",
       "%0 = chlo.next_after %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>, %b: tensor<f32>",
       "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64>} : "
       "(tensor<4xf32>, tensor<f32>) -> tensor<4xf32>",
       NULL},
      {"%a: tensor<4xf32>, %b: tensor<f32>",
       "%0 = chlo.broadcast_compare %a, %b {comparison_direction = "
       "#chlo<comparison_direction EQ>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>",
       NULL},
      {"%a: tensor<4xf32>",
       "%0:2 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)",
       "%0:2 = \"chlo.top_k\"(%a) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, "
       "tensor<2xi32>)"},
      {"%a: tensor<4xf32>",
       "%0:2 = chlo.top_k(%a, k = 2, is_stable = false) : tensor<4xf32> -> "
       "(tensor<2xf32>, "
       "tensor<2xi32>)",
       NULL},
      {"%a: tensor<4xf32>, %z: tensor<f32>",
       "%0:2 = chlo.scan(%a) inits (%z) dimension=0 attributes {is_reverse = false} {\n"
       "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
       "    %1 = stablehlo.add %x, %y : tensor<f32>\n"
       "    stablehlo.return %1, %1 : tensor<f32>, tensor<f32>\n"
       "  } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)",
       NULL},
  };
  EXPECT_FORMS(forms);
}

static void test_shardy_operations(void **state) {
  (void)state;
  static const form_t forms[] = {
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {?}]> : tensor<8x8xf32>",
       "%0 = \"sdy.sharding_constraint\"(%a) <{sharding = #sdy.sharding<@mesh, [{\"x\"}, "
       "{?}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>"},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.reshard %a <@mesh, [{\"x\":(1)2}, {}], replicated={\"y\"}> : "
       "tensor<8x8xf32>",
       NULL},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.all_gather [{\"x\"}, {}] %a out_sharding=<@mesh, [{}, {}]> : "
       "tensor<8x8xf32>",
       NULL},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.all_reduce max {\"x\"} %a out_sharding=<@mesh, [{}, {}]> : "
       "tensor<8x8xf32>",
       NULL},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.all_reduce {\"x\"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>",
       NULL},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.all_to_all [{\"x\"}: 0->1] %a out_sharding=<@mesh, [{}, {\"x\"}]> : "
       "tensor<8x8xf32>",
       NULL},
      {"%a: tensor<8x8xf32>", "sdy.sharding_group %a group_id=3 : tensor<8x8xf32>", NULL},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<8x8xf32>",
       "%0 = \"sdy.propagation_barrier\"(%a) <{allowed_direction = 1 : i32}> : "
       "(tensor<8x8xf32>) -> tensor<8x8xf32>"},
      {"%a: tensor<8x8xf32>",
       "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}, {}]>] "
       "out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%b: tensor<4x8xf32>) "
       "{\n"
       "    %1 = stablehlo.add %b, %b : tensor<4x8xf32>\n"
       "    sdy.return %1 : tensor<4x8xf32>\n"
       "  } : (tensor<8x8xf32>) -> tensor<8x8xf32>",
       "%0 = \"sdy.manual_computation\"(%a) <{in_shardings = "
       "#sdy.sharding_per_value<[<@mesh, "
       "[{\"x\"}, {}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, "
       "{}]>]>, "
       "manual_axes = #sdy<manual_axes{\"x\"}>}> ({\n"
       "  ^bb0(%b: tensor<4x8xf32>):\n"
       "    %1 = stablehlo.add %b, %b : tensor<4x8xf32>\n"
       "    sdy.return %1 : tensor<4x8xf32>\n"
       "  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>"},
      {"",
       "sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n"
       "    sdy.return\n  } : () -> ()",
       NULL},
      {"%a: tensor<8xf32>",
       "%0 = sdy.named_computation<\"block\">(%a) in_shardings=[<@mesh, [{\"x\"}]>] (%b: "
       "tensor<8xf32>) {\n"
       "    sdy.return %b : tensor<8xf32>\n"
       "  } : (tensor<8xf32>) -> tensor<8xf32>",
       NULL},
  };
  EXPECT_FORMS(forms);
}

static void test_meshes_are_symbols(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(
      compiler_syntax_lookup,
      "module {\n"
      "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
      "  sdy.mesh @other = #sdy.mesh<[\"a\"=2], device_ids=[1, 0]>\n"
      "  \"sdy.mesh\"() <{sym_name = \"third\", mesh = #sdy.mesh<[]>}> : () -> ()\n"
      "}\n");
  const mlir_op_t *mesh = mlir_module_find_symbol(module, "mesh");
  assert_string_equal(mlir_op_attr(mesh, "mesh")->text, "sdy.mesh");
  assert_string_equal(mlir_op_attr(mesh, "mesh")->body, "[\"x\"=2, \"y\"=4]");
  expect_round_trip(compiler_syntax_lookup, module);
  char *text = print_with(compiler_syntax_lookup, module);
  assert_non_null(strstr(text, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>"));
  assert_non_null(strstr(text, "sdy.mesh @third = <[]>"));
  free(text);
  mlir_module_destroy(module);
}

// What a form cannot say is printed in the generic form.
static void test_attributes_that_no_form_can_say_make_it_generic(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "%0 = \"stablehlo.transpose\"(%a) {permutation = dense<0> : tensor<1xi64>} : "
      "(tensor<4xf32>) -> tensor<4xf32>",
      "%0 = \"stablehlo.compare\"(%a, %a) {comparison_direction = \"LT\"} : "
      "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
      "%0 = \"stablehlo.add\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
      "%0 = \"stablehlo.add\"(%a, %a) ({\n}) : (tensor<4xf32>, tensor<4xf32>) -> "
      "tensor<4xf32>",
      "%0:2 = \"stablehlo.abs\"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)",
      "%0 = \"stablehlo.constant\"() {value = dense<1> : tensor<i8>} : () -> tensor<i16>",
      "%0 = \"stablehlo.slice\"(%a) {start_indices = array<i64: 1>} : (tensor<4xf32>) -> "
      "tensor<4xf32>",
      "%0 = \"stablehlo.reduce\"(%a, %a) ({\n}) {dimensions = array<i64: 0>} : "
      "(tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
      "%0 = \"stablehlo.while\"(%a) ({\n}, {\n}) : (tensor<4xf32>) -> tensor<4xf32>",
      "%0 = \"stablehlo.dot_general\"(%a, %a) {dot_dimension_numbers = "
      "#stablehlo.dot<nonsense>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
  };
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    mlir_module_t *module = parse_in_function("%a: tensor<4xf32>", bodies[i]);
    expect_round_trip(compiler_syntax_lookup, module);
    char *text = print_with(compiler_syntax_lookup, module);
    assert_non_null(strstr(text, "\"stablehlo."));
    free(text);
    mlir_module_destroy(module);
  }
}

static void test_errors_in_pretty_forms_point_at_the_place(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"%0 = stablehlo.add %a %a : tensor<4xf32>", "test.mlir:2:24: expected ','"},
      {"%0 = stablehlo.add %a, %a : tensor<8xf32>",
       "test.mlir:2:21: %a is tensor<4xf32> where it is defined, tensor<8xf32> here"},
      {"%0 = stablehlo.iota dim = 99999999999999999999 : tensor<4xi8>",
       "this integer does not fit 64 bits"},
      {"%0 = stablehlo.get_tuple_element %a[4294967296] : (tensor<4xf32>) -> i1",
       "this integer does not fit 32 bits"},
      {"%0 = stablehlo.slice %a [0-4] : (tensor<4xf32>) -> tensor<4xf32>",
       "expected ':'"},
      {"%0 = stablehlo.reduce(%a init: %a) applies stablehlo.subtract across dimensions "
       "= "
       "[0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
       "expected a commutative operation of two operands"},
      {"%0 = stablehlo.constant 5 : tensor<4xf32>", "expected the type of a number"},
      {"%0 = stablehlo.constant \"x\"", "expected dense<…> and its type"},
      {"%0 = stablehlo.reduce_precision %a, format = f5m3 : tensor<4xf32>",
       "expected a format as e5m10"},
      {"%0 = stablehlo.complex %a, %a : tensor<4xf32>",
       "expected a tensor of complex numbers"},
      {"%0 = stablehlo.tuple %a : tensor<4xf32>", "expected the type of a tuple"},
      {"%0 = stablehlo.transpose %a, dims = [0] {permutation = 1 : i8} : (tensor<4xf32>) "
       "-> tensor<4xf32>",
       "'permutation' is given twice"},
      {"%0 = stablehlo.while(%x = %a) : tensor<4xf32> do { }", "expected 'cond'"},
      {"%0 = sdy.sharding_constraint %a : tensor<4xf32>",
       "expected the value of 'sdy.sharding' in brackets"},
      {"%0 = sdy.manual_computation(%a) in_shardings=[] out_shardings=[] manual_axes={} "
       "(%b: tensor<4xf32>) { sdy.return %a : tensor<4xf32> } : (tensor<4xf32>) -> "
       "tensor<4xf32>",
       "value %a is not defined here"},
      {"%0 = stablehlo.all_reduce %a",
       "unknown operation 'stablehlo.all_reduce' (in the "
       "generic form"},
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    pod_text_t text = {0};
    pod_text_printf(&text, "func.func @f(%%a: tensor<4xf32>) {\n %s\n return\n}\n",
                    texts[i][0]);
    expect_error_with(compiler_syntax_lookup, text.bytes, texts[i][1]);
    pod_text_deinit(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_operation_has_the_form_that_its_row_names),
      cmocka_unit_test(test_elementwise_operations),
      cmocka_unit_test(test_constants_and_operations_without_operands),
      cmocka_unit_test(test_operations_that_move_data),
      cmocka_unit_test(test_products_and_convolutions),
      cmocka_unit_test(test_calls_of_others),
      cmocka_unit_test(test_a_reduction_by_one_operation_builds_its_region),
      cmocka_unit_test(test_a_reduction_with_a_reducer_names_its_arguments_in_pairs),
      cmocka_unit_test(test_loops_name_their_state_once),
      cmocka_unit_test(test_a_loop_whose_regions_disagree_on_names_prints),
      cmocka_unit_test(test_chlo_operations),
      cmocka_unit_test(test_shardy_operations),
      cmocka_unit_test(test_meshes_are_symbols),
      cmocka_unit_test(test_attributes_that_no_form_can_say_make_it_generic),
      cmocka_unit_test(test_errors_in_pretty_forms_point_at_the_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
