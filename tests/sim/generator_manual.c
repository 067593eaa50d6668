// Manual computations, as shard_map makes them: over all or some of the mesh's axes, one
// in another, with dimensions that are open to the axes left, priorities, axes that may
// not be used, and the user's own collectives.
//
// Invariant: a manual axis that a result's sharding does not name is one over which the
// body's value is the same on every device: a collective over it comes last.

#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/program.h"
#include "tests/sim/generator_parts.h"

typedef struct axis_set_t {
  bool has[SHARDING_AXES_MAX];
} axis_set_t;

static bool is_any(const generator_t *generator, const axis_set_t *set, bool what) {
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    if (set->has[i] == what) {
      return true;
    }
  }
  return false;
}

// One of those in the set, which must have one.
static int pick_axis(generator_t *generator, const axis_set_t *set) {
  int axis = generator_below(generator, generator->mesh->axis_count);
  while (!set->has[axis]) {
    axis = (axis + 1) % generator->mesh->axis_count;
  }
  return axis;
}

static axis_set_t manual_around(const generator_t *generator) {
  axis_set_t set;
  memcpy(set.has, generator->is_manual, sizeof(set.has));
  return set;
}

// --- Collectives of the user's ---

static void set_groups(generator_t *generator, mlir_op_t *op, int axis) {
  pod_arena_t *arena = generator->module->arena;
  axis_ref_t ref = {axis, 1, generator->mesh->axes[axis].size};
  const axis_list_t list = {1, &ref};
  int64_t group_count, group_size;
  const int64_t *ids =
      axis_list_groups(arena, generator->mesh, &list, &group_count, &group_size);
  mlir_op_set_attr(
      generator->module, op, "replica_groups",
      compiler_make_replica_groups(generator->module, group_count, group_size, ids));
  mlir_op_set_attr(generator->module, op, "channel_handle",
                   mlir_attr_dialect(generator->module, "stablehlo.channel_handle",
                                     "handle = 1, type = 1"));
}

// What is the same on all devices along the axis.
static mlir_value_t *append_collective(generator_t *generator, int axis,
                                       mlir_value_t *from) {
  const int64_t size = generator->mesh->axes[axis].size;
  tensor_shape_t to = *shape_of(from);
  const int dim = generator_below(generator, to.rank);
  const bool gathers = generator_chance(generator, 50) &&
                       tensor_shape_elements(&to) * size <= ELEMENTS_MAX;
  if (gathers) {
    to.dims[dim] *= size;
  }
  mlir_op_t *op =
      generator_make(generator, gathers ? "stablehlo.all_gather" : "stablehlo.all_reduce",
                     1, &from, &to, gathers ? 0 : 1);
  set_groups(generator, op, axis);
  mlir_op_set_attr(generator->module, op, "use_global_device_ids",
                   mlir_attr_unit(generator->module));
  if (gathers) {
    generator_set_integer(generator, op, "all_gather_dim", dim);
    return generator_append(generator, op);
  }
  compiler_build_reducer(generator->module, op, CHIP_REDUCER_ADD, to.dtype);
  return generator_wrap(generator, generator_append(generator, op));
}

// --- Shardings of operands and results ---

static void append_axis(generator_t *generator, dim_sharding_t *dim, axis_ref_t ref) {
  axis_list_t *list = &dim->axes;
  axis_ref_t *refs =
      pod_arena_array(generator->module->arena, (size_t)list->count + 1, sizeof(refs[0]));
  if (list->count > 0) {
    memcpy(refs, list->refs, (size_t)list->count * sizeof(refs[0]));
  }
  refs[list->count] = ref;
  list->refs = refs;
  list->count++;
}

