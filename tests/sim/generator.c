#include "tests/sim/generator.h"

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/program.h"
#include "tests/sim/generator_parts.h"

int generator_below(generator_t *generator, int bound) {
  return (int)pod_random_below(&generator->random, (uint64_t)bound);
}

bool generator_chance(generator_t *generator, int percent) {
  return generator_below(generator, 100) < percent;
}

// --- Operations ---

mlir_op_t *generator_make(generator_t *generator, const char *name, int operand_count,
                          mlir_value_t *const *operands, const tensor_shape_t *result,
                          int regions) {
  const mlir_type_t *type = mlir_type_tensor(generator->module, result);
  return mlir_op_create(generator->module, name, operand_count, operands, 1, &type,
                        regions);
}

mlir_value_t *generator_append(generator_t *generator, mlir_op_t *op) {
  mlir_block_append(generator->block, op);
  return &op->results[0];
}

void generator_keep(generator_t *generator, mlir_value_t *value) {
  if (generator->value_count < VALUES_MAX) {
    generator->values[generator->value_count++] = value;
  }
}

static void set_list(generator_t *generator, mlir_op_t *op, const char *name,
                     int64_t count, const int64_t *values) {
  mlir_op_set_attr(generator->module, op, name,
                   mlir_attr_i64_array(generator->module, count, values));
}

void generator_set_integer(generator_t *generator, mlir_op_t *op, const char *name,
                           int64_t value) {
  mlir_op_set_attr(generator->module, op, name,
                   mlir_attr_integer(generator->module, value, TENSOR_S64));
}

mlir_value_t *generator_constant(generator_t *generator, const tensor_shape_t *shape,
                                 bool is_splat) {
  unsigned char data[ELEMENTS_MAX * 8];
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  const int64_t count = is_splat ? 1 : tensor_shape_elements(shape);
  for (int64_t i = 0; i < count; i++) {
    tensor_element_from_int64(shape->dtype, generator_below(generator, 5),
                              data + (size_t)i * bytes);
  }
  mlir_op_t *op = generator_make(generator, "stablehlo.constant", 0, NULL, shape, 0);
  mlir_op_set_attr(generator->module, op, "value",
                   mlir_attr_dense(generator->module, shape, data, is_splat));
  return generator_append(generator, op);
}

mlir_value_t *generator_scalar_constant(generator_t *generator, tensor_dtype_t dtype,
                                        int64_t value) {
  const tensor_shape_t shape = tensor_shape_make(dtype, 0, NULL);
  unsigned char data[16];
  tensor_element_from_int64(dtype, value, data);
  mlir_op_t *op = generator_make(generator, "stablehlo.constant", 0, NULL, &shape, 0);
  mlir_op_set_attr(generator->module, op, "value",
                   mlir_attr_dense(generator->module, &shape, data, true));
  return generator_append(generator, op);
}

static mlir_value_t *splat(generator_t *generator, const tensor_shape_t *shape,
                           int64_t value) {
  mlir_value_t *scalar = generator_scalar_constant(generator, shape->dtype, value);
  mlir_op_t *op =
      generator_make(generator, "stablehlo.broadcast_in_dim", 1, &scalar, shape, 0);
  set_list(generator, op, "broadcast_dimensions", 0, NULL);
  return generator_append(generator, op);
}

mlir_value_t *generator_binary(generator_t *generator, const char *name, mlir_value_t *a,
                               mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return generator_append(generator,
                          generator_make(generator, name, 2, operands, shape_of(a), 0));
}

// Keeps numbers small.
mlir_value_t *generator_wrap(generator_t *generator, mlir_value_t *value) {
  return generator_binary(generator, "stablehlo.remainder", value,
                          splat(generator, shape_of(value), 7));
}

// --- Picking ---

mlir_value_t *generator_pick(generator_t *generator) {
  // Late values more often than early ones.
  const int last = generator->value_count - 1;
  return generator
      ->values[generator_chance(generator, 50)
                   ? last - generator_below(generator, last < 4 ? last + 1 : 4)
                   : generator_below(generator, generator->value_count)];
}

