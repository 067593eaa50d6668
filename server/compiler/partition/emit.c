// The operations of a reshard, in StableHLO's form.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/border.h"
#include "server/compiler/partition/partitioner.h"

// --- Operations ---

void partition_emit_at(partitioner_t *partitioner, const mlir_op_t *op) {
  partitioner->location = op == NULL ? NULL : op->location;
  partitioner->position = op == NULL ? 0 : op->position;
}

mlir_op_t *partition_emit_create(partitioner_t *partitioner, const char *name,
                                 int operand_count, mlir_value_t *const *operands,
                                 const tensor_shape_t *result, int region_count) {
  mlir_module_t *module = partitioner->module;
  const mlir_type_t *type = mlir_type_tensor(module, result);
  mlir_op_t *op =
      mlir_op_create(module, name, operand_count, operands, 1, &type, region_count);
  op->location = partitioner->location;
  op->position = partitioner->position;
  return op;
}

static void insert_behind(mlir_op_t *where, mlir_op_t *op) {
  if (where->next == NULL) {
    mlir_block_append(where->block, op);
  } else {
    mlir_block_insert_before(where->next, op);
  }
}

mlir_value_t *partition_emit_into(partitioner_t *partitioner, mlir_block_t *home,
                                  mlir_op_t *op) {
  if (partitioner->cursor != NULL) {
    insert_behind(partitioner->cursor, op);
    partitioner->cursor = op;
    return &op->results[0];
  }
  mlir_op_t *holder = NULL;
  for (mlir_block_t *block = partitioner->block; block != home; block = holder->block) {
    holder = block->region->op;
  }
  if (holder == NULL) {
    mlir_block_append(home, op);
  } else {
    mlir_block_insert_before(holder, op);
  }
  return &op->results[0];
}

mlir_value_t *partition_emit_constant(partitioner_t *partitioner, mlir_block_t *home,
                                      const tensor_shape_t *shape, const void *data,
                                      bool is_splat) {
  mlir_op_t *op =
      partition_emit_create(partitioner, "stablehlo.constant", 0, NULL, shape, 0);
  mlir_op_set_attr(partitioner->module, op, "value",
                   mlir_attr_dense(partitioner->module, shape, data, is_splat));
  return partition_emit_into(partitioner, home, op);
}

void partition_emit_i64s(partitioner_t *partitioner, mlir_op_t *op, const char *name,
                         int count, const int64_t *values) {
  mlir_op_set_attr(partitioner->module, op, name,
                   mlir_attr_i64_array(partitioner->module, count, values));
}

static void set_i64(partitioner_t *partitioner, mlir_op_t *op, const char *name,
                    int64_t value) {
  mlir_op_set_attr(partitioner->module, op, name,
                   mlir_attr_integer(partitioner->module, value, TENSOR_S64));
}

// --- Where a chip lies ---

// Operations at the start of main, before those that use them.
static mlir_value_t *emit_first(partitioner_t *partitioner, mlir_op_t *op) {
  op->location = NULL;
  op->position = 0;
  if (partitioner->last_place != NULL) {
    insert_behind(partitioner->last_place, op);
  } else if (partitioner->main_block->first != NULL) {
    mlir_block_insert_before(partitioner->main_block->first, op);
  } else {
    mlir_block_append(partitioner->main_block, op);
  }
  partitioner->last_place = op;
  return &op->results[0];
}

static mlir_value_t *emit_device(partitioner_t *partitioner) {
  if (partitioner->device == NULL) {
    const tensor_shape_t shape = tensor_shape_make(TENSOR_U32, 0, NULL);
    partitioner->device = emit_first(
        partitioner,
        partition_emit_create(partitioner, "stablehlo.partition_id", 0, NULL, &shape, 0));
  }
  return partitioner->device;
}

