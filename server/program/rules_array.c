// Rules of operations that index, order and slide over arrays, and of those that work on
// the last dimensions of one.

#include "server/program/indexing.h"
#include "server/program/rule.h"
#include "server/program/window.h"

// --- Indexing ---

pod_status_t check_gather(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  const chip_indexing_t indexing = chip_indexing_of(rule->instruction);
  chip_dims_t sizes;
  sizes.values =
      chip_instruction_attr(rule->instruction, CHIP_ATTR_SLICE_SIZES, &sizes.count);
  tensor_shape_t expected;
  POD_TRY(chip_gather_shape(&indexing, operand(rule, 0), operand(rule, 1), &sizes,
                            &expected));
  return demand(tensor_shape_equal(&expected, result(rule, 0)),
                "the result must have the shape that follows");
}

pod_status_t check_scatter(const rule_t *rule) {
  const int32_t count = rule->instruction->result_count;
  POD_TRY(demand(count > 0 && count <= CHIP_BUFFERS_MAX / 2, "no result"));
  POD_TRY(arity(rule, 2 * count + 1, count));
  const chip_indexing_t indexing = chip_indexing_of(rule->instruction);
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(demand(tensor_shape_equal(operand(rule, i), result(rule, i)) &&
                       tensor_shape_same_dims(operand(rule, i), operand(rule, 0)) &&
                       tensor_shape_same_dims(operand(rule, count + 1 + i),
                                              operand(rule, count + 1)),
                   "inputs and results, and updates, must have the same sizes"));
    POD_TRY(chip_scatter_check(&indexing, operand(rule, i), operand(rule, count),
                               operand(rule, count + 1 + i)));
  }
  return rule_reducer(rule, count);
}

// --- Order ---

pod_status_t check_sort(const rule_t *rule) {
  const int32_t count = rule->instruction->result_count;
  POD_TRY(demand(count > 0 && rule->instruction->call_count == 1,
                 "results and a comparator are needed"));
  POD_TRY(arity(rule, count, count));
  int64_t dimension;
  if (operand(rule, 0)->rank > 0) {
    POD_TRY(value_below(rule, CHIP_ATTR_DIMENSION, operand(rule, 0)->rank, &dimension));
  }
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(demand(tensor_shape_equal(operand(rule, i), result(rule, i)) &&
                       tensor_shape_same_dims(operand(rule, i), operand(rule, 0)),
                   "operands and results must have the same sizes"));
  }
  return rule_region(rule, 0, count, false);
}

pod_status_t check_top_k(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 2));
  const tensor_shape_t *from = operand(rule, 0);
  const tensor_shape_t *values = result(rule, 0), *indices = result(rule, 1);
  POD_TRY(demand(from->rank >= 1 && values->rank == from->rank &&
                     values->dtype == from->dtype && indices->dtype == TENSOR_S32 &&
                     tensor_shape_same_dims(values, indices),
                 "values must be of the operand's type, indices s32"));
  for (int d = 0; d < from->rank; d++) {
    POD_TRY(demand(d < from->rank - 1 ? values->dims[d] == from->dims[d]
                                      : values->dims[d] <= from->dims[d],
                   "the results must be the operand cut in its last dimension"));
  }
  return NULL;
}

pod_status_t check_map(const rule_t *rule) {
  const int32_t count = rule->instruction->operand_count;
  POD_TRY(demand(count > 0 && rule->instruction->call_count == 1,
                 "operands and a region are needed"));
  POD_TRY(arity(rule, count, 1));
  const chip_computation_t *region =
      &rule->program->computations[rule->instruction->calls[0]];
  POD_TRY(
      demand(region->parameter_count == count && region->result_count == 1 &&
                 is_scalar(shape_of(rule, region->results[0]), result(rule, 0)->dtype),
             "the region must map one element of each operand to one"));
  for (int32_t i = 0; i < count; i++) {
    const chip_buffer_kind_t kind = rule->program->buffers[region->parameters[i]].kind;
    POD_TRY(demand(
        tensor_shape_same_dims(operand(rule, i), result(rule, 0)) &&
            is_scalar(shape_of(rule, region->parameters[i]), operand(rule, i)->dtype) &&
            kind != CHIP_BUFFER_ARGUMENT && kind != CHIP_BUFFER_CONSTANT,
        "the region must take one element of each operand"));
  }
  return NULL;
}

// --- Windows ---

// `result` has as many elements in each dimension as the window has places over `over`.
static pod_status_t check_places(const chip_window_t *window, const tensor_shape_t *over,
                                 const tensor_shape_t *places) {
  POD_TRY(demand(over->rank == places->rank, "windows keep the rank"));
  for (int d = 0; d < over->rank; d++) {
    int64_t expected;
    POD_TRY(chip_window_places(window, d, over->dims[d], &expected));
    POD_TRY(demand(expected == places->dims[d],
                   "a size must be the number of the window's places"));
  }
  return NULL;
}