mlir_value_t *generator_pick_ranked(generator_t *generator) {
  for (int i = 0; i < 8; i++) {
    mlir_value_t *value = generator_pick(generator);
    if (shape_of(value)->rank > 0) {
      return value;
    }
  }
  const int64_t dims[] = {4, 8};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims);
  return generator_constant(generator, &shape, false);
}

mlir_value_t *generator_pick_like(generator_t *generator, const tensor_shape_t *shape) {
  const int start = generator_below(generator, generator->value_count);
  for (int i = 0; i < generator->value_count; i++) {
    mlir_value_t *value = generator->values[(start + i) % generator->value_count];
    if (tensor_shape_equal(shape_of(value), shape)) {
      return value;
    }
  }
  return generator_constant(generator, shape, generator_chance(generator, 50));
}

static int64_t pick_size(generator_t *generator) {
  static const int64_t sizes[] = {1, 2, 2, 3, 4, 4, 4, 6, 8, 8, 8, 12, 16};
  static const int64_t uneven[] = {1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 10};
  if (generator->is_uneven) {
    return uneven[generator_below(generator, (int)POD_COUNT_OF(uneven))];
  }
  return sizes[generator_below(generator, (int)POD_COUNT_OF(sizes))];
}

static tensor_shape_t pick_shape(generator_t *generator) {
  for (;;) {
    int64_t dims[RANK_MAX];
    const int rank = 1 + generator_below(generator, 3);
    int64_t elements = 1;
    for (int d = 0; d < rank; d++) {
      dims[d] = pick_size(generator);
      elements *= dims[d];
    }
    if (elements <= ELEMENTS_MAX) {
      return tensor_shape_make(TENSOR_F32, rank, dims);
    }
  }
}

// --- Shardings ---

static void pick_axes(generator_t *generator, int64_t size, axis_list_t *list,
                      bool *is_used) {
  const int64_t axis_count = generator->mesh->axis_count;
  list->refs = pod_arena_array(generator->module->arena, (size_t)axis_count,
                               sizeof(list->refs[0]));
  for (int tries = 0; tries < 2; tries++) {
    const int axis = generator_below(generator, (int)axis_count);
    int64_t part = generator->mesh->axes[axis].size;
    if (part == 4 && generator_chance(generator, 15)) {
      part = 2;
    }
    if (!is_used[axis] && generator_chance(generator, 60) && part > 1 &&
        (size % part == 0 || generator->is_uneven)) {
      is_used[axis] = true;
      size /= size % part == 0 ? part : 1;
      list->refs[list->count++] = (axis_ref_t){axis, 1, part};
    }
  }
}

static const mlir_attr_t *pick_sharding(generator_t *generator,
                                        const tensor_shape_t *shape) {
  pod_arena_t *arena = generator->module->arena;
  sharding_t *sharding = sharding_replicated(arena, generator->mesh, shape->rank, false);
  bool is_used[SHARDING_AXES_MAX];
  memcpy(is_used, generator->is_manual, sizeof(is_used));
  for (int d = 0; d < shape->rank; d++) {
    dim_sharding_t *dim = &sharding->dims[d];
    pick_axes(generator, shape->dims[d], &dim->axes, is_used);
    dim->is_open = generator_chance(generator, 30);
    const int priority =
        generator_chance(generator, 10) ? 1 + generator_below(generator, 2) : 0;
    // Shardy's verifier: nothing is there to be put before or after.
    dim->priority = dim->is_open || dim->axes.count > 0 ? priority : 0;
  }
  return compiler_make_sharding(generator->module, sharding);
}

// --- Kinds of operations ---

static mlir_value_t *gen_binary(generator_t *generator) {
  static const char *const names[] = {"stablehlo.add", "stablehlo.subtract",
                                      "stablehlo.maximum", "stablehlo.minimum",
                                      "stablehlo.multiply"};
  mlir_value_t *a = generator_pick(generator);
  mlir_value_t *b = generator_pick_like(generator, shape_of(a));
  return generator_wrap(
      generator,
      generator_binary(
          generator, names[generator_below(generator, (int)POD_COUNT_OF(names))], a, b));
}

