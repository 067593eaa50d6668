// Values of the source module in the layouts that their uses want: made once, from what
// is cheapest to start from.

#include <stdint.h>

#include "common/base/check.h"
#include "server/compiler/dialect/constant.h"
#include "server/compiler/partition/border.h"
#include "server/compiler/partition/partitioner.h"

static mlir_value_t *remake(partitioner_t *partitioner, const mlir_value_t *value,
                            const layout_t *layout);

const layout_t *partition_value_layout(partitioner_t *partitioner,
                                       const mlir_value_t *value) {
  return layouts_of_sharding(&partitioner->layouts,
                             value_is_tensor(value) ? value_shape(value)->rank : 0,
                             partitioner->propagation.values[value->id]);
}

static state_t *state_of(partitioner_t *partitioner, const mlir_value_t *value) {
  return &partitioner->states[value->id];
}

static const version_t *version_of(const partitioner_t *partitioner, const state_t *state,
                                   const layout_t *layout) {
  const version_t *version = state->versions;
  while (version != NULL &&
         (version->layout != layout || version->mesh != partitioner->mesh)) {
    version = version->next;
  }
  return version;
}

static mlir_value_t *find_version(const partitioner_t *partitioner, const state_t *state,
                                  const layout_t *layout) {
  const version_t *version = version_of(partitioner, state, layout);
  return version == NULL ? NULL : version->value;
}

void partition_value_put(partitioner_t *partitioner, const mlir_value_t *value,
                         const layout_t *layout, mlir_value_t *local) {
  state_t *state = state_of(partitioner, value);
  version_t *version = pod_arena_alloc(partitioner->module->arena, sizeof(*version));
  *version = (version_t){.layout = layout,
                         .mesh = partitioner->mesh,
                         .value = local,
                         .made = partitioner->version_count++};
  version_t **end = &state->versions;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = version;
  state->home = local->op == NULL ? local->block : local->op->block;
  state->turns = partitioner->turns;
}

void partition_value_share(partitioner_t *partitioner, const mlir_value_t *from,
                           const mlir_value_t *to) {
  const state_t *source = state_of(partitioner, from);
  state_t *target = state_of(partitioner, to);
  if (propagate_is_remade(from) || source->home != target->home) {
    return;
  }
  version_t **end = &target->versions;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  const mlir_value_t *known = target->versions->value;
  for (const version_t *version = source->versions; version != NULL;
       version = version->next) {
    if (version->value != known) {
      *end = pod_arena_copy(partitioner->module->arena, version, sizeof(*version));
      (*end)->next = NULL;
      end = &(*end)->next;
    }
  }
}

const reshard_plan_t *partition_value_plan(partitioner_t *partitioner,
                                           const tensor_shape_t *shape,
                                           const layout_t *from, const layout_t *to) {
  // Equal layouts are one, so that their addresses tell them apart.
  int64_t key[3 + TENSOR_RANK_MAX] = {(int64_t)(intptr_t)from, (int64_t)(intptr_t)to,
                                      shape->dtype};
  for (int d = 0; d < shape->rank; d++) {
    key[3 + d] = shape->dims[d];
  }
  const size_t key_bytes = (3 + (size_t)shape->rank) * sizeof(key[0]);
  reshard_plan_t *known = pod_map_get_n(partitioner->plans, (const char *)key, key_bytes);
  if (known == NULL) {
    reshard_plan(&partitioner->layouts, shape, from, to, &partitioner->plan);
    known = pod_arena_copy(partitioner->shardings.arena, &partitioner->plan,
                           reshard_plan_size_bytes(&partitioner->plan));
    pod_map_put_n(partitioner->plans, (const char *)key, key_bytes, known);
  }
  return known;
}

// A way to a layout.
typedef struct way_t {
  const version_t *from;
  const reshard_plan_t *plan;
  partition_cost_t cost;
  int steps;
} way_t;

static way_t find_way(partitioner_t *partitioner, const tensor_shape_t *shape,
                      const version_t *from, const layout_t *layout) {
  way_t way = {.from = from,
               .plan = partition_value_plan(partitioner, shape, from->layout, layout)};
  way.cost = way.plan->cost;
  way.steps = way.plan->count;
  if (from->mesh != partitioner->mesh) {
    const border_t border = border_find(&partitioner->layouts, shape, from->layout,
                                        way.plan, from->mesh, partitioner->mesh);
    way.cost = border.cost;
    way.steps += border.is_merged ? 0 : 1;
  }
  return way;
}

