// Elements go to other places: shapes, slices, padding, bits.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate.h"
#include "tests/differential/reference_scalar.h"

// Anything: what moves need not be exact.
static mlir_value_t *any_value(generate_t *g, int rank_min) {
  if (generate_chance(g, 4)) {
    const tensor_shape_t shape = generate_large_shape(g, generate_dtype(g, GENERATE_ANY));
    return generate_fresh(g, &shape, GENERATE_SPECIALS);
  }
  return generate_any(g, GENERATE_ANY, rank_min, GENERATE_CLOSE, GENERATE_SPECIALS);
}

static bool is_dynamic(const char *name) {
  return strstr(name, "dynamic_") != NULL;
}

// A constant of indexes, as dynamic operations have them.
static mlir_value_t *indexes(generate_t *g, int64_t count, const int64_t *values) {
  return generate_constant_integers(g, generate_chance(g, 50) ? TENSOR_S64 : TENSOR_S32,
                                    count, values);
}

static void shuffle(generate_t *g, int count, int64_t *values) {
  for (int i = count - 1; i > 0; i--) {
    const int other = generate_below(g, i + 1);
    const int64_t swapped = values[i];
    values[i] = values[other];
    values[other] = swapped;
  }
}

static void generate_broadcast_in_dim(generate_t *g, const char *name) {
  mlir_value_t *operands[2] = {any_value(g, 0)};
  const tensor_shape_t from = *generate_shape_of(operands[0]);
  const int rank = generate_between(g, from.rank, GENERATE_RANK_MAX);
  int64_t places[TENSOR_RANK_MAX], dims[TENSOR_RANK_MAX];
  int64_t elements = tensor_shape_elements(&from);
  for (int d = 0; d < rank; d++) {
    places[d] = d;
    dims[d] = -1;
  }
  shuffle(g, rank, places);
  for (int d = 0; d < from.rank; d++) {
    if (from.dims[d] != 1) {
      dims[places[d]] = from.dims[d];
    }
  }
  for (int d = 0; d < rank; d++) {
    if (dims[d] < 0) {
      dims[d] = generate_dim(g);
      dims[d] = elements * dims[d] > GENERATE_ELEMENTS_MAX ? 1 : dims[d];
      elements *= dims[d] > 0 ? dims[d] : 1;
    }
  }
  const tensor_shape_t to = tensor_shape_make(from.dtype, rank, dims);
  if (is_dynamic(name)) {
    operands[1] = indexes(g, rank, dims);
  }
  mlir_op_t *op = generate_op(g, name, is_dynamic(name) ? 2 : 1, operands, 1, &to, 0);
  generate_list(g, op, "broadcast_dimensions", from.rank, places);
  generate_keep_as(g, op, 0, operands[0]);
}

static void generate_broadcast(generate_t *g, const char *name) {
  mlir_value_t *x = any_value(g, 0);
  const tensor_shape_t from = *generate_shape_of(x);
  const int added = generate_below(g, GENERATE_RANK_MAX + 1 - from.rank);
  int64_t dims[TENSOR_RANK_MAX];
  int64_t elements = tensor_shape_elements(&from);
  for (int d = 0; d < added; d++) {
    dims[d] = elements > GENERATE_ELEMENTS_MAX / 3 ? 1 : generate_between(g, 0, 3);
    elements *= dims[d];
  }
  memcpy(dims + added, from.dims, (size_t)from.rank * sizeof(dims[0]));
  const tensor_shape_t to = tensor_shape_make(from.dtype, added + from.rank, dims);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &to, 0);
  generate_list(g, op, "broadcast_sizes", added, dims);
  generate_keep_as(g, op, 0, x);
}

// Prime factors of all sizes, joined anew.
static tensor_shape_t reshaped(generate_t *g, const tensor_shape_t *from) {
  int64_t dims[GENERATE_RANK_MAX];
  const int64_t elements = tensor_shape_elements(from);
  int rank = generate_between(g, elements == 1 ? 0 : 1, GENERATE_RANK_MAX);
  for (int d = 0; d < rank; d++) {
    dims[d] = elements == 0 ? generate_between(g, 0, 3) : 1;
  }
  if (elements == 0) {
    dims[generate_below(g, rank)] = 0;
  }
  int64_t left = elements;
  for (int64_t factor = 2; left > 1; factor++) {
    for (; left % factor == 0; left /= factor) {
      dims[generate_below(g, rank)] *= factor;
    }
  }
  return tensor_shape_make(from->dtype, rank, dims);
}

