#include "common/mlir/parser.h"

#include "tests/unit/common/mlir/text.h"

static mlir_module_t *parse(const char *text) {
  return parse_with(NULL, text);
}

static void expect_error(const char *text, const char *part) {
  expect_error_with(NULL, text, part);
}

// The attribute `a` of an operation that holds nothing else. `*out_module` owns it.
static const mlir_attr_t *attr_of(const char *value, mlir_module_t **out_module) {
  char *text = malloc(strlen(value) + 64);
  sprintf(text, "\"test.op\"() {a = %s} : () -> ()", value);
  *out_module = parse(text);
  free(text);
  return mlir_op_attr(find_op(*out_module, "test.op"), "a");
}

static const char *const simple_function =
    "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = \"test.twice\"(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

static void test_a_function_alone_stands_in_an_implied_module(void **state) {
  (void)state;
  mlir_module_t *module = parse(simple_function);
  assert_string_equal(module->op->name, "builtin.module");
  const mlir_op_t *function = mlir_module_find_symbol(module, "f");
  assert_non_null(function);
  assert_string_equal(function->name, "func.func");
  const mlir_block_t *block = mlir_op_block(function, 0);
  assert_int_equal(block->argument_count, 1);
  assert_string_equal(block->arguments[0]->name, "a");
  assert_ptr_equal(block->first->operands[0], block->arguments[0]);
  assert_ptr_equal(block->last->operands[0], &block->first->results[0]);
  mlir_module_destroy(module);
}

static void test_module_and_function_attributes_are_where_mlir_keeps_them(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "module @jit_f attributes {mhlo.num_partitions = 4 : i32, flag} {\n"
      "  func.func public @main(%arg0: tensor<8xf32> {mhlo.sharding = "
      "\"{replicated}\"},\n"
      "                         %arg1: tensor<f32>)\n"
      "      -> (tensor<8xf32> {jax.result_info = \"result\"}) attributes {x = 1 : i8} "
      "{\n"
      "    return %arg0 : tensor<8xf32>\n"
      "  }\n"
      "  func.func private @elsewhere(tensor<2xi1>) -> (tensor<f32>, tensor<f32>)\n"
      "}\n");
  assert_string_equal(mlir_op_attr(module->op, "sym_name")->text, "jit_f");
  assert_int_equal(mlir_op_attr(module->op, "flag")->kind, MLIR_ATTR_UNIT);
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  assert_string_equal(mlir_op_attr(main, "sym_visibility")->text, "public");
  const mlir_type_t *type = mlir_op_attr(main, "function_type")->type;
  assert_int_equal(type->input_count, 2);
  assert_int_equal(type->result_count, 1);
  const mlir_attr_t *arguments = mlir_op_attr(main, "arg_attrs");
  assert_int_equal(arguments->count, 2);
  assert_string_equal(mlir_attr_get(arguments->elements[0], "mhlo.sharding")->text,
                      "{replicated}");
  assert_int_equal(arguments->elements[1]->count, 0);
  assert_non_null(
      mlir_attr_get(mlir_op_attr(main, "res_attrs")->elements[0], "jax.result_info"));
  const mlir_op_t *elsewhere = mlir_module_find_symbol(module, "elsewhere");
  assert_int_equal(elsewhere->region_count, 1);
  assert_null(elsewhere->regions[0].first);
  assert_null(mlir_op_attr(elsewhere, "arg_attrs"));
  mlir_module_destroy(module);
}

static void test_several_results_are_told_apart_by_number_and_by_name(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "%0:2 = \"test.a\"() : () -> (tensor<1xf32>, tensor<2xf32>)\n"
      "%x, %y:2 = \"test.b\"(%0#1, %0) : (tensor<2xf32>, tensor<1xf32>) -> "
      "(i1, i2, i4)\n"
      "\"test.c\"(%y#1, %y#0, %x) : (i4, i2, i1) -> ()\n");
  const mlir_op_t *a = find_op(module, "test.a"), *b = find_op(module, "test.b"),
                  *c = find_op(module, "test.c");
  assert_ptr_equal(b->operands[0], &a->results[1]);
  assert_ptr_equal(b->operands[1], &a->results[0]);
  assert_ptr_equal(c->operands[0], &b->results[2]);
  assert_ptr_equal(c->operands[2], &b->results[0]);
  mlir_module_destroy(module);
}