// Axes that stay the compiler's: behind the manual ones of a dimension whose part on a
// device is `local`, kept from use, or left to propagation.
static void spread_free_axes(generator_t *generator, const axis_set_t *manual,
                             const tensor_shape_t *local, sharding_t *sharding) {
  int64_t left[RANK_MAX];
  memcpy(left, local->dims, (size_t)local->rank * sizeof(left[0]));
  for (int axis = 0; axis < generator->mesh->axis_count; axis++) {
    int64_t size = generator->mesh->axes[axis].size;
    if (manual->has[axis] || generator->is_manual[axis]) {
      continue;
    }
    const int d = generator_below(generator, sharding->rank);
    size = size == 4 && generator_chance(generator, 30) ? 2 : size;
    if (left[d] % size == 0 && generator_chance(generator, 25)) {
      append_axis(generator, &sharding->dims[d], (axis_ref_t){axis, 1, size});
      left[d] /= size;
    } else if (generator_chance(generator, 10)) {
      dim_sharding_t list = {.axes = sharding->replicated};
      append_axis(generator, &list,
                  (axis_ref_t){axis, 1, generator->mesh->axes[axis].size});
      sharding->replicated = list.axes;
    }
  }
}

static void open_dims(generator_t *generator, sharding_t *sharding) {
  for (int d = 0; d < sharding->rank; d++) {
    dim_sharding_t *dim = &sharding->dims[d];
    dim->is_open = generator_chance(generator, 75);
    if ((dim->is_open || dim->axes.count > 0) && generator_chance(generator, 15)) {
      dim->priority = 1 + generator_below(generator, 2);
    }
  }
}

// Of an operand of a global shape: cuts it along manual axes where they divide it.
static const sharding_t *cut_sharding(generator_t *generator, const axis_set_t *manual,
                                      const tensor_shape_t *shape,
                                      tensor_shape_t *out_local) {
  sharding_t *sharding =
      sharding_replicated(generator->module->arena, generator->mesh, shape->rank, false);
  *out_local = *shape;
  for (int axis = 0; axis < generator->mesh->axis_count; axis++) {
    const int64_t size = generator->mesh->axes[axis].size;
    const int d = generator_below(generator, shape->rank);
    if (manual->has[axis] && out_local->dims[d] % size == 0 &&
        generator_chance(generator, 70)) {
      append_axis(generator, &sharding->dims[d], (axis_ref_t){axis, 1, size});
      out_local->dims[d] /= size;
    }
  }
  spread_free_axes(generator, manual, out_local, sharding);
  open_dims(generator, sharding);
  return sharding;
}

// Of a result of a local shape: puts the parts along `manual` together.
static const sharding_t *join_sharding(generator_t *generator, const axis_set_t *here,
                                       const axis_set_t *cut, const tensor_shape_t *local,
                                       tensor_shape_t *out_global) {
  sharding_t *sharding =
      sharding_replicated(generator->module->arena, generator->mesh, local->rank, false);
  *out_global = *local;
  for (int axis = 0; axis < generator->mesh->axis_count; axis++) {
    const int64_t size = generator->mesh->axes[axis].size;
    const int d = generator_below(generator, local->rank);
    if (cut->has[axis]) {
      append_axis(generator, &sharding->dims[d], (axis_ref_t){axis, 1, size});
      out_global->dims[d] *= size;
    }
  }
  spread_free_axes(generator, here, local, sharding);
  open_dims(generator, sharding);
  return sharding;
}

static const mlir_attr_t *manual_axes(generator_t *generator, const axis_set_t *manual) {
  pod_text_t text = {0};
  pod_text_add(&text, "{");
  int count = 0;
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    if (manual->has[i]) {
      pod_text_printf(&text, "%s\"%s\"", count++ > 0 ? ", " : "",
                      generator->mesh->axes[i].name);
    }
  }
  pod_text_add(&text, "}");
  const mlir_attr_t *attr =
      mlir_attr_dialect(generator->module, "sdy.manual_axes", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

// --- The operation ---

// What the body returns: values of few elements, which all devices' parts of make no
// large array either.
static mlir_value_t *pick_returned(generator_t *generator) {
  for (int i = 0; i < 16; i++) {
    mlir_value_t *value = generator_pick_ranked(generator);
    if (tensor_shape_elements(shape_of(value)) * generator->mesh->device_count <=
        ELEMENTS_MAX) {
      return value;
    }
  }
  const int64_t one = 1;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, &one);
  return generator_constant(generator, &shape, true);
}