// The table of `values`, which are by place along the axes, by device id.
static mlir_value_t *emit_table(partitioner_t *partitioner, const axes_t *axes,
                                const int64_t *values) {
  const mesh_t *mesh = partitioner->mesh;
  const axis_list_t list = axes_to_list(partitioner->module->arena, axes);
  int32_t *places = pod_alloc((size_t)mesh->device_count * sizeof(places[0]));
  for (int64_t device = 0; device < mesh->device_count; device++) {
    places[device] = (int32_t)values[axis_list_index(mesh, &list, device)];
  }
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S32, 1, &mesh->device_count);
  mlir_op_t *op =
      partition_emit_create(partitioner, "stablehlo.constant", 0, NULL, &shape, 0);
  mlir_op_set_attr(partitioner->module, op, "value",
                   mlir_attr_dense(partitioner->module, &shape, places, false));
  free(places);
  return emit_first(partitioner, op);
}

mlir_value_t *partition_emit_lookup(partitioner_t *partitioner, const axes_t *axes,
                                    const int64_t *values) {
  const size_t count = (size_t)axes_size(axes);
  for (const place_t *known = partitioner->places; known != NULL; known = known->next) {
    if (known->mesh == partitioner->mesh && axes_equal(&known->axes, axes) &&
        memcmp(known->values, values, count * sizeof(values[0])) == 0) {
      return known->value;
    }
  }
  mlir_value_t *operands[] = {NULL, emit_device(partitioner)};
  operands[0] = emit_table(partitioner, axes, values);
  const int64_t one = 1;
  const tensor_shape_t entry = tensor_shape_make(TENSOR_S32, 1, &one);
  mlir_op_t *slice = partition_emit_create(partitioner, "stablehlo.dynamic_slice", 2,
                                           operands, &entry, 0);
  partition_emit_i64s(partitioner, slice, "slice_sizes", 1, &one);
  mlir_value_t *cut = emit_first(partitioner, slice);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  place_t *place = pod_arena_alloc(partitioner->module->arena, sizeof(*place));
  place->mesh = partitioner->mesh;
  place->axes = *axes;
  place->values =
      pod_arena_copy(partitioner->module->arena, values, count * sizeof(values[0]));
  place->value = emit_first(
      partitioner,
      partition_emit_create(partitioner, "stablehlo.reshape", 1, &cut, &scalar, 0));
  place->next = partitioner->places;
  partitioner->places = place;
  return place->value;
}

mlir_value_t *partition_emit_place(partitioner_t *partitioner, const axes_t *axes,
                                   int64_t scale) {
  const int64_t count = axes_size(axes);
  int64_t *values = pod_alloc((size_t)count * sizeof(values[0]));
  for (int64_t i = 0; i < count; i++) {
    values[i] = i * scale;
  }
  mlir_value_t *place = partition_emit_lookup(partitioner, axes, values);
  free(values);
  return place;
}

// --- Collectives ---

// One that the partitioner puts in says over which axes it runs.
static void set_axes(partitioner_t *partitioner, mlir_op_t *op, const axes_t *axes) {
  pod_text_t text = {0};
  partition_print_axes(&text, partitioner->mesh, axes);
  mlir_op_set_attr(
      partitioner->module, op, COMPILER_AXES_ATTR,
      mlir_attr_string(partitioner->module, text.bytes == NULL ? "" : text.bytes));
  pod_text_deinit(&text);
}

// The channel is what a collective's reason is found by later.
static void set_channel(partitioner_t *partitioner, mlir_op_t *op) {
  *pod_list_add(&partitioner->reasons) =
      partitioner->because == NULL ? "" : partitioner->because;
  partitioner->because = NULL;
  char body[64];
  snprintf(body, sizeof(body), "handle = %lld, type = 1",
           (long long)++partitioner->channel);
  mlir_op_set_attr(
      partitioner->module, op, "channel_handle",
      mlir_attr_dialect(partitioner->module, "stablehlo.channel_handle", body));
}

static void set_groups(partitioner_t *partitioner, mlir_op_t *op, const axes_t *axes) {
  pod_arena_t *arena = partitioner->module->arena;
  const axis_list_t list = axes_to_list(arena, axes);
  int64_t dims[2];
  const int64_t *groups =
      axis_list_groups(arena, partitioner->mesh, &list, &dims[0], &dims[1]);
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(partitioner->module, op, "replica_groups",
                   mlir_attr_dense(partitioner->module, &shape, groups, false));
}

