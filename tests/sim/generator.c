#include "tests/sim/generator.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "server/chip/program.h"
#include "server/compiler/attributes.h"
#include "server/compiler/reducer.h"

enum {
  VALUES_MAX = 256,
  ELEMENTS_MAX = 256,
  RANK_MAX = 4,
  DEPTH_MAX = 2,  // Of loops and branches.
};

typedef struct generator_t {
  pod_random_t random;
  mlir_module_t *module;
  mlir_block_t *block;
  const mesh_t *mesh;
  int value_count;  // Those in scope.
  mlir_value_t *values[VALUES_MAX];
  int depth;
  bool is_manual[SHARDING_AXES_MAX];  // The axes that are manual where we are.
} generator_t;

static int below(generator_t *generator, int bound) {
  return (int)pod_random_below(&generator->random, (uint64_t)bound);
}

static bool chance(generator_t *generator, int percent) {
  return below(generator, 100) < percent;
}

// --- Operations ---

static const tensor_shape_t *shape_of(const mlir_value_t *value) {
  return &value->type->shape;
}

static mlir_op_t *make(generator_t *generator, const char *name, int operand_count,
                       mlir_value_t *const *operands, const tensor_shape_t *result,
                       int regions) {
  const mlir_type_t *type = mlir_type_tensor(generator->module, result);
  return mlir_op_create(generator->module, name, operand_count, operands, 1, &type,
                        regions);
}

static mlir_value_t *append(generator_t *generator, mlir_op_t *op) {
  mlir_block_append(generator->block, op);
  return &op->results[0];
}

static void keep(generator_t *generator, mlir_value_t *value) {
  if (generator->value_count < VALUES_MAX) {
    generator->values[generator->value_count++] = value;
  }
}

static void set_list(generator_t *generator, mlir_op_t *op, const char *name,
                     int64_t count, const int64_t *values) {
  mlir_op_set_attr(generator->module, op, name,
                   mlir_attr_i64_array(generator->module, count, values));
}

static void set_integer(generator_t *generator, mlir_op_t *op, const char *name,
                        int64_t value) {
  mlir_op_set_attr(generator->module, op, name,
                   mlir_attr_integer(generator->module, value, TENSOR_S64));
}

static mlir_value_t *constant(generator_t *generator, const tensor_shape_t *shape,
                              bool is_splat) {
  unsigned char data[ELEMENTS_MAX * 8];
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  const int64_t count = is_splat ? 1 : tensor_shape_elements(shape);
  for (int64_t i = 0; i < count; i++) {
    tensor_element_from_int64(shape->dtype, below(generator, 5),
                              data + (size_t)i * bytes);
  }
  mlir_op_t *op = make(generator, "stablehlo.constant", 0, NULL, shape, 0);
  mlir_op_set_attr(generator->module, op, "value",
                   mlir_attr_dense(generator->module, shape, data, is_splat));
  return append(generator, op);
}

static mlir_value_t *scalar_constant(generator_t *generator, tensor_dtype_t dtype,
                                     int64_t value) {
  const tensor_shape_t shape = tensor_shape_make(dtype, 0, NULL);
  unsigned char data[16];
  tensor_element_from_int64(dtype, value, data);
  mlir_op_t *op = make(generator, "stablehlo.constant", 0, NULL, &shape, 0);
  mlir_op_set_attr(generator->module, op, "value",
                   mlir_attr_dense(generator->module, &shape, data, true));
  return append(generator, op);
}

static mlir_value_t *splat(generator_t *generator, const tensor_shape_t *shape,
                           int64_t value) {
  mlir_value_t *scalar = scalar_constant(generator, shape->dtype, value);
  mlir_op_t *op = make(generator, "stablehlo.broadcast_in_dim", 1, &scalar, shape, 0);
  set_list(generator, op, "broadcast_dimensions", 0, NULL);
  return append(generator, op);
}

static mlir_value_t *binary(generator_t *generator, const char *name, mlir_value_t *a,
                            mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return append(generator, make(generator, name, 2, operands, shape_of(a), 0));
}

// Keeps numbers small.
static mlir_value_t *wrap(generator_t *generator, mlir_value_t *value) {
  return binary(generator, "stablehlo.remainder", value,
                splat(generator, shape_of(value), 7));
}

