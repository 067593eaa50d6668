// Where the program asks for its id, it gets the old one back from a table: its tables
// and arithmetic were written for that.

#include "server/compiler/partition/device_map.h"

#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/program/operations.h"

typedef struct device_map_t {
  mlir_module_t *module;
  const compiler_meshes_t *meshes;
  int64_t count;
  const int64_t *names;  // By device.
  int64_t limit;         // Above them all.
} device_map_t;

// Without groups all devices are one, in the order of their ids.
static pod_status_t map_groups(const device_map_t *map, mlir_op_t *op,
                               const mlir_attr_t *attr) {
  compiler_groups_t groups;
  POD_TRY(compiler_parse_replica_groups(map->module, attr, map->meshes,
                                        map->module->arena, &groups));
  const bool is_all = groups.group_count == 0 || groups.group_size == 0;
  const int64_t group_count = is_all ? 1 : groups.group_count;
  const int64_t group_size = is_all ? map->count : groups.group_size;
  const int64_t total = group_count * group_size;
  int64_t *ids = pod_arena_array(map->module->arena, (size_t)total, sizeof(*ids));
  for (int64_t i = 0; i < total; i++) {
    const int64_t id = is_all ? i : groups.ids[i];
    ids[i] = id < map->count ? map->names[id] : id;  // Refused by verify.
  }
  mlir_op_set_attr(
      map->module, op, mlir_intern(map->module, "replica_groups"),
      compiler_make_replica_groups(map->module, group_count, group_size, ids));
  return NULL;
}

static pod_status_t map_pairs(const device_map_t *map, mlir_op_t *op,
                              const mlir_attr_t *attr) {
  int64_t count;
  const int64_t *from;
  POD_TRY(stablehlo_source_target_pairs(map->module, attr, &count, &from));
  int64_t *pairs =
      pod_arena_array(map->module->arena, (size_t)(2 * count) + 1, sizeof(*pairs));
  for (int64_t i = 0; i < 2 * count; i++) {
    const bool is_known = from[i] >= 0 && from[i] < map->count;
    pairs[i] = is_known ? map->names[from[i]] : from[i];
  }
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, (int64_t[]){count, 2});
  mlir_op_set_attr(map->module, op, mlir_intern(map->module, "source_target_pairs"),
                   mlir_attr_dense(map->module, &shape, pairs, false));
  return NULL;
}

static mlir_value_t *insert(const device_map_t *map, mlir_op_t *where, const char *name,
                            int operand_count, mlir_value_t **operands,
                            const tensor_shape_t *shape) {
  const mlir_type_t *type = mlir_type_tensor(map->module, shape);
  mlir_op_t *op = mlir_op_create(map->module, name, operand_count, operands, 1, &type, 0);
  op->location = where->location;
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

static mlir_value_t *insert_constant(const device_map_t *map, mlir_op_t *where,
                                     const tensor_shape_t *shape, const void *data) {
  mlir_value_t *constant = insert(map, where, "stablehlo.constant", 0, NULL, shape);
  mlir_op_set_attr(map->module, constant->op, mlir_intern(map->module, "value"),
                   mlir_attr_dense(map->module, shape, data, false));
  return constant;
}

// The device that the one it is now stands for, in front of `op`, a partition_id.
static mlir_value_t *insert_device(const device_map_t *map, mlir_op_t *op) {
  mlir_module_t *module = map->module;
  const tensor_shape_t number = op->results[0].type->shape;
  if (map->count == 1) {
    return insert_constant(map, op, &number, &(uint32_t){0});
  }
  tensor_shape_t table = tensor_shape_make(number.dtype, 1, &map->limit);
  uint32_t *devices =
      pod_arena_array(module->arena, (size_t)map->limit, sizeof(*devices));
  for (int64_t d = 0; d < map->count; d++) {
    devices[map->names[d]] = (uint32_t)d;
  }
  mlir_value_t *constant = insert_constant(map, op, &table, devices);
  mlir_value_t *id = insert(map, op, "stablehlo.partition_id", 0, NULL, &number);
  table.dims[0] = 1;
  mlir_value_t *operands[] = {constant, id};
  mlir_value_t *row = insert(map, op, "stablehlo.dynamic_slice", 2, operands, &table);
  mlir_op_set_attr(module, row->op, mlir_intern(module, "slice_sizes"),
                   mlir_attr_i64_array(module, 1, table.dims));
  return insert(map, op, "stablehlo.reshape", 1, &row, &number);
}

static pod_status_t map_op(const device_map_t *map, mlir_op_t *op,
                           mlir_replacements_t *replacements) {
  if (op->kind == CHIP_OP_PARTITION_ID) {
    mlir_replacements_put(replacements, &op->results[0], insert_device(map, op));
    return NULL;
  }
  const mlir_attr_t *groups = mlir_op_attr(op, "replica_groups");
  const mlir_attr_t *pairs = mlir_op_attr(op, "source_target_pairs");
  POD_TRY(groups == NULL ? NULL : map_groups(map, op, groups));
  return pairs == NULL ? NULL : map_pairs(map, op, pairs);
}

pod_status_t device_map_apply(mlir_module_t *module, mlir_op_t *root, int64_t count,
                              const int64_t *names) {
  compiler_meshes_t *meshes;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  device_map_t map = {.module = module, .meshes = meshes, .count = count, .names = names};
  for (int64_t d = 0; d < count; d++) {
    map.limit = names[d] >= map.limit ? names[d] + 1 : map.limit;
  }
  mlir_replacements_t replacements = {0};
  pod_status_t status = NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(root); op != NULL && status == NULL; op = next) {
    mlir_replacements_apply(&replacements, op);
    next = mlir_walk_next(root, op);
    status = map_op(&map, op, &replacements);
  }
  mlir_replacements_deinit(&replacements);
  return status;
}