static void generate_reshape(generate_t *g, const char *name) {
  mlir_value_t *operands[2] = {any_value(g, 0)};
  const tensor_shape_t to = reshaped(g, generate_shape_of(operands[0]));
  if (is_dynamic(name)) {
    operands[1] = indexes(g, to.rank, to.dims);
  }
  mlir_op_t *op = generate_op(g, name, is_dynamic(name) ? 2 : 1, operands, 1, &to, 0);
  generate_keep_as(g, op, 0, operands[0]);
}

static void generate_transpose(generate_t *g, const char *name) {
  mlir_value_t *x = any_value(g, 0);
  const tensor_shape_t from = *generate_shape_of(x);
  tensor_shape_t to = from;
  int64_t permutation[TENSOR_RANK_MAX] = {0};
  for (int d = 0; d < from.rank; d++) {
    permutation[d] = d;
  }
  shuffle(g, from.rank, permutation);
  for (int d = 0; d < from.rank; d++) {
    to.dims[d] = from.dims[permutation[d]];
  }
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &to, 0);
  generate_list(g, op, "permutation", from.rank, permutation);
  generate_keep_as(g, op, 0, x);
}

static void generate_reverse(generate_t *g, const char *name) {
  mlir_value_t *x = any_value(g, 0);
  const tensor_shape_t shape = *generate_shape_of(x);
  int64_t dims[TENSOR_RANK_MAX] = {0};
  for (int d = 0; d < shape.rank; d++) {
    dims[d] = d;
  }
  shuffle(g, shape.rank, dims);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  generate_list(g, op, "dimensions", generate_between(g, 0, shape.rank), dims);
  generate_keep_as(g, op, 0, x);
}

// Also real_dynamic_slice.
static void generate_slice(generate_t *g, const char *name) {
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  mlir_value_t *operands[4] = {any_value(g, is_dynamic(name) ? 1 : 0)};
  const tensor_shape_t from = *generate_shape_of(operands[0]);
  tensor_shape_t to = from;
  int64_t lists[3][TENSOR_RANK_MAX] = {{0}};
  for (int d = 0; d < from.rank; d++) {
    lists[0][d] = generate_chance(g, 40) ? 0 : generate_between(g, 0, (int)from.dims[d]);
    lists[1][d] = generate_chance(g, 40)
                      ? from.dims[d]
                      : generate_between(g, (int)lists[0][d], (int)from.dims[d]);
    lists[2][d] = generate_chance(g, 50) ? 1 : generate_between(g, 1, 4);
    to.dims[d] = (lists[1][d] - lists[0][d] + lists[2][d] - 1) / lists[2][d];
  }
  const tensor_dtype_t dtype = generate_chance(g, 50) ? TENSOR_S64 : TENSOR_S32;
  for (int i = 0; i < 3 && is_dynamic(name); i++) {
    operands[i + 1] = generate_constant_integers(g, dtype, from.rank, lists[i]);
  }
  mlir_op_t *op = generate_op(g, name, is_dynamic(name) ? 4 : 1, operands, 1, &to, 0);
  for (int i = 0; i < 3 && !is_dynamic(name); i++) {
    generate_list(g, op, names[i], from.rank, lists[i]);
  }
  generate_keep_as(g, op, 0, operands[0]);
}

// Scalars of one integer type: any values, or such that are inside.
static void draw_starts(generate_t *g, const tensor_shape_t *whole,
                        const tensor_shape_t *part, mlir_value_t **out_starts) {
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_INTEGER);
  const tensor_shape_t scalar = generate_scalar_shape(dtype);
  for (int d = 0; d < whole->rank; d++) {
    if (generate_chance(g, 50)) {
      out_starts[d] = generate_operand(g, &scalar, GENERATE_BITS, GENERATE_SPECIALS);
      continue;
    }
    char element[8];
    tensor_element_from_int64(
        dtype, generate_between(g, 0, (int)(whole->dims[d] - part->dims[d])), element);
    out_starts[d] = generate_given(g, &scalar, element);
  }
}

static tensor_shape_t part_of(generate_t *g, const tensor_shape_t *whole) {
  tensor_shape_t part = *whole;
  for (int d = 0; d < whole->rank; d++) {
    if (generate_chance(g, 70)) {
      part.dims[d] = generate_between(g, 0, (int)whole->dims[d]);
    }
  }
  return part;
}

static void generate_dynamic_slice(generate_t *g, const char *name) {
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {any_value(g, 0)};
  const tensor_shape_t whole = *generate_shape_of(operands[0]);
  const tensor_shape_t part = part_of(g, &whole);
  draw_starts(g, &whole, &part, operands + 1);
  mlir_op_t *op = generate_op(g, name, 1 + whole.rank, operands, 1, &part, 0);
  generate_list(g, op, "slice_sizes", part.rank, part.dims);
  generate_keep_as(g, op, 0, operands[0]);
}

