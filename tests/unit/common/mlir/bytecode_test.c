// Files written by hand: what is read, and what is refused, at which byte.

#include "common/mlir/bytecode.h"

#include "tests/bytecode_writer.h"
#include "tests/unit/common/mlir/text.h"

typedef struct file_t {
  bytecode_writer_t writer;
  uint64_t module, func, ret, add, location, unknown, tensor, properties;
} file_t;

static uint64_t attr(file_t *file, int count, const uint64_t *numbers) {
  return bytecode_entry(&file->writer, false, BYTECODE_BUILTIN, count, numbers);
}

static uint64_t type(file_t *file, int count, const uint64_t *numbers) {
  return bytecode_entry(&file->writer, true, BYTECODE_BUILTIN, count, numbers);
}

// The tables of a function @main(tensor<4xf32>) -> tensor<4xf32>.
static void begin(file_t *file) {
  *file = (file_t){0};
  bytecode_writer_t *writer = &file->writer;
  file->module = bytecode_name(writer, BYTECODE_BUILTIN, "module");
  file->func = bytecode_name(writer, BYTECODE_FUNC, "func");
  file->ret = bytecode_name(writer, BYTECODE_FUNC, "return");
  file->add = bytecode_name(writer, BYTECODE_VHLO, "add");
  const uint64_t path =
      attr(file, BYTECODE_NUMBERS(2, bytecode_string(writer, "train.py")));
  const uint64_t name = attr(file, BYTECODE_NUMBERS(2, bytecode_string(writer, "main")));
  file->location = attr(file, BYTECODE_NUMBERS(11, path, 12, 7));
  file->unknown = attr(file, BYTECODE_NUMBERS(15));
  const uint64_t element = type(file, BYTECODE_NUMBERS(5));
  file->tensor = type(file, BYTECODE_NUMBERS(13, 1, 8, element));
  const uint64_t signature =
      type(file, BYTECODE_NUMBERS(2, 1, file->tensor, 1, file->tensor));
  const uint64_t signature_attr = attr(file, BYTECODE_NUMBERS(6, signature));
  // arg_attrs, function_type, no_inline, res_attrs, sym_name, sym_visibility
  file->properties =
      bytecode_properties(writer, BYTECODE_NUMBERS(0, signature_attr, 0, 0, name, 0));
}

static void finish(file_t *file, pod_text_t *out) {
  pod_text_t function = {0};
  bytecode_function(&file->writer, &function, file->func, file->location,
                    file->properties, 1, &file->tensor);
  bytecode_finish(&file->writer, file->module, file->unknown, &function, out);
  pod_text_deinit(&function);
}

static void write_sum(pod_text_t *out) {
  file_t file;
  begin(&file);
  bytecode_op(&file.writer, file.add, file.location, -1, (int64_t)file.tensor,
              BYTECODE_NUMBERS(0, 0));
  bytecode_op(&file.writer, file.ret, file.unknown, -1, -1, BYTECODE_NUMBERS(1));
  finish(&file, out);
}

static pod_status_t read_text(const pod_text_t *text, mlir_module_t **out_module) {
  *out_module = NULL;
  return mlir_read_bytecode("file.mlirbc", text->bytes, (int64_t)text->length, NULL, NULL,
                            out_module);
}

static void expect_refused(pod_text_t *text, const char *part) {
  mlir_module_t *module;
  const pod_status_t status = read_text(text, &module);
  assert_non_null(status);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  if (strstr(pod_status_message(status), part) == NULL) {
    fprintf(stderr, "expected: %s\ngot: %s\n", part, pod_status_message(status));
    fail();
  }
  pod_status_free(status);
  pod_text_deinit(text);
}

static void test_the_module_is_that_of_the_text(void **state) {
  (void)state;
  pod_text_t text = {0};
  write_sum(&text);
  mlir_module_t *module;
  expect_ok(read_text(&text, &module));
  mlir_module_t *expected =
      parse_with(NULL,
                 "func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
                 "  %0 = \"vhlo.add\"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> "
                 "tensor<4xf32>\n"
                 "  return %0 : tensor<4xf32>\n}");
  expect_same(module, expected);
  const mlir_op_t *func = mlir_module_find_symbol(module, "main");
  assert_string_equal(mlir_op_block(func, 0)->arguments[0]->name, "arg0");
  mlir_module_destroy(expected);
  mlir_module_destroy(module);
  pod_text_deinit(&text);
}