static void test_every_kind_of_attribute_is_read(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "\"test.op\"() <{p = 1 : i64}> {unit, yes = true, no = 0 : i1, minus = -5 : i8,\n"
      "  hex = 0xFF : ui8, big = 18446744073709551615 : ui64, index = 3 : index,\n"
      "  real = 1.5 : f32, plain = -2.5e-3, bits = 0x7F800000 : f32,\n"
      "  text = \"a\\22b\\\\c\\n\\00z\", symbol = @a::@\"b c\", type = tensor<2xi32>,\n"
      "  function = (i1) -> (), list = [1, \"x\", [unit]], dict = {a, \"odd name\" = "
      "2},\n"
      "  ints = array<i32: 1, -2>, bools = array<i1: true, false>, none = array<i64>,\n"
      "  reals = array<f32: 0.5>, direction = #stablehlo<comparison_direction LT>,\n"
      "  dot = #stablehlo.dot<lhs = [1]>, compact = #stablehlo<dot<lhs = [1]>>,\n"
      "  bare = #vhlo.bare, map = affine_map<(d0) -> (d0 * 2)>,\n"
      "  here = loc(\"f.py\":3:7)} : () -> ()");
  const mlir_op_t *op = find_op(module, "test.op");
  assert_string_equal(op->attrs[0].name, "p");
  assert_int_equal(mlir_op_attr(op, "unit")->kind, MLIR_ATTR_UNIT);
  assert_int_equal(mlir_op_attr(op, "yes")->integer, 1);
  assert_int_equal(mlir_op_attr(op, "no")->kind, MLIR_ATTR_BOOL);
  assert_int_equal(mlir_op_attr(op, "minus")->integer, -5);
  assert_int_equal(mlir_op_attr(op, "minus")->type->shape.dtype, TENSOR_S8);
  assert_int_equal(mlir_op_attr(op, "hex")->integer, 255);
  assert_int_equal(mlir_op_attr(op, "big")->integer, -1);  // Its bits.
  assert_int_equal(mlir_op_attr(op, "index")->type->kind, MLIR_TYPE_INDEX);
  assert_true(mlir_op_attr(op, "real")->real == 1.5);
  assert_true(mlir_op_attr(op, "plain")->real == -2.5e-3);
  assert_true(mlir_op_attr(op, "bits")->real > 1e300);
  const mlir_attr_t *text = mlir_op_attr(op, "text");
  assert_int_equal(text->length, 8);
  assert_memory_equal(text->text, "a\"b\\c\n\0z", 8);
  const mlir_attr_t *symbol = mlir_op_attr(op, "symbol");
  assert_string_equal(symbol->text, "a");
  assert_string_equal(symbol->elements[0]->text, "b c");
  assert_int_equal(mlir_op_attr(op, "list")->count, 3);
  assert_int_equal(mlir_attr_get(mlir_op_attr(op, "dict"), "odd name")->integer, 2);
  assert_int_equal(mlir_op_attr(op, "ints")->integers[1], -2);
  assert_int_equal(mlir_op_attr(op, "none")->count, 0);
  assert_true(mlir_op_attr(op, "reals")->reals[0] == 0.5);
  const mlir_attr_t *direction = mlir_op_attr(op, "direction");
  assert_string_equal(direction->text, "stablehlo.comparison_direction");
  assert_string_equal(direction->body, "LT");
  assert_true(mlir_attr_equal(mlir_op_attr(op, "dot"), mlir_op_attr(op, "compact")));
  assert_null(mlir_op_attr(op, "bare")->body);
  assert_int_equal(mlir_op_attr(op, "here")->integer, 3);
  expect_round_trip(NULL, module);
  mlir_module_destroy(module);
}

