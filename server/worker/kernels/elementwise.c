// Kernels that compute every element from those at the same place.

#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

static size_t element_count(const tensor_shape_t *shape) {
  return (size_t)tensor_shape_elements(shape);
}

static bool is_narrow_integer(tensor_dtype_t dtype) {
  return tensor_dtype_is_integer(dtype) && tensor_dtype_device_bits(dtype) < 8;
}

pod_status_t kernel_unsupported(const kernel_args_t *args, tensor_dtype_t dtype) {
  return pod_error(POD_UNIMPLEMENTED, "%s: %s is not implemented for %s",
                   args->instruction->name, chip_op_name(args->instruction->op),
                   tensor_dtype_name(dtype));
}

// ----- one operand -----

// Bits of s2, s4, u2 and u4 are counted within their width, not in the byte that holds
// them.
static void count_bits(chip_op_t op, tensor_dtype_t dtype, const uint8_t *in,
                       uint8_t *out, size_t count) {
  const unsigned width = tensor_dtype_device_bits(dtype), mask = (1u << width) - 1u;
  for (size_t i = 0; i < count; i++) {
    const unsigned bits = in[i] & mask;
    const int result = op == CHIP_OP_POPCNT ? __builtin_popcount(bits)
                       : bits == 0          ? (int)width
                                            : __builtin_clz(bits) - (32 - (int)width);
    tensor_element_from_int64(dtype, result, &out[i]);
  }
}

static void not_pred(const uint8_t *in, uint8_t *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    out[i] = in[i] ^ 1u;
  }
}

static void run_unary(kernel_unary_fn_t loop, tensor_dtype_t from, const char *in,
                      tensor_dtype_t to, char *out, size_t count) {
  const bool is_pred = to == TENSOR_PRED;  // is_finite writes it as it is stored.
  if (kernel_is_computed_as_stored(from) &&
      (kernel_is_computed_as_stored(to) || is_pred)) {
    loop(in, out, count);
    return;
  }
  _Alignas(64) char decoded[4 * KERNEL_BLOCK], computed[4 * KERNEL_BLOCK];
  for (size_t done = 0; done < count; done += KERNEL_BLOCK) {
    const size_t part = count - done < KERNEL_BLOCK ? count - done : KERNEL_BLOCK;
    const void *block =
        kernel_decode(from, in + done * tensor_dtype_bytes(from), part, decoded);
    char *target = out + done * tensor_dtype_bytes(to);
    loop(block, is_pred ? target : computed, part);
    if (!is_pred) {
      kernel_encode(to, computed, part, target);
    }
  }
}

// What computes one operand's elements: a function of their own for bits, or a loop.
typedef struct unary_t {
  chip_op_t op;
  tensor_dtype_t from, to;
  kernel_unary_fn_t loop;
} unary_t;

static void run_unary_part(const unary_t *unary, const char *in, char *out,
                           size_t count) {
  const chip_op_t op = unary->op;
  if (unary->from == TENSOR_PRED) {
    not_pred((const uint8_t *)in, (uint8_t *)out, count);
  } else if (unary->loop == NULL) {
    count_bits(op, unary->from, (const uint8_t *)in, (uint8_t *)out, count);
  } else {
    run_unary(unary->loop, unary->from, in, unary->to, out, count);
  }
}

pod_status_t kernel_unary(const kernel_args_t *args) {
  const chip_op_t op = args->instruction->op;
  unary_t unary = {.op = op,
                   .from = kernel_operand_shape(args, 0)->dtype,
                   .to = kernel_result_shape(args, 0)->dtype};
  const bool counts_bits = is_narrow_integer(unary.from) &&
                           (op == CHIP_OP_POPCNT || op == CHIP_OP_COUNT_LEADING_ZEROS);
  if (unary.from == TENSOR_PRED && op != CHIP_OP_NOT) {
    return kernel_unsupported(args, unary.from);
  }
  if (unary.from != TENSOR_PRED && !counts_bits) {
    unary.loop = kernel_unary_loop(op, unary.from);
    if (unary.loop == NULL) {
      return kernel_unsupported(args, unary.from);
    }
  }
  const size_t count = element_count(kernel_result_shape(args, 0));
  const size_t from_bytes = tensor_dtype_bytes(unary.from);
  const size_t to_bytes = tensor_dtype_bytes(unary.to);
  for (size_t done = 0; done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    run_unary_part(&unary, (const char *)args->operands[0] + done * from_bytes,
                   (char *)args->results[0] + done * to_bytes,
                   kernel_part(count, done, KERNEL_STOP_ELEMENTS));
  }
  return NULL;
}

