#include "common/mlir/printer.h"

#include "common/base/random.h"
#include "tests/unit/common/mlir/text.h"

static void test_values_keep_their_names_and_numbers_start_afresh(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(
      NULL,
      "func.func @f(%x: i1) {\n  %5 = \"t.a\"(%x) : (i1) -> i1\n"
      "  %cst:2 = \"t.b\"(%5) : (i1) -> (i1, i1)\n  return\n}\n"
      "func.func @g(%x: i1) {\n  %7 = \"t.a\"(%x) : (i1) -> i1\n  return\n}\n");
  pod_text_t text = {0};
  mlir_print(&text, module, &(mlir_print_options_t){0});
  assert_non_null(strstr(text.bytes, "%0 = \"t.a\"(%x)"));
  assert_non_null(strstr(text.bytes, "%cst:2 = \"t.b\"(%0)"));
  assert_null(strstr(text.bytes, "%5"));
  assert_null(strstr(text.bytes, "%7"));
  pod_text_deinit(&text);
  mlir_module_destroy(module);
}

static void test_names_that_a_pass_doubled_are_told_apart(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(NULL, "func.func @f(%x: i1) {\n  return\n}\n");
  mlir_block_t *block = mlir_op_block(mlir_module_find_symbol(module, "f"), 0);
  const mlir_type_t *type = block->arguments[0]->type;
  mlir_value_t *last = block->arguments[0];
  for (int i = 0; i < 3; i++) {
    mlir_op_t *op = mlir_op_create(module, "t.o", 1, &last, 1, &type, 0);
    op->results[0].name = i == 2 ? "not a name!" : "x";
    mlir_block_insert_before(block->last, op);
    last = &op->results[0];
  }
  char *text = print_with(NULL, module);
  assert_non_null(strstr(text, "%x_0 = \"t.o\"(%x)"));
  assert_non_null(strstr(text, "%x_1 = \"t.o\"(%x_0)"));
  assert_non_null(strstr(text, "%0 = \"t.o\"(%x_1)"));
  free(text);
  expect_round_trip(NULL, module);
  mlir_module_destroy(module);
}

static void test_own_attributes_stand_apart_from_those_of_dialects(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(
      NULL, "\"t.o\"() {mhlo.x = 1 : i8, dimension = 2 : i64, unit} : () -> ()");
  char *text = print_with(NULL, module);
  assert_non_null(strstr(
      text, "\"t.o\"() <{dimension = 2 : i64, unit}> {mhlo.x = 1 : i8} : () -> ()"));
  free(text);
  mlir_module_destroy(module);
}

static char *print_constant(mlir_module_t *module, const mlir_attr_t *attr,
                            int64_t elide) {
  (void)module;
  pod_text_t text = {0};
  mlir_attr_print(&text, attr, elide);
  return pod_text_take(&text);
}

static void expect_float(tensor_dtype_t dtype, double value, const char *expected) {
  mlir_module_t *module = mlir_module_create("");
  char element[16];
  tensor_element_from_double(dtype, value, element);
  const tensor_shape_t shape = tensor_shape_make(dtype, 0, NULL);
  char *text = print_constant(module, mlir_attr_dense(module, &shape, element, true), 0);
  assert_non_null(strstr(text, expected));
  free(text);
  mlir_module_destroy(module);
}

static void test_floats_have_as_few_digits_as_give_them_back(void **state) {
  (void)state;
  expect_float(TENSOR_F32, 0.1, "dense<1.0e-01>");
  expect_float(TENSOR_F32, 1.0 / 3, "dense<3.3333334e-01>");
  expect_float(TENSOR_F32, -2.5, "dense<-2.5>");
  expect_float(TENSOR_BF16, 0.1, "dense<1.0e-01>");
  expect_float(TENSOR_F64, 0.1, "dense<1.0e-01>");
  expect_float(TENSOR_F64, 1.0 / 3, "dense<3.333333333333333e-01>");
  expect_float(TENSOR_F32, 0.0, "dense<0.0>");
  expect_float(TENSOR_F32, -0.0, "dense<-0.0>");
  expect_float(TENSOR_F32, 1.0 / 0.0, "dense<0x7F800000>");
  expect_float(TENSOR_BF16, -1.0 / 0.0, "dense<0xFF80>");
}