static void test_types_of_every_kind_are_read(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "\"test.op\"() {a = tensor<f8E4M3FN>, b = tensor<0x?x4xcomplex<f64>>, c = index,\n"
      "  d = none, e = !stablehlo.token, f = tuple<i1, tuple<>>, g = complex<f32>,\n"
      "  h = tensor<?xf32, #stablehlo.bounds<4>>, i = tensor<*xf32>,\n"
      "  j = tensor<2x!quant.uniform<i8:f32, 0.5:3>>, k = vector<4xf32>, l = si8,\n"
      "  m = (tuple<>, i1) -> ((i1) -> i1), n = !odd.thing, o = tensor<4xindex>}\n"
      "  : () -> ()");
  const mlir_op_t *op = find_op(module, "test.op");
  const mlir_type_t *b = mlir_op_attr(op, "b")->type;
  assert_int_equal(b->shape.rank, 3);
  assert_int_equal(b->shape.dims[0], 0);
  assert_true(b->shape.dims[1] == TENSOR_DYNAMIC);
  assert_int_equal(b->shape.dtype, TENSOR_C128);
  assert_int_equal(mlir_op_attr(op, "e")->type->kind, MLIR_TYPE_TOKEN);
  assert_string_equal(mlir_op_attr(op, "h")->type->encoding->text, "stablehlo.bounds");
  assert_string_equal(mlir_op_attr(op, "j")->type->text,
                      "tensor<2x!quant.uniform<i8:f32, 0.5:3>>");
  assert_int_equal(mlir_op_attr(op, "l")->type->kind, MLIR_TYPE_OPAQUE);
  expect_round_trip(NULL, module);
  mlir_module_destroy(module);
}

static void test_tensor_types_are_shared(void **state) {
  (void)state;
  mlir_module_t *module =
      parse("\"test.op\"() {a = tensor<8x16xf32>, b = tensor<8x16xf32>} : () -> ()");
  const mlir_op_t *op = find_op(module, "test.op");
  assert_ptr_equal(mlir_op_attr(op, "a")->type, mlir_op_attr(op, "b")->type);
  mlir_module_destroy(module);
}

static void test_aliases_stand_for_attributes_types_and_locations(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "#map = {a = 1 : i32}\n"
      "!t = tensor<2xf32>\n"
      "module {\n"
      "  %0 = \"test.op\"() {m = #map} : () -> !t loc(#loc7)\n"
      "  %1 = \"test.two\"() : () -> !t loc(#loc3)\n"
      "} loc(#loc)\n"
      "#loc = loc(unknown)\n"
      "#loc1 = loc(\"train.py\":12:7 to :20)\n"
      "#loc3 = loc(\"jit(f)/dot\"(#loc1))\n"
      "#loc7 = loc(callsite(\"inner\" at #loc3))\n");
  const mlir_op_t *op = find_op(module, "test.op");
  assert_int_equal(mlir_attr_get(mlir_op_attr(op, "m"), "a")->integer, 1);
  assert_int_equal(op->results[0].type->shape.dims[0], 2);
  assert_int_equal(op->location->location_kind, MLIR_LOCATION_CALLSITE);
  assert_string_equal(mlir_op_source(module, op), "train.py:12:7");
  assert_string_equal(mlir_op_source(module, find_op(module, "test.two")),
                      "train.py:12:7");
  assert_string_equal(mlir_op_source(module, module->op), "");
  mlir_module_destroy(module);
}

static void test_a_location_without_a_file_gives_its_name(void **state) {
  (void)state;
  mlir_module_t *module =
      parse("\"test.op\"() : () -> () loc(fused[\"jit(f)/add\", unknown])");
  assert_string_equal(mlir_op_source(module, find_op(module, "test.op")), "jit(f)/add");
  mlir_module_destroy(module);
}

