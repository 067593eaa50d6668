// Rows of operations that break a rule, or none, and a check of what the verifier says.

#ifndef TESTS_UNIT_SERVER_COMPILER_SHAPE_ROWS_H_
#define TESTS_UNIT_SERVER_COMPILER_SHAPE_ROWS_H_

#include <stdio.h>

#include "server/compiler/legalize/legalize.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

typedef struct row_t {
  const char *constraint;
  const char *arguments;
  const char *op;
  const char *message;  // Part of the diagnostic; NULL: the operation is right.
} row_t;

static mlir_module_t *module_of(const row_t *row) {
  pod_text_t text = {0};
  pod_text_printf(&text, "func.func @main(%s) {\n  %s\n  return\n}\n", row->arguments,
                  row->op);
  mlir_module_t *module = parse_text(text.bytes);
  pod_text_deinit(&text);
  return module;
}

static void check_rows(const row_t *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    mlir_module_t *module = module_of(&rows[i]);
    pod_status_t status = compiler_expand(module);
    if (status == NULL) {
      status = compiler_verify(module);
    }
    const char *message = status == NULL ? "no error" : pod_status_message(status);
    if (rows[i].message == NULL ? status != NULL
                                : strstr(message, rows[i].message) == NULL) {
      fail_msg("%s: %s\n  %s\n  expected: %s", rows[i].constraint, rows[i].op, message,
               rows[i].message == NULL ? "no error" : rows[i].message);
    }
    if (status != NULL) {  // Says where.
      assert_non_null(strstr(message, "test.mlir:"));
    }
    pod_status_free(status);
    mlir_module_destroy(module);
  }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

#endif  // TESTS_UNIT_SERVER_COMPILER_SHAPE_ROWS_H_