static void test_errors_name_the_place_in_the_program(void **state) {
  (void)state;
  pod_text_t text = {0};
  write_sum(&text);
  mlir_module_t *module;
  expect_ok(read_text(&text, &module));
  const mlir_op_t *add = find_op_in(module->op, "vhlo.add");
  assert_non_null(add);
  const pod_status_t status = mlir_op_error(module, add, POD_INVALID_ARGUMENT, "wrong");
  assert_string_equal(pod_status_message(status),
                      "file.mlirbc: train.py:12:7: 'vhlo.add': wrong");
  pod_status_free(status);
  assert_string_equal(mlir_op_source(module, add), "train.py:12:7");
  const pod_status_t nowhere = mlir_error_at(module, 0, POD_INVALID_ARGUMENT, "wrong");
  assert_string_equal(pod_status_message(nowhere), "file.mlirbc: wrong");
  pod_status_free(nowhere);
  module->place_in_hand = add->position;
  const pod_status_t here = mlir_error_at(module, 0, POD_INVALID_ARGUMENT, "wrong");
  assert_string_equal(pod_status_message(here), "file.mlirbc: train.py:12:7: wrong");
  pod_status_free(here);
  mlir_module_destroy(module);
  pod_text_deinit(&text);
}

static void test_every_prefix_is_refused(void **state) {
  (void)state;
  pod_text_t text = {0};
  write_sum(&text);
  for (size_t length = 4; length < text.length; length++) {
    mlir_module_t *module = NULL;
    const pod_status_t status = mlir_read_bytecode("cut.mlirbc", text.bytes,
                                                   (int64_t)length, NULL, NULL, &module);
    assert_non_null(status);
    assert_non_null(strstr(pod_status_message(status), "cut.mlirbc: byte "));
    pod_status_free(status);
  }
  pod_text_deinit(&text);
}

static void test_a_changed_byte_gives_a_module_or_an_error(void **state) {
  (void)state;
  pod_text_t text = {0};
  write_sum(&text);
  for (size_t at = 4; at < text.length; at++) {
    for (int bit = 0; bit < 8; bit++) {
      mlir_module_t *module = NULL;
      text.bytes[at] = (char)(text.bytes[at] ^ (1 << bit));
      pod_status_free(read_text(&text, &module));
      mlir_module_destroy(module);
      text.bytes[at] = (char)(text.bytes[at] ^ (1 << bit));
    }
  }
  pod_text_deinit(&text);
}

static void test_a_later_version_is_refused(void **state) {
  (void)state;
  pod_text_t text = {0};
  write_sum(&text);
  text.bytes[4] = 7 << 1 | 1;
  expect_refused(&text, "byte 5: version 7 of the bytecode; versions up to 6 are read");
}

static void test_a_value_is_defined_before_it_is_used(void **state) {
  (void)state;
  file_t file;
  pod_text_t text = {0};
  begin(&file);
  bytecode_op(&file.writer, file.add, file.location, -1, (int64_t)file.tensor,
              BYTECODE_NUMBERS(0, 2));
  bytecode_op(&file.writer, file.add, file.location, -1, (int64_t)file.tensor,
              BYTECODE_NUMBERS(0, 0));
  finish(&file, &text);
  expect_refused(&text, "'vhlo.add': value 2 is not defined here");
}

static void test_an_attribute_is_no_part_of_itself(void **state) {
  (void)state;
  file_t file;
  pod_text_t text = {0};
  begin(&file);
  const uint64_t self = (uint64_t)file.writer.attr_count;
  (void)attr(&file, BYTECODE_NUMBERS(10, self, self));
  bytecode_op(&file.writer, file.ret, self, -1, -1, BYTECODE_NUMBERS(0));
  finish(&file, &text);
  expect_refused(&text, "part of itself");
}