static void test_blocks_have_labels_and_arguments(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "\"test.op\"() ({\n"
      "^bb0(%a: tensor<f32> loc(\"x\"), %b: i1):\n"
      "  \"test.in\"(%a) ({\n"
      "  ^bb0:\n"
      "    \"test.deep\"(%b) : (i1) -> ()\n"
      "  }) : (tensor<f32>) -> ()\n"
      "^bb1:\n"
      "  \"test.last\"() : () -> ()\n"
      "}, {\n"
      "}) : () -> ()");
  const mlir_op_t *op = find_op(module, "test.op");
  assert_int_equal(op->region_count, 2);
  const mlir_block_t *first = mlir_op_block(op, 0);
  assert_string_equal(first->label, "bb0");
  assert_int_equal(first->argument_count, 2);
  assert_non_null(first->arguments[0]->location);
  assert_string_equal(first->next->label, "bb1");
  assert_null(op->regions[1].first);
  expect_round_trip(NULL, module);
  mlir_module_destroy(module);
}

static void test_comments_and_split_marks_are_white_space(void **state) {
  (void)state;
  mlir_module_t *module = parse(
      "// RUN: something\n// -----\n\"test.op\"() // here\n : () -> ()\n// the end");
  find_op(module, "test.op");
  mlir_module_destroy(module);
}

static void test_names_of_values_end_with_their_region(void **state) {
  (void)state;
  expect_error(
      "\"test.op\"() ({\n  %a = \"test.x\"() : () -> i1\n}) : () -> ()\n"
      "\"test.use\"(%a) : (i1) -> ()",
      "test.mlir:4:12: value %a is not defined here");
  expect_error(
      "%x = \"test.x\"() : () -> i1\n"
      "func.func @f() {\n  \"test.use\"(%x) : (i1) -> ()\n  return\n}",
      "value %x is not defined here");
}

static void test_undefined_and_redefined_names_are_errors(void **state) {
  (void)state;
  expect_error("\"test.use\"(%a) : (i1) -> ()", "value %a is not defined here");
  expect_error("%a = \"test.x\"() : () -> i1\n%a = \"test.x\"() : () -> i1",
               "test.mlir:2:1: value %a is defined already, at 1:1");
  expect_error("%a = \"test.x\"() : () -> i1\n\"test.use\"(%a#1) : (i1) -> ()",
               "%a has 1 results, so #1 is none of them");
  expect_error("%a:2 = \"test.x\"() : () -> i1",
               "names for 2 results, but 'test.x' has 1");
  expect_error("\"test.op\"() ({\n^a:\n^a:\n}) : () -> ()",
               "block ^a is defined already");
}

static void test_a_use_must_have_the_type_of_the_definition(void **state) {
  (void)state;
  expect_error(
      "%a = \"test.x\"() : () -> tensor<4xf32>\n"
      "\"test.use\"(%a) : (tensor<8xf32>) -> ()",
      "test.mlir:2:12: %a is tensor<4xf32> where it is defined, tensor<8xf32> here");
  expect_error("%a = \"test.x\"() : () -> i1\n\"test.use\"(%a) : () -> ()",
               "has 1 operands, but 0 types for them");
}

static void test_integers_out_of_range_are_errors(void **state) {
  (void)state;
  expect_error("\"t.o\"() {a = 256 : i8} : () -> ()", "not a value of type i8");
  expect_error("\"t.o\"() {a = -129 : i8} : () -> ()", "not a value of type i8");
  expect_error("\"t.o\"() {a = -1 : ui8} : () -> ()", "not a value of type ui8");
  expect_error("\"t.o\"() {a = 2 : i1} : () -> ()", "not a value of type i1");
  expect_error("\"t.o\"() {a = 18446744073709551616} : () -> ()",
               "not a value of type i64");
  expect_error("\"t.o\"() {a = 1 : f32} : () -> ()", "write 1.0, not 1");
  expect_error("\"t.o\"() {a = tensor<99999999999999999999xf32>} : () -> ()",
               "this size does not fit 64 bits");
  expect_error("\"t.o\"() {a = tensor<4294967296x4294967296xf32>} : () -> ()",
               "the bytes of this tensor do not fit 64 bits");
  mlir_module_t *module;
  assert_int_equal(attr_of("255 : i8", &module)->integer, -1);
  mlir_module_destroy(module);
}