static mlir_op_t *emit_collective(partitioner_t *partitioner, const char *name,
                                  mlir_value_t *operand, const reshard_step_t *step,
                                  const tensor_shape_t *result, int region_count) {
  mlir_op_t *op =
      partition_emit_create(partitioner, name, 1, &operand, result, region_count);
  set_groups(partitioner, op, &step->axes);
  set_channel(partitioner, op);
  return op;
}

static void set_global_ids(partitioner_t *partitioner, mlir_op_t *op) {
  mlir_op_set_attr(partitioner->module, op, "use_global_device_ids",
                   mlir_attr_unit(partitioner->module));
}

static axes_t all_axes_of(const layout_t *layout) {
  axes_t axes = {0};
  for (int d = 0; d < layout->rank; d++) {
    axes_append_all(&axes, &layout->dims[d]);
  }
  return axes;
}

// `order`, and behind it the axes of the mesh that it does not have.
static axis_list_t whole_order(partitioner_t *partitioner, axes_t order) {
  axes_t mesh_axes = {0};
  for (int i = 0; i < partitioner->mesh->axis_count; i++) {
    axes_append(&mesh_axes, (axis_ref_t){i, 1, partitioner->mesh->axes[i].size});
  }
  const axes_t rest = axes_without(&mesh_axes, &order);
  axes_append_all(&order, &rest);
  return axes_to_list(partitioner->module->arena, &order);
}

// The axes by which the blocks of `layout` lie, then those that only `other` uses, then
// the rest. Two layouts of the same local shape, each with the other, so give the same
// place to the same block, and devices keep their places along the rest: the manual axes,
// along which they do not hold the same, are among it.
static axis_list_t device_order(partitioner_t *partitioner, const layout_t *layout,
                                const layout_t *other) {
  axes_t order = all_axes_of(layout);
  const axes_t others = all_axes_of(other);
  const axes_t gained = axes_without(&others, &order);
  axes_append_all(&order, &gained);
  return whole_order(partitioner, order);
}

// The axes of the dimensions that change.
static axes_t moved_axes(const layout_t *from, const layout_t *to) {
  axes_t axes = {0};
  for (int d = 0; d < to->rank; d++) {
    if (!axes_equal(&from->dims[d], &to->dims[d])) {
      const axes_t left = axes_without(&from->dims[d], &axes);
      axes_append_all(&axes, &left);
      const axes_t gained = axes_without(&to->dims[d], &axes);
      axes_append_all(&axes, &gained);
    }
  }
  return axes;
}

// The pairs are source and target.
static mlir_op_t *create_permute(partitioner_t *partitioner, mlir_value_t *operand,
                                 const tensor_shape_t *result, int64_t count,
                                 const int64_t *pairs) {
  mlir_op_t *op = partition_emit_create(partitioner, "stablehlo.collective_permute", 1,
                                        &operand, result, 0);
  const int64_t dims[] = {count, 2};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(partitioner->module, op, "source_target_pairs",
                   mlir_attr_dense(partitioner->module, &shape, pairs, false));
  set_channel(partitioner, op);
  return op;
}

mlir_value_t *partition_emit_exchange(partitioner_t *partitioner, mlir_value_t *value,
                                      const axes_t *axes, const int64_t *sources) {
  pod_arena_t *arena = partitioner->shardings.arena;
  const mesh_t *mesh = partitioner->mesh;
  const size_t device_count = (size_t)mesh->device_count;
  const int64_t rest = mesh->device_count / axes_size(axes);
  const axis_list_t order = whole_order(partitioner, *axes);
  int64_t *devices = pod_arena_array(arena, device_count, sizeof(devices[0]));
  int64_t *pairs = pod_arena_array(arena, 2 * device_count, sizeof(pairs[0]));
  for (int64_t device = 0; device < mesh->device_count; device++) {
    devices[axis_list_index(mesh, &order, device)] = device;
  }
  int64_t count = 0;
  for (int64_t i = 0; i < mesh->device_count; i++) {
    const int64_t source = sources[i / rest];
    if (source >= 0) {
      pairs[2 * count] = devices[source * rest + i % rest];
      pairs[2 * count++ + 1] = devices[i];
    }
  }
  const char *because = partitioner->because;
  mlir_op_t *op = create_permute(partitioner, value, value_shape(value), count, pairs);
  partitioner->because = because;  // For what comes with it.
  set_axes(partitioner, op, axes);
  return partition_emit_into(partitioner, partitioner->block, op);
}