// Of equal ones that which begins with what was there earlier: nobody may want the other.
static bool is_better(const way_t *a, const way_t *b) {
  const int difference = partition_cost_compare(&a->cost, &b->cost);
  if (difference != 0 || a->steps != b->steps) {
    return difference < 0 || (difference == 0 && a->steps < b->steps);
  }
  return a->from->made < b->from->made;
}

// The way that costs least. False: there is no version to begin with.
static bool cheapest(partitioner_t *partitioner, const state_t *state,
                     const tensor_shape_t *shape, const layout_t *layout, way_t *out) {
  bool any = false;
  for (const version_t *version = state->versions; version != NULL;
       version = version->next) {
    const way_t way = find_way(partitioner, shape, version, layout);
    if (!any || is_better(&way, out)) {
      *out = way;
      any = true;
    }
  }
  return any;
}

mlir_value_t *partition_value_get(partitioner_t *partitioner, const mlir_value_t *value,
                                  const layout_t *layout) {
  state_t *state = state_of(partitioner, value);
  mlir_value_t *known = find_version(partitioner, state, layout);
  if (known != NULL) {
    return known;
  }
  const bool is_remade = propagate_is_remade(value);
  if (is_remade && layout->unreduced.count == 0) {
    return remake(partitioner, value, layout);
  }
  way_t way = {0};
  if (is_remade || !cheapest(partitioner, state, value_shape(value), layout, &way)) {
    const layout_t *whole =
        layouts_with_unreduced(&partitioner->layouts, layout, NULL, CHIP_REDUCER_NONE);
    mlir_value_t *made = partition_value_get(partitioner, value, whole);
    if (is_remade && layout->reducer == CHIP_REDUCER_ADD && compiler_is_zero(value)) {
      partition_value_put(partitioner, value, layout, made);  // Its own summands.
      return made;
    }
    way.from = version_of(partitioner, state, whole);
    POD_CHECK(way.from != NULL);
    way.plan = partition_value_plan(partitioner, value_shape(value), whole, layout);
  }
  partitioner->wanted = value;
  partitioner->wanted_layout = layout;
  partition_emit_plan(partitioner, state, value_shape(value), way.from, way.plan);
  partitioner->wanted = NULL;
  known = find_version(partitioner, state, layout);
  POD_CHECK(known != NULL);
  return known;
}

partition_cost_t partition_value_cost(partitioner_t *partitioner,
                                      const mlir_value_t *value, const layout_t *layout) {
  partition_cost_t cost = {0};
  state_t *state = state_of(partitioner, value);
  if (propagate_is_remade(value) || find_version(partitioner, state, layout) != NULL) {
    return cost;
  }
  way_t way;
  POD_CHECK(cheapest(partitioner, state, value_shape(value), layout, &way));
  const double share = state->turns / partitioner->turns;
  partition_cost_add(&cost, &way.cost, share);
  return cost;
}

// --- Constants, iotas and broadcasts of them ---

static mlir_value_t *remake_constant(partitioner_t *partitioner,
                                     const mlir_value_t *value, const layout_t *layout) {
  mlir_block_t *home = state_of(partitioner, value)->home;
  const mlir_attr_t *attr = mlir_op_attr(value->op, "value");
  const layout_t *whole =
      layouts_replicated(&partitioner->layouts, value_shape(value)->rank);
  if (attr->is_splat || layout == whole) {
    const tensor_shape_t local = layout_local_shape(layout, value_shape(value));
    return partition_emit_constant(partitioner, home, &local, attr->data, attr->is_splat);
  }
  const version_t from = {.layout = whole,
                          .mesh = partitioner->mesh,
                          .value = partition_value_get(partitioner, value, whole)};
  const reshard_plan_t *plan =
      partition_value_plan(partitioner, value_shape(value), whole, layout);
  state_t *state = state_of(partitioner, value);
  partition_emit_plan(partitioner, state, value_shape(value), &from, plan);
  return find_version(partitioner, state, layout);
}

static mlir_value_t *emit_unary(partitioner_t *partitioner, mlir_block_t *home,
                                const char *name, mlir_value_t *operand,
                                const tensor_shape_t *shape) {
  return partition_emit_into(
      partitioner, home, partition_emit_create(partitioner, name, 1, &operand, shape, 0));
}