static void test_malformed_text_is_an_error_with_its_place(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"module {", "expected an operation"},
      {"func.func @f(%a: tensor<4xf32>) { return", "expected an operation"},
      {"\"test.op\"(", "expected ')'"},
      {"\"test.op\"() : () ->", "expected a type"},
      {"\"test.op", "this string has no end"},
      {"\"test.op\"() {a = \"x\n\"} : () -> ()", "this string has no end"},
      {"\"test.op\"() {a = \"\\q\"} : () -> ()", "unknown escape"},
      {"\"test.op\"() {a = #x} : () -> ()", "unknown attribute '#x'"},
      {"\"test.op\"() {a = !x} : () -> ()", "unknown type '!x'"},
      {"\"test.op\"() {a = #a.b<[>} : () -> ()", "expected ']' before this"},
      {"\"test.op\"() {a = tensor<4f32>} : () -> ()", "expected 'x'"},
      {"\"test.op\"() {a = tensor<4xf31>} : () -> ()", "unknown element type 'f31'"},
      {"\"test.op\"() {a, a} : () -> ()", "'a' stands here twice"},
      {"\"test.op\"() <{a}> {a} : () -> ()", "'a' is given twice"},
      {"\"test.op\"() : () -> () loc(#loc9)", "unknown location '#loc9'"},
      {"\"test.op\"()[^bb1] : () -> ()", "branches between blocks are not supported"},
      {"stablehlo.add %a", "unknown operation 'stablehlo.add'"},
      {"42", "expected an operation"},
      {"#a = 1\n#a = 2", "alias '#a' is defined already"},
      {"func.func @f(%a: i1, i1) {}", "some arguments have names, some do not"},
      {"func.func @f(i1) {}", "a function with a body names its arguments"},
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    expect_error(texts[i][0], texts[i][1]);
  }
}

// Every text that is cut off somewhere is an error or a module, and nothing else.
static void test_a_truncated_module_does_no_harm(void **state) {
  (void)state;
  const char *text =
      "#l = loc(\"a\":1:2)\nmodule @m attributes {a = [1, {b = 2.5}]} {\n"
      "  func.func @f(%a: tensor<2xf32> {x = #d.e<[1]>} loc(#l)) -> tensor<2xf32> {\n"
      "    %0:2 = \"t.o\"(%a) <{v = dense<[1.0, 2.0]> : tensor<2xf32>}> ({\n"
      "    ^bb0(%b: tensor<f32>):\n      \"t.r\"(%b) : (tensor<f32>) -> ()\n"
      "    }) : (tensor<2xf32>) -> (tensor<2xf32>, i1) loc(fused[#l, \"n\"(#l)])\n"
      "    return %0#0 : tensor<2xf32>\n  }\n}\n"
      "{-# dialect_resources: { builtin: { k: \"0x0400000001\" } } #-}\n";
  for (size_t length = 0; length <= strlen(text); length++) {
    mlir_module_t *module = NULL;
    const pod_status_t status =
        mlir_parse("cut.mlir", text, (int64_t)length, NULL, &module);
    if (status == NULL) {
      mlir_module_destroy(module);
    }
    pod_status_free(status);
  }
}

// Repeats `open`, then `middle`, then `close` as often.
static char *nested(int levels, const char *open, const char *middle, const char *close) {
  pod_text_t text = {0};
  for (int i = 0; i < levels; i++) {
    pod_text_add(&text, open);
  }
  pod_text_add(&text, middle);
  for (int i = 0; i < levels; i++) {
    pod_text_add(&text, close);
  }
  return pod_text_take(&text);
}