static mlir_op_t *emit_permute(partitioner_t *partitioner, mlir_value_t *operand,
                               const layout_t *from, const reshard_step_t *step,
                               const tensor_shape_t *result) {
  mlir_module_t *module = partitioner->module;
  const mesh_t *mesh = partitioner->mesh;
  const size_t count = (size_t)mesh->device_count;
  const axis_list_t before = device_order(partitioner, from, step->after);
  const axis_list_t after = device_order(partitioner, step->after, from);
  int64_t *sources = pod_arena_array(module->arena, count, sizeof(sources[0]));
  int64_t *pairs = pod_arena_array(module->arena, 2 * count, sizeof(pairs[0]));
  for (int64_t device = 0; device < mesh->device_count; device++) {
    sources[axis_list_index(mesh, &before, device)] = device;
  }
  for (int64_t device = 0; device < mesh->device_count; device++) {
    const int64_t source = sources[axis_list_index(mesh, &after, device)];
    pairs[2 * source] = source;
    pairs[2 * source + 1] = device;
  }
  return create_permute(partitioner, operand, result, mesh->device_count, pairs);
}

// Where in a value of layout `whole` the chip's piece of layout `cut` begins, by
// dimension; `piece` is its shape.
static void emit_starts(partitioner_t *partitioner, mlir_block_t *home,
                        const layout_t *whole, const layout_t *cut,
                        const tensor_shape_t *piece, mlir_value_t **starts) {
  mlir_value_t *zero = NULL;
  for (int d = 0; d < cut->rank; d++) {
    const axes_t gained = axes_behind(&cut->dims[d], &whole->dims[d]);
    if (gained.count > 0) {
      starts[d] = partition_emit_place(partitioner, &gained, piece->dims[d]);
      continue;
    }
    if (zero == NULL) {
      const int32_t value = 0;
      const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
      zero = partition_emit_constant(partitioner, home, &scalar, &value, true);
    }
    starts[d] = zero;
  }
}

static mlir_op_t *emit_slice(partitioner_t *partitioner, mlir_block_t *home,
                             mlir_value_t *operand, const layout_t *before,
                             const layout_t *after, const tensor_shape_t *result) {
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {operand};
  emit_starts(partitioner, home, before, after, result, &operands[1]);
  mlir_op_t *op = partition_emit_create(partitioner, "stablehlo.dynamic_slice",
                                        1 + after->rank, operands, result, 0);
  partition_emit_i64s(partitioner, op, "slice_sizes", after->rank, result->dims);
  return op;
}

// Of no element type a larger one: zeros of any.
static const uint8_t ZERO[16] = {0};

// The chip's piece where it belongs, among what changes nothing: zeros, of a sum.
static mlir_op_t *emit_among_others(partitioner_t *partitioner, mlir_block_t *home,
                                    mlir_value_t *operand, const layout_t *before,
                                    const layout_t *after, const tensor_shape_t *result) {
  unsigned char other[16] = {0};
  if (after->reducer != CHIP_REDUCER_ADD) {
    POD_CHECK(compiler_reducer_identity(after->reducer, result->dtype, other));
  }
  mlir_value_t *operands[2 + TENSOR_RANK_MAX] = {
      partition_emit_constant(partitioner, home, result, other, true), operand};
  emit_starts(partitioner, home, after, before, &operand->type->shape, &operands[2]);
  return partition_emit_create(partitioner, "stablehlo.dynamic_update_slice",
                               2 + after->rank, operands, result, 0);
}