static mlir_value_t *gen_select(generator_t *generator) {
  mlir_value_t *a = generator_pick(generator);
  mlir_value_t *b = generator_pick_like(generator, shape_of(a));
  tensor_shape_t decided = *shape_of(a);
  decided.dtype = TENSOR_PRED;
  mlir_value_t *operands[] = {a, b, NULL};
  mlir_op_t *compare =
      generator_make(generator, "stablehlo.compare", 2, operands, &decided, 0);
  mlir_op_set_attr(
      generator->module, compare, "comparison_direction",
      stablehlo_make_enum(generator->module, compare, "comparison_direction", "LT"));
  mlir_value_t *chosen[] = {generator_append(generator, compare), a, b};
  return generator_append(generator, generator_make(generator, "stablehlo.select", 3,
                                                    chosen, shape_of(a), 0));
}

static mlir_value_t *gen_broadcast(generator_t *generator) {
  mlir_value_t *from = generator_pick(generator);
  const tensor_shape_t *shape = shape_of(from);
  if (shape->rank >= RANK_MAX) {
    return NULL;
  }
  int64_t dims[RANK_MAX + 1], places[RANK_MAX];
  const int added = generator_below(generator, shape->rank + 1);
  int64_t elements = 1;
  for (int d = 0, source = 0; d <= shape->rank; d++) {
    dims[d] = d == added ? pick_size(generator) : shape->dims[source];
    if (d != added) {
      places[source++] = d;
      dims[d] = dims[d] == 1 ? pick_size(generator) : dims[d];
    }
    elements *= dims[d];
  }
  if (elements > ELEMENTS_MAX) {
    return NULL;
  }
  const tensor_shape_t to = tensor_shape_make(shape->dtype, shape->rank + 1, dims);
  mlir_op_t *op =
      generator_make(generator, "stablehlo.broadcast_in_dim", 1, &from, &to, 0);
  set_list(generator, op, "broadcast_dimensions", shape->rank, places);
  return generator_append(generator, op);
}

// Splits the elements into dimensions anew.
static mlir_value_t *gen_reshape(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  int64_t rest = tensor_shape_elements(shape_of(from));
  int64_t dims[RANK_MAX];
  int rank = 0;
  while (rank < RANK_MAX - 1 && rest > 1) {
    const int64_t size = pick_size(generator);
    if (rest % size == 0) {
      dims[rank++] = size;
      rest /= size;
    } else if (generator_chance(generator, 30)) {
      break;
    }
  }
  if (rest > 1 || rank == 0) {
    dims[rank++] = rest;
  }
  const tensor_shape_t to = tensor_shape_make(shape_of(from)->dtype, rank, dims);
  return generator_append(
      generator, generator_make(generator, "stablehlo.reshape", 1, &from, &to, 0));
}

static mlir_value_t *gen_transpose(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  tensor_shape_t to = *shape_of(from);
  int64_t permutation[RANK_MAX];
  for (int d = 0; d < to.rank; d++) {
    permutation[d] = d;
  }
  for (int d = 0; d < to.rank; d++) {
    const int other = d + generator_below(generator, to.rank - d);
    const int64_t swapped = permutation[d];
    permutation[d] = permutation[other];
    permutation[other] = swapped;
  }
  for (int d = 0; d < to.rank; d++) {
    to.dims[d] = shape_of(from)->dims[permutation[d]];
  }
  mlir_op_t *op = generator_make(generator, "stablehlo.transpose", 1, &from, &to, 0);
  set_list(generator, op, "permutation", to.rank, permutation);
  return generator_append(generator, op);
}

static mlir_value_t *gen_slice(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  tensor_shape_t to = *shape_of(from);
  int64_t starts[RANK_MAX], limits[RANK_MAX], strides[RANK_MAX];
  for (int d = 0; d < to.rank; d++) {
    const int64_t size = to.dims[d];
    starts[d] = 0;
    limits[d] = size;
    strides[d] = 1;
    const int kind = generator_below(generator, 4);
    if (kind == 0) {
      starts[d] = generator_below(generator, (int)size);
      limits[d] = starts[d] + 1 + generator_below(generator, (int)(size - starts[d]));
      strides[d] = 1 + generator_below(generator, 2);
    } else if (kind == 1 && size % 2 == 0) {
      limits[d] = size / 2;
    } else if (kind == 2 && size % 2 == 0) {
      starts[d] = generator_below(generator, 2);
      strides[d] = 2;
    }
    to.dims[d] = (limits[d] - starts[d] + strides[d] - 1) / strides[d];
  }
  mlir_op_t *op = generator_make(generator, "stablehlo.slice", 1, &from, &to, 0);
  set_list(generator, op, "start_indices", to.rank, starts);
  set_list(generator, op, "limit_indices", to.rank, limits);
  set_list(generator, op, "strides", to.rank, strides);
  return generator_append(generator, op);
}

