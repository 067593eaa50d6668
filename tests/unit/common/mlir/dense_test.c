// Constants: every spelling of dense<…>, and dense_resource<…>.

#include <math.h>

#include "tests/unit/common/mlir/text.h"

static mlir_module_t *module;

// The constant as an attribute of an operation; valid until the next call.
static const mlir_attr_t *constant(const char *text) {
  pod_text_t source = {0};
  mlir_module_destroy(module);
  pod_text_printf(&source, "\"t.o\"() {a = %s} : () -> ()", text);
  module = parse_with(NULL, source.bytes);
  pod_text_deinit(&source);
  expect_round_trip(NULL, module);
  return mlir_op_attr(find_op(module, "t.o"), "a");
}

static void expect_error(const char *text, const char *part) {
  pod_text_t source = {0};
  pod_text_printf(&source, "\"t.o\"() {a = %s} : () -> ()", text);
  expect_error_with(NULL, source.bytes, part);
  pod_text_deinit(&source);
}

static int forget_module(void **state) {
  (void)state;
  mlir_module_destroy(module);
  module = NULL;
  return 0;
}

static void test_nested_literals_are_row_major(void **state) {
  (void)state;
  const mlir_attr_t *attr =
      constant("dense<[[1, 2, 3],\n [4, -5, 0x7FFFFFFF]]> : tensor<2x3xi32>");
  static const int32_t expected[] = {1, 2, 3, 4, -5, 0x7fffffff};
  assert_int_equal(attr->count, 6);
  assert_false(attr->is_splat);
  assert_int_equal(attr->length, sizeof(expected));
  assert_memory_equal(attr->data, expected, sizeof(expected));
}

static void test_one_value_stands_for_all_elements(void **state) {
  (void)state;
  const mlir_attr_t *attr = constant("dense<2.5> : tensor<1099511627776xf32>");
  assert_true(attr->is_splat);
  assert_int_equal(attr->count, 1);
  assert_true(*(const float *)attr->data == 2.5f);
  assert_true(constant("dense<7> : tensor<i64>")->is_splat);
  assert_true(constant("dense<[7]> : tensor<1xi64>")->is_splat);
  assert_true(constant("dense<[[true, true], [true, true]]> : tensor<2x2xi1>")->is_splat);
}

static void test_empty_tensors_have_no_elements(void **state) {
  (void)state;
  const mlir_attr_t *attr = constant("dense<> : tensor<0x4xf32>");
  assert_int_equal(attr->count, 0);
  assert_int_equal(attr->length, 0);
  assert_non_null(attr->data);
  assert_int_equal(constant("dense<[]> : tensor<0xi8>")->count, 0);
  assert_int_equal(constant("dense<[[], []]> : tensor<2x0xi8>")->count, 0);
  assert_int_equal(constant("dense<1> : tensor<0x2xi64>")->count, 0);
}

static void test_floats_are_rounded_once_to_their_type(void **state) {
  (void)state;
  const mlir_attr_t *attr = constant(
      "dense<[0.1, -1.0e-2, 1.0E+10, 3.402823466e+38, 0x7FC00000, 0xFF800000, "
      "123456789012345678901234567890.0, 1.0e-400]> : tensor<8xf32>");
  const float *values = attr->data;
  assert_true(values[0] == 0.1f);
  assert_true(values[1] == -1.0e-2f);
  assert_true(values[2] == 1e10f);
  assert_true(values[3] == 3.402823466e+38f);
  assert_true(isnan(values[4]));
  assert_true(isinf(values[5]) && values[5] < 0);
  assert_true(values[6] == 123456789012345678901234567890.0f);
  assert_true(values[7] == 0.0f);
  attr = constant("dense<[1.0, -0.0, 0x7FC0, 3.140625]> : tensor<4xbf16>");
  static const uint16_t expected[] = {0x3f80, 0x8000, 0x7fc0, 0x4049};
  assert_memory_equal(attr->data, expected, sizeof(expected));
  attr = constant("dense<2.2250738585072011e-308> : tensor<f64>");
  assert_true(*(const double *)attr->data == 2.2250738585072011e-308);
}