// The value on the first device along the axes, zeros on the others.
static mlir_op_t *emit_keep_first(partitioner_t *partitioner, mlir_block_t *home,
                                  mlir_value_t *operand, const axes_t *axes,
                                  const tensor_shape_t *result) {
  mlir_module_t *module = partitioner->module;
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  const tensor_shape_t flag = tensor_shape_make(TENSOR_PRED, 0, NULL);
  mlir_value_t *places[] = {
      partition_emit_place(partitioner, axes, 1),
      partition_emit_constant(partitioner, home, &scalar, ZERO, true)};
  mlir_op_t *compare =
      partition_emit_create(partitioner, "stablehlo.compare", 2, places, &flag, 0);
  mlir_op_set_attr(module, compare, "comparison_direction",
                   stablehlo_make_enum(module, compare, "comparison_direction", "EQ"));
  mlir_value_t *operands[] = {
      partition_emit_into(partitioner, home, compare), operand,
      partition_emit_constant(partitioner, home, result, ZERO, true)};
  return partition_emit_create(partitioner, "stablehlo.select", 3, operands, result, 0);
}

static mlir_op_t *emit_step(partitioner_t *partitioner, mlir_value_t *operand,
                            const layout_t *from, const reshard_step_t *step,
                            const tensor_shape_t *result, chip_reducer_t reducer) {
  mlir_op_t *op = NULL;
  axes_t axes = step->axes;
  switch (step->kind) {
    case RESHARD_ALL_REDUCE:
      op = emit_collective(partitioner, "stablehlo.all_reduce", operand, step, result, 1);
      set_global_ids(partitioner, op);
      compiler_build_reducer(partitioner->module, op, reducer, result->dtype);
      break;
    case RESHARD_REDUCE_SCATTER:
      op = emit_collective(partitioner, "stablehlo.reduce_scatter", operand, step, result,
                           1);
      set_i64(partitioner, op, "scatter_dimension", step->dim);
      set_global_ids(partitioner, op);
      compiler_build_reducer(partitioner->module, op, reducer, result->dtype);
      break;
    case RESHARD_ALL_TO_ALL:
      op = emit_collective(partitioner, "stablehlo.all_to_all", operand, step, result, 0);
      set_i64(partitioner, op, "split_dimension", step->to_dim);
      set_i64(partitioner, op, "concat_dimension", step->dim);
      set_i64(partitioner, op, "split_count", axes_size(&step->axes));
      break;
    case RESHARD_ALL_GATHER:
      op = emit_collective(partitioner, "stablehlo.all_gather", operand, step, result, 0);
      set_i64(partitioner, op, "all_gather_dim", step->dim);
      set_global_ids(partitioner, op);
      break;
    case RESHARD_PERMUTE:
      op = emit_permute(partitioner, operand, from, step, result);
      axes = moved_axes(from, step->after);
      break;
    case RESHARD_SLICE:
    case RESHARD_PLACE:
    case RESHARD_KEEP_FIRST:
      POD_CHECK(false);
  }
  set_axes(partitioner, op, &axes);
  return op;
}

mlir_value_t *partition_emit_gather(partitioner_t *partitioner, mlir_value_t *value,
                                    int dim, const axes_t *axes) {
  const reshard_step_t step = {.kind = RESHARD_ALL_GATHER, .dim = dim, .axes = *axes};
  tensor_shape_t shape = *value_shape(value);
  shape.dims[dim] *= axes_size(axes);
  mlir_op_t *op = emit_step(partitioner, value, NULL, &step, &shape, CHIP_REDUCER_NONE);
  return partition_emit_into(partitioner, partitioner->block, op);
}

static void add_version(partitioner_t *partitioner, state_t *state,
                        const layout_t *layout, mlir_value_t *value) {
  version_t **end = &state->versions;
  while (*end != NULL) {
    if ((*end)->layout == layout && (*end)->mesh == partitioner->mesh) {
      return;
    }
    end = &(*end)->next;
  }
  version_t *version = pod_arena_alloc(partitioner->module->arena, sizeof(*version));
  *version = (version_t){.layout = layout,
                         .mesh = partitioner->mesh,
                         .value = value,
                         .made = partitioner->version_count++};
  *end = version;
}

// Partial results are reduced as soon as they are there, since they take more room than
// what becomes of them; all other steps come where the value is wanted.
static int count_early_steps(const reshard_plan_t *plan) {
  int count = 0;
  for (int i = 0; i < plan->count; i++) {
    const reshard_kind_t kind = plan->steps[i].kind;
    if (kind == RESHARD_ALL_REDUCE || kind == RESHARD_REDUCE_SCATTER) {
      count = i + 1;
    }
  }
  return count;
}

