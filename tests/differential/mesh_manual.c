// Manual computations among the operations of a module, as shard_map over some or all of
// a mesh's axes makes them.
//
// Each stands behind a value and is the identity of it: a manual axis that cuts a
// dimension on the way in either makes it whole again on the way out, or an all_gather in
// the body does, and then no sharding of the result names the axis. So the reference need
// not know what a device is.

#include "server/compiler/dialect/attributes.h"
#include "tests/differential/mesh.h"
#include "tests/differential/mesh_sharder.h"

enum { NOWHERE = -1, AXES = 2 };

// What a manual computation does with each axis of the mesh.
typedef struct plan_t {
  bool is_manual[AXES];
  int dim[AXES];  // That it cuts; NOWHERE for none.
  bool is_gathered[AXES];
} plan_t;

static bool make_plan(sharder_t *sharder, const tensor_shape_t *shape, plan_t *plan) {
  tensor_shape_t left = *shape;
  bool any = false;
  for (int axis = 0; axis < AXES; axis++) {
    const int64_t size = sharder->mesh->axes[axis].size;
    const int d = (int)sharder_below(sharder, (uint64_t)shape->rank);
    plan->is_manual[axis] = sharder_below(sharder, 2) == 0;
    plan->is_gathered[axis] = sharder_below(sharder, 2) == 0;
    plan->dim[axis] = NOWHERE;
    any = any || plan->is_manual[axis];
    if (plan->is_manual[axis] && left.dims[d] > 0 && left.dims[d] % size == 0) {
      plan->dim[axis] = d;
      left.dims[d] /= size;
    }
  }
  return any;
}

// The axes of each dimension: those cut, but for those gathered when `is_result`.
static const sharding_t *make_sharding(sharder_t *sharder, const plan_t *plan, int rank,
                                       bool is_result) {
  pod_arena_t *arena = sharder->module->arena;
  sharding_t *sharding = sharding_replicated(arena, sharder->mesh, rank, false);
  for (int d = 0; d < rank; d++) {
    dim_sharding_t *dim = &sharding->dims[d];
    dim->axes.refs = pod_arena_array(arena, AXES, sizeof(*dim->axes.refs));
    for (int axis = 0; axis < AXES; axis++) {
      if (plan->dim[axis] == d && !(is_result && plan->is_gathered[axis])) {
        dim->axes.refs[dim->axes.count++] =
            (axis_ref_t){axis, 1, sharder->mesh->axes[axis].size};
      }
    }
    dim->is_open = sharder_below(sharder, 4) != 0;
    dim->priority = dim->is_open ? (int)sharder_below(sharder, 8) / 6 : 0;
  }
  return sharding;
}

static mlir_value_t *append_gather(sharder_t *sharder, mlir_block_t *block,
                                   mlir_value_t *from, int axis, int dim) {
  mlir_module_t *module = sharder->module;
  axis_ref_t ref = {axis, 1, sharder->mesh->axes[axis].size};
  const axis_list_t list = {1, &ref};
  int64_t group_count, group_size;
  const int64_t *ids =
      axis_list_groups(module->arena, sharder->mesh, &list, &group_count, &group_size);
  tensor_shape_t to = from->type->shape;
  to.dims[dim] *= ref.size;
  const mlir_type_t *type = mlir_type_tensor(module, &to);
  mlir_op_t *op = mlir_op_create(module, "stablehlo.all_gather", 1, &from, 1, &type, 0);
  mlir_op_set_attr(module, op, "all_gather_dim",
                   mlir_attr_integer(module, dim, TENSOR_S64));
  mlir_op_set_attr(module, op, "replica_groups",
                   compiler_make_replica_groups(module, group_count, group_size, ids));
  mlir_op_set_attr(
      module, op, "channel_handle",
      mlir_attr_dialect(module, "stablehlo.channel_handle", "handle = 1, type = 1"));
  mlir_op_set_attr(module, op, "use_global_device_ids", mlir_attr_unit(module));
  mlir_block_append(block, op);
  return &op->results[0];
}

// Gathers minor axes first.
static void write_body(sharder_t *sharder, const plan_t *plan, mlir_op_t *op) {
  mlir_module_t *module = sharder->module;
  tensor_shape_t local = op->results[0].type->shape;
  for (int axis = 0; axis < AXES; axis++) {
    if (plan->dim[axis] != NOWHERE) {
      local.dims[plan->dim[axis]] /= sharder->mesh->axes[axis].size;
    }
  }
  mlir_block_t *block = mlir_block_create(module, &op->regions[0]);
  mlir_value_t *value =
      mlir_block_add_argument(module, block, mlir_type_tensor(module, &local));
  for (int axis = AXES - 1; axis >= 0; axis--) {
    if (plan->dim[axis] != NOWHERE && plan->is_gathered[axis]) {
      value = append_gather(sharder, block, value, axis, plan->dim[axis]);
    }
  }
  mlir_block_append(block, mlir_op_create(module, "sdy.return", 1, &value, 0, NULL, 0));
}

static const mlir_attr_t *manual_axes(sharder_t *sharder, const plan_t *plan) {
  const bool both = plan->is_manual[0] && plan->is_manual[1];
  return mlir_attr_dialect(sharder->module, "sdy.manual_axes",
                           both                 ? "{\"x\", \"y\"}"
                           : plan->is_manual[0] ? "{\"x\"}"
                                                : "{\"y\"}");
}

// In one dimension a gathered axis must not be the major one of an axis that stays.
static void gather_alike(plan_t *plan) {
  if (plan->dim[0] == plan->dim[1]) {
    plan->is_gathered[1] = plan->is_gathered[0];
  }
}

mlir_op_t *mesh_manual_identity(sharder_t *sharder, mlir_value_t *value) {
  const tensor_shape_t *shape = &value->type->shape;
  plan_t plan;
  if (shape->rank == 0 || !make_plan(sharder, shape, &plan)) {
    return NULL;
  }
  gather_alike(&plan);
  mlir_module_t *module = sharder->module;
  mlir_op_t *op =
      mlir_op_create(module, "sdy.manual_computation", 1, &value, 1, &value->type, 1);
  const sharding_t *input = make_sharding(sharder, &plan, shape->rank, false);
  const sharding_t *output = make_sharding(sharder, &plan, shape->rank, true);
  mlir_op_set_attr(module, op, "in_shardings",
                   compiler_make_shardings(module, 1, &input));
  mlir_op_set_attr(module, op, "out_shardings",
                   compiler_make_shardings(module, 1, &output));
  mlir_op_set_attr(module, op, "manual_axes", manual_axes(sharder, &plan));
  write_body(sharder, &plan, op);
  return op;
}