// ----- two operands -----

// On truth values the sum is or, the product and.
static chip_op_t pred_op(chip_op_t op) {
  switch (op) {
    case CHIP_OP_ADD:
    case CHIP_OP_MAXIMUM:
      return CHIP_OP_OR;
    case CHIP_OP_MULTIPLY:
    case CHIP_OP_MINIMUM:
      return CHIP_OP_AND;
    case CHIP_OP_AND:
    case CHIP_OP_OR:
    case CHIP_OP_XOR:
      return op;
    default:
      return CHIP_OP_INVALID;
  }
}

kernel_binary_fn_t kernel_binary_of(chip_op_t op, tensor_dtype_t dtype) {
  if (dtype == TENSOR_PRED) {
    op = pred_op(op);
  }
  return kernel_binary_loop(op, dtype);
}

kernel_binary_fn_t kernel_stored_loop(kernel_binary_fn_t loop, tensor_dtype_t dtype) {
  static const chip_reducer_t reducers[] = {CHIP_REDUCER_ADD, CHIP_REDUCER_MULTIPLY,
                                            CHIP_REDUCER_MAXIMUM, CHIP_REDUCER_MINIMUM};
  const kernel_loops_t *loops = kernel_loops();
  for (size_t i = 0; i < POD_COUNT_OF(reducers); i++) {
    const chip_op_t op = chip_reducer_op(reducers[i]);
    if ((*loops->float_binary)[op][TENSOR_F32] == loop) {
      return dtype == TENSOR_BF16  ? loops->bf16_reducers[reducers[i]]
             : dtype == TENSOR_F16 ? loops->f16_reducers[reducers[i]]
                                   : NULL;
    }
  }
  return NULL;
}

static void binary_part(kernel_binary_fn_t loop, tensor_dtype_t dtype, const void *a,
                        const void *b, void *out, size_t count) {
  if (kernel_is_computed_as_stored(dtype) || dtype == TENSOR_PRED) {
    loop(a, b, out, count);
    return;
  }
  const kernel_binary_fn_t stored = kernel_stored_loop(loop, dtype);
  if (stored != NULL) {
    stored(a, b, out, count);
    return;
  }
  const size_t bytes = tensor_dtype_bytes(dtype);
  _Alignas(64) char decoded_a[4 * KERNEL_BLOCK], decoded_b[4 * KERNEL_BLOCK];
  for (size_t done = 0; done < count; done += KERNEL_BLOCK) {
    const size_t part = count - done < KERNEL_BLOCK ? count - done : KERNEL_BLOCK;
    const void *block_a =
        kernel_decode(dtype, (const char *)a + done * bytes, part, decoded_a);
    const void *block_b =
        kernel_decode(dtype, (const char *)b + done * bytes, part, decoded_b);
    loop(block_a, block_b, decoded_a, part);
    kernel_encode(dtype, decoded_a, part, (char *)out + done * bytes);
  }
}

void kernel_binary_elements(kernel_binary_fn_t loop, tensor_dtype_t dtype, const void *a,
                            const void *b, void *out, size_t count) {
  if (count <= KERNEL_STOP_ELEMENTS) {
    binary_part(loop, dtype, a, b, out, count);
    return;
  }
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (size_t done = 0; done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    binary_part(loop, dtype, (const char *)a + done * bytes,
                (const char *)b + done * bytes, (char *)out + done * bytes,
                kernel_part(count, done, KERNEL_STOP_ELEMENTS));
  }
}

// Types below 8 bits are shifted to the right within their width, not in the byte that
// holds them.
static void shift_right_narrow(chip_op_t op, tensor_dtype_t dtype, const uint8_t *a,
                               const uint8_t *b, uint8_t *out, size_t count) {
  const unsigned width = tensor_dtype_device_bits(dtype), mask = (1u << width) - 1u;
  for (size_t i = 0; i < count; i++) {
    if (i % KERNEL_STOP_ELEMENTS == 0 && kernel_is_stopped()) {
      return;
    }
    const unsigned bits = a[i] & mask;
    const bool is_filled_with_ones =
        op == CHIP_OP_SHIFT_RIGHT_ARITHMETIC && bits >> (width - 1) != 0;
    const unsigned extended = is_filled_with_ones ? bits | ~mask : bits;
    const unsigned amount = b[i] < width ? b[i] : width;
    tensor_element_from_int64(dtype, extended >> amount, &out[i]);
  }
}

