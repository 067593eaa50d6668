#include "common/mlir/diagnostic.h"

#include "tests/unit/common/mlir/text.h"

static void expect_message(pod_status_t status, const char *expected) {
  assert_non_null(status);
  assert_string_equal(pod_status_message(status), expected);
  pod_status_free(status);
}

static void test_an_error_shows_file_line_column_and_a_caret(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(NULL, "\n  \"t.a\"() : () -> ()\n");
  const mlir_op_t *op = find_op(module, "t.a");
  int line, column;
  mlir_line_and_column(module, op->position, &line, &column);
  assert_int_equal(line, 2);
  assert_int_equal(column, 3);
  expect_message(mlir_op_error(module, op, POD_INVALID_ARGUMENT, "has %d legs", 3),
                 "test.mlir:2:3: 't.a': has 3 legs\n"
                 "    \"t.a\"() : () -> ()\n"
                 "    ^");
  const pod_status_t status =
      mlir_error_at(module, op->position, POD_UNIMPLEMENTED, "not yet");
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  pod_status_free(status);
  mlir_module_destroy(module);
}

static void test_what_a_pass_made_has_no_place(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("made.mlir");
  const mlir_op_t *op = mlir_op_create(module, "t.a", 0, NULL, 0, NULL, 0);
  expect_message(mlir_op_error(module, op, POD_INVALID_ARGUMENT, "is wrong"),
                 "made.mlir: 't.a': is wrong");
  mlir_module_destroy(module);
}

static void test_without_locations_operations_come_from_the_lines_of_the_text(
    void **state) {
  (void)state;
  mlir_module_t *from = parse_with(NULL,
                                   "\"t.a\"() : () -> ()\n\n  \"t.b\"() : () -> ()\n"
                                   "\"t.c\"() : () -> () loc(\"train.py\":12:7)");
  assert_string_equal(mlir_op_source(from, find_op(from, "t.a")), "");
  mlir_index_lines(from);
  mlir_module_t *to = mlir_module_create_beside(from);
  mlir_op_t *copies[3];
  static const char *const names[] = {"t.a", "t.b", "t.c"};
  for (int i = 0; i < 3; i++) {
    copies[i] = mlir_op_clone(to, find_op(from, names[i]), NULL);
  }
  assert_string_equal(mlir_op_source(to, copies[0]), "test.mlir:1:1");
  assert_string_equal(mlir_op_source(to, copies[1]), "test.mlir:3:3");
  assert_string_equal(mlir_op_source(to, copies[2]), "train.py:12:7");
  expect_message(mlir_op_error(to, copies[1], POD_INVALID_ARGUMENT, "is wrong"),
                 "test.mlir:3:3: 't.b': is wrong\n"
                 "    \"t.b\"() : () -> ()\n"
                 "    ^");
  mlir_module_destroy(to);
  mlir_module_destroy(from);
}

static void test_a_very_long_line_is_shown_in_part(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add(&text, "\"t.a\"() {a = dense<[1");
  for (int i = 0; i < 100000; i++) {
    pod_text_add(&text, ", 1");
  }
  pod_text_add(&text, ", x, 2]> : tensor<100003xi32>} : () -> ()");
  mlir_module_t *module = NULL;
  const pod_status_t status =
      mlir_parse("long.mlir", text.bytes, (int64_t)text.length, NULL, &module);
  const char *message = pod_status_message(status);
  assert_true(strlen(message) < 500);
  assert_non_null(strstr(message, "..."));
  const char *shown = strstr(message, ", x, 2]>");
  const char *caret = strchr(message, '^');
  assert_non_null(shown);
  // The caret stands below the x.
  assert_int_equal(caret - (strrchr(message, '\n') + 1),
                   shown + 2 - (strstr(message, "\n  ...") + 1));
  pod_status_free(status);
  pod_text_deinit(&text);
}

static void test_a_very_long_name_is_cited_in_part(void **state) {
  (void)state;
  pod_text_t name = {0};
  for (int i = 0; i < 10000; i++) {
    pod_text_add(&name, i % 2 == 0 ? "\xc3\xa4" : "\xe2\x82\xac");  // ä€
  }
  mlir_module_t *module = mlir_module_create("made.mlir");
  for (int shift = 0; shift < 4; shift++) {
    const mlir_op_t *op = mlir_op_create(module, name.bytes, 0, NULL, 0, NULL, 0);
    const pod_status_t status = mlir_op_error(
        module, op, POD_INVALID_ARGUMENT, "%.*s%s is wrong", shift, "123", name.bytes);
    const char *message = pod_status_message(status);
    assert_true(strlen(message) < 9000);
    const size_t end = strlen(message) - strlen("...");
    assert_string_equal(message + end, "...");
    // No character is cut in its middle: a lead byte has all that belongs to it.
    const char *last = message + end - 1;
    int behind = 0;
    while (((unsigned char)*last & 0xc0) == 0x80) {
      last--;
      behind++;
    }
    const unsigned char lead = (unsigned char)*last;
    assert_int_equal(behind, lead >= 0xe0 ? 2 : (lead >= 0xc0 ? 1 : 0));
    pod_status_free(status);
  }
  mlir_module_destroy(module);
  pod_text_deinit(&name);
}

static void test_control_characters_do_not_reach_the_terminal(void **state) {
  (void)state;
  mlir_module_t *module = NULL;
  const char *text = "\x1b[31m\t?";
  const pod_status_t status =
      mlir_parse("bad.mlir", text, (int64_t)strlen(text), NULL, &module);
  assert_null(strchr(pod_status_message(status), '\x1b'));
  assert_null(strchr(pod_status_message(status), '\t'));
  pod_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_error_shows_file_line_column_and_a_caret),
      cmocka_unit_test(test_what_a_pass_made_has_no_place),
      cmocka_unit_test(test_without_locations_operations_come_from_the_lines_of_the_text),
      cmocka_unit_test(test_a_very_long_line_is_shown_in_part),
      cmocka_unit_test(test_a_very_long_name_is_cited_in_part),
      cmocka_unit_test(test_control_characters_do_not_reach_the_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
