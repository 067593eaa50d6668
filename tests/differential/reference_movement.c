// Elements go to other places: shapes, slices, padding, bits.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

// The same elements in the same order.
static void reference_identity(reference_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    if (op->results[i].type->kind != MLIR_TYPE_TENSOR) {  // A token.
      continue;
    }
    reference_value_t *result = reference_result(machine, op, i);
    const reference_value_t *operand = reference_operand(machine, op, i);
    POD_CHECK(result->count == operand->count);
    for (int64_t j = 0; j < result->count; j++) {
      reference_copy(result, j, operand, j);
    }
  }
}

// Dimension d of the operand is dimension places[d] of the result.
static void broadcast(const reference_value_t *operand, const int64_t *places,
                      reference_value_t *result) {
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX], source[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    for (int d = 0; d < operand->shape.rank; d++) {
      source[d] = operand->shape.dims[d] == 1 ? 0 : index[places[d]];
    }
    reference_copy(result, i, operand, reference_ravel(&operand->shape, source));
  }
}

static void reference_broadcast_in_dim(reference_t *machine, const mlir_op_t *op) {
  broadcast(reference_operand(machine, op, 0),
            reference_list(machine, op, "broadcast_dimensions", NULL),
            reference_result(machine, op, 0));
}

static void reference_broadcast(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  int64_t places[TENSOR_RANK_MAX];
  for (int d = 0; d < operand->shape.rank; d++) {
    places[d] = result->shape.rank - operand->shape.rank + d;
  }
  broadcast(operand, places, result);
}

static void reference_transpose(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t *permutation = reference_list(machine, op, "permutation", NULL);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX], source[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    for (int d = 0; d < operand->shape.rank; d++) {
      source[permutation[d]] = index[d];
    }
    reference_copy(result, i, operand, reference_ravel(&operand->shape, source));
  }
}

static void reference_reverse(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  int64_t count;
  const int64_t *dims = reference_list(machine, op, "dimensions", &count);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    for (int64_t d = 0; d < count; d++) {
      index[dims[d]] = result->shape.dims[dims[d]] - 1 - index[dims[d]];
    }
    reference_copy(result, i, operand, reference_ravel(&operand->shape, index));
  }
}

// A list that is an attribute, or the operand at `index` of a dynamic operation.
static const int64_t *list_or_operand(reference_t *machine, const mlir_op_t *op,
                                      const char *name, int index) {
  if (index >= op->operand_count) {
    return reference_list(machine, op, name, NULL);
  }
  const reference_value_t *operand = reference_operand(machine, op, index);
  int64_t *values =
      pod_arena_array(machine->arena, (size_t)operand->count + 1, sizeof(values[0]));
  for (int64_t i = 0; i < operand->count; i++) {
    values[i] = reference_index(operand, i);
  }
  return values;
}

// Also real_dynamic_slice, with its operands start, limit and strides.
static void reference_slice(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t *starts = list_or_operand(machine, op, "start_indices", 1);
  const int64_t *strides = list_or_operand(machine, op, "strides", 3);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    for (int d = 0; d < operand->shape.rank; d++) {
      index[d] = starts[d] + index[d] * strides[d];
    }
    reference_copy(result, i, operand, reference_ravel(&operand->shape, index));
  }
}

// Starts of a dynamic slice, from operand `first` on, moved until the slice is inside.
static void clamped_starts(reference_t *machine, const mlir_op_t *op, int first,
                           const tensor_shape_t *whole, const tensor_shape_t *part,
                           int64_t *out_starts) {
  for (int d = 0; d < whole->rank; d++) {
    const int64_t last = whole->dims[d] - part->dims[d];
    const int64_t start = reference_index(reference_operand(machine, op, first + d), 0);
    out_starts[d] = start < 0 ? 0 : start > last ? last : start;
  }
}

static void reference_dynamic_slice(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  int64_t starts[TENSOR_RANK_MAX];
  clamped_starts(machine, op, 1, &operand->shape, &result->shape, starts);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    for (int d = 0; d < operand->shape.rank; d++) {
      index[d] += starts[d];
    }
    reference_copy(result, i, operand, reference_ravel(&operand->shape, index));
  }
}

static void reference_dynamic_update_slice(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  const reference_value_t *update = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  int64_t starts[TENSOR_RANK_MAX];
  clamped_starts(machine, op, 2, &operand->shape, &update->shape, starts);
  for (int64_t i = 0; i < result->count; i++) {
    reference_copy(result, i, operand, i);
  }
  for (int64_t i = 0; i < update->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&update->shape, i, index);
    for (int d = 0; d < operand->shape.rank; d++) {
      index[d] += starts[d];
    }
    reference_copy(result, reference_ravel(&result->shape, index), update, i);
  }
}

static void reference_concatenate(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t dimension = reference_integer(op, "dimension", 0);
  int64_t before = 0;
  for (int i = 0; i < op->operand_count; i++) {
    const reference_value_t *operand = reference_operand(machine, op, i);
    for (int64_t j = 0; j < operand->count; j++) {
      int64_t index[TENSOR_RANK_MAX];
      reference_unravel(&operand->shape, j, index);
      index[dimension] += before;
      reference_copy(result, reference_ravel(&result->shape, index), operand, j);
    }
    before += operand->shape.dims[dimension];
  }
}