pod_status_t kernel_binary(const kernel_args_t *args) {
  const chip_op_t op = args->instruction->op;
  const tensor_dtype_t dtype = kernel_result_shape(args, 0)->dtype;
  const size_t count = element_count(kernel_result_shape(args, 0));
  const bool is_right_shift =
      op == CHIP_OP_SHIFT_RIGHT_LOGICAL || op == CHIP_OP_SHIFT_RIGHT_ARITHMETIC;
  if (is_right_shift && is_narrow_integer(dtype)) {
    shift_right_narrow(op, dtype, args->operands[0], args->operands[1], args->results[0],
                       count);
    return NULL;
  }
  const kernel_binary_fn_t loop = kernel_binary_of(op, dtype);
  if (loop == NULL) {
    return kernel_unsupported(args, dtype);
  }
  kernel_binary_elements(loop, dtype, args->operands[0], args->operands[1],
                         args->results[0], count);
  return NULL;
}

// ----- compare -----

// In total order floats become integers that are ordered so; `keys` holds a block.
static const void *total_order_keys(tensor_dtype_t compute, const void *in, size_t count,
                                    void *keys) {
  kernel_loops()->total_order_key[compute](in, keys, count);
  return keys;
}

// Complex numbers are equal or not; no other order is defined.
static void compare_complex(bool is_equal, tensor_dtype_t dtype, const char *a,
                            const char *b, uint8_t *out, size_t count) {
  const tensor_dtype_t part = dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
  const size_t part_bytes = tensor_dtype_bytes(part);
  for (size_t i = 0; i < 2 * count; i += 2) {
    bool same = true;
    for (size_t j = i; j < i + 2; j++) {
      same &= tensor_element_as_double(part, a + j * part_bytes) ==
              tensor_element_as_double(part, b + j * part_bytes);
    }
    out[i / 2] = same == is_equal;
  }
}

static void compare_blocks(kernel_binary_fn_t loop, tensor_dtype_t dtype,
                           bool is_total_order, const char *a, const char *b,
                           uint8_t *out, size_t count) {
  const tensor_dtype_t compute = kernel_compute_dtype(dtype);
  const size_t bytes = tensor_dtype_bytes(dtype);
  _Alignas(64) char block_a[8 * KERNEL_BLOCK], block_b[8 * KERNEL_BLOCK];
  for (size_t done = 0; done < count; done += KERNEL_BLOCK) {
    const size_t part = count - done < KERNEL_BLOCK ? count - done : KERNEL_BLOCK;
    const void *x = kernel_decode(dtype, a + done * bytes, part, block_a);
    const void *y = kernel_decode(dtype, b + done * bytes, part, block_b);
    if (is_total_order) {
      x = total_order_keys(compute, x, part, block_a);
      y = total_order_keys(compute, y, part, block_b);
    }
    loop(x, y, out + done, part);
  }
}

pod_status_t kernel_compare(const kernel_args_t *args) {
  const tensor_dtype_t dtype = kernel_operand_shape(args, 0)->dtype;
  const size_t count = element_count(kernel_result_shape(args, 0));
  const int64_t direction = chip_instruction_attr_one(
      args->instruction, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_EQ);
  const bool is_total_order =
      tensor_dtype_is_float(dtype) &&
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_COMPARE_TYPE,
                                CHIP_COMPARE_BY_DTYPE) == CHIP_COMPARE_TOTAL_ORDER;
  if (direction < 0 || direction >= KERNEL_DIRECTIONS) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: there is no comparison %lld",
                     args->instruction->name, (long long)direction);
  }
  const char *a = args->operands[0], *b = args->operands[1];
  uint8_t *out = args->results[0];
  const size_t bytes = tensor_dtype_bytes(dtype);
  if (tensor_dtype_is_complex(dtype)) {
    if (direction != CHIP_COMPARISON_EQ && direction != CHIP_COMPARISON_NE) {
      return kernel_unsupported(args, dtype);
    }
    for (size_t done = 0; done < count && !kernel_is_stopped();
         done += KERNEL_STOP_ELEMENTS) {
      compare_complex(direction == CHIP_COMPARISON_EQ, dtype, a + done * bytes,
                      b + done * bytes, out + done,
                      kernel_part(count, done, KERNEL_STOP_ELEMENTS));
    }
    return NULL;
  }
  tensor_dtype_t compared = kernel_compute_dtype(dtype);
  if (is_total_order) {
    compared = compared == TENSOR_F32 ? TENSOR_S32 : TENSOR_S64;
  }
  const kernel_binary_fn_t loop = kernel_loops()->compare[direction][compared];
  const bool is_direct = kernel_is_computed_as_stored(dtype) && !is_total_order;
  for (size_t done = 0; done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    const size_t part = kernel_part(count, done, KERNEL_STOP_ELEMENTS);
    if (is_direct) {
      loop(a + done * bytes, b + done * bytes, out + done, part);
    } else {
      compare_blocks(loop, dtype, is_total_order, a + done * bytes, b + done * bytes,
                     out + done, part);
    }
  }
  return NULL;
}