// Counts from where the shard starts. In s32, and converted once, as the whole iota would
// be: a sum in a narrow float would round twice.
static mlir_value_t *remake_iota(partitioner_t *partitioner, const mlir_value_t *value,
                                 const layout_t *layout) {
  mlir_module_t *module = partitioner->module;
  mlir_block_t *home = state_of(partitioner, value)->home;
  const tensor_shape_t local = layout_local_shape(layout, value_shape(value));
  const mlir_attr_t *attr = mlir_op_attr(value->op, "iota_dimension");
  const int64_t dim = attr->integer;
  const bool sharded = layout->dims[dim].count > 0;
  tensor_shape_t counted = local;
  counted.dtype = sharded ? TENSOR_S32 : local.dtype;
  mlir_op_t *iota =
      partition_emit_create(partitioner, "stablehlo.iota", 0, NULL, &counted, 0);
  mlir_op_set_attr(module, iota, "iota_dimension",
                   mlir_attr_integer(module, dim, TENSOR_S64));
  mlir_value_t *result = partition_emit_into(partitioner, home, iota);
  if (!sharded) {
    return result;
  }
  mlir_value_t *start =
      partition_emit_place(partitioner, &layout->dims[dim], local.dims[dim]);
  mlir_op_t *broadcast = partition_emit_create(partitioner, "stablehlo.broadcast_in_dim",
                                               1, &start, &counted, 0);
  mlir_op_set_attr(module, broadcast, "broadcast_dimensions",
                   mlir_attr_i64_array(module, 0, NULL));
  mlir_value_t *operands[] = {result, partition_emit_into(partitioner, home, broadcast)};
  result = partition_emit_into(
      partitioner, home,
      partition_emit_create(partitioner, "stablehlo.add", 2, operands, &counted, 0));
  return local.dtype == TENSOR_S32
             ? result
             : emit_unary(partitioner, home, "stablehlo.convert", result, &local);
}

static mlir_value_t *remake_broadcast(partitioner_t *partitioner,
                                      const mlir_value_t *value, const layout_t *layout) {
  mlir_module_t *module = partitioner->module;
  mlir_block_t *home = state_of(partitioner, value)->home;
  const mlir_value_t *operand = value->op->operands[0];
  const tensor_shape_t *from = value_shape(operand);
  const tensor_shape_t *to = value_shape(value);
  int64_t count = 0;
  const int64_t *places = NULL;
  POD_CHECK(mlir_attr_as_i64s(module, mlir_op_attr(value->op, "broadcast_dimensions"),
                              &count, &places) &&
            count == from->rank);
  axes_t dims[TENSOR_RANK_MAX];
  for (int i = 0; i < from->rank; i++) {
    dims[i] = (axes_t){0};
    if (from->dims[i] == to->dims[places[i]]) {
      dims[i] = layout->dims[places[i]];
    }
  }
  mlir_value_t *source = partition_value_get(
      partitioner, operand,
      layouts_get(&partitioner->layouts, from->rank, dims, NULL, CHIP_REDUCER_NONE));
  const tensor_shape_t local = layout_local_shape(layout, to);
  mlir_op_t *op = partition_emit_create(partitioner, "stablehlo.broadcast_in_dim", 1,
                                        &source, &local, 0);
  mlir_op_set_attr(module, op, "broadcast_dimensions",
                   mlir_attr_i64_array(module, count, places));
  return partition_emit_into(partitioner, home, op);
}

static mlir_value_t *remake(partitioner_t *partitioner, const mlir_value_t *value,
                            const layout_t *layout) {
  POD_CHECK(propagate_is_remade(value));
  const mlir_attr_t *location = partitioner->location;
  const mlir_position_t position = partitioner->position;
  partitioner->location = NULL;
  partitioner->position = 0;
  mlir_value_t *made = NULL;
  switch (value->op->kind) {
    case CHIP_OP_CONSTANT:
      made = remake_constant(partitioner, value, layout);
      break;
    case CHIP_OP_IOTA:
      made = remake_iota(partitioner, value, layout);
      break;
    default:
      made = remake_broadcast(partitioner, value, layout);
  }
  partitioner->location = location;
  partitioner->position = position;
  if (find_version(partitioner, state_of(partitioner, value), layout) == NULL) {
    partition_value_put(partitioner, value, layout, made);
  }
  return made;
}
