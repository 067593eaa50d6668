// Module text through the compiler as far as the program of one chip: what is no program
// is refused, and what is one is partitioned, without a crash.
//
// The corpus is that of programs with shardings; tests/golden/partition has more.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/mlir/parser.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEVICES = 4 };

static pod_status_t compile(const char *text, size_t size, mlir_module_t **module,
                            compiler_partitioned_t *partitioned) {
  POD_TRY(compiler_parse("fuzz.mlir", text, (int64_t)size, module));
  POD_TRY(compiler_expand(*module));
  POD_TRY(compiler_verify(*module));
  POD_TRY(compiler_inline(*module));
  POD_TRY(compiler_partition(*module, DEVICES, partitioned));
  // What comes out is a valid program again.
  const pod_status_t status = compiler_verify(partitioned->module);
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    __builtin_trap();
  }
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir_module_t *module = NULL;
  compiler_partitioned_t partitioned = {0};
  pod_status_free(compile((const char *)data, size, &module, &partitioned));
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
  return 0;
}