// What two values are known to make together.
static void keep_both(generate_t *g, mlir_op_t *op, const mlir_value_t *first,
                      const mlir_value_t *second) {
  const generate_value_t a = generate_known(g, first), b = generate_known(g, second);
  generate_keep(g, op, 0, a.exactness < b.exactness ? a.exactness : b.exactness,
                a.ulps > b.ulps ? a.ulps : b.ulps);
}

static void generate_dynamic_update_slice(generate_t *g, const char *name) {
  mlir_value_t *operands[2 + TENSOR_RANK_MAX] = {any_value(g, 0)};
  const tensor_shape_t whole = *generate_shape_of(operands[0]);
  const tensor_shape_t part = part_of(g, &whole);
  operands[1] = generate_operand(g, &part, GENERATE_CLOSE, GENERATE_SPECIALS);
  draw_starts(g, &whole, &part, operands + 2);
  mlir_op_t *op = generate_op(g, name, 2 + whole.rank, operands, 1, &whole, 0);
  keep_both(g, op, operands[0], operands[1]);
}

static void generate_concatenate(generate_t *g, const char *name) {
  enum { OPERANDS_MAX = 6 };
  mlir_value_t *operands[OPERANDS_MAX] = {any_value(g, 1)};
  tensor_shape_t to = *generate_shape_of(operands[0]);
  const int dimension = generate_below(g, to.rank);
  const int count = generate_between(g, 1, OPERANDS_MAX);
  generate_value_t worst = generate_known(g, operands[0]);
  for (int i = 1; i < count; i++) {
    tensor_shape_t shape = *generate_shape_of(operands[0]);
    if (generate_chance(g, 50)) {
      shape.dims[dimension] = generate_between(g, 0, 3);
    }
    operands[i] = generate_operand(g, &shape, GENERATE_CLOSE, GENERATE_SPECIALS);
    to.dims[dimension] += shape.dims[dimension];
    const generate_value_t known = generate_known(g, operands[i]);
    worst.exactness =
        known.exactness < worst.exactness ? known.exactness : worst.exactness;
    worst.ulps = known.ulps > worst.ulps ? known.ulps : worst.ulps;
  }
  mlir_op_t *op = generate_op(g, name, count, operands, 1, &to, 0);
  generate_integer(g, op, "dimension", dimension);
  generate_keep(g, op, 0, worst.exactness, worst.ulps);
}

static void generate_pad(generate_t *g, const char *name) {
  static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                      "interior_padding"};
  mlir_value_t *operands[5] = {any_value(g, is_dynamic(name) ? 1 : 0)};
  const tensor_shape_t from = *generate_shape_of(operands[0]);
  const tensor_shape_t scalar = generate_scalar_shape(from.dtype);
  operands[1] = generate_operand(g, &scalar, GENERATE_CLOSE, GENERATE_SPECIALS);
  tensor_shape_t to = from;
  int64_t lists[3][TENSOR_RANK_MAX] = {{0}};
  int64_t elements = 1;
  for (int d = 0; d < from.rank; d++) {
    do {
      lists[0][d] = generate_between(g, -3, 3);
      lists[1][d] = generate_between(g, -3, 3);
      lists[2][d] = generate_chance(g, 60) ? 0 : generate_between(g, 1, 2);
      if (elements * (from.dims[d] + 2) > 3 * GENERATE_ELEMENTS_MAX) {
        lists[0][d] = lists[1][d] = lists[2][d] = 0;
      }
      const int64_t gaps = from.dims[d] > 0 ? (from.dims[d] - 1) * lists[2][d] : 0;
      to.dims[d] = lists[0][d] + from.dims[d] + gaps + lists[1][d];
    } while (to.dims[d] < 0);
    elements *= to.dims[d] > 0 ? to.dims[d] : 1;
  }
  const tensor_dtype_t dtype = generate_chance(g, 50) ? TENSOR_S64 : TENSOR_S32;
  for (int i = 0; i < 3 && is_dynamic(name); i++) {
    operands[i + 2] = generate_constant_integers(g, dtype, from.rank, lists[i]);
  }
  mlir_op_t *op = generate_op(g, name, is_dynamic(name) ? 5 : 2, operands, 1, &to, 0);
  for (int i = 0; i < 3 && !is_dynamic(name); i++) {
    generate_list(g, op, names[i], from.rank, lists[i]);
  }
  keep_both(g, op, operands[0], operands[1]);
}

static unsigned bits_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_PRED ? 1 : tensor_dtype_device_bits(dtype);
}