static void pick_part(generator_t *generator, const tensor_shape_t *whole,
                      tensor_shape_t *part) {
  *part = *whole;
  for (int d = 0; d < whole->rank; d++) {
    if (generator_chance(generator, 50)) {
      part->dims[d] = 1 + generator_below(generator, (int)whole->dims[d]);
    }
  }
}

static mlir_value_t *gen_dynamic_slice(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  tensor_shape_t to;
  pick_part(generator, shape_of(from), &to);
  mlir_value_t *operands[1 + RANK_MAX] = {from};
  for (int d = 0; d < to.rank; d++) {
    operands[1 + d] =
        generator_scalar_constant(generator, TENSOR_S32, generator_below(generator, 8));
  }
  mlir_op_t *op =
      generator_make(generator, "stablehlo.dynamic_slice", 1 + to.rank, operands, &to, 0);
  set_list(generator, op, "slice_sizes", to.rank, to.dims);
  return generator_append(generator, op);
}

static mlir_value_t *gen_update(generator_t *generator) {
  mlir_value_t *whole = generator_pick_ranked(generator);
  tensor_shape_t part;
  pick_part(generator, shape_of(whole), &part);
  mlir_value_t *operands[2 + RANK_MAX] = {whole, generator_pick_like(generator, &part)};
  for (int d = 0; d < part.rank; d++) {
    operands[2 + d] =
        generator_scalar_constant(generator, TENSOR_S32, generator_below(generator, 8));
  }
  return generator_append(generator,
                          generator_make(generator, "stablehlo.dynamic_update_slice",
                                         2 + part.rank, operands, shape_of(whole), 0));
}

static mlir_value_t *gen_concatenate(generator_t *generator) {
  mlir_value_t *first = generator_pick_ranked(generator);
  const tensor_shape_t *shape = shape_of(first);
  const int dim = generator_below(generator, shape->rank);
  tensor_shape_t to = *shape;
  to.dims[dim] *= 2;
  if (tensor_shape_elements(&to) > ELEMENTS_MAX) {
    return NULL;
  }
  mlir_value_t *operands[] = {first, generator_pick_like(generator, shape)};
  mlir_op_t *op = generator_make(generator, "stablehlo.concatenate", 2, operands, &to, 0);
  generator_set_integer(generator, op, "dimension", dim);
  return generator_append(generator, op);
}

static mlir_value_t *gen_pad(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  tensor_shape_t to = *shape_of(from);
  int64_t low[RANK_MAX], high[RANK_MAX], interior[RANK_MAX];
  for (int d = 0; d < to.rank; d++) {
    const bool padded = generator_chance(generator, 40);
    low[d] = padded ? generator_below(generator, 4) - 1 : 0;
    high[d] = padded ? generator_below(generator, 4) - 1 : 0;
    interior[d] = padded ? generator_below(generator, 2) : 0;
    to.dims[d] += low[d] + high[d] + interior[d] * (to.dims[d] - 1);
    if (to.dims[d] < 1) {
      return NULL;
    }
  }
  if (tensor_shape_elements(&to) > ELEMENTS_MAX) {
    return NULL;
  }
  mlir_value_t *operands[] = {from, generator_scalar_constant(generator, to.dtype, 3)};
  mlir_op_t *op = generator_make(generator, "stablehlo.pad", 2, operands, &to, 0);
  set_list(generator, op, "edge_padding_low", to.rank, low);
  set_list(generator, op, "edge_padding_high", to.rank, high);
  set_list(generator, op, "interior_padding", to.rank, interior);
  return generator_append(generator, op);
}

static mlir_value_t *gen_reverse(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  const int64_t dim = generator_below(generator, shape_of(from)->rank);
  mlir_op_t *op =
      generator_make(generator, "stablehlo.reverse", 1, &from, shape_of(from), 0);
  set_list(generator, op, "dimensions", 1, &dim);
  return generator_append(generator, op);
}

