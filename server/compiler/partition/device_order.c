// XLA keeps programs in logical ids and a table beside them (DeviceAssignment); here the
// program itself is rewritten, once, so that nobody behind this pass knows of two kinds
// of ids.

#include "server/compiler/partition/device_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/device_map.h"
#include "server/compiler/partition/shardings.h"

// --- What is no list of chips ---

static pod_status_t check_count(mlir_module_t *module, int64_t count) {
  int64_t devices;
  const mesh_t *mesh;
  POD_TRY(shardings_count_devices(module, module->arena, &devices, &mesh));
  if (devices == 0 || devices == count) {
    return NULL;
  }
  if (mesh == NULL) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "the order has %" PRId64 " chips, the program is for %" PRId64
        " devices (mhlo.num_partitions, mhlo.num_replicas): name one chip for "
        "each device",
        count, devices);
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "the order has %" PRId64 " chips, the program's mesh @%s has %" PRId64
                   " devices: name one chip for each device",
                   count, mesh->name, devices);
}

static pod_status_t check_chips(int64_t chips, int64_t count, const int64_t *order) {
  bool *is_named = pod_alloc((size_t)chips * sizeof(*is_named));
  pod_status_t status = NULL;
  for (int64_t d = 0; d < count && status == NULL; d++) {
    if (order[d] < 0 || order[d] >= chips) {
      status = pod_error(POD_INVALID_ARGUMENT,
                         "the order names chip %" PRId64
                         ", the pod has the chips 0 to %" PRId64,
                         order[d], chips - 1);
    } else if (is_named[order[d]]) {
      status = pod_error(POD_INVALID_ARGUMENT,
                         "the order names chip %" PRId64
                         " twice: each device needs a "
                         "chip of its own",
                         order[d]);
    } else {
      is_named[order[d]] = true;
    }
  }
  free(is_named);
  return status;
}

pod_status_t partition_count_devices(mlir_module_t *module, int64_t *out_count) {
  int64_t devices;
  const mesh_t *mesh;
  POD_TRY(shardings_count_devices(module, module->arena, &devices, &mesh));
  *out_count = mesh == NULL && devices <= 1 ? 0 : devices;
  return NULL;
}

pod_status_t partition_check_device_order(mlir_module_t *module, int64_t chip_count,
                                          int64_t count, const int64_t *order,
                                          int64_t *out_device_count) {
  if (count == 0) {
    *out_device_count = chip_count;
    return NULL;
  }
  POD_TRY(check_chips(chip_count, count, order));
  POD_TRY(check_count(module, count));
  *out_device_count = count;
  return NULL;
}

// --- The program is rewritten ---

static pod_status_t compose_mesh(const compiler_partitioned_t *partitioned, int64_t count,
                                 const int64_t *order, const mesh_t **mesh_of) {
  const mesh_t *mesh = *mesh_of;
  if (count != mesh->device_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the order has %" PRId64 " chips, the program's mesh has %" PRId64
                     " devices",
                     count, mesh->device_count);
  }
  int64_t *ids = pod_arena_array(partitioned->arena, (size_t)count, sizeof(*ids));
  for (int64_t p = 0; p < count; p++) {
    ids[p] = order[mesh->device_ids == NULL ? p : mesh->device_ids[p]];
  }
  return pod_status_context(mesh_make(partitioned->arena, mesh->name, mesh->axis_count,
                                      mesh->axes, ids, mesh_of),
                            "the order of the devices");
}

// `meshes` may be NULL, and so may its entries: those are the program's.
static pod_status_t compose_list(compiler_partitioned_t *partitioned, int64_t count,
                                 const int64_t *order, int32_t mesh_count,
                                 const mesh_t **meshes) {
  for (int32_t i = 0; meshes != NULL && i < mesh_count; i++) {
    if (meshes[i] != NULL) {
      POD_TRY(compose_mesh(partitioned, count, order, &meshes[i]));
    }
  }
  return NULL;
}

static pod_status_t compose_meshes(compiler_partitioned_t *partitioned, int64_t count,
                                   const int64_t *order) {
  POD_TRY(compose_mesh(partitioned, count, order, &partitioned->mesh));
  POD_TRY(compose_list(partitioned, count, order, partitioned->argument_count,
                       partitioned->argument_meshes));
  POD_TRY(compose_list(partitioned, count, order, partitioned->result_count,
                       partitioned->result_meshes));
  return compose_list(partitioned, count, order, partitioned->mesh_count,
                      partitioned->meshes);
}

// Groups by axes of these have become ids.
static void drop_meshes(mlir_module_t *module) {
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_op_block(module->op, 0)->first; op != NULL; op = next) {
    next = op->next;
    if (op->kind == KIND_SDY_MESH) {
      mlir_op_unlink(op);
    }
  }
}

pod_status_t partition_set_device_order(compiler_partitioned_t *partitioned,
                                        int64_t count, const int64_t *chips) {
  if (count == 0) {
    return NULL;
  }
  POD_TRY(compose_meshes(partitioned, count, chips));
  mlir_module_t *module = partitioned->module;
  const pod_status_t status = device_map_apply(module, module->op, count, chips);
  drop_meshes(module);
  return status;
}