// Any bit pattern of any float type comes back as it was.
static void test_every_float_comes_back_bit_for_bit(void **state) {
  (void)state;
  static const tensor_dtype_t dtypes[] = {
      TENSOR_F64,    TENSOR_F32,      TENSOR_F16,       TENSOR_BF16,    TENSOR_F8E4M3FN,
      TENSOR_F8E5M2, TENSOR_F4E2M1FN, TENSOR_F8E8M0FNU, TENSOR_F6E2M3FN};
  const uint64_t seed = 7;
  pod_random_t random = {seed};
  print_message("seed %llu\n", (unsigned long long)seed);
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(dtypes[0]); d++) {
    enum { COUNT = 256 };
    mlir_module_t *module = mlir_module_create("");
    const size_t bytes = tensor_dtype_bytes(dtypes[d]);
    const unsigned bits = tensor_dtype_device_bits(dtypes[d]);
    char data[COUNT * 16];
    for (size_t i = 0; i < COUNT; i++) {
      const uint64_t pattern =
          bytes == 1 ? i & ((1u << bits) - 1) : pod_random_next(&random);
      memcpy(data + i * bytes, &pattern, bytes);
    }
    const int64_t dims[] = {COUNT};
    const tensor_shape_t shape = tensor_shape_make(dtypes[d], 1, dims);
    mlir_op_t *op = mlir_op_create(module, "t.o", 0, NULL, 0, NULL, 0);
    mlir_op_set_attr(module, op, "a", mlir_attr_dense(module, &shape, data, false));
    mlir_block_append(mlir_op_block(module->op, 0), op);
    expect_round_trip(NULL, module);
    mlir_module_destroy(module);
  }
}

static void test_large_constants_are_hex_or_left_out(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("");
  static int32_t data[2000];
  for (int i = 0; i < 2000; i++) {
    data[i] = i;
  }
  const int64_t dims[] = {2000};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S32, 1, dims);
  const mlir_attr_t *attr = mlir_attr_dense(module, &shape, data, false);
  char *text = print_constant(module, attr, 0);
  assert_memory_equal(text, "dense<\"0x0000000001000000", 25);
  free(text);
  text = print_constant(module, attr, 100);
  assert_string_equal(text, "dense_resource<__elided__> : tensor<2000xi32>");
  free(text);
  mlir_op_t *op = mlir_op_create(module, "t.o", 0, NULL, 0, NULL, 0);
  mlir_op_set_attr(module, op, "a", attr);
  mlir_block_append(mlir_op_block(module->op, 0), op);
  expect_round_trip(NULL, module);
  mlir_module_destroy(module);
}

static void test_locations_are_printed_once_each(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(
      NULL,
      "#loc1 = loc(\"a.py\":1:2)\n#loc2 = loc(\"f\"(#loc1))\n"
      "\"t.o\"() ({\n^bb0(%x: i1 loc(\"arg\")):\n}) : () -> () loc(#loc2)\n"
      "\"t.p\"() : () -> () loc(callsite(#loc2 at #loc1))\n\"t.q\"() : () -> ()\n");
  pod_text_t text = {0};
  mlir_print(&text, module, &(mlir_print_options_t){.locations = true});
  assert_non_null(strstr(text.bytes, "= loc(\"a.py\":1:2)"));
  assert_non_null(strstr(text.bytes, "loc(callsite(#loc"));
  mlir_module_t *again = parse_with(NULL, text.bytes);
  assert_string_equal(mlir_op_source(again, find_op(again, "t.p")), "a.py:1:2");
  assert_null(find_op(again, "t.q")->location);
  assert_non_null(mlir_op_block(find_op(again, "t.o"), 0)->arguments[0]->location);
  pod_text_deinit(&text);
  mlir_module_destroy(again);
  mlir_module_destroy(module);
}