// Each entry is the one before it twice: 2^40 of the first.
static void test_attributes_cannot_stand_for_more_than_fits(void **state) {
  (void)state;
  file_t file;
  pod_text_t text = {0};
  begin(&file);
  uint64_t list = attr(&file, BYTECODE_NUMBERS(7));
  for (int i = 0; i < 40; i++) {
    list = attr(&file, BYTECODE_NUMBERS(0, 2, list, list));
  }
  bytecode_op(&file.writer, file.ret, list, -1, -1, BYTECODE_NUMBERS(0));
  finish(&file, &text);
  expect_refused(&text, "stands for too much");
}

static void test_a_long_chain_of_locations_is_forgotten(void **state) {
  (void)state;
  file_t file;
  pod_text_t text = {0};
  begin(&file);
  uint64_t location = file.location;
  for (int i = 0; i < 600; i++) {
    location = attr(&file, BYTECODE_NUMBERS(10, location, file.location));
  }
  bytecode_op(&file.writer, file.ret, location, -1, -1, BYTECODE_NUMBERS(0));
  finish(&file, &text);
  mlir_module_t *module;
  expect_ok(read_text(&text, &module));
  mlir_module_destroy(module);
  pod_text_deinit(&text);
}

// The bytes of the last string, whose length comes first, where the next length should
// be: as a length it would place the first string before the file.
static void test_a_length_is_not_read_out_of_a_string(void **state) {
  (void)state;
  pod_text_t text = {0}, part = {0};
  pod_text_add_bytes(&text, "ML\xefR\x0dtest", 10);  // Version 6.
  bytecode_varint(&part, 2);
  bytecode_varint(&part, 10);
  bytecode_varint(&part, (uint64_t)1 << 40);
  while (part.length < 11) {
    pod_text_add_bytes(&part, "x", 1);
  }
  pod_text_add_bytes(&part, "", 1);
  bytecode_section(&text, 0, &part);
  pod_text_deinit(&part);
  expect_refused(&text, "byte 14: the bytecode ends too early");
}

// 2^28 numbers in twelve bytes were written out one by one.
static void test_a_constant_of_indexes_has_all_of_them(void **state) {
  (void)state;
  file_t file;
  pod_text_t text = {0};
  begin(&file);
  const uint64_t index = type(&file, BYTECODE_NUMBERS(1));
  const uint64_t many = type(&file, BYTECODE_NUMBERS(13, 1, UINT64_C(2) << 28, index));
  const uint64_t constant =
      attr(&file, BYTECODE_NUMBERS(18, many, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  bytecode_op(&file.writer, file.ret, constant, -1, -1, BYTECODE_NUMBERS(0));
  finish(&file, &text);
  expect_refused(&text, "12 bytes do not fit a constant of its type");
}

static void test_the_head_is_read_alone(void **state) {
  (void)state;
  pod_text_t text = {0};
  write_sum(&text);
  mlir_module_t *module = NULL;
  expect_ok(
      mlir_read_bytecode_head("file.mlirbc", text.bytes, (int64_t)text.length, &module));
  assert_string_equal(module->op->name, "builtin.module");
  assert_null(mlir_op_block(module->op, 0)->first);
  mlir_module_destroy(module);
  pod_text_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_module_is_that_of_the_text),
      cmocka_unit_test(test_errors_name_the_place_in_the_program),
      cmocka_unit_test(test_every_prefix_is_refused),
      cmocka_unit_test(test_a_changed_byte_gives_a_module_or_an_error),
      cmocka_unit_test(test_a_later_version_is_refused),
      cmocka_unit_test(test_a_value_is_defined_before_it_is_used),
      cmocka_unit_test(test_an_attribute_is_no_part_of_itself),
      cmocka_unit_test(test_attributes_cannot_stand_for_more_than_fits),
      cmocka_unit_test(test_a_long_chain_of_locations_is_forgotten),
      cmocka_unit_test(test_a_length_is_not_read_out_of_a_string),
      cmocka_unit_test(test_a_constant_of_indexes_has_all_of_them),
      cmocka_unit_test(test_the_head_is_read_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