// ----- select and clamp -----

pod_status_t kernel_select(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_result_shape(args, 0);
  const uint8_t *pred = args->operands[0];
  const size_t count = element_count(shape);
  if (kernel_operand_shape(args, 0)->rank == 0 && shape->rank > 0) {
    const void *chosen = args->operands[pred[0] != 0 ? 1 : 2];
    kernel_copy_bytes(args->results[0], chosen, count * tensor_dtype_bytes(shape->dtype));
    return NULL;
  }
  const unsigned size = kernel_size_index(shape->dtype);
  for (size_t done = 0; done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    kernel_loops()->select[size](pred + done,
                                 (const char *)args->operands[1] + (done << size),
                                 (const char *)args->operands[2] + (done << size),
                                 (char *)args->results[0] + (done << size),
                                 kernel_part(count, done, KERNEL_STOP_ELEMENTS));
  }
  return NULL;
}

// A bound of a clamp: a block of it in the compute type, at element `done`.
typedef struct bound_t {
  const char *data;
  bool is_scalar;  // Then `block` is filled once.
  _Alignas(64) char block[KERNEL_BLOCK_BYTES];
} bound_t;

static void bound_init(bound_t *bound, tensor_dtype_t dtype, const void *data,
                       bool is_scalar) {
  bound->data = data;
  bound->is_scalar = is_scalar;
  if (is_scalar) {
    const tensor_dtype_t compute = kernel_compute_dtype(dtype);
    _Alignas(16) char element[16];
    const void *decoded = kernel_decode(dtype, data, 1, element);
    kernel_loops()->gather[kernel_size_index(compute)](decoded, 0, bound->block,
                                                       KERNEL_BLOCK);
  }
}

static const void *bound_at(bound_t *bound, tensor_dtype_t dtype, size_t done,
                            size_t count) {
  return bound->is_scalar
             ? bound->block
             : kernel_decode(dtype, bound->data + done * tensor_dtype_bytes(dtype), count,
                             bound->block);
}

// min(max(operand, low), high), so that NaN goes through. Complex numbers too: by their
// real parts, then by their imaginary ones.
pod_status_t kernel_clamp(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_result_shape(args, 0);
  const tensor_dtype_t dtype = shape->dtype;
  const size_t count = element_count(shape), bytes = tensor_dtype_bytes(dtype);
  const kernel_binary_fn_t maximum = kernel_binary_of(CHIP_OP_MAXIMUM, dtype);
  const kernel_binary_fn_t minimum = kernel_binary_of(CHIP_OP_MINIMUM, dtype);
  if (maximum == NULL || minimum == NULL) {
    return kernel_unsupported(args, dtype);
  }
  const bool is_scalar = shape->rank == 0;
  bound_t low, high;
  bound_init(&low, dtype, args->operands[0],
             !is_scalar && kernel_operand_shape(args, 0)->rank == 0);
  bound_init(&high, dtype, args->operands[2],
             !is_scalar && kernel_operand_shape(args, 2)->rank == 0);
  const char *in = args->operands[1];
  char *out = args->results[0];
  _Alignas(64) char decoded[KERNEL_BLOCK_BYTES], computed[KERNEL_BLOCK_BYTES];
  for (size_t done = 0; done < count && !kernel_is_stopped(); done += KERNEL_BLOCK) {
    const size_t part = count - done < KERNEL_BLOCK ? count - done : KERNEL_BLOCK;
    const void *block = kernel_decode(dtype, in + done * bytes, part, decoded);
    maximum(block, bound_at(&low, dtype, done, part), computed, part);
    minimum(computed, bound_at(&high, dtype, done, part), computed, part);
    kernel_encode(dtype, computed, part, out + done * bytes);
  }
  return NULL;
}

pod_status_t kernel_convert(const kernel_args_t *args) {
  kernel_convert_elements(kernel_operand_shape(args, 0)->dtype, args->operands[0],
                          kernel_result_shape(args, 0)->dtype, args->results[0],
                          element_count(kernel_result_shape(args, 0)));
  return NULL;
}