static mlir_value_t *gen_iota(generator_t *generator) {
  const tensor_shape_t shape = pick_shape(generator);
  mlir_op_t *op = generator_make(generator, "stablehlo.iota", 0, NULL, &shape, 0);
  generator_set_integer(generator, op, "iota_dimension",
                        generator_below(generator, shape.rank));
  return generator_append(generator, op);
}

static mlir_value_t *gen_reduce(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  const tensor_shape_t *shape = shape_of(from);
  int64_t reduced[RANK_MAX], dims[RANK_MAX];
  int count = 0, rank = 0;
  for (int d = 0; d < shape->rank; d++) {
    if (generator_chance(generator, 50)) {
      reduced[count++] = d;
    } else {
      dims[rank++] = shape->dims[d];
    }
  }
  const bool adds = generator_chance(generator, 70);
  mlir_value_t *operands[] = {
      from, generator_scalar_constant(generator, shape->dtype,
                                      generator_chance(generator, 80) ? 0 : 2)};
  const tensor_shape_t to = tensor_shape_make(shape->dtype, rank, dims);
  mlir_op_t *op = generator_make(generator, "stablehlo.reduce", 2, operands, &to, 1);
  set_list(generator, op, "dimensions", count, reduced);
  compiler_build_reducer(generator->module, op,
                         adds ? CHIP_REDUCER_ADD : CHIP_REDUCER_MAXIMUM, shape->dtype);
  return generator_wrap(generator, generator_append(generator, op));
}

// Pairs dimensions of equal size, for batching or contracting, at most one each; without
// any it is an outer product, if that is not too large.
static mlir_value_t *gen_dot(generator_t *generator) {
  mlir_value_t *operands[] = {generator_pick_ranked(generator),
                              generator_pick_ranked(generator)};
  const tensor_shape_t *lhs = shape_of(operands[0]), *rhs = shape_of(operands[1]);
  bool lhs_taken[RANK_MAX] = {false}, rhs_taken[RANK_MAX] = {false};
  int64_t pairs[2][2];  // [batching, contracting][lhs, rhs]
  stablehlo_dot_t dot;
  memset(&dot, 0, sizeof(dot));
  int64_t dims[TENSOR_RANK_MAX];
  int rank = 0;
  for (int kind = 0; kind < 2; kind++) {
    for (int i = 0; i < lhs->rank * rhs->rank; i++) {
      const int l = i / rhs->rank, r = i % rhs->rank;
      if (lhs->dims[l] != rhs->dims[r] || lhs_taken[l] || rhs_taken[r] ||
          generator_chance(generator, kind == 0 ? 75 : 25)) {
        continue;
      }
      lhs_taken[l] = rhs_taken[r] = true;
      pairs[kind][0] = l;
      pairs[kind][1] = r;
      *(kind == 0 ? &dot.lhs_batching : &dot.lhs_contracting) =
          (stablehlo_dims_t){1, &pairs[kind][0]};
      *(kind == 0 ? &dot.rhs_batching : &dot.rhs_contracting) =
          (stablehlo_dims_t){1, &pairs[kind][1]};
      if (kind == 0) {
        dims[rank++] = lhs->dims[l];
      }
      break;
    }
  }
  int64_t elements = rank == 0 ? 1 : dims[0];
  for (int d = 0; d < lhs->rank + rhs->rank; d++) {
    const bool left = d < lhs->rank;
    if (!(left ? lhs_taken[d] : rhs_taken[d - lhs->rank])) {
      dims[rank] = left ? lhs->dims[d] : rhs->dims[d - lhs->rank];
      elements *= dims[rank++];
    }
  }
  if (elements > ELEMENTS_MAX || rank > RANK_MAX) {
    return NULL;
  }
  const tensor_shape_t to = tensor_shape_make(lhs->dtype, rank, dims);
  mlir_op_t *op = generator_make(generator, "stablehlo.dot_general", 2, operands, &to, 0);
  mlir_op_set_attr(generator->module, op, "dot_dimension_numbers",
                   stablehlo_make_dot(generator->module, &dot));
  return generator_wrap(generator, generator_append(generator, op));
}