static void explain_step(partitioner_t *partitioner, const layout_t *from,
                         const reshard_step_t *step) {
  const bool reduces =
      step->kind == RESHARD_ALL_REDUCE || step->kind == RESHARD_REDUCE_SCATTER;
  if (partitioner->wanted != NULL) {
    partitioner->because =
        partition_because(partitioner, partitioner->wanted, from,
                          partitioner->wanted_layout, reduces ? &step->axes : NULL);
  }
}

// What a plan has made so far of a version.
typedef struct progress_t {
  mlir_value_t *value;
  const layout_t *layout;
} progress_t;

static mlir_op_t *create_step(partitioner_t *partitioner, mlir_block_t *home,
                              const reshard_step_t *step, const tensor_shape_t *local,
                              progress_t *at) {
  switch (step->kind) {
    case RESHARD_SLICE:
      return emit_slice(partitioner, home, at->value, at->layout, step->after, local);
    case RESHARD_PLACE:
      return emit_among_others(partitioner, home, at->value, at->layout, step->after,
                               local);
    case RESHARD_KEEP_FIRST:
      return emit_keep_first(partitioner, home, at->value, &step->axes, local);
    default:
      return emit_step(partitioner, at->value, at->layout, step, local,
                       at->layout->reducer);
  }
}

// From the mesh at hand to `mesh`, and to layout `to`.
static void cross_border(partitioner_t *partitioner, state_t *state, const mesh_t *mesh,
                         const layout_t *to, progress_t *at) {
  const int64_t count = mesh->device_count;
  int64_t *pairs =
      pod_arena_array(partitioner->module->arena, 2 * (size_t)count, sizeof(pairs[0]));
  if (border_pairs(at->layout, partitioner->mesh, to, mesh, pairs)) {
    partitioner->because =
        "the sharding of an argument or result of @main has the devices in another order "
        "than the mesh of the program";
    at->value = partition_emit_into(
        partitioner, state->home,
        create_permute(partitioner, at->value, value_shape(at->value), count, pairs));
  }
  partitioner->mesh = mesh;
  at->layout = to;
  add_version(partitioner, state, to, at->value);
}

void partition_emit_plan(partitioner_t *partitioner, state_t *state,
                         const tensor_shape_t *shape, const version_t *from,
                         const reshard_plan_t *plan) {
  progress_t at = {from->value, from->layout};
  const mesh_t *mesh = partitioner->mesh;
  const border_t border = from->mesh == mesh
                              ? (border_t){.step = -1}
                              : border_find(&partitioner->layouts, shape, from->layout,
                                            plan, from->mesh, mesh);
  const int early = count_early_steps(plan);
  partitioner->mesh = from->mesh;
  for (int i = 0; i <= plan->count; i++) {
    partitioner->cursor = i < early ? at.value->op : NULL;
    if (i == border.step) {
      cross_border(partitioner, state, mesh,
                   border.is_merged ? plan->steps[i].after : at.layout, &at);
    }
    if (i == plan->count || (i == border.step && border.is_merged)) {
      continue;
    }
    if (plan->steps[i].kind == RESHARD_SLICE) {
      // Slices in a row are one operation.
      while (i + 1 < plan->count && i + 1 != early && i + 1 != border.step &&
             plan->steps[i + 1].kind == RESHARD_SLICE) {
        i++;
      }
    }
    const reshard_step_t *step = &plan->steps[i];
    const tensor_shape_t local = layout_local_shape(step->after, shape);
    if (!reshard_is_local(step->kind)) {
      explain_step(partitioner, from->layout, step);
    }
    // What all have is their maximum already.
    if (step->kind != RESHARD_KEEP_FIRST || step->after->reducer == CHIP_REDUCER_ADD) {
      mlir_op_t *op = create_step(partitioner, state->home, step, &local, &at);
      at.value = partition_emit_into(partitioner, state->home, op);
    }
    at.layout = step->after;
    add_version(partitioner, state, at.layout, at.value);
  }
  partitioner->cursor = NULL;
}