// Also dynamic_pad, with its operands low, high and interior.
static void reference_pad(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  const reference_value_t *value = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t *low = list_or_operand(machine, op, "edge_padding_low", 2);
  const int64_t *interior = list_or_operand(machine, op, "interior_padding", 4);
  for (int64_t i = 0; i < result->count; i++) {
    reference_copy(result, i, value, 0);
  }
  for (int64_t i = 0; i < operand->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&operand->shape, i, index);
    for (int d = 0; d < operand->shape.rank; d++) {
      index[d] = low[d] + index[d] * (interior[d] + 1);
    }
    if (reference_is_inside(&result->shape, index)) {
      reference_copy(result, reference_ravel(&result->shape, index), operand, i);
    }
  }
}

// i1 is one bit, as the specification's types have it.
static unsigned bits_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_PRED ? 1 : tensor_dtype_device_bits(dtype);
}

static unsigned get_bit(const reference_value_t *value, int64_t bit) {
  const unsigned width = bits_of(value->shape.dtype);
  const size_t at = (size_t)(bit / width) * tensor_dtype_bytes(value->shape.dtype);
  const unsigned within = (unsigned)(bit % width);
  return (unsigned)(unsigned char)value->data[at + within / 8] >> (within % 8) & 1;
}

static void set_bit(reference_value_t *value, int64_t bit) {
  const unsigned width = bits_of(value->shape.dtype);
  const size_t at = (size_t)(bit / width) * tensor_dtype_bytes(value->shape.dtype);
  const unsigned within = (unsigned)(bit % width);
  char *byte = &value->data[at + within / 8];
  *byte = (char)((unsigned char)*byte | 1u << (within % 8));
}

// All bits of all elements in a row, the lowest of an element first.
static void reference_bitcast_convert(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t bits = operand->count * (int64_t)bits_of(operand->shape.dtype);
  POD_CHECK(bits == result->count * (int64_t)bits_of(result->shape.dtype));
  for (int64_t i = 0; i < bits; i++) {
    if (get_bit(operand, i) != 0) {
      set_bit(result, i);
    }
  }
  for (int64_t i = 0; tensor_dtype_is_integer(result->shape.dtype) && i < result->count;
       i++) {
    reference_store(result, i, reference_load(result, i));  // Extends signs.
  }
}

static void reference_get_dimension_size(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t dimension = reference_integer(op, "dimension", 0);
  reference_store(result, 0,
                  reference_of_integer(TENSOR_S32, operand->shape.dims[dimension]));
}

static void reference_tuple(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *tuple = &machine->values[op->results[0].id];
  *tuple = (reference_value_t){.part_count = op->operand_count};
  tuple->parts =
      pod_arena_array(machine->arena, (size_t)op->operand_count, sizeof(tuple->parts[0]));
  for (int i = 0; i < op->operand_count; i++) {
    tuple->parts[i] = *reference_operand(machine, op, i);
  }
}

static void reference_get_tuple_element(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *tuple = reference_operand(machine, op, 0);
  const int64_t index = reference_integer(op, "index", 0);
  POD_CHECK(index >= 0 && index < tuple->part_count);
  machine->values[op->results[0].id] = tuple->parts[index];
}

static void reference_dynamic_iota(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t dimension = reference_integer(op, "iota_dimension", 0);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    reference_store(result, i,
                    reference_convert(reference_of_integer(TENSOR_S64, index[dimension]),
                                      result->shape.dtype));
  }
}

static void reference_reshape(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const reference_value_t *operand = reference_operand(machine, op, 0);
  POD_CHECK(result->count == operand->count);
  for (int64_t i = 0; i < result->count; i++) {
    reference_copy(result, i, operand, i);
  }
}

const reference_row_t reference_movement_rows[] = {
    {"sdy.manual_computation", reference_identity},  // As mesh_manual.c makes it.
    {"stablehlo.bitcast_convert", reference_bitcast_convert},
    {"stablehlo.broadcast", reference_broadcast},
    {"stablehlo.broadcast_in_dim", reference_broadcast_in_dim},
    {"stablehlo.concatenate", reference_concatenate},
    {"stablehlo.dynamic_broadcast_in_dim", reference_broadcast_in_dim},
    {"stablehlo.dynamic_iota", reference_dynamic_iota},
    {"stablehlo.dynamic_pad", reference_pad},
    {"stablehlo.dynamic_reshape", reference_reshape},
    {"stablehlo.dynamic_slice", reference_dynamic_slice},
    {"stablehlo.dynamic_update_slice", reference_dynamic_update_slice},
    {"stablehlo.get_dimension_size", reference_get_dimension_size},
    {"stablehlo.get_tuple_element", reference_get_tuple_element},
    {"stablehlo.optimization_barrier", reference_identity},
    {"stablehlo.pad", reference_pad},
    {"stablehlo.real_dynamic_slice", reference_slice},
    {"stablehlo.reshape", reference_reshape},
    {"stablehlo.reverse", reference_reverse},
    {"stablehlo.slice", reference_slice},
    {"stablehlo.transpose", reference_transpose},
    {"stablehlo.tuple", reference_tuple},
    {NULL, NULL},
};