static mlir_value_t *gen_constraint(generator_t *generator) {
  mlir_value_t *from = generator_pick_ranked(generator);
  const char *name =
      generator_chance(generator, 70) ? "sdy.sharding_constraint" : "sdy.reshard";
  mlir_op_t *op = generator_make(generator, name, 1, &from, shape_of(from), 0);
  mlir_op_set_attr(generator->module, op, "sharding",
                   pick_sharding(generator, shape_of(from)));
  return generator_append(generator, op);
}

static mlir_value_t *gen_barrier(generator_t *generator) {
  mlir_value_t *operands[] = {generator_pick(generator), generator_pick(generator)};
  const mlir_type_t *types[] = {operands[0]->type, operands[1]->type};
  mlir_op_t *op = mlir_op_create(generator->module, "stablehlo.optimization_barrier", 2,
                                 operands, 2, types, 0);
  mlir_block_append(generator->block, op);
  generator_keep(generator, &op->results[1]);
  return &op->results[0];
}

static mlir_value_t *gen_propagation_barrier(generator_t *generator) {
  static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  mlir_value_t *from = generator_pick(generator);
  mlir_op_t *op =
      generator_make(generator, "sdy.propagation_barrier", 1, &from, shape_of(from), 0);
  mlir_op_set_attr(
      generator->module, op, "allowed_direction",
      mlir_attr_string(
          generator->module,
          directions[generator_below(generator, (int)POD_COUNT_OF(directions))]));
  return generator_append(generator, op);
}

// Values of one shape, in a group that two of them may share with others.
static mlir_value_t *gen_sharding_group(generator_t *generator) {
  mlir_value_t *first = generator_pick_ranked(generator);
  const int count = 2 + generator_below(generator, 3);
  generator->group_count++;
  for (int i = 0; i < count; i++) {
    mlir_value_t *value =
        i == 0 ? first : generator_pick_like(generator, shape_of(first));
    mlir_op_t *op =
        mlir_op_create(generator->module, "sdy.sharding_group", 1, &value, 0, NULL, 0);
    generator_set_integer(generator, op, "group_id", generator->group_count);
    mlir_block_append(generator->block, op);
  }
  return NULL;
}

// --- All kinds ---

typedef mlir_value_t *(*gen_fn_t)(generator_t *generator);

void generator_append_ops(generator_t *generator, int op_count) {
  static const gen_fn_t kinds[] = {
      gen_binary,
      gen_binary,
      gen_binary,
      gen_select,
      gen_broadcast,
      gen_broadcast,
      gen_reshape,
      gen_reshape,
      gen_transpose,
      gen_slice,
      gen_slice,
      gen_reduce,
      gen_dynamic_slice,
      gen_update,
      gen_concatenate,
      gen_pad,
      gen_reverse,
      gen_iota,
      gen_reduce,
      gen_dot,
      gen_dot,
      gen_dot,
      gen_constraint,
      gen_constraint,
      gen_barrier,
      generator_manual,
      generator_manual,
      gen_propagation_barrier,
      gen_sharding_group,
      generator_while,
      generator_if,
  };
  const int flat = (int)POD_COUNT_OF(kinds) - (generator->depth < DEPTH_MAX ? 0 : 2);
  generator->depth++;
  for (int i = 0; i < op_count; i++) {
    mlir_value_t *made = kinds[generator_below(generator, flat)](generator);
    if (made != NULL) {
      generator_keep(generator, made);
    }
  }
  generator->depth--;
}

// --- The module ---