// Whatever strtod reads, digits by the hundred included, is read alike.
static void test_doubles_are_read_as_strtod_does(void **state) {
  (void)state;
  static const char *const texts[] = {
      "1.7976931348623157e308",
      "4.9406564584124654e-324",
      "9007199254740993.0",
      "0.000000000000000000000000000000000000000000000001234567890123456789",
      "179769313486231580793728971405303415079934132710037826936173778980444968292764750"
      "946649017977587207096330286416692887910946555547851940402630657488671505820681.0",
      "2.47032822920623272088284396434110686182529901307162382212792841250337753635104375"
      "932649918180817996189898282347722858865463328355177969898199387398005390939063150"
      "356595155702263922908583924491051844359318028499365361525003193704576782492193656"
      "236698636584807570015857692699037063119282795585513329278343384093519780155312465"
      "972635795746227664652728272200563740064854999770965994704540208281662262378573934"
      "507363390079677305775067501763246736009689513405355374585166611342237666786041621"
      "596804619144672918403005300575308490487653917113865916462395249126236538818796362"
      "393732804238910186723484976682350898633885879256283027559956575244555072551893136"
      "908362547791869486679949683240497058210285131854513962138377228261454376934125320"
      "98591327667236328125e-324",
      "6.9294956446009195e15",
      "1.0e23",
      "0.12345678901234567",
      "9.8765432109876543e-10",
      "-1234567890123456789.0e5",
      "3.0000000000000000444e0",
      "8.5e22",
      "1.00000000000000011102230246251565404"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    pod_text_t text = {0};
    pod_text_printf(&text, "dense<%s> : tensor<f64>", texts[i]);
    assert_true(*(const double *)constant(text.bytes)->data == strtod(texts[i], NULL));
    pod_text_deinit(&text);
  }
}

static void test_booleans_and_small_integers_take_a_byte(void **state) {
  (void)state;
  const mlir_attr_t *attr = constant("dense<[true, false, 1, 0]> : tensor<4xi1>");
  assert_memory_equal(attr->data, "\1\0\1\0", 4);
  attr = constant("dense<[-8, 7, 15]> : tensor<3xi4>");
  assert_memory_equal(attr->data, "\xf8\x07\xff", 3);
  attr = constant("dense<[0, 15]> : tensor<2xui4>");
  assert_memory_equal(attr->data, "\x00\x0f", 2);
}

static void test_complex_numbers_are_pairs(void **state) {
  (void)state;
  const mlir_attr_t *attr =
      constant("dense<[(1.0, -2.0), (0x7F800000,3.5)]> : tensor<2xcomplex<f32>>");
  const float *values = attr->data;
  assert_true(values[0] == 1.0f && values[1] == -2.0f && isinf(values[2]) &&
              values[3] == 3.5f);
  assert_true(constant("dense<(1.0,2.0)> : tensor<9xcomplex<f64>>")->is_splat);
}

static void test_hex_strings_are_the_bytes_of_the_elements(void **state) {
  (void)state;
  const mlir_attr_t *attr = constant("dense<\"0x0000803F00000040\"> : tensor<2xf32>");
  assert_true(((const float *)attr->data)[1] == 2.0f);
  attr = constant("dense<\"0x0000803F\"> : tensor<100xf32>");
  assert_true(attr->is_splat);
  attr = constant("dense<\"0x0100FF00\"> : tensor<4xi1>");
  assert_memory_equal(attr->data, "\1\0\1\0", 4);
  attr = constant("dense<\"0x0502\"> : tensor<10xi1>");  // Packed, as once upon a time.
  assert_memory_equal(attr->data, "\1\0\1\0\0\0\0\0\0\1", 10);
  attr = constant("dense<\"0x0F08\"> : tensor<2xi4>");
  assert_memory_equal(attr->data, "\xff\xf8", 2);
}

static void test_resources_are_found_at_the_end_of_the_file(void **state) {
  (void)state;
  mlir_module_destroy(module);
  module = parse_with(
      NULL,
      "\"t.o\"() {a = dense_resource<blob> : tensor<2xf32>,\n"
      "  b = dense_resource<\"odd key\"> : tensor<2xi8>} : () -> ()\n"
      "{-#\n"
      "  dialect_resources: {\n"
      "    builtin: {\n"
      "      blob: \"0x040000000000803F00000040\",\n"
      "      \"odd key\": \"0x010000000102\"\n"
      "    }\n"
      "  },\n"
      "  external_resources: { mlir_reproducer: { pipeline: \"x\", verify: true } }\n"
      "#-}\n");
  const mlir_op_t *op = find_op(module, "t.o");
  const float *values = mlir_op_attr(op, "a")->data;
  assert_true(values[0] == 1.0f && values[1] == 2.0f);
  assert_memory_equal(mlir_op_attr(op, "b")->data, "\1\2", 2);
  expect_round_trip(NULL, module);
  expect_error_with(NULL, "\"t.o\"() {a = dense_resource<x> : tensor<i1>} : () -> ()",
                    "no resource 'x' in the module");
  expect_error_with(NULL,
                    "\"t.o\"() {a = dense_resource<__elided__> : tensor<i1>} : () -> ()",
                    "left out when the module was printed");
  expect_error_with(NULL,
                    "\"t.o\"() {a = dense_resource<x> : tensor<2xi32>} : () -> ()\n"
                    "{-# dialect_resources: {builtin: {x: \"0x0400000001\"}} #-}",
                    "1 bytes where the type takes 8");
}