// --- Picking ---

static mlir_value_t *pick(generator_t *generator) {
  // Late values more often than early ones.
  const int last = generator->value_count - 1;
  return generator
      ->values[chance(generator, 50) ? last - below(generator, last < 4 ? last + 1 : 4)
                                     : below(generator, generator->value_count)];
}

static mlir_value_t *pick_ranked(generator_t *generator) {
  for (int i = 0; i < 8; i++) {
    mlir_value_t *value = pick(generator);
    if (shape_of(value)->rank > 0) {
      return value;
    }
  }
  const int64_t dims[] = {4, 8};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims);
  return constant(generator, &shape, false);
}

static mlir_value_t *pick_like(generator_t *generator, const tensor_shape_t *shape) {
  const int start = below(generator, generator->value_count);
  for (int i = 0; i < generator->value_count; i++) {
    mlir_value_t *value = generator->values[(start + i) % generator->value_count];
    if (tensor_shape_equal(shape_of(value), shape)) {
      return value;
    }
  }
  return constant(generator, shape, chance(generator, 50));
}

static int64_t pick_size(generator_t *generator) {
  static const int64_t sizes[] = {1, 2, 2, 3, 4, 4, 4, 6, 8, 8, 8, 12, 16};
  return sizes[below(generator, (int)POD_COUNT_OF(sizes))];
}

