// Short ways for tests to parse, print and compare.

#ifndef TESTS_UNIT_COMMON_MLIR_TEXT_H_
#define TESTS_UNIT_COMMON_MLIR_TEXT_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "tests/unit/common/mlir/same_module.h"

// Fails the test with the diagnostic when `status` is an error.
static inline void expect_ok(pod_status_t status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    pod_status_free(status);
    fail();
  }
}

// Returns owned.
static inline mlir_module_t *parse_with(mlir_syntax_lookup_t lookup, const char *text) {
  mlir_module_t *module = NULL;
  expect_ok(mlir_parse("test.mlir", text, (int64_t)strlen(text), lookup, &module));
  return module;
}

// Parsing must fail with INVALID_ARGUMENT and a message that has `part` in it.
static inline void expect_error_with(mlir_syntax_lookup_t lookup, const char *text,
                                     const char *part) {
  mlir_module_t *module = NULL;
  const pod_status_t status =
      mlir_parse("test.mlir", text, (int64_t)strlen(text), lookup, &module);
  assert_non_null(status);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  if (strstr(pod_status_message(status), part) == NULL) {
    fprintf(stderr, "expected: %s\ngot: %s\n", part, pod_status_message(status));
    fail();
  }
  pod_status_free(status);
}

// Returns owned (free()).
static inline char *print_with(mlir_syntax_lookup_t lookup, const mlir_module_t *module) {
  pod_text_t text = {0};
  mlir_print(&text, module, &(mlir_print_options_t){.lookup = lookup});
  return pod_text_take(&text);
}

static inline void expect_same(const mlir_module_t *a, const mlir_module_t *b) {
  const mlir_op_t *difference;
  if (!same_module(a, b, &difference)) {
    expect_ok(mlir_op_error(a, difference, POD_INTERNAL, "differs"));
    fail();
  }
}

// Prints the module in its pretty and its generic form; both must be read back as the
// same program, and be printed as the same text again.
static inline void expect_round_trip(mlir_syntax_lookup_t lookup,
                                     const mlir_module_t *module) {
  const mlir_syntax_lookup_t forms[] = {lookup, NULL};
  for (int i = 0; i < 2; i++) {
    char *text = print_with(forms[i], module);
    mlir_module_t *again = NULL;
    const pod_status_t status =
        mlir_parse("printed.mlir", text, (int64_t)strlen(text), lookup, &again);
    if (status != NULL) {
      fprintf(stderr, "%s\n", text);
    }
    expect_ok(status);
    expect_same(module, again);
    char *twice = print_with(forms[i], again);
    assert_string_equal(text, twice);
    free(twice);
    free(text);
    mlir_module_destroy(again);
  }
}

// The first operation of that name, walking into regions; NULL when there is none.
static inline mlir_op_t *find_op_in(const mlir_op_t *op, const char *name) {
  for (int i = 0; i < op->region_count; i++) {
    for (mlir_block_t *block = op->regions[i].first; block != NULL; block = block->next) {
      for (mlir_op_t *each = block->first; each != NULL; each = each->next) {
        mlir_op_t *found = strcmp(each->name, name) == 0 ? each : find_op_in(each, name);
        if (found != NULL) {
          return found;
        }
      }
    }
  }
  return NULL;
}

static inline mlir_op_t *find_op(const mlir_module_t *module, const char *name) {
  mlir_op_t *found = find_op_in(module->op, name);
  assert_non_null(found);
  return found;
}

#endif  // TESTS_UNIT_COMMON_MLIR_TEXT_H_