static void make_mesh(generator_t *generator) {
  static const struct {
    int axis_count;
    int64_t sizes[3];
  } meshes[] = {{1, {2}},    {1, {4}},       {2, {2, 2}}, {2, {2, 4}},
                {2, {3, 2}}, {3, {2, 2, 2}}, {2, {4, 2}}, {2, {1, 4}}};
  const int which = generator_below(generator, (int)POD_COUNT_OF(meshes));
  mesh_axis_t axes[3] = {{"x", 1}, {"y", 1}, {"z", 1}};
  int64_t device_ids[8], device_count = 1;
  for (int i = 0; i < meshes[which].axis_count; i++) {
    axes[i].size = meshes[which].sizes[i];
    device_count *= axes[i].size;
  }
  for (int64_t i = 0; i < device_count; i++) {
    device_ids[i] = i;
  }
  const bool shuffled = generator_chance(generator, 30);
  for (int64_t i = 0; shuffled && i < device_count; i++) {
    const int64_t other = i + generator_below(generator, (int)(device_count - i));
    const int64_t swapped = device_ids[i];
    device_ids[i] = device_ids[other];
    device_ids[other] = swapped;
  }
  POD_CHECK(mesh_make(generator->module->arena, "mesh", meshes[which].axis_count, axes,
                      shuffled ? device_ids : NULL, &generator->mesh) == NULL);
  mlir_op_t *op = mlir_op_create(generator->module, "sdy.mesh", 0, NULL, 0, NULL, 0);
  mlir_op_set_attr(generator->module, op, "sym_name",
                   mlir_attr_string(generator->module, "mesh"));
  mlir_op_set_attr(generator->module, op, "mesh",
                   compiler_make_mesh(generator->module, generator->mesh));
  mlir_block_append(mlir_op_block(generator->module->op, 0), op);
}

// A dictionary with a sharding, or an empty one.
static const mlir_attr_t *sharding_dictionary(generator_t *generator,
                                              const tensor_shape_t *shape) {
  if (generator_chance(generator, 30)) {
    return mlir_attr_dictionary(generator->module, 0, NULL);
  }
  const mlir_named_attr_t entry = {mlir_intern(generator->module, "sdy.sharding"),
                                   pick_sharding(generator, shape)};
  return mlir_attr_dictionary(generator->module, 1, &entry);
}

static void set_signature(generator_t *generator, mlir_op_t *function,
                          const mlir_block_t *block) {
  mlir_module_t *module = generator->module;
  const mlir_type_t *types[2][VALUES_MAX];
  const mlir_attr_t *dictionaries[2][VALUES_MAX];
  const int counts[2] = {block->argument_count, block->last->operand_count};
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < counts[side]; i++) {
      const mlir_value_t *value =
          side == 0 ? block->arguments[i] : block->last->operands[i];
      types[side][i] = value->type;
      dictionaries[side][i] = sharding_dictionary(generator, shape_of(value));
    }
  }
  mlir_op_set_attr(module, function, "sym_name", mlir_attr_string(module, "main"));
  mlir_op_set_attr(module, function, "function_type",
                   mlir_attr_type(module, mlir_type_function(module, counts[0], types[0],
                                                             counts[1], types[1])));
  mlir_op_set_attr(module, function, "arg_attrs",
                   mlir_attr_array(module, counts[0], dictionaries[0]));
  mlir_op_set_attr(module, function, "res_attrs",
                   mlir_attr_array(module, counts[1], dictionaries[1]));
}

mlir_module_t *generate_module(uint64_t seed, int op_count, int64_t *out_device_count) {
  generator_t generator = {.random = {.state = seed}};
  mlir_module_t *module = mlir_module_create("random.mlir");
  compiler_set_kinds(module);
  generator.module = module;
  make_mesh(&generator);
  generator.is_uneven = generator_chance(&generator, 50);
  mlir_op_t *function = mlir_op_create(module, "func.func", 0, NULL, 0, NULL, 1);
  mlir_block_append(mlir_op_block(module->op, 0), function);
  generator.block = mlir_block_create(module, &function->regions[0]);
  const int argument_count = 1 + generator_below(&generator, 3);
  for (int i = 0; i < argument_count; i++) {
    const tensor_shape_t shape = pick_shape(&generator);
    generator_keep(&generator, mlir_block_add_argument(module, generator.block,
                                                       mlir_type_tensor(module, &shape)));
  }
  generator_append_ops(&generator, op_count);
  mlir_value_t *results[3];
  const int result_count = 1 + generator_below(&generator, 3);
  for (int i = 0; i < result_count; i++) {
    results[i] = generator_pick(&generator);
  }
  mlir_block_append(generator.block, mlir_op_create(module, "func.return", result_count,
                                                    results, 0, NULL, 0));
  set_signature(&generator, function, generator.block);
  *out_device_count = generator.mesh->device_count;
  return module;
}
