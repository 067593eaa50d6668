// Parts and bits of elements; linear algebra, transforms and random numbers.
#include <inttypes.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/verify/shape.h"
#include "server/program/program.h"

static tensor_dtype_t part_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_C64 ? TENSOR_F32 : dtype == TENSOR_C128 ? TENSOR_F64 : dtype;
}

static tensor_dtype_t complex_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_F32   ? TENSOR_C64
         : dtype == TENSOR_F64 ? TENSOR_C128
                               : TENSOR_INVALID;
}

pod_status_t shape_complex_part(mlir_module_t *module, const mlir_op_t *op,
                                const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  tensor_shape_t shape = *shape_operand(op, 0);
  if (!tensor_dtype_is_float(shape.dtype) && !tensor_dtype_is_complex(shape.dtype)) {
    return SHAPE_ERROR("takes floats or complex numbers, not %s",
                       shape_text(module, &shape));
  }
  shape.dtype = part_of(shape.dtype);
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

pod_status_t shape_complex(mlir_module_t *module, const mlir_op_t *op,
                           const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  tensor_shape_t shape = *shape_operand(op, 0);
  if (!tensor_shape_equal(&shape, shape_operand(op, 1)) ||
      complex_of(shape.dtype) == TENSOR_INVALID) {  // (C1) to (C3)
    return SHAPE_ERROR("takes two tensors of one type of f32 or f64, not %s and %s",
                       shape_text(module, &shape),
                       shape_text(module, shape_operand(op, 1)));
  }
  shape.dtype = complex_of(shape.dtype);
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

// (C1): the last dimension of the side with smaller elements holds the parts.
pod_status_t shape_bitcast_convert(mlir_module_t *module, const mlir_op_t *op,
                                   const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *from = shape_operand(op, 0);
  const tensor_dtype_t dtype = shape_declared(op, 0)->dtype;
  tensor_shape_t result = *from;
  result.dtype = dtype;
  if (tensor_dtype_is_complex(from->dtype) != tensor_dtype_is_complex(dtype)) {  // (C2)
    return SHAPE_ERROR(
        "makes %s of %s: complex elements only become complex ones, and "
        "real ones real",
        shape_text(module, shape_declared(op, 0)), shape_text(module, from));
  }
  const unsigned from_bits = chip_bitcast_bits(from->dtype),
                 to_bits = chip_bitcast_bits(dtype);
  if (from_bits > to_bits) {
    if (from_bits % to_bits != 0 || from->rank == TENSOR_RANK_MAX) {
      return SHAPE_ERROR("%u bits do not divide into elements of %u", from_bits, to_bits);
    }
    result.dims[result.rank++] = from_bits / to_bits;
  } else if (from_bits < to_bits) {
    const int64_t parts = to_bits / from_bits;
    if (to_bits % from_bits != 0 || from->rank == 0 ||
        from->dims[from->rank - 1] != parts) {
      return SHAPE_ERROR("the last dimension of %s must have size %" PRId64
                         " to make elements of %u bits",
                         shape_text(module, from), parts, to_bits);
    }
    result.dims[--result.rank] = 0;
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_reduce_precision(mlir_module_t *module, const mlir_op_t *op,
                                    const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  int64_t bits;
  POD_TRY(shape_i32(module, op, "exponent_bits", 1, INT32_MAX, &bits));  // (C2)
  POD_TRY(shape_i32(module, op, "mantissa_bits", 0, INT32_MAX, &bits));  // (C3)
  if (!tensor_dtype_is_float(shape_operand(op, 0)->dtype)) {
    return SHAPE_ERROR("takes floats, not %s", shape_text(module, shape_operand(op, 0)));
  }
  out_types[0] = op->operands[0]->type;
  return NULL;
}

pod_status_t shape_fft(mlir_module_t *module, const mlir_op_t *op,
                       const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  tensor_shape_t shape = *shape_operand(op, 0);
  int type;
  POD_TRY(stablehlo_fft_type(module, op, &type));
  int64_t count;
  const int64_t *length;
  POD_TRY(shape_i64s(module, op, "fft_length", SHAPE_ANY, &count, &length));
  if (count < 1 || count > 3 || count > shape.rank) {  // (C1), (C3)
    return SHAPE_ERROR("'fft_length' has %" PRId64
                       " values for an operand of rank %d; "
                       "1 to 3 are possible, and no more than its rank",
                       count, shape.rank);
  }
  const bool is_real_in = type == CHIP_FFT_RFFT, is_real_out = type == CHIP_FFT_IRFFT;
  if (tensor_dtype_is_complex(shape.dtype) == is_real_in ||
      (part_of(shape.dtype) != TENSOR_F32 && part_of(shape.dtype) != TENSOR_F64)) {
    return SHAPE_ERROR("takes %s, not %s", is_real_in ? "f32 or f64" : "complex numbers",
                       shape_text(module, &shape));
  }
  for (int64_t i = 0; i < count; i++) {  // (C4), (C5)
    const int d = shape.rank - (int)count + (int)i;
    const bool is_last = i == count - 1;
    const int64_t half = length[i] > 0 ? length[i] / 2 + 1 : 0;
    const int64_t needed = is_last && is_real_out ? half : length[i];
    if (shape.dims[d] != needed) {
      return SHAPE_ERROR("dimension %d of the operand has size %" PRId64
                         "; the transform needs %" PRId64,
                         d, shape.dims[d], needed);
    }
    shape.dims[d] = is_last && is_real_in ? half : length[i];
  }
  if (is_real_in) {
    shape.dtype = complex_of(shape.dtype);
  } else if (is_real_out) {
    shape.dtype = part_of(shape.dtype);
  }
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

// Operand `index` holds square matrices of floats or complex numbers: cholesky (C2),
// (C3), triangular_solve (C2), (C3).
static pod_status_t check_square(mlir_module_t *module, const mlir_op_t *op, int index) {
  const tensor_shape_t *a = shape_operand(op, index);
  if (!tensor_dtype_is_float(a->dtype) && !tensor_dtype_is_complex(a->dtype)) {
    return SHAPE_ERROR("takes floats or complex numbers, not %s", shape_text(module, a));
  }
  if (a->rank < 2) {
    return SHAPE_ERROR("takes matrices, of rank 2 or more, not %s",
                       shape_text(module, a));
  }
  const int row = a->rank - 2, column = a->rank - 1;
  if (a->dims[row] != a->dims[column]) {
    return SHAPE_ERROR(
        "takes square matrices; dimensions %d and %d of %s have sizes "
        "%" PRId64 " and %" PRId64,
        row, column, shape_text(module, a), a->dims[row], a->dims[column]);
  }
  return NULL;
}

// A flag that must be there.
static pod_status_t needed_flag(mlir_module_t *module, const mlir_op_t *op,
                                const char *name) {
  POD_TRY(shape_flag(module, op, name));
  return mlir_op_attr(op, name) != NULL ? NULL
                                        : SHAPE_ERROR("lacks the attribute '%s'", name);
}

pod_status_t shape_triangular_solve(mlir_module_t *module, const mlir_op_t *op,
                                    const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  const tensor_shape_t *a = shape_operand(op, 0), *b = shape_operand(op, 1);
  int transpose;
  POD_TRY(stablehlo_transpose(module, op, &transpose));
  POD_TRY(needed_flag(module, op, "left_side"));
  POD_TRY(needed_flag(module, op, "lower"));
  POD_TRY(needed_flag(module, op, "unit_diagonal"));
  if (a->rank < 2 || a->rank != b->rank) {  // (C2)
    return SHAPE_ERROR(
        "the operands have rank %d and %d; they must have one rank, of 2 or more",
        a->rank, b->rank);
  }
  POD_TRY(check_square(module, op, 0));
  if (a->dtype != b->dtype) {  // (C1)
    return SHAPE_ERROR("the operands are of %s and %s; they must be of one type",
                       tensor_dtype_mlir_name(a->dtype),
                       tensor_dtype_mlir_name(b->dtype));
  }
  const int rows = a->rank - 2;
  for (int d = 0; d < rows; d++) {  // (C3)
    if (a->dims[d] != b->dims[d]) {
      return SHAPE_ERROR("dimension %d of a has size %" PRId64 ", of b %" PRId64
                         "; batches must be the same",
                         d, a->dims[d], b->dims[d]);
    }
  }
  const mlir_attr_t *left = mlir_op_attr(op, "left_side");
  const bool is_left = left->kind == MLIR_ATTR_UNIT || left->integer != 0;
  const int across = is_left ? rows : rows + 1;
  if (b->dims[across] != a->dims[rows]) {
    return SHAPE_ERROR("dimension %d of b has size %" PRId64
                       "; the matrices of a have %" PRId64 " rows",
                       across, b->dims[across], a->dims[rows]);
  }
  out_types[0] = op->operands[1]->type;
  return NULL;
}

pod_status_t shape_cholesky(mlir_module_t *module, const mlir_op_t *op,
                            const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  POD_TRY(check_square(module, op, 0));
  POD_TRY(shape_flag(module, op, "lower"));
  out_types[0] = op->operands[0]->type;
  return NULL;
}

// Of a larger array, as the partitioner writes it.
static pod_status_t check_random_part(mlir_module_t *module, const mlir_op_t *op,
                                      const mlir_attr_t *whole) {
  int64_t count;
  const int64_t *sizes;
  if (op->result_count != 2 || !mlir_attr_as_i64s(module, whole, &count, &sizes) ||
      op->results[1].type->kind != MLIR_TYPE_TENSOR ||
      count != shape_declared(op, 1)->rank) {
    return SHAPE_ERROR(
        "draws a part of an array whose sizes are not those of its result");
  }
  POD_TRY(shape_arity(module, op, 1 + (int)count, 2, 0));
  for (int64_t d = 0; d < count; d++) {
    const tensor_shape_t *start = shape_operand(op, 1 + (int)d);
    if (start->rank != 0 || start->dtype != TENSOR_S32 || sizes[d] < 0 ||
        sizes[d] >= INT32_MAX) {
      return SHAPE_ERROR("draws a part that does not begin at an s32 in every dimension");
    }
  }
  return NULL;
}

pod_status_t shape_rng_bit_generator(mlir_module_t *module, const mlir_op_t *op,
                                     const mlir_type_t **out_types) {
  const mlir_attr_t *whole = mlir_op_attr(op, RANDOM_WHOLE_ATTR);
  if (whole == NULL) {
    POD_TRY(shape_arity(module, op, 1, 2, 0));
  } else {
    POD_TRY(check_random_part(module, op, whole));
  }
  int algorithm;
  POD_TRY(stablehlo_rng_algorithm(module, op, &algorithm));
  const tensor_shape_t *state = shape_operand(op, 0), *out = shape_declared(op, 1);
  const int64_t size = state->rank == 1 ? state->dims[0] : 0;
  if (state->dtype != TENSOR_U64 ||
      !(size == 2 || (size == 3 && algorithm != CHIP_RNG_THREE_FRY))) {  // (C2)
    return SHAPE_ERROR(
        "its state is %s; it must be tensor<2xui64>, or tensor<3xui64> "
        "for PHILOX",
        shape_text(module, state));
  }
  if (!tensor_dtype_is_integer(out->dtype) && !tensor_dtype_is_float(out->dtype)) {
    return SHAPE_ERROR("makes integers and floats, not %s", shape_text(module, out));
  }
  out_types[0] = op->operands[0]->type;
  out_types[1] = op->results[1].type;
  return NULL;
}