static void test_ten_thousand_levels_of_anything_are_an_error(void **state) {
  (void)state;
  static const char *const parts[][3] = {
      {"\"t.o\"() ({", "", "}) : () -> ()"},
      {"\"t.o\"() {a = ", "1", "} : () -> ()"},
      {"[", "", "]"},
      {"module {", "", "}"},
  };
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    char *text = nested(10000, parts[i][0], parts[i][1], parts[i][2]);
    mlir_module_t *module = NULL;
    const pod_status_t status =
        mlir_parse("deep.mlir", text, (int64_t)strlen(text), NULL, &module);
    assert_non_null(status);
    pod_status_free(status);
    free(text);
  }
  static const char *const values[][3] = {
      {"[", "1", "]"},       {"{a = ", "1", "}"},
      {"tuple<", "i1", ">"}, {"(", "i1", ") -> i1"},
      {"#a.b<[", "1", "]>"}, {"loc(callsite(\"a\" at ", "\"b\"", "))"}};
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    char *value = nested(10000, values[i][0], values[i][1], values[i][2]);
    char *text = nested(1, "\"t.o\"() {a = ", value, "} : () -> ()");
    mlir_module_t *module = NULL;
    const pod_status_t status =
        mlir_parse("deep.mlir", text, (int64_t)strlen(text), NULL, &module);
    assert_non_null(status);
    pod_status_free(status);
    free(text);
    free(value);
  }
}

static void test_aliases_cannot_make_a_short_text_huge(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add(&text, "#a0 = [1]\n");
  for (int i = 1; i < 100; i++) {
    pod_text_printf(&text, "#a%d = [#a%d, #a%d]\n", i, i - 1, i - 1);
  }
  expect_error(text.bytes, "the aliases of this module stand for too large a text");
  pod_text_clear(&text);
  pod_text_add(&text, "#a0 = [1]\n");
  for (int i = 1; i < 1000; i++) {
    pod_text_printf(&text, "#a%d = [#a%d]\n", i, i - 1);
  }
  expect_error(text.bytes, "nested more than 256 levels deep");
  pod_text_deinit(&text);
}

static void test_locations_that_grow_too_large_are_forgotten(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add(&text, "#loc0 = loc(\"a\":1:1)\n");
  for (int i = 1; i < 2000; i++) {
    pod_text_printf(&text, "#loc%d = loc(callsite(#loc%d at #loc%d))\n", i, i - 1, i - 1);
  }
  pod_text_add(&text, "\"t.o\"() : () -> () loc(#loc1999)");
  mlir_module_t *module = parse(text.bytes);
  assert_non_null(mlir_op_source(module, find_op(module, "t.o")));
  pod_text_deinit(&text);
  mlir_module_destroy(module);
}

static void test_many_names_and_attributes_take_linear_time(void **state) {
  (void)state;
  enum { COUNT = 50000 };
  pod_text_t text = {0};
  for (int i = 0; i < COUNT; i++) {
    pod_text_printf(&text, "%%v%d = \"t.o\"(%s", i, "");
    if (i > 0) {
      pod_text_printf(&text, "%%v%d", i - 1);
    }
    pod_text_printf(&text, ") : (%s) -> i1\n", i > 0 ? "i1" : "");
  }
  pod_text_add(&text, "\"t.p\"() {");
  for (int i = 0; i < COUNT; i++) {
    pod_text_printf(&text, "%sa%d", i > 0 ? ", " : "", i);
  }
  pod_text_add(&text, "} : () -> ()\n");
  mlir_module_t *module = parse(text.bytes);
  assert_int_equal(find_op(module, "t.p")->attr_count, COUNT);
  pod_text_deinit(&text);
  mlir_module_destroy(module);
}

static void test_a_body_is_read_with_the_places_of_the_source(void **state) {
  (void)state;
  mlir_module_t *module =
      parse("\"t.o\"() {a =\n  #d.e<x = [1, 2], y = \"z\", 7>} : () -> ()");
  mlir_parser_t *parser =
      mlir_parser_for_body(module, mlir_op_attr(find_op(module, "t.o"), "a"));
  int64_t count;
  int64_t *values;
  const char *text;
  expect_ok(mlir_parser_expect(parser, "x"));
  expect_ok(mlir_parser_expect(parser, "="));
  expect_ok(mlir_parser_i64_list(parser, &count, &values));
  assert_int_equal(count, 2);
  assert_int_equal(values[1], 2);
  expect_ok(mlir_parser_expect(parser, ","));
  expect_ok(mlir_parser_identifier(parser, &text));
  expect_ok(mlir_parser_expect(parser, "="));
  expect_ok(mlir_parser_string(parser, &text));
  assert_string_equal(text, "z");
  expect_ok(mlir_parser_expect(parser, ","));
  const pod_status_t status = mlir_parser_expect(parser, "w");
  assert_non_null(strstr(pod_status_message(status), "test.mlir:2:29: expected 'w'"));
  pod_status_free(status);
  mlir_module_destroy(module);
}

