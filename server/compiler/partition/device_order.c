// XLA keeps programs in logical ids and a table beside them (DeviceAssignment); here the
// program itself is rewritten, once, so that nobody behind this pass knows of two kinds
// of ids. Where the program asks for its id, it gets the logical one back from a table:
// its tables and arithmetic were written for that.

#include "server/compiler/partition/device_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/shardings.h"
#include "server/program/operations.h"

typedef struct device_order_t {
  mlir_module_t *module;
  const compiler_meshes_t *meshes;
  int64_t count;
  const int64_t *chips;  // By device.
  int64_t chip_limit;    // Above them all.
} device_order_t;

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
  return compose_list(partitioned, count, order, partitioned->result_count,
                      partitioned->result_meshes);
}

// Without groups all devices are one, in the order of their ids.
static pod_status_t map_groups(const device_order_t *order, mlir_op_t *op,
                               const mlir_attr_t *attr) {
  compiler_groups_t groups;
  POD_TRY(compiler_parse_replica_groups(order->module, attr, order->meshes,
                                        order->module->arena, &groups));
  const bool is_all = groups.group_count == 0 || groups.group_size == 0;
  const int64_t group_count = is_all ? 1 : groups.group_count;
  const int64_t group_size = is_all ? order->count : groups.group_size;
  const int64_t total = group_count * group_size;
  int64_t *ids = pod_arena_array(order->module->arena, (size_t)total, sizeof(*ids));
  for (int64_t i = 0; i < total; i++) {
    const int64_t id = is_all ? i : groups.ids[i];
    ids[i] = id < order->count ? order->chips[id] : id;  // Refused by verify.
  }
  mlir_op_set_attr(
      order->module, op, mlir_intern(order->module, "replica_groups"),
      compiler_make_replica_groups(order->module, group_count, group_size, ids));
  return NULL;
}

static pod_status_t map_pairs(const device_order_t *order, mlir_op_t *op,
                              const mlir_attr_t *attr) {
  int64_t count;
  const int64_t *from;
  POD_TRY(stablehlo_source_target_pairs(order->module, attr, &count, &from));
  int64_t *pairs =
      pod_arena_array(order->module->arena, (size_t)(2 * count) + 1, sizeof(*pairs));
  for (int64_t i = 0; i < 2 * count; i++) {
    const bool is_known = from[i] >= 0 && from[i] < order->count;
    pairs[i] = is_known ? order->chips[from[i]] : from[i];
  }
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, (int64_t[]){count, 2});
  mlir_op_set_attr(order->module, op, mlir_intern(order->module, "source_target_pairs"),
                   mlir_attr_dense(order->module, &shape, pairs, false));
  return NULL;
}

static mlir_value_t *insert(const device_order_t *order, mlir_op_t *where,
                            const char *name, int operand_count, mlir_value_t **operands,
                            const tensor_shape_t *shape) {
  const mlir_type_t *type = mlir_type_tensor(order->module, shape);
  mlir_op_t *op =
      mlir_op_create(order->module, name, operand_count, operands, 1, &type, 0);
  op->location = where->location;
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

static mlir_value_t *insert_constant(const device_order_t *order, mlir_op_t *where,
                                     const tensor_shape_t *shape, const void *data) {
  mlir_value_t *constant = insert(order, where, "stablehlo.constant", 0, NULL, shape);
  mlir_op_set_attr(order->module, constant->op, mlir_intern(order->module, "value"),
                   mlir_attr_dense(order->module, shape, data, false));
  return constant;
}

// The device that this chip stands for, in front of `op`, a partition_id.
static mlir_value_t *insert_device(const device_order_t *order, mlir_op_t *op) {
  mlir_module_t *module = order->module;
  const tensor_shape_t number = op->results[0].type->shape;
  if (order->count == 1) {
    return insert_constant(order, op, &number, &(uint32_t){0});
  }
  tensor_shape_t table = tensor_shape_make(number.dtype, 1, &order->chip_limit);
  uint32_t *devices =
      pod_arena_array(module->arena, (size_t)order->chip_limit, sizeof(*devices));
  for (int64_t d = 0; d < order->count; d++) {
    devices[order->chips[d]] = (uint32_t)d;
  }
  mlir_value_t *constant = insert_constant(order, op, &table, devices);
  mlir_value_t *chip = insert(order, op, "stablehlo.partition_id", 0, NULL, &number);
  table.dims[0] = 1;
  mlir_value_t *operands[] = {constant, chip};
  mlir_value_t *row = insert(order, op, "stablehlo.dynamic_slice", 2, operands, &table);
  mlir_op_set_attr(module, row->op, mlir_intern(module, "slice_sizes"),
                   mlir_attr_i64_array(module, 1, table.dims));
  return insert(order, op, "stablehlo.reshape", 1, &row, &number);
}

static pod_status_t map_op(const device_order_t *order, mlir_op_t *op,
                           mlir_replacements_t *replacements) {
  if (op->kind == CHIP_OP_PARTITION_ID) {
    mlir_replacements_put(replacements, &op->results[0], insert_device(order, op));
    return NULL;
  }
  const mlir_attr_t *groups = mlir_op_attr(op, "replica_groups");
  const mlir_attr_t *pairs = mlir_op_attr(op, "source_target_pairs");
  POD_TRY(groups == NULL ? NULL : map_groups(order, op, groups));
  return pairs == NULL ? NULL : map_pairs(order, op, pairs);
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
  compiler_meshes_t *meshes;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  const device_order_t order = {.module = module,
                                .meshes = meshes,
                                .count = count,
                                .chips = chips,
                                .chip_limit = mesh_id_limit(partitioned->mesh)};
  mlir_replacements_t replacements = {0};
  pod_status_t status = NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL && status == NULL;
       op = next) {
    mlir_replacements_apply(&replacements, op);
    next = mlir_walk_next(module->op, op);
    status = map_op(&order, op, &replacements);
  }
  mlir_replacements_deinit(&replacements);
  drop_meshes(module);
  return status;
}