static void generate_bitcast_convert(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_BITS, GENERATE_SPECIALS);
  tensor_shape_t to = *generate_shape_of(x);
  const bool is_complex = tensor_dtype_is_complex(to.dtype);
  const unsigned from_bits = bits_of(to.dtype);
  const int64_t last = to.rank > 0 ? to.dims[to.rank - 1] : 0;
  for (;;) {
    to.dtype =
        generate_dtype(g, is_complex ? GENERATE_COMPLEX
                                     : GENERATE_PRED | GENERATE_INTEGER | GENERATE_FLOAT);
    const unsigned to_bits = bits_of(to.dtype);
    if (to_bits == from_bits) {
      break;
    }
    if (to_bits < from_bits && from_bits % to_bits == 0 && to.rank < GENERATE_RANK_MAX) {
      to.dims[to.rank++] = from_bits / to_bits;
      break;
    }
    if (to_bits > from_bits && to_bits % from_bits == 0 && to.rank > 0 &&
        last == to_bits / from_bits) {
      to.dims[--to.rank] = 0;
      break;
    }
  }
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &to, 0);
  generate_keep(g, op, 0, GENERATE_BITS, 0);
}

static void generate_get_dimension_size(generate_t *g, const char *name) {
  mlir_value_t *x = any_value(g, 1);
  const tensor_shape_t to = generate_scalar_shape(TENSOR_S32);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &to, 0);
  generate_integer(g, op, "dimension", generate_below(g, generate_shape_of(x)->rank));
  generate_keep(g, op, 0, GENERATE_BITS, 0);
}

// A tuple and an element of it; a tuple in a tuple too.
static void generate_tuple(generate_t *g, const char *name) {
  (void)name;
  enum { PARTS_MAX = 4 };
  mlir_value_t *parts[PARTS_MAX];
  const mlir_type_t *types[PARTS_MAX];
  const int count = generate_between(g, 1, PARTS_MAX);
  for (int i = 0; i < count; i++) {
    parts[i] = any_value(g, 0);
    types[i] = parts[i]->type;
  }
  const mlir_type_t *type = mlir_type_tuple(g->module, count, types);
  mlir_op_t *tuple =
      mlir_op_create(g->module, "stablehlo.tuple", count, parts, 1, &type, 0);
  mlir_block_append(g->block, tuple);
  const int chosen = generate_below(g, count);
  mlir_value_t *from = &tuple->results[0];
  mlir_op_t *op = generate_op(g, "stablehlo.get_tuple_element", 1, &from, 1,
                              &types[chosen]->shape, 0);
  mlir_op_set_attr(g->module, op, "index",
                   mlir_attr_integer(g->module, chosen, TENSOR_S32));
  generate_keep_as(g, op, 0, parts[chosen]);
}

static void generate_barrier(generate_t *g, const char *name) {
  enum { PARTS_MAX = 3 };
  mlir_value_t *parts[PARTS_MAX];
  tensor_shape_t shapes[PARTS_MAX];
  const int count = generate_between(g, 1, PARTS_MAX);
  for (int i = 0; i < count; i++) {
    parts[i] = any_value(g, 0);
    shapes[i] = *generate_shape_of(parts[i]);
  }
  mlir_op_t *op = generate_op(g, name, count, parts, count, shapes, 0);
  for (int i = 0; i < count; i++) {
    generate_keep_as(g, op, i, parts[i]);
  }
}

static void generate_dynamic_iota(generate_t *g, const char *name) {
  const tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_NUMBER), 1);
  mlir_value_t *sizes = indexes(g, shape.rank, shape.dims);
  mlir_op_t *op = generate_op(g, name, 1, &sizes, 1, &shape, 0);
  generate_integer(g, op, "iota_dimension", generate_below(g, shape.rank));
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

const generate_row_t generate_movement_rows[] = {
    {"stablehlo.bitcast_convert", generate_bitcast_convert},
    {"stablehlo.broadcast", generate_broadcast},
    {"stablehlo.broadcast_in_dim", generate_broadcast_in_dim},
    {"stablehlo.concatenate", generate_concatenate},
    {"stablehlo.dynamic_broadcast_in_dim", generate_broadcast_in_dim},
    {"stablehlo.dynamic_iota", generate_dynamic_iota},
    {"stablehlo.dynamic_pad", generate_pad},
    {"stablehlo.dynamic_reshape", generate_reshape},
    {"stablehlo.dynamic_slice", generate_dynamic_slice},
    {"stablehlo.dynamic_update_slice", generate_dynamic_update_slice},
    {"stablehlo.get_dimension_size", generate_get_dimension_size},
    {"stablehlo.optimization_barrier", generate_barrier},
    {"stablehlo.pad", generate_pad},
    {"stablehlo.real_dynamic_slice", generate_slice},
    {"stablehlo.reshape", generate_reshape},
    {"stablehlo.reverse", generate_reverse},
    {"stablehlo.slice", generate_slice},
    {"stablehlo.transpose", generate_transpose},
    {"stablehlo.tuple", generate_tuple},
    {NULL, NULL},
};
