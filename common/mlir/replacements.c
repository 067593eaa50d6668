// Union by pointing forward: a value that was replaced points to what stands for it, and
// looking up shortens the chain (path compression, Tarjan 1975).

#include "common/mlir/replacements.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

void mlir_replacements_deinit(mlir_replacements_t *replacements) {
  free(replacements->by_id);
  *replacements = (mlir_replacements_t){0};
}

void mlir_replacements_put(mlir_replacements_t *replacements, const mlir_value_t *value,
                           mlir_value_t *by) {
  POD_CHECK(value != by);
  if (value->id >= replacements->count) {
    const uint32_t old = replacements->count, count = value->id + value->id / 2 + 64;
    replacements->by_id =
        pod_grow(replacements->by_id, count, sizeof(*replacements->by_id));
    memset(replacements->by_id + old, 0, (count - old) * sizeof(*replacements->by_id));
    replacements->count = count;
  }
  replacements->by_id[value->id] = by;
}

static mlir_value_t *next_of(const mlir_replacements_t *replacements,
                             const mlir_value_t *value) {
  return value->id < replacements->count ? replacements->by_id[value->id] : NULL;
}

// Shortens the chain that it follows, so that long ones cost once.
mlir_value_t *mlir_replacements_resolve(mlir_replacements_t *replacements,
                                        mlir_value_t *value) {
  mlir_value_t *end = value;
  for (mlir_value_t *next = end; next != NULL; next = next_of(replacements, end)) {
    end = next;
  }
  while (value != end) {
    mlir_value_t *next = replacements->by_id[value->id];
    replacements->by_id[value->id] = end;
    value = next;
  }
  return end;
}

void mlir_replacements_apply(mlir_replacements_t *replacements, mlir_op_t *op) {
  if (replacements->count == 0) {
    return;
  }
  for (int i = 0; i < op->operand_count; i++) {
    op->operands[i] = mlir_replacements_resolve(replacements, op->operands[i]);
  }
}
