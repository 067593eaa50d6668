// MLIR bytecode and what jax.export writes around it: whatever the bytes, the reader
// gives a module or an error. A module can be printed in both forms, and its head be read
// alone.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/mlir/bytecode.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/jax_export.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
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
  return 0;
}