pod_status_t check_reduce_window(const rule_t *rule) {
  const int32_t count = rule->instruction->result_count;
  POD_TRY(demand(count > 0 && count <= CHIP_BUFFERS_MAX / 2, "no result"));
  POD_TRY(arity(rule, 2 * count, count));
  chip_window_t window;
  POD_TRY(chip_window_of(rule->instruction, operand(rule, 0)->rank, &window));
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(demand(tensor_shape_same_dims(operand(rule, i), operand(rule, 0)) &&
                       is_scalar(operand(rule, count + i), operand(rule, i)->dtype) &&
                       result(rule, i)->dtype == operand(rule, i)->dtype,
                   "operands and results must agree"));
    POD_TRY(check_places(&window, operand(rule, i), result(rule, i)));
  }
  return rule_reducer(rule, count);
}

// Of a part of an array: behind the others, for every dimension, where in the operand the
// array begins and ends.
static pod_status_t check_bounds(const rule_t *rule) {
  const int32_t count = rule->instruction->operand_count;
  for (int32_t i = 3; i < count; i++) {
    POD_TRY(
        demand(is_scalar(operand(rule, i), TENSOR_S32), "bounds must be scalars s32"));
  }
  return arity(rule, count > 3 ? 3 + 2 * operand(rule, 0)->rank : 3, 1);
}

pod_status_t check_select_and_scatter(const rule_t *rule) {
  POD_TRY(check_bounds(rule));
  const tensor_shape_t *from = operand(rule, 0), *source = operand(rule, 1);
  POD_TRY(demand(tensor_shape_equal(from, result(rule, 0)) &&
                     source->dtype == from->dtype &&
                     is_scalar(operand(rule, 2), from->dtype),
                 "operand, source, initial value and result must agree"));
  chip_window_t window;
  POD_TRY(chip_window_of(rule->instruction, from->rank, &window));
  POD_TRY(check_places(&window, from, source));
  POD_TRY(demand(rule->instruction->call_count == 2, "two regions are needed"));
  POD_TRY(rule_region(rule, 0, 1, false));
  return rule_region(rule, 1, 1, true);
}

pod_status_t check_convolution(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  chip_convolution_t convolution;
  POD_TRY(chip_convolution_of(rule->instruction, operand(rule, 1), &convolution));
  tensor_shape_t expected;
  POD_TRY(chip_convolution_shape(&convolution, operand(rule, 0), operand(rule, 1),
                                 &expected));
  return demand(tensor_shape_same_dims(&expected, result(rule, 0)),
                "the result must have the sizes that follow");
}

// --- Bits and parts ---

static tensor_dtype_t part_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_C64 ? TENSOR_F32 : dtype == TENSOR_C128 ? TENSOR_F64 : dtype;
}

pod_status_t check_complex_part(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  return demand(tensor_shape_same_dims(operand(rule, 0), result(rule, 0)) &&
                    result(rule, 0)->dtype == part_of(operand(rule, 0)->dtype),
                "the result must be of the parts' element type");
}

pod_status_t check_complex(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  return demand(tensor_shape_equal(operand(rule, 0), operand(rule, 1)) &&
                    tensor_shape_same_dims(operand(rule, 0), result(rule, 0)) &&
                    tensor_dtype_is_complex(result(rule, 0)->dtype) &&
                    part_of(result(rule, 0)->dtype) == operand(rule, 0)->dtype,
                "operands must be the parts of the result");
}

// The side of the larger elements has one dimension fewer.
pod_status_t check_bitcast_convert(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const tensor_shape_t *from = operand(rule, 0), *to = result(rule, 0);
  const unsigned from_bits = chip_bitcast_bits(from->dtype),
                 to_bits = chip_bitcast_bits(to->dtype);
  const bool narrows = from_bits > to_bits;
  const tensor_shape_t *few = narrows ? from : to, *many = narrows ? to : from;
  const unsigned ratio = narrows ? from_bits / to_bits : to_bits / from_bits;
  const bool is_split = from_bits != to_bits;
  POD_TRY(demand((narrows ? from_bits % to_bits : to_bits % from_bits) == 0 &&
                     many->rank == few->rank + (is_split ? 1 : 0) &&
                     (!is_split || many->dims[many->rank - 1] == (int64_t)ratio),
                 "the last dimension must hold the parts of an element"));
  for (int d = 0; d < few->rank; d++) {
    POD_TRY(demand(few->dims[d] == many->dims[d], "the sizes must agree"));
  }
  return NULL;
}

pod_status_t check_reduce_precision(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  int64_t exponent, mantissa;
  POD_TRY(value_below(rule, CHIP_ATTR_EXPONENT_BITS, INT32_MAX, &exponent));
  POD_TRY(value_below(rule, CHIP_ATTR_MANTISSA_BITS, INT32_MAX, &mantissa));
  return demand(exponent >= 1 && tensor_shape_equal(operand(rule, 0), result(rule, 0)),
                "operand and result must have one shape, the exponent a bit");
}

// --- Linear algebra, transforms, random numbers ---

