// A mark is a name around the location that is there.

#include "server/compiler/dialect/recomputed.h"

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"

static const char mark[] = "rematted_computation";

recomputed_t compiler_recomputed(const mlir_op_t *op) {
  const mlir_attr_t *name = mlir_location_name(op->location);
  if (name == NULL) {
    return RECOMPUTED_UNKNOWN;
  }
  return strstr(name->text, mark) != NULL ? RECOMPUTED_YES : RECOMPUTED_NO;
}

void compiler_mark_recomputed(mlir_module_t *module, mlir_op_t *op) {
  for (mlir_op_t *at = op; at != NULL;
       at = at == op ? mlir_walk_first(op) : mlir_walk_next(op, at)) {
    const mlir_attr_t *name = mlir_location_name(at->location);
    if (name != NULL) {
      mlir_attr_t *named = pod_arena_alloc(module->arena, sizeof(*named));
      *named = *name;
      named->text = mark;
      named->location_child = at->location;
      at->location = named;
    }
  }
}
