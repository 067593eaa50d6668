// The dialects by their names.

#include "server/compiler/dialect/bytecode.h"

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/bytecode_parts.h"

static const mlir_bytecode_dialect_t *find_dialect(const char *name) {
  static const mlir_bytecode_dialect_t *const dialects[] = {
      &bytecode_vhlo, &bytecode_stablehlo, &bytecode_chlo, &bytecode_sdy};
  for (size_t i = 0; i < POD_COUNT_OF(dialects); i++) {
    if (strcmp(dialects[i]->name, name) == 0) {
      return dialects[i];
    }
  }
  return NULL;
}

static const mlir_bytecode_op_t *find_op(const char *name) {
  if (strncmp(name, "vhlo.", 5) == 0) {
    return bytecode_vhlo_op(name);
  }
  static const char *const dialects[] = {"stablehlo.", "chlo.", "sdy."};
  for (size_t i = 0; i < POD_COUNT_OF(dialects); i++) {
    if (strncmp(dialects[i], name, strlen(dialects[i])) == 0) {
      return bytecode_op_of_today(name);
    }
  }
  return NULL;
}

const mlir_bytecode_dialects_t compiler_bytecode_dialects = {find_dialect, find_op};