static void test_names_are_printed_without_the_files(void **state) {
  (void)state;
  mlir_module_t *module =
      parse_with(NULL,
                 "#loc1 = loc(\"a.py\":1:2)\n#loc2 = loc(\"f/\\22g\"(#loc1))\n"
                 "\"t.o\"() : () -> () loc(#loc2)\n\"t.n\"() : () -> () loc(#loc2)\n"
                 "\"t.p\"() : () -> () loc(callsite(#loc2 at #loc1))\n"
                 "\"t.q\"() : () -> () loc(#loc1)\n");
  pod_text_t text = {0};
  mlir_print(&text, module, &(mlir_print_options_t){.names = true});
  assert_null(strstr(text.bytes, "a.py"));
  mlir_module_t *again = parse_with(NULL, text.bytes);
  assert_string_equal(mlir_op_source(again, find_op(again, "t.o")), "f/\"g");
  assert_string_equal(mlir_op_source(again, find_op(again, "t.n")), "f/\"g");
  assert_string_equal(mlir_op_source(again, find_op(again, "t.p")), "f/\"g");
  assert_null(find_op(again, "t.q")->location);
  pod_text_deinit(&text);
  mlir_module_destroy(again);
  mlir_module_destroy(module);
}

static void test_equal_names_have_one_alias(void **state) {
  (void)state;
  mlir_module_t *module =
      parse_with(NULL,
                 "#loc1 = loc(\"f\"(\"a.py\":1:2))\n#loc2 = loc(\"f\"(\"a.py\":3:4))\n"
                 "\"t.o\"() : () -> () loc(#loc1)\n\"t.n\"() : () -> () loc(#loc2)\n");
  pod_text_t text = {0};
  mlir_print(&text, module, &(mlir_print_options_t){.names = true});
  assert_non_null(strstr(text.bytes, "#loc1 = "));
  assert_null(strstr(text.bytes, "#loc2"));
  mlir_module_t *again = parse_with(NULL, text.bytes);
  assert_string_equal(mlir_op_source(again, find_op(again, "t.o")), "f");
  assert_string_equal(mlir_op_source(again, find_op(again, "t.n")), "f");
  pod_text_deinit(&text);
  mlir_module_destroy(again);
  mlir_module_destroy(module);
}

static void test_strings_and_symbols_are_quoted_where_they_must_be(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("");
  pod_text_t text = {0};
  mlir_attr_print(&text, mlir_attr_string(module, "a\"b\\c\n\x80"), 0);
  assert_string_equal(text.bytes, "\"a\\22b\\\\c\\0A\\80\"");
  pod_text_clear(&text);
  mlir_attr_print(&text, mlir_attr_symbol(module, "plain_name.1"), 0);
  mlir_attr_print(&text, mlir_attr_symbol(module, "jit_scatter-add"), 0);
  mlir_attr_print(&text, mlir_attr_symbol(module, "9 odd"), 0);
  assert_string_equal(text.bytes, "@plain_name.1@\"jit_scatter-add\"@\"9 odd\"");
  pod_text_deinit(&text);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_keep_their_names_and_numbers_start_afresh),
      cmocka_unit_test(test_names_that_a_pass_doubled_are_told_apart),
      cmocka_unit_test(test_own_attributes_stand_apart_from_those_of_dialects),
      cmocka_unit_test(test_floats_have_as_few_digits_as_give_them_back),
      cmocka_unit_test(test_every_float_comes_back_bit_for_bit),
      cmocka_unit_test(test_large_constants_are_hex_or_left_out),
      cmocka_unit_test(test_locations_are_printed_once_each),
      cmocka_unit_test(test_names_are_printed_without_the_files),
      cmocka_unit_test(test_equal_names_have_one_alias),
      cmocka_unit_test(test_strings_and_symbols_are_quoted_where_they_must_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
