// Modules as text, for the compiler's tests.

#ifndef TESTS_UNIT_SERVER_COMPILER_TEXT_H_
#define TESTS_UNIT_SERVER_COMPILER_TEXT_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/file.h"

static inline mlir_module_t *parse_text(const char *text) {
  mlir_module_t *module = NULL;
  const pod_status_t status =
      compiler_parse("test.mlir", text, (int64_t)strlen(text), &module);
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  return module;
}

// Returns owned.
static inline char *print_text(const mlir_module_t *module) {
  pod_text_t text = {0};
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
  mlir_print(&text, module, &options);
  return pod_text_take(&text);
}

static inline void assert_ok(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

// The status has that code, and its message holds `part`. Frees it.
static inline void assert_error(pod_status_t status, pod_code_t code, const char *part) {
  if (status == NULL) {
    fail_msg("no error; expected %s: %s", pod_code_name(code), part);
  }
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), part) == NULL) {
    fail_msg("%s: %s\nexpected %s: %s", pod_code_name(pod_status_code(status)),
             pod_status_message(status), pod_code_name(code), part);
  }
  pod_status_free(status);
}

#endif  // TESTS_UNIT_SERVER_COMPILER_TEXT_H_
