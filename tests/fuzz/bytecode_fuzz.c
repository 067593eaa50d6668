// MLIR bytecode and what jax.export writes around it: whatever the bytes, the reader
// gives a module or an error. A module can be printed in both forms, its head be read
// alone, and what the compiler makes of it is a program or an error of the user's kind:
// bytecode can hold what no text does.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/mlir/bytecode.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/jax_export.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
#include "server/compiler/compiler.h"
#include "server/compiler/dialect/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const mlir_module_t *module, mlir_syntax_lookup_t lookup) {
  pod_text_t text = {0};
  mlir_print(&text, module,
             &(mlir_print_options_t){.lookup = lookup, .locations = lookup != NULL});
  pod_text_deinit(&text);
}

// Errors at any operation can be told, and where it comes from.
static void tell(mlir_module_t *module) {
  for (mlir_op_t *op = module->op; op != NULL; op = mlir_walk_next(module->op, op)) {
    pod_status_free(mlir_op_error(module, op, POD_INVALID_ARGUMENT, "told"));
    POD_CHECK(mlir_op_source(module, op) != NULL);
  }
}

static void compile(const uint8_t *data, size_t size) {
  const compiler_options_t options = {.file_name = "fuzz.mlirbc",
                                      .spec = chip_spec_find("v5e"),
                                      .torus = {.size = {2, 1, 1}}};
  compiler_result_t *result = NULL;
  const pod_status_t status =
      compiler_compile((const char *)data, (int64_t)size, &options, &result);
  if (pod_status_code(status) == POD_INTERNAL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    __builtin_trap();
  }
  pod_status_free(status);
  compiler_result_destroy(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const void *inside;
  int64_t length;
  for (int order = 0; order < 3; order++) {
    pod_status_free(mlir_jax_export_module("fuzz.export", data, (int64_t)size, order,
                                           &inside, &length));
  }
  mlir_module_t *module = NULL;
  pod_status_t status =
      mlir_read_bytecode_head("fuzz.mlirbc", data, (int64_t)size, &module);
  mlir_module_destroy(module);
  pod_status_free(status);
  module = NULL;
  status = compiler_parse("fuzz.mlirbc", (const char *)data, (int64_t)size, &module);
  if (status != NULL) {
    pod_status_free(status);
    return 0;
  }
  print(module, compiler_syntax_lookup);
  print(module, NULL);
  tell(module);
  mlir_module_destroy(module);
  compile(data, size);
  return 0;
}