static tensor_shape_t pick_shape(generator_t *generator) {
  for (;;) {
    int64_t dims[RANK_MAX];
    const int rank = 1 + below(generator, 3);
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
    const int axis = below(generator, (int)axis_count);
    int64_t part = generator->mesh->axes[axis].size;
    if (part == 4 && chance(generator, 15)) {
      part = 2;
    }
    if (!is_used[axis] && chance(generator, 60) && part > 1 && size % part == 0) {
      is_used[axis] = true;
      size /= part;
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
    dim->is_open = chance(generator, 30);
    const int priority = chance(generator, 10) ? 1 + below(generator, 2) : 0;
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
  mlir_value_t *a = pick(generator);
  mlir_value_t *b = pick_like(generator, shape_of(a));
  return wrap(generator,
              binary(generator, names[below(generator, (int)POD_COUNT_OF(names))], a, b));
}

static mlir_value_t *gen_select(generator_t *generator) {
  mlir_value_t *a = pick(generator);
  mlir_value_t *b = pick_like(generator, shape_of(a));
  tensor_shape_t decided = *shape_of(a);
  decided.dtype = TENSOR_PRED;
  mlir_value_t *operands[] = {a, b, NULL};
  mlir_op_t *compare = make(generator, "stablehlo.compare", 2, operands, &decided, 0);
  mlir_op_set_attr(
      generator->module, compare, "comparison_direction",
      stablehlo_make_enum(generator->module, compare, "comparison_direction", "LT"));
  mlir_value_t *chosen[] = {append(generator, compare), a, b};
  return append(generator,
                make(generator, "stablehlo.select", 3, chosen, shape_of(a), 0));
}

static mlir_value_t *gen_broadcast(generator_t *generator) {
  mlir_value_t *from = pick(generator);
  const tensor_shape_t *shape = shape_of(from);
  if (shape->rank >= RANK_MAX) {
    return NULL;
  }
  int64_t dims[RANK_MAX + 1], places[RANK_MAX];
  const int added = below(generator, shape->rank + 1);
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
  mlir_op_t *op = make(generator, "stablehlo.broadcast_in_dim", 1, &from, &to, 0);
  set_list(generator, op, "broadcast_dimensions", shape->rank, places);
  return append(generator, op);
}

// Splits the elements into dimensions anew.
static mlir_value_t *gen_reshape(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  int64_t rest = tensor_shape_elements(shape_of(from));
  int64_t dims[RANK_MAX];
  int rank = 0;
  while (rank < RANK_MAX - 1 && rest > 1) {
    const int64_t size = pick_size(generator);
    if (rest % size == 0) {
      dims[rank++] = size;
      rest /= size;
    } else if (chance(generator, 30)) {
      break;
    }
  }
  if (rest > 1 || rank == 0) {
    dims[rank++] = rest;
  }
  const tensor_shape_t to = tensor_shape_make(shape_of(from)->dtype, rank, dims);
  return append(generator, make(generator, "stablehlo.reshape", 1, &from, &to, 0));
}

static mlir_value_t *gen_transpose(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  tensor_shape_t to = *shape_of(from);
  int64_t permutation[RANK_MAX];
  for (int d = 0; d < to.rank; d++) {
    permutation[d] = d;
  }
  for (int d = 0; d < to.rank; d++) {
    const int other = d + below(generator, to.rank - d);
    const int64_t swapped = permutation[d];
    permutation[d] = permutation[other];
    permutation[other] = swapped;
  }
  for (int d = 0; d < to.rank; d++) {
    to.dims[d] = shape_of(from)->dims[permutation[d]];
  }
  mlir_op_t *op = make(generator, "stablehlo.transpose", 1, &from, &to, 0);
  set_list(generator, op, "permutation", to.rank, permutation);
  return append(generator, op);
}

static mlir_value_t *gen_slice(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  tensor_shape_t to = *shape_of(from);
  int64_t starts[RANK_MAX], limits[RANK_MAX], strides[RANK_MAX];
  for (int d = 0; d < to.rank; d++) {
    const int64_t size = to.dims[d];
    starts[d] = 0;
    limits[d] = size;
    strides[d] = 1;
    const int kind = below(generator, 4);
    if (kind == 0) {
      starts[d] = below(generator, (int)size);
      limits[d] = starts[d] + 1 + below(generator, (int)(size - starts[d]));
      strides[d] = 1 + below(generator, 2);
    } else if (kind == 1 && size % 2 == 0) {
      limits[d] = size / 2;
    } else if (kind == 2 && size % 2 == 0) {
      starts[d] = below(generator, 2);
      strides[d] = 2;
    }
    to.dims[d] = (limits[d] - starts[d] + strides[d] - 1) / strides[d];
  }
  mlir_op_t *op = make(generator, "stablehlo.slice", 1, &from, &to, 0);
  set_list(generator, op, "start_indices", to.rank, starts);
  set_list(generator, op, "limit_indices", to.rank, limits);
  set_list(generator, op, "strides", to.rank, strides);
  return append(generator, op);
}

static void pick_part(generator_t *generator, const tensor_shape_t *whole,
                      tensor_shape_t *part) {
  *part = *whole;
  for (int d = 0; d < whole->rank; d++) {
    if (chance(generator, 50)) {
      part->dims[d] = 1 + below(generator, (int)whole->dims[d]);
    }
  }
}

static mlir_value_t *gen_dynamic_slice(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  tensor_shape_t to;
  pick_part(generator, shape_of(from), &to);
  mlir_value_t *operands[1 + RANK_MAX] = {from};
  for (int d = 0; d < to.rank; d++) {
    operands[1 + d] = scalar_constant(generator, TENSOR_S32, below(generator, 8));
  }
  mlir_op_t *op =
      make(generator, "stablehlo.dynamic_slice", 1 + to.rank, operands, &to, 0);
  set_list(generator, op, "slice_sizes", to.rank, to.dims);
  return append(generator, op);
}

static mlir_value_t *gen_update(generator_t *generator) {
  mlir_value_t *whole = pick_ranked(generator);
  tensor_shape_t part;
  pick_part(generator, shape_of(whole), &part);
  mlir_value_t *operands[2 + RANK_MAX] = {whole, pick_like(generator, &part)};
  for (int d = 0; d < part.rank; d++) {
    operands[2 + d] = scalar_constant(generator, TENSOR_S32, below(generator, 8));
  }
  return append(generator, make(generator, "stablehlo.dynamic_update_slice",
                                2 + part.rank, operands, shape_of(whole), 0));
}

static mlir_value_t *gen_concatenate(generator_t *generator) {
  mlir_value_t *first = pick_ranked(generator);
  const tensor_shape_t *shape = shape_of(first);
  const int dim = below(generator, shape->rank);
  tensor_shape_t to = *shape;
  to.dims[dim] *= 2;
  if (tensor_shape_elements(&to) > ELEMENTS_MAX) {
    return NULL;
  }
  mlir_value_t *operands[] = {first, pick_like(generator, shape)};
  mlir_op_t *op = make(generator, "stablehlo.concatenate", 2, operands, &to, 0);
  set_integer(generator, op, "dimension", dim);
  return append(generator, op);
}

static mlir_value_t *gen_pad(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  tensor_shape_t to = *shape_of(from);
  int64_t low[RANK_MAX], high[RANK_MAX], interior[RANK_MAX];
  for (int d = 0; d < to.rank; d++) {
    const bool padded = chance(generator, 40);
    low[d] = padded ? below(generator, 4) - 1 : 0;
    high[d] = padded ? below(generator, 4) - 1 : 0;
    interior[d] = padded ? below(generator, 2) : 0;
    to.dims[d] += low[d] + high[d] + interior[d] * (to.dims[d] - 1);
    if (to.dims[d] < 1) {
      return NULL;
    }
  }
  if (tensor_shape_elements(&to) > ELEMENTS_MAX) {
    return NULL;
  }
  mlir_value_t *operands[] = {from, scalar_constant(generator, to.dtype, 3)};
  mlir_op_t *op = make(generator, "stablehlo.pad", 2, operands, &to, 0);
  set_list(generator, op, "edge_padding_low", to.rank, low);
  set_list(generator, op, "edge_padding_high", to.rank, high);
  set_list(generator, op, "interior_padding", to.rank, interior);
  return append(generator, op);
}

static mlir_value_t *gen_reverse(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  const int64_t dim = below(generator, shape_of(from)->rank);
  mlir_op_t *op = make(generator, "stablehlo.reverse", 1, &from, shape_of(from), 0);
  set_list(generator, op, "dimensions", 1, &dim);
  return append(generator, op);
}

static mlir_value_t *gen_iota(generator_t *generator) {
  const tensor_shape_t shape = pick_shape(generator);
  mlir_op_t *op = make(generator, "stablehlo.iota", 0, NULL, &shape, 0);
  set_integer(generator, op, "iota_dimension", below(generator, shape.rank));
  return append(generator, op);
}

static mlir_value_t *gen_reduce(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  const tensor_shape_t *shape = shape_of(from);
  int64_t reduced[RANK_MAX], dims[RANK_MAX];
  int count = 0, rank = 0;
  for (int d = 0; d < shape->rank; d++) {
    if (chance(generator, 50)) {
      reduced[count++] = d;
    } else {
      dims[rank++] = shape->dims[d];
    }
  }
  const bool adds = chance(generator, 70);
  mlir_value_t *operands[] = {
      from, scalar_constant(generator, shape->dtype, chance(generator, 80) ? 0 : 2)};
  const tensor_shape_t to = tensor_shape_make(shape->dtype, rank, dims);
  mlir_op_t *op = make(generator, "stablehlo.reduce", 2, operands, &to, 1);
  set_list(generator, op, "dimensions", count, reduced);
  compiler_build_reducer(generator->module, op,
                         adds ? CHIP_REDUCER_ADD : CHIP_REDUCER_MAXIMUM, shape->dtype);
  return wrap(generator, append(generator, op));
}

// Pairs dimensions of equal size, for batching or contracting, at most one each; without
// any it is an outer product, if that is not too large.
static mlir_value_t *gen_dot(generator_t *generator) {
  mlir_value_t *operands[] = {pick_ranked(generator), pick_ranked(generator)};
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
          chance(generator, kind == 0 ? 75 : 25)) {
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
  mlir_op_t *op = make(generator, "stablehlo.dot_general", 2, operands, &to, 0);
  mlir_op_set_attr(generator->module, op, "dot_dimension_numbers",
                   stablehlo_make_dot(generator->module, &dot));
  return wrap(generator, append(generator, op));
}

static mlir_value_t *gen_constraint(generator_t *generator) {
  mlir_value_t *from = pick_ranked(generator);
  mlir_op_t *op = make(generator, "sdy.sharding_constraint", 1, &from, shape_of(from), 0);
  mlir_op_set_attr(generator->module, op, "sharding",
                   pick_sharding(generator, shape_of(from)));
  return append(generator, op);
}

static mlir_value_t *gen_barrier(generator_t *generator) {
  mlir_value_t *operands[] = {pick(generator), pick(generator)};
  const mlir_type_t *types[] = {operands[0]->type, operands[1]->type};
  mlir_op_t *op = mlir_op_create(generator->module, "stablehlo.optimization_barrier", 2,
                                 operands, 2, types, 0);
  mlir_block_append(generator->block, op);
  keep(generator, &op->results[1]);
  return &op->results[0];
}

// --- Regions ---

static void gen_ops(generator_t *generator, int op_count);

static void end_block(generator_t *generator, int count, mlir_value_t *const *operands) {
  mlir_block_append(
      generator->block,
      mlir_op_create(generator->module, "stablehlo.return", count, operands, 0, NULL, 0));
}

// A value of a type, made of what is in scope.
static mlir_value_t *make_like(generator_t *generator, const tensor_shape_t *shape) {
  mlir_value_t *a = pick_like(generator, shape);
  mlir_value_t *b = pick_like(generator, shape);
  return shape->dtype == TENSOR_PRED
             ? a
             : wrap(generator, binary(generator, "stablehlo.add", a, b));
}

static mlir_value_t *less_than(generator_t *generator, mlir_value_t *a, mlir_value_t *b) {
  const tensor_shape_t decided = tensor_shape_make(TENSOR_PRED, 0, NULL);
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *op = make(generator, "stablehlo.compare", 2, operands, &decided, 0);
  mlir_op_set_attr(
      generator->module, op, "comparison_direction",
      stablehlo_make_enum(generator->module, op, "comparison_direction", "LT"));
  return append(generator, op);
}

// Counts to 2 or 3 and carries two values along.
static mlir_value_t *gen_while(generator_t *generator) {
  mlir_module_t *module = generator->module;
  mlir_value_t *operands[] = {scalar_constant(generator, TENSOR_S32, 0), pick(generator),
                              pick_ranked(generator)};
  const mlir_type_t *types[] = {operands[0]->type, operands[1]->type, operands[2]->type};
  mlir_op_t *op = mlir_op_create(module, "stablehlo.while", 3, operands, 3, types, 2);
  mlir_block_append(generator->block, op);
  mlir_block_t *around = generator->block;
  const int outer_count = generator->value_count;
  for (int r = 0; r < 2; r++) {
    generator->block = mlir_block_create(module, &op->regions[r]);
    mlir_value_t *arguments[3];
    for (int i = 0; i < 3; i++) {
      arguments[i] = mlir_block_add_argument(module, generator->block, types[i]);
    }
    if (r == 0) {
      mlir_value_t *more =
          less_than(generator, arguments[0],
                    scalar_constant(generator, TENSOR_S32, 2 + below(generator, 2)));
      end_block(generator, 1, &more);
      continue;
    }
    keep(generator, arguments[1]);
    keep(generator, arguments[2]);
    gen_ops(generator, 1 + below(generator, 5));
    mlir_value_t *results[] = {binary(generator, "stablehlo.add", arguments[0],
                                      scalar_constant(generator, TENSOR_S32, 1)),
                               make_like(generator, &types[1]->shape),
                               make_like(generator, &types[2]->shape)};
    end_block(generator, 3, results);
  }
  generator->block = around;
  generator->value_count = outer_count;
  keep(generator, &op->results[1]);
  return &op->results[2];
}

static mlir_value_t *gen_if(generator_t *generator) {
  mlir_module_t *module = generator->module;
  mlir_value_t *chooser =
      less_than(generator, scalar_constant(generator, TENSOR_S32, below(generator, 4)),
                scalar_constant(generator, TENSOR_S32, 2));
  mlir_value_t *like = pick_ranked(generator);
  mlir_op_t *op = make(generator, "stablehlo.if", 1, &chooser, shape_of(like), 2);
  mlir_block_append(generator->block, op);
  mlir_block_t *around = generator->block;
  const int outer_count = generator->value_count;
  for (int r = 0; r < 2; r++) {
    generator->block = mlir_block_create(module, &op->regions[r]);
    gen_ops(generator, 1 + below(generator, 3));
    mlir_value_t *result = make_like(generator, shape_of(like));
    end_block(generator, 1, &result);
    generator->value_count = outer_count;
  }
  generator->block = around;
  return &op->results[0];
}

// --- Manual computations ---

static bool in_manual(const generator_t *generator) {
  for (int i = 0; i < SHARDING_AXES_MAX; i++) {
    if (generator->is_manual[i]) {
      return true;
    }
  }
  return false;
}

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

// A collective of the user's over one manual axis.
static mlir_value_t *gen_collective(generator_t *generator) {
  int axis = below(generator, generator->mesh->axis_count);
  for (int i = 0; i < generator->mesh->axis_count && !generator->is_manual[axis]; i++) {
    axis = (axis + 1) % generator->mesh->axis_count;
  }
  if (!generator->is_manual[axis]) {
    return NULL;
  }
  mlir_value_t *from = pick_ranked(generator);
  const int64_t size = generator->mesh->axes[axis].size;
  tensor_shape_t to = *shape_of(from);
  const bool gathers = chance(generator, 50);
  if (gathers) {
    to.dims[0] *= size;
  }
  if (tensor_shape_elements(&to) > ELEMENTS_MAX) {
    return NULL;
  }
  mlir_op_t *op =
      make(generator, gathers ? "stablehlo.all_gather" : "stablehlo.all_reduce", 1, &from,
           &to, gathers ? 0 : 1);
  set_groups(generator, op, axis);
  mlir_op_set_attr(generator->module, op, "use_global_device_ids",
                   mlir_attr_unit(generator->module));
  if (gathers) {
    set_integer(generator, op, "all_gather_dim", 0);
    return append(generator, op);
  }
  compiler_build_reducer(generator->module, op, CHIP_REDUCER_ADD, to.dtype);
  return wrap(generator, append(generator, op));
}

// Spreads manual axes over the dimensions: of `global`, where they have to divide, or,
// when `grows`, of what each device holds. Writes the other shape.
static sharding_t *manual_sharding(generator_t *generator, const tensor_shape_t *shape,
                                   bool grows, tensor_shape_t *out_other) {
  pod_arena_t *arena = generator->module->arena;
  sharding_t *sharding = sharding_replicated(arena, generator->mesh, shape->rank, true);
  *out_other = *shape;
  for (int axis = 0; axis < generator->mesh->axis_count; axis++) {
    const int64_t size = generator->mesh->axes[axis].size;
    const int d = below(generator, shape->rank);
    if (!generator->is_manual[axis] ||
        (!grows && (out_other->dims[d] % size != 0 || chance(generator, 30)))) {
      continue;
    }
    axis_list_t *list = &sharding->dims[d].axes;
    axis_ref_t *refs = pod_arena_array(arena, (size_t)list->count + 1, sizeof(refs[0]));
    if (list->count > 0) {
      memcpy(refs, list->refs, (size_t)list->count * sizeof(refs[0]));
    }
    refs[list->count] = (axis_ref_t){axis, 1, size};
    list->refs = refs;
    list->count++;
    out_other->dims[d] = grows ? out_other->dims[d] * size : out_other->dims[d] / size;
  }
  return sharding;
}

static const mlir_attr_t *manual_axes(generator_t *generator) {
  pod_text_t text = {0};
  pod_text_add(&text, "{");
  int count = 0;
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    if (generator->is_manual[i]) {
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

// What the body returns: values of few elements, all manual axes in their sharding, so
// that nothing has to be the same on different devices.
static mlir_value_t *pick_returned(generator_t *generator) {
  for (int i = 0; i < 16; i++) {
    mlir_value_t *value = pick_ranked(generator);
    if (tensor_shape_elements(shape_of(value)) * generator->mesh->device_count <=
        ELEMENTS_MAX) {
      return value;
    }
  }
  const int64_t one = 1;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, &one);
  return constant(generator, &shape, true);
}

static mlir_value_t *gen_manual(generator_t *generator) {
  if (in_manual(generator)) {
    return gen_collective(generator);
  }
  mlir_module_t *module = generator->module;
  mlir_value_t *operands[] = {pick_ranked(generator), pick_ranked(generator)};
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    generator->is_manual[i] = chance(generator, 60);
  }
  generator->is_manual[below(generator, generator->mesh->axis_count)] = true;
  // The body sees nothing of what is around it.
  mlir_value_t *around_values[VALUES_MAX];
  const int around_count = generator->value_count;
  memcpy(around_values, generator->values, sizeof(around_values));
  mlir_block_t *around = generator->block;
  const mlir_type_t *no_type = operands[0]->type;
  mlir_op_t *op =
      mlir_op_create(module, "sdy.manual_computation", 2, operands, 1, &no_type, 1);
  mlir_block_append(around, op);
  generator->block = mlir_block_create(module, &op->regions[0]);
  generator->value_count = 0;
  const sharding_t *inputs[2];
  for (int i = 0; i < 2; i++) {
    tensor_shape_t local;
    inputs[i] = manual_sharding(generator, shape_of(operands[i]), false, &local);
    keep(generator, mlir_block_add_argument(module, generator->block,
                                            mlir_type_tensor(module, &local)));
  }
  gen_ops(generator, 2 + below(generator, 6));
  mlir_value_t *returned = pick_returned(generator);
  mlir_block_append(generator->block,
                    mlir_op_create(module, "sdy.return", 1, &returned, 0, NULL, 0));
  tensor_shape_t global;
  const sharding_t *output =
      manual_sharding(generator, shape_of(returned), true, &global);
  op->results[0].type = mlir_type_tensor(module, &global);
  mlir_op_set_attr(module, op, "in_shardings",
                   compiler_make_shardings(module, 2, inputs));
  mlir_op_set_attr(module, op, "out_shardings",
                   compiler_make_shardings(module, 1, &output));
  mlir_op_set_attr(module, op, "manual_axes", manual_axes(generator));
  generator->block = around;
  generator->value_count = around_count;
  memcpy(generator->values, around_values, sizeof(around_values));
  memset(generator->is_manual, 0, sizeof(generator->is_manual));
  return &op->results[0];
}

typedef mlir_value_t *(*gen_fn_t)(generator_t *generator);

static void gen_ops(generator_t *generator, int op_count) {
  static const gen_fn_t kinds[] = {
      gen_binary,    gen_binary,  gen_binary,        gen_select,     gen_broadcast,
      gen_broadcast, gen_reshape, gen_reshape,       gen_transpose,  gen_slice,
      gen_slice,     gen_reduce,  gen_dynamic_slice, gen_update,     gen_concatenate,
      gen_pad,       gen_reverse, gen_iota,          gen_reduce,     gen_dot,
      gen_dot,       gen_dot,     gen_constraint,    gen_constraint, gen_barrier,
      gen_manual,    gen_manual,  gen_while,         gen_if,
  };
  const int flat = (int)POD_COUNT_OF(kinds) - (generator->depth < DEPTH_MAX ? 0 : 2);
  generator->depth++;
  for (int i = 0; i < op_count; i++) {
    mlir_value_t *made = kinds[below(generator, flat)](generator);
    if (made != NULL) {
      keep(generator, made);
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
  const int which = below(generator, (int)POD_COUNT_OF(meshes));
  mesh_axis_t axes[3] = {{"x", 1}, {"y", 1}, {"z", 1}};
  int64_t device_ids[8], device_count = 1;
  for (int i = 0; i < meshes[which].axis_count; i++) {
    axes[i].size = meshes[which].sizes[i];
    device_count *= axes[i].size;
  }
  for (int64_t i = 0; i < device_count; i++) {
    device_ids[i] = i;
  }
  const bool shuffled = chance(generator, 30);
  for (int64_t i = 0; shuffled && i < device_count; i++) {
    const int64_t other = i + below(generator, (int)(device_count - i));
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
  if (chance(generator, 30)) {
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
  generator.module = module;
  make_mesh(&generator);
  mlir_op_t *function = mlir_op_create(module, "func.func", 0, NULL, 0, NULL, 1);
  mlir_block_append(mlir_op_block(module->op, 0), function);
  generator.block = mlir_block_create(module, &function->regions[0]);
  const int argument_count = 1 + below(&generator, 3);
  for (int i = 0; i < argument_count; i++) {
    const tensor_shape_t shape = pick_shape(&generator);
    keep(&generator, mlir_block_add_argument(module, generator.block,
                                             mlir_type_tensor(module, &shape)));
  }
  gen_ops(&generator, op_count);
  mlir_value_t *results[3];
  const int result_count = 1 + below(&generator, 3);
  for (int i = 0; i < result_count; i++) {
    results[i] = pick(&generator);
  }
  mlir_block_append(generator.block, mlir_op_create(module, "func.return", result_count,
                                                    results, 0, NULL, 0));
  set_signature(&generator, function, generator.block);
  *out_device_count = generator.mesh->device_count;
  return module;
}
