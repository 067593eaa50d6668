// A size inside of a manual computation is that of the shard: the size outside over the
// product of the manual axes of the dimension.

#include "server/compiler/legalize/refine_manual.h"

#include <inttypes.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"

// How many devices share a dimension along the manual axes.
static pod_status_t count_parts(mlir_module_t *module, const mlir_op_t *op,
                                const sharding_t *sharding, int dim, int64_t *out_parts) {
  int count = 0, *manual = NULL;
  if (sharding->mesh->axis_count > 0) {
    POD_TRY(compiler_parse_manual_axes(module, mlir_op_attr(op, "manual_axes"),
                                       sharding->mesh, module->arena, &count, &manual));
  }
  *out_parts = 1;
  const axis_list_t *axes = &sharding->dims[dim].axes;
  for (int i = 0; i < axes->count; i++) {
    bool is_manual = false;
    for (int m = 0; m < count; m++) {
      is_manual |= axes->refs[i].axis == manual[m];
    }
    *out_parts *= is_manual ? axes->refs[i].size : 1;
  }
  return NULL;
}

typedef struct border_t {
  mlir_module_t *module;
  const mlir_op_t *op;
  bool is_entered;  // From the whole to the part; else the other way.
} border_t;

static pod_status_t cross_dim(const border_t *border, const sharding_t *sharding,
                              int index, int dim, int64_t size, int64_t *out_size) {
  int64_t parts;
  POD_TRY(count_parts(border->module, border->op, sharding, dim, &parts));
  if (border->is_entered ? size % parts != 0
                         : __builtin_mul_overflow(size, parts, out_size)) {
    return mlir_op_error(
        border->module, border->op, POD_INVALID_ARGUMENT,
        "dimension %d of %s %d is %" PRId64 ", which is not for %" PRId64 " devices", dim,
        border->is_entered ? "operand" : "result", index, size, parts);
  }
  *out_size = border->is_entered ? size / parts : *out_size;
  return NULL;
}

// The open sizes of `to` by those of `from`.
static pod_status_t cross(const border_t *border, const sharding_t *sharding, int index,
                          const mlir_value_t *from, mlir_value_t *to) {
  if (to->type->kind != MLIR_TYPE_TENSOR || from->type->kind != MLIR_TYPE_TENSOR ||
      !tensor_shape_is_static(&from->type->shape) ||
      from->type->shape.rank != to->type->shape.rank ||
      sharding->rank != to->type->shape.rank) {
    return NULL;
  }
  tensor_shape_t shape = to->type->shape;
  for (int d = 0; d < shape.rank; d++) {
    if (shape.dims[d] == TENSOR_DYNAMIC) {
      POD_TRY(cross_dim(border, sharding, index, d, from->type->shape.dims[d],
                        &shape.dims[d]));
    }
  }
  to->type = mlir_type_tensor(border->module, &shape);
  return NULL;
}

static pod_status_t read_list(const border_t *border, const char *name, int count,
                              sharding_t ***out_list) {
  mlir_module_t *module = border->module;
  compiler_meshes_t *meshes;
  int64_t found = 0;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  POD_TRY(compiler_parse_shardings(module, mlir_op_attr(border->op, name), meshes,
                                   module->arena, &found, out_list));
  if (found != count) {
    return mlir_op_error(module, border->op, POD_INVALID_ARGUMENT,
                         "'%s' has %" PRId64 " shardings; %d are needed", name, found,
                         count);
  }
  return NULL;
}

pod_status_t refine_manual_enter(mlir_module_t *module, mlir_op_t *op) {
  const border_t border = {module, op, true};
  const mlir_block_t *body = op->region_count == 1 ? mlir_op_block(op, 0) : NULL;
  sharding_t **list;
  if (body == NULL || body->argument_count != op->operand_count) {
    return NULL;  // For the verifier.
  }
  POD_TRY(read_list(&border, "in_shardings", op->operand_count, &list));
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(cross(&border, list[i], i, op->operands[i], body->arguments[i]));
  }
  return NULL;
}

pod_status_t refine_manual_leave(mlir_module_t *module, mlir_op_t *op) {
  const border_t border = {module, op, false};
  const mlir_block_t *body = op->region_count == 1 ? mlir_op_block(op, 0) : NULL;
  sharding_t **list;
  if (body == NULL || body->last == NULL ||
      body->last->operand_count != op->result_count) {
    return NULL;
  }
  POD_TRY(read_list(&border, "out_shardings", op->result_count, &list));
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(cross(&border, list[i], i, body->last->operands[i], &op->results[i]));
  }
  return NULL;
}
