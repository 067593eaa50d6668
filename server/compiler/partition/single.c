// What depends on the device is followed from partition_id through operands, and through
// the regions of operations that have some.

#include "server/compiler/partition/single.h"

#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"

// --- What depends on the device ---

static bool reads_device(const mlir_op_t *op) {
  return op->kind == CHIP_OP_PARTITION_ID || op->kind == CHIP_OP_REPLICA_ID;
}

static bool depends(const mlir_op_t *op, const bool *found) {
  bool any = reads_device(op);
  for (int i = 0; i < op->operand_count; i++) {
    any = any || found[op->operands[i]->id];
  }
  for (const mlir_op_t *inner = op->region_count == 0 ? NULL : mlir_walk_first(op);
       inner != NULL && !any; inner = mlir_walk_next(op, inner)) {
    any = reads_device(inner);
    for (int i = 0; i < inner->operand_count; i++) {
      any = any || found[inner->operands[i]->id];
    }
  }
  return any;
}

// The device whose operation it is; -1: all chips.
static int64_t device_said(const partitioner_t *partitioner, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "sdy.sharding");
  if (attr == NULL || op->result_count == 0 || !compiler_is_row(op->kind)) {
    return -1;
  }
  int64_t count;
  sharding_t **list;
  pod_status_t status =
      compiler_parse_shardings(partitioner->source, attr, partitioner->shardings.meshes,
                               partitioner->shardings.arena, &count, &list);
  if (status != NULL) {
    pod_status_free(status);
    return -1;
  }
  const mesh_t *mesh = count > 0 ? list[0]->mesh : NULL;
  return mesh != NULL && mesh->axis_count == 0 && mesh->device_ids != NULL
             ? mesh->device_ids[0]
             : -1;
}

static bool has_single_mesh(const partitioner_t *partitioner, const mlir_op_t *main) {
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if (device_said(partitioner, op) >= 0) {
      return true;
    }
  }
  return false;
}

bool *single_find(const partitioner_t *partitioner, const mlir_op_t *main) {
  bool any = false;
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL && !any;
       op = mlir_walk_next(main, op)) {
    any = reads_device(op);
  }
  if (!any || !has_single_mesh(partitioner, main)) {
    return NULL;
  }
  bool *found = pod_arena_array(partitioner->shardings.arena,
                                partitioner->source->value_count, sizeof(*found));
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    const bool is_found = depends(op, found);
    for (int i = 0; i < op->result_count && is_found; i++) {
      // All chips get what one of them has computed.
      found[op->results[i].id] = device_said(partitioner, op) < 0;
    }
  }
  return found;
}

// --- One device's value ---

int64_t single_device_of(const partitioner_t *partitioner, const mlir_op_t *op) {
  return partitioner->by_device != NULL && depends(op, partitioner->by_device)
             ? device_said(partitioner, op)
             : -1;
}

// A scalar: whether the chip is the one at a position of the mesh.
static mlir_value_t *is_at(partitioner_t *partitioner, const axes_t *axes,
                           int64_t position) {
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  return partition_emit_compare(partitioner, partition_emit_place(partitioner, axes, 1),
                                "EQ",
                                partition_emit_splat(partitioner, &scalar, position));
}

static axes_t all_axes(const mesh_t *mesh) {
  axes_t axes = {0};
  for (int i = 0; i < mesh->axis_count; i++) {
    if (mesh->axes[i].size > 1) {
      axes_append(&axes, (axis_ref_t){i, 1, mesh->axes[i].size});
    }
  }
  return axes;
}

pod_status_t single_write(partitioner_t *partitioner, const mlir_op_t *op,
                          int64_t device) {
  const mesh_t *mesh = partitioner->mesh;
  const axes_t axes = all_axes(mesh);
  const int64_t position = device >= mesh_id_limit(mesh) ? -1
                           : mesh->positions == NULL     ? device
                                                         : mesh->positions[device];
  if (position < 0) {
    return mlir_op_error(partitioner->source, op, POD_INVALID_ARGUMENT,
                         "is for device %lld, which mesh @%s does not have",
                         (long long)device, mesh->name);
  }
  POD_TRY(partition_verbatim(partitioner, op));
  if (axes.count == 0) {
    return NULL;
  }
  partition_emit_at(partitioner, op);
  mlir_value_t *is_there = is_at(partitioner, &axes, position);
  for (int i = 0; i < op->result_count; i++) {
    const mlir_value_t *result = &op->results[i];
    if (!value_is_tensor(result)) {
      continue;
    }
    const layout_t *whole =
        layouts_replicated(&partitioner->layouts, value_shape(result)->rank);
    mlir_value_t *local = partition_value_get(partitioner, result, whole);
    mlir_value_t *kept =
        partition_emit_select(partitioner, is_there, local,
                              partition_emit_splat(partitioner, value_shape(local), 0));
    partitioner->states[result->id].versions = NULL;  // The others' values are nobody's.
    const chip_reducer_t reducer =
        value_shape(result)->dtype == TENSOR_PRED ? CHIP_REDUCER_OR : CHIP_REDUCER_ADD;
    partition_value_put(
        partitioner, result,
        layouts_with_unreduced(&partitioner->layouts, whole, &axes, reducer), kept);
  }
  return NULL;
}