static void test_comments_are_no_part_of_a_body(void **state) {
  (void)state;
  mlir_module_t *module =
      parse("\"t.o\"() {a = #d.e<// >\n [1, \"// \\\"]\"] // ]\n>} : () -> ()");
  assert_string_equal(mlir_op_attr(find_op(module, "t.o"), "a")->body,
                      "[1, \"// \\\"]\"]");
  mlir_module_destroy(module);
}

static void test_nul_bytes_inside_of_the_text_are_errors(void **state) {
  (void)state;
  static const char text[] = "\"t.o\"()\0 : () -> ()";
  mlir_module_t *module = NULL;
  const pod_status_t status =
      mlir_parse("nul.mlir", text, (int64_t)sizeof(text) - 1, NULL, &module);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
}

static void test_bytecode_and_hlo_text_are_told_by_their_names(void **state) {
  (void)state;
  static const struct {
    const char *text, *name, *advice;
  } cases[] = {
      {"ML\xefR\x0dStableHLO_v1.8.5", "other.mlir is MLIR bytecode", "mlir_module()"},
      {"HloModule jit_f, entry_computation_layout={()->f32[]}", "other.mlir is HLO text",
       "as_text()"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mlir_module_t *module = NULL;
    const pod_status_t status = mlir_parse("other.mlir", cases[i].text,
                                           (int64_t)strlen(cases[i].text), NULL, &module);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    assert_non_null(strstr(pod_status_message(status), cases[i].name));
    assert_non_null(strstr(pod_status_message(status), cases[i].advice));
    pod_status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_function_alone_stands_in_an_implied_module),
      cmocka_unit_test(test_module_and_function_attributes_are_where_mlir_keeps_them),
      cmocka_unit_test(test_several_results_are_told_apart_by_number_and_by_name),
      cmocka_unit_test(test_every_kind_of_attribute_is_read),
      cmocka_unit_test(test_types_of_every_kind_are_read),
      cmocka_unit_test(test_tensor_types_are_shared),
      cmocka_unit_test(test_aliases_stand_for_attributes_types_and_locations),
      cmocka_unit_test(test_a_location_without_a_file_gives_its_name),
      cmocka_unit_test(test_blocks_have_labels_and_arguments),
      cmocka_unit_test(test_comments_and_split_marks_are_white_space),
      cmocka_unit_test(test_names_of_values_end_with_their_region),
      cmocka_unit_test(test_undefined_and_redefined_names_are_errors),
      cmocka_unit_test(test_a_use_must_have_the_type_of_the_definition),
      cmocka_unit_test(test_integers_out_of_range_are_errors),
      cmocka_unit_test(test_malformed_text_is_an_error_with_its_place),
      cmocka_unit_test(test_a_truncated_module_does_no_harm),
      cmocka_unit_test(test_ten_thousand_levels_of_anything_are_an_error),
      cmocka_unit_test(test_aliases_cannot_make_a_short_text_huge),
      cmocka_unit_test(test_locations_that_grow_too_large_are_forgotten),
      cmocka_unit_test(test_many_names_and_attributes_take_linear_time),
      cmocka_unit_test(test_a_body_is_read_with_the_places_of_the_source),
      cmocka_unit_test(test_comments_are_no_part_of_a_body),
      cmocka_unit_test(test_nul_bytes_inside_of_the_text_are_errors),
      cmocka_unit_test(test_bytecode_and_hlo_text_are_told_by_their_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
