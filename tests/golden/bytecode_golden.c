// Usage: golden.bytecode FILE.mlirbc…
//
// Each file of bytecode must give the module that the text beside it gives (FILE.mlir, as
// the program that wrote the bytecode prints it): the same operations, attributes, types
// and locations. It is printed twice, as read from either, without the values' names.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/status.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/file.h"
#include "tests/unit/common/mlir/same_module.h"

static pod_status_t read_module(const char *path, mlir_module_t **out_module) {
  pod_text_t bytes = {0};
  if (!read_file(path, &bytes)) {
    return pod_error(POD_NOT_FOUND, "cannot open %s", path);
  }
  const pod_status_t status =
      compiler_parse(path, bytes.bytes, (int64_t)bytes.length, out_module);
  pod_text_deinit(&bytes);
  return status;
}

static void forget_names(mlir_module_t *module) {
  for (mlir_op_t *op = module->op; op != NULL; op = mlir_walk_next(module->op, op)) {
    for (int i = 0; i < op->result_count; i++) {
      op->results[i].name = NULL;
    }
    for (int i = 0; i < op->region_count; i++) {
      for (mlir_block_t *block = op->regions[i].first; block; block = block->next) {
        block->label = NULL;
        for (int j = 0; j < block->argument_count; j++) {
          block->arguments[j]->name = NULL;
        }
      }
    }
  }
}

// Written out: what is an alias in one module may stand for itself in the other. Where
// the text has none, because its form has no place for it, anything goes.
static bool same_location(const char *path, const char *name, const mlir_attr_t *location,
                          const mlir_attr_t *expected) {
  if (expected == NULL || expected->location_kind == MLIR_LOCATION_UNKNOWN) {
    return true;
  }
  pod_text_t text = {0}, expected_text = {0};
  if (location != NULL) {
    mlir_attr_print(&text, location, 0);
  }
  pod_text_add(&text, "");
  mlir_attr_print(&expected_text, expected, 0);
  const bool is_same = strcmp(text.bytes, expected_text.bytes) == 0;
  if (!is_same) {
    fprintf(stderr, "%s: '%s'\n  bytecode: %s\n  text:     %s\n", path, name, text.bytes,
            expected_text.bytes);
  }
  pod_text_deinit(&text);
  pod_text_deinit(&expected_text);
  return is_same;
}

// Of two modules that are the same but for these.
static bool same_locations(const char *path, mlir_module_t *module,
                           mlir_module_t *expected) {
  const mlir_op_t *other = expected->op;
  bool is_same = true;
  for (const mlir_op_t *op = module->op; is_same && op != NULL;
       op = mlir_walk_next(module->op, op), other = mlir_walk_next(expected->op, other)) {
    is_same = same_location(path, op->name, op->location, other->location);
    for (int i = 0; i < op->region_count; i++) {
      const mlir_block_t *block = op->regions[i].first, *twin = other->regions[i].first;
      for (int j = 0; is_same && block != NULL && j < block->argument_count; j++) {
        is_same = same_location(path, op->name, block->arguments[j]->location,
                                twin->arguments[j]->location);
      }
    }
  }
  return is_same;
}

// Returns owned (free()).
static char *print(mlir_module_t *module) {
  pod_text_t text = {0};
  forget_names(module);
  mlir_print(&text, module, &(mlir_print_options_t){.lookup = compiler_syntax_lookup});
  return pod_text_take(&text);
}

// The first lines that differ.
static void tell_difference(const char *path, const char *bytecode, const char *text) {
  size_t start = 0, at = 0;
  for (; bytecode[at] == text[at] && text[at] != '\0'; at++) {
    start = text[at] == '\n' ? at + 1 : start;
  }
  fprintf(stderr, "%s: differs\n  bytecode: %.*s\n  text:     %.*s\n", path,
          (int)strcspn(bytecode + start, "\n"), bytecode + start,
          (int)strcspn(text + start, "\n"), text + start);
}

static bool are_same(const char *path, mlir_module_t *module, mlir_module_t *expected) {
  const mlir_op_t *difference = NULL;
  const bool is_same = same_module(module, expected, &difference);
  char *bytecode = print(module), *text = print(expected);
  const bool is_same_text = strcmp(bytecode, text) == 0;
  if (!is_same_text) {
    tell_difference(path, bytecode, text);
  } else if (!is_same) {
    fprintf(stderr, "%s: '%s' differs\n", path, difference->name);
  }
  free(bytecode);
  free(text);
  return is_same && is_same_text && same_locations(path, module, expected);
}

static bool check(const char *path) {
  mlir_module_t *module = NULL, *expected = NULL;
  char *text_path = pod_alloc(strlen(path) + 1);
  memcpy(text_path, path, strlen(path) - 2);  // .mlirbc is .mlir and two letters.
  pod_status_t status = read_module(path, &module);
  if (status == NULL) {
    status = read_module(text_path, &expected);
  }
  const bool is_good = status == NULL && are_same(path, module, expected);
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    pod_status_free(status);
  }
  mlir_module_destroy(module);
  mlir_module_destroy(expected);
  free(text_path);
  return is_good;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; i++) {
    failed += !check(argv[i]);
  }
  printf("%d of %d files of bytecode are what the text is\n", argc - 1 - failed,
         argc - 1);
  return failed > 0 || argc < 2;
}