// Makes a value the same along some of the manual axes; `cut` gets the others.
static mlir_value_t *make_uniform(generator_t *generator, const axis_set_t *manual,
                                  mlir_value_t *value, axis_set_t *out_cut) {
  *out_cut = *manual;
  for (int axis = 0; axis < generator->mesh->axis_count; axis++) {
    if (manual->has[axis] && generator_chance(generator, 45)) {
      value = append_collective(generator, axis, value);
      out_cut->has[axis] = false;
    }
  }
  return value;
}

// Axes that are manual from here on: some of those that are not yet.
static axis_set_t pick_manual(generator_t *generator, const axis_set_t *around) {
  axis_set_t free = {0}, manual = {0};
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    free.has[i] = !around->has[i];
    manual.has[i] = free.has[i] && generator_chance(generator, 35);
  }
  manual.has[pick_axis(generator, &free)] = true;
  return manual;
}

// Writes the body, of which nothing around is seen, and sets the shardings and the type
// of the result.
static void write_body(generator_t *generator, mlir_op_t *op, const axis_set_t *manual) {
  mlir_module_t *module = generator->module;
  const sharding_t *inputs[2];
  for (int i = 0; i < 2; i++) {
    tensor_shape_t local;
    inputs[i] = cut_sharding(generator, manual, shape_of(op->operands[i]), &local);
    generator_keep(generator, mlir_block_add_argument(module, generator->block,
                                                      mlir_type_tensor(module, &local)));
  }
  const axis_set_t around = manual_around(generator);
  for (int i = 0; i < SHARDING_AXES_MAX; i++) {
    generator->is_manual[i] = around.has[i] || manual->has[i];
  }
  generator_append_ops(generator, 2 + generator_below(generator, 6));
  axis_set_t cut;
  mlir_value_t *returned =
      make_uniform(generator, manual, pick_returned(generator), &cut);
  mlir_block_append(generator->block,
                    mlir_op_create(module, "sdy.return", 1, &returned, 0, NULL, 0));
  memcpy(generator->is_manual, around.has, sizeof(around.has));
  tensor_shape_t global;
  const sharding_t *output =
      join_sharding(generator, manual, &cut, shape_of(returned), &global);
  op->results[0].type = mlir_type_tensor(module, &global);
  mlir_op_set_attr(module, op, "in_shardings",
                   compiler_make_shardings(module, 2, inputs));
  mlir_op_set_attr(module, op, "out_shardings",
                   compiler_make_shardings(module, 1, &output));
  mlir_op_set_attr(module, op, "manual_axes", manual_axes(generator, manual));
}

mlir_value_t *generator_manual(generator_t *generator) {
  const axis_set_t around = manual_around(generator);
  const bool is_within = is_any(generator, &around, true);
  if (is_within && (!is_any(generator, &around, false) || generator->depth > DEPTH_MAX ||
                    generator_chance(generator, 60))) {
    return append_collective(generator, pick_axis(generator, &around),
                             generator_pick_ranked(generator));
  }
  mlir_value_t *operands[] = {generator_pick_ranked(generator),
                              generator_pick_ranked(generator)};
  const axis_set_t manual = pick_manual(generator, &around);
  const mlir_type_t *no_type = operands[0]->type;
  mlir_op_t *op = mlir_op_create(generator->module, "sdy.manual_computation", 2, operands,
                                 1, &no_type, 1);
  mlir_block_append(generator->block, op);
  const generator_t outside = *generator;
  generator->block = mlir_block_create(generator->module, &op->regions[0]);
  generator->value_count = 0;
  write_body(generator, op, &manual);
  generator->block = outside.block;
  generator->value_count = outside.value_count;
  memcpy(generator->values, outside.values, sizeof(outside.values));
  return &op->results[0];
}