static void test_elements_of_foreign_types_stay_text(void **state) {
  (void)state;
  const mlir_attr_t *attr = constant("dense<[1, 0]> : tensor<2xindex>");
  assert_int_equal(attr->kind, MLIR_ATTR_DIALECT);
  assert_string_equal(attr->body, "[1, 0]");
  assert_string_equal(attr->type->text, "tensor<2xindex>");
}

static void test_a_literal_must_fit_its_type(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"dense<[1, 2]> : tensor<3xi32>",
       "dimension 0 has 2 elements here, the type has 3"},
      {"dense<[1, 2, 3]> : tensor<2xi32>", "dimension 0 has more than the 2 elements"},
      {"dense<[[1], [2, 3]]> : tensor<2x1xi32>", "more than the 1 elements"},
      {"dense<[1, 2]> : tensor<2x1xi32>", "expected '['"},
      {"dense<[1]> : tensor<i32>", "expected an element of type i32"},
      {"dense<[1]> : tensor<1099511627776xi32>", "fewer than the 1099511627776 elements"},
      {"dense<> : tensor<2xi32>", "dense<> is empty, its type has 2 elements"},
      {"dense<300> : tensor<ui8>", "not a value of type ui8"},
      {"dense<1.5> : tensor<i32>", "not a value of type i32"},
      {"dense<1> : tensor<f32>", "write 1.0, not 1"},
      {"dense<0x1FFFF> : tensor<bf16>", "bit pattern out of range for bf16"},
      {"dense<true> : tensor<i32>", "a boolean among elements of type i32"},
      {"dense<(1.0, 2.0)> : tensor<f32>", "expected an element of type f32"},
      {"dense<1.0> : tensor<complex<f32>>", "expected '('"},
      {"dense<\"0x00\"> : tensor<2xi32>", "1 bytes where the type takes 8"},
      {"dense<\"0x0\"> : tensor<1xi8>", "expected bytes as \"0x"},
      {"dense<\"0x0g\"> : tensor<1xi8>", "not a hexadecimal digit"},
      {"dense<1> : tensor<?xi32>", "the type of a tensor of known sizes"},
      {"dense<1> : i32", "the type of a tensor of known sizes"},
      {"dense<1 2> : tensor<i32>", "expected the end of dense<…>"},
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    expect_error(texts[i][0], texts[i][1]);
  }
  expect_error_with(NULL, "\"t.o\"() {a = dense<[1, 2", "dense<…> is not closed");
}

static void test_an_error_inside_of_a_constant_points_at_the_element(void **state) {
  (void)state;
  expect_error_with(NULL,
                    "\"t.o\"() {a = dense<[1,\n  2, x]> : tensor<3xi32>} : () -> ()",
                    "test.mlir:2:6: expected an element of type i32\n    2, x]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nested_literals_are_row_major),
      cmocka_unit_test(test_one_value_stands_for_all_elements),
      cmocka_unit_test(test_empty_tensors_have_no_elements),
      cmocka_unit_test(test_floats_are_rounded_once_to_their_type),
      cmocka_unit_test(test_doubles_are_read_as_strtod_does),
      cmocka_unit_test(test_booleans_and_small_integers_take_a_byte),
      cmocka_unit_test(test_complex_numbers_are_pairs),
      cmocka_unit_test(test_hex_strings_are_the_bytes_of_the_elements),
      cmocka_unit_test(test_resources_are_found_at_the_end_of_the_file),
      cmocka_unit_test(test_elements_of_foreign_types_stay_text),
      cmocka_unit_test(test_a_literal_must_fit_its_type),
      cmocka_unit_test(test_an_error_inside_of_a_constant_points_at_the_element),
  };
  return cmocka_run_group_tests(tests, NULL, forget_module);
}