pod_status_t check_fft(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const tensor_shape_t *from = operand(rule, 0), *to = result(rule, 0);
  int64_t type;
  POD_TRY(value_below(rule, CHIP_ATTR_FFT_TYPE, CHIP_FFT_IRFFT + 1, &type));
  int32_t count;
  const int64_t *length =
      chip_instruction_attr(rule->instruction, CHIP_ATTR_FFT_LENGTH, &count);
  POD_TRY(
      demand(count >= 1 && count <= 3 && count <= from->rank && from->rank == to->rank,
             "one to three lengths are needed"));
  const bool is_real_in = type == CHIP_FFT_RFFT, is_real_out = type == CHIP_FFT_IRFFT;
  POD_TRY(demand(
      tensor_dtype_is_complex(from->dtype) == !is_real_in &&
          tensor_dtype_is_complex(to->dtype) == !is_real_out &&
          part_of(from->dtype) == part_of(to->dtype) &&
          (part_of(from->dtype) == TENSOR_F32 || part_of(from->dtype) == TENSOR_F64),
      "the element types must suit the transform"));
  for (int d = 0; d < from->rank; d++) {
    const int at = d - (from->rank - count);
    const int64_t full = at < 0 ? from->dims[d] : length[at];
    const int64_t half = d == from->rank - 1 && full > 0 ? full / 2 + 1 : full;
    POD_TRY(demand(full >= 0 && from->dims[d] == (is_real_out ? half : full) &&
                       to->dims[d] == (is_real_in ? half : full),
                   "the sizes must be the transform's lengths"));
  }
  return NULL;
}

pod_status_t check_triangular_solve(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  const tensor_shape_t *a = operand(rule, 0), *b = operand(rule, 1);
  int64_t left, flag;
  POD_TRY(value_below(rule, CHIP_ATTR_LEFT_SIDE, 2, &left));
  POD_TRY(value_below(rule, CHIP_ATTR_LOWER, 2, &flag));
  POD_TRY(value_below(rule, CHIP_ATTR_UNIT_DIAGONAL, 2, &flag));
  POD_TRY(value_below(rule, CHIP_ATTR_TRANSPOSE_A, CHIP_TRANSPOSE_ADJOINT + 1, &flag));
  POD_TRY(demand(a->rank >= 2 && a->rank == b->rank && a->dtype == b->dtype &&
                     tensor_shape_equal(b, result(rule, 0)),
                 "operands and result must agree"));
  const int rows = a->rank - 2;
  for (int d = 0; d < rows; d++) {
    POD_TRY(demand(a->dims[d] == b->dims[d], "the batches must agree"));
  }
  return demand(a->dims[rows] == a->dims[rows + 1] &&
                    a->dims[rows] == b->dims[left != 0 ? rows : rows + 1],
                "the matrix must be square and fit the right side");
}

pod_status_t check_cholesky(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const tensor_shape_t *a = operand(rule, 0);
  int64_t lower;
  POD_TRY(value_below(rule, CHIP_ATTR_LOWER, 2, &lower));
  return demand(a->rank >= 2 && a->dims[a->rank - 1] == a->dims[a->rank - 2] &&
                    tensor_shape_equal(a, result(rule, 0)),
                "the operand must be of square matrices, as is the result");
}

// Of a part of an array: how large that is, and where in every dimension it begins.
static pod_status_t check_random_part(const rule_t *rule) {
  const int32_t rank = rule->instruction->result_count == 2 ? result(rule, 1)->rank : 0;
  POD_TRY(arity(rule, 1 + rank, 2));
  const int64_t *sizes;
  POD_TRY(values(rule, CHIP_ATTR_LIMIT_INDICES, rank, &sizes));
  tensor_shape_t whole = *result(rule, 1);
  for (int32_t d = 0; d < rank; d++) {
    const tensor_shape_t *start = operand(rule, 1 + d);
    whole.dims[d] = sizes[d];
    POD_TRY(demand(start->rank == 0 && start->dtype == TENSOR_S32,
                   "a part must begin at a scalar s32 in every dimension"));
    POD_TRY(demand(sizes[d] >= 0 && sizes[d] < INT32_MAX && start->rank == 0,
                   "a part must be of an array of sizes below 2^31"));
  }
  return tensor_shape_check(&whole);
}

pod_status_t check_rng_bit_generator(const rule_t *rule) {
  int32_t sizes;
  if (chip_instruction_attr(rule->instruction, CHIP_ATTR_LIMIT_INDICES, &sizes) == NULL) {
    POD_TRY(arity(rule, 1, 2));
  } else {
    POD_TRY(check_random_part(rule));
  }
  const tensor_shape_t *state = operand(rule, 0);
  int64_t algorithm;
  POD_TRY(value_below(rule, CHIP_ATTR_RNG_ALGORITHM, CHIP_RNG_PHILOX + 1, &algorithm));
  const bool is_whole = tensor_dtype_is_integer(result(rule, 1)->dtype) ||
                        tensor_dtype_is_float(result(rule, 1)->dtype);
  const int64_t size = state->rank == 1 ? state->dims[0] : 0;
  return demand(state->dtype == TENSOR_U64 &&
                    (size == 2 || (size == 3 && algorithm != CHIP_RNG_THREE_FRY)) &&
                    tensor_shape_equal(state, result(rule, 0)) && is_whole,
                "the state must be u64[2], or u64[3] for PHILOX");
}
