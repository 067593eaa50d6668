// Kernels that look at the parts or the bits of elements, and map.

#include <math.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/loops/floats.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

enum { PART_ELEMENTS = 1 << 20 };  // Moved between two looks.

static size_t element_count(const tensor_shape_t *shape) {
  return (size_t)tensor_shape_elements(shape);
}

// ----- complex parts -----

pod_status_t kernel_complex_part(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const tensor_dtype_t part = kernel_result_shape(args, 0)->dtype;
  const size_t count = element_count(shape), bytes = tensor_dtype_bytes(part);
  const bool is_imaginary = args->instruction->op == CHIP_OP_IMAG;
  if (tensor_dtype_is_complex(shape->dtype)) {
    const char *in = (const char *)args->operands[0] + (is_imaginary ? bytes : 0);
    for (size_t done = 0; done < count && !kernel_is_stopped(); done += PART_ELEMENTS) {
      kernel_loops()->gather[kernel_size_index(part)](
          in + 2 * done * bytes, 2, (char *)args->results[0] + done * bytes,
          kernel_part(count, done, PART_ELEMENTS));
    }
  } else if (is_imaginary) {
    kernel_zero_bytes(args->results[0], count * bytes);
  } else {
    kernel_copy_bytes(args->results[0], args->operands[0], count * bytes);
  }
  return NULL;
}

pod_status_t kernel_complex(const kernel_args_t *args) {
  const tensor_dtype_t part = kernel_operand_shape(args, 0)->dtype;
  const size_t count = element_count(kernel_result_shape(args, 0));
  const unsigned size = kernel_size_index(part);
  for (size_t done = 0; done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    for (size_t i = 0; i < 2; i++) {
      kernel_loops()->scatter[size]((const char *)args->operands[i] + (done << size),
                                    (char *)args->results[0] + ((2 * done + i) << size),
                                    2, kernel_part(count, done, KERNEL_STOP_ELEMENTS));
    }
  }
  return NULL;
}

// ----- bitcast_convert -----

// Elements of less than a byte lie in a byte each on the host, but follow one another bit
// by bit in the element that they are part of, the first in the lowest bits.
static uint64_t low_bits(unsigned width) {
  return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static void store_bits(tensor_dtype_t dtype, uint64_t bits, char *element) {
  if (tensor_dtype_is_integer(dtype) && tensor_dtype_device_bits(dtype) < 8) {
    tensor_element_from_int64(dtype, (int64_t)bits, element);  // Extends the sign.
  } else {
    memcpy(element, &bits, tensor_dtype_bytes(dtype));
  }
}

// Looks once in a while; `step` goes up by a power of two.
static bool is_stopped_at(size_t step) {
  return step % KERNEL_STOP_ELEMENTS == 0 && kernel_is_stopped();
}

static void bitcast_parts(tensor_dtype_t from, const char *in, tensor_dtype_t to,
                          char *out, size_t in_count) {
  const unsigned from_bits = chip_bitcast_bits(from), to_bits = chip_bitcast_bits(to);
  const unsigned splits = from_bits > to_bits ? from_bits / to_bits : 1;
  const unsigned joins = from_bits < to_bits ? to_bits / from_bits : 1;
  for (size_t i = 0; i < in_count && !is_stopped_at(i); i += joins) {
    uint64_t bits = 0;
    for (unsigned j = 0; j < joins; j++, in += tensor_dtype_bytes(from)) {
      uint64_t part = 0;
      memcpy(&part, in, tensor_dtype_bytes(from));
      bits |= (part & low_bits(from_bits)) << (j * from_bits);
    }
    for (unsigned j = 0; j < splits; j++, out += tensor_dtype_bytes(to)) {
      store_bits(to, bits >> (j * to_bits) & low_bits(to_bits), out);
    }
  }
}

pod_status_t kernel_bitcast_convert(const kernel_args_t *args) {
  const tensor_shape_t *from = kernel_operand_shape(args, 0),
                       *to = kernel_result_shape(args, 0);
  const size_t bytes = (size_t)tensor_shape_bytes(from);
  const bool is_plain =
      chip_bitcast_bits(from->dtype) >= 8 && chip_bitcast_bits(to->dtype) >= 8;
  if (is_plain) {
    kernel_copy_bytes(args->results[0], args->operands[0], bytes);
  } else {
    bitcast_parts(from->dtype, args->operands[0], to->dtype, args->results[0],
                  element_count(from));
  }
  return NULL;
}

// ----- reduce_precision -----

// Exponent and mantissa bits of the float types.
static const int8_t float_bits[TENSOR_DTYPE_COUNT][2] = {
    [TENSOR_F4E2M1FN] = {2, 1},   [TENSOR_F6E2M3FN] = {2, 3},
    [TENSOR_F6E3M2FN] = {3, 2},   [TENSOR_F8E3M4] = {3, 4},
    [TENSOR_F8E4M3] = {4, 3},     [TENSOR_F8E4M3FN] = {4, 3},
    [TENSOR_F8E4M3FNUZ] = {4, 3}, [TENSOR_F8E4M3B11FNUZ] = {4, 3},
    [TENSOR_F8E5M2] = {5, 2},     [TENSOR_F8E5M2FNUZ] = {5, 2},
    [TENSOR_F8E8M0FNU] = {8, 0},  [TENSOR_BF16] = {8, 7},
    [TENSOR_F16] = {5, 10},       [TENSOR_F32] = {8, 23},
    [TENSOR_F64] = {11, 52},
};

// The bits of a float of `own` exponent and mantissa bits with `mantissa` bits of
// fraction left, rounded to nearest even, and an exponent of `exponent` bits: what is too
// large is infinite, what is too small for a normal number is zero, as XLA has it.
// Subnormal numbers lose the same bits of their fraction as normal ones.
static uint64_t reduce_bits(uint64_t bits, const int8_t own[2], int64_t exponent,
                            int64_t mantissa) {
  const unsigned fraction = (unsigned)own[1], width = fraction + (unsigned)own[0];
  const uint64_t sign = bits & UINT64_C(1) << width;
  const uint64_t infinity = ((UINT64_C(1) << own[0]) - 1) << fraction;
  bits ^= sign;
  if (bits >= infinity) {
    return sign | (bits > infinity && mantissa > 0 ? bits : infinity);
  }
  if (mantissa < own[1]) {
    const unsigned dropped = fraction - (unsigned)mantissa;
    bits += (UINT64_C(1) << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits &= ~((UINT64_C(1) << dropped) - 1);
  }
  if (exponent < own[0]) {
    const int64_t bias = (INT64_C(1) << (own[0] - 1)) - 1;
    const int64_t reduced = (INT64_C(1) << (exponent - 1)) - 1;
    const int64_t field = (int64_t)(bits >> fraction);
    bits = field > bias + reduced ? infinity : field <= bias - reduced ? 0 : bits;
  }
  return sign | bits;
}

pod_status_t kernel_reduce_precision(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const tensor_dtype_t dtype = shape->dtype;
  const size_t count = element_count(shape), bytes = tensor_dtype_bytes(dtype);
  const int64_t exponent =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_EXPONENT_BITS, 11);
  const int64_t mantissa =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_MANTISSA_BITS, 52);
  const char *in = args->operands[0];
  char *out = args->results[0];
  const kernel_precision_fn_t loop = kernel_loops()->reduce_precision[dtype];
  if (loop != NULL && exponent > 0 && mantissa >= 0) {
    for (size_t done = 0; done < count && !kernel_is_stopped();
         done += KERNEL_STOP_ELEMENTS) {
      loop(in + done * bytes, out + done * bytes,
           kernel_part(count, done, KERNEL_STOP_ELEMENTS), exponent, mantissa);
    }
    return NULL;
  }
  for (size_t i = 0; i < count && !is_stopped_at(i); i++) {
    uint64_t element = 0;
    memcpy(&element, in + i * bytes, bytes);
    element = reduce_bits(element, float_bits[dtype], exponent, mantissa);
    memcpy(out + i * bytes, &element, bytes);
  }
  return NULL;
}

// ----- next_after -----

// The neighbour of x towards y, by the bits: they grow with the magnitude. Where -0 would
// be NaN there is only one 0.
static uint64_t next_bits(tensor_dtype_t dtype, const char *a, const char *b) {
  const double x = tensor_element_as_double(dtype, a);
  const double y = tensor_element_as_double(dtype, b);
  uint64_t bits = 0, other = 0;
  memcpy(&bits, a, tensor_dtype_bytes(dtype));
  memcpy(&other, b, tensor_dtype_bytes(dtype));
  const uint64_t sign = UINT64_C(1) << (tensor_dtype_device_bits(dtype) - 1);
  if (isnan(x)) {
    return bits;
  }
  if (isnan(y) || x == y) {
    return other;
  }
  if (x == 0) {
    return (y < 0 ? sign : 0) | 1;
  }
  const uint64_t next = (x < y) == (x > 0) ? bits + 1 : bits - 1;
  const bool has_one_zero = dtype == TENSOR_F8E4M3FNUZ || dtype == TENSOR_F8E4M3B11FNUZ ||
                            dtype == TENSOR_F8E5M2FNUZ;
  return has_one_zero && next == sign ? 0 : next;
}

pod_status_t kernel_next_after(const kernel_args_t *args) {
  const tensor_dtype_t dtype = kernel_result_shape(args, 0)->dtype;
  const size_t count = element_count(kernel_result_shape(args, 0));
  const size_t bytes = tensor_dtype_bytes(dtype);
  if (!tensor_dtype_is_float(dtype)) {
    return kernel_unsupported(args, dtype);
  }
  for (size_t i = 0; i < count * bytes && !is_stopped_at(i); i += bytes) {
    const uint64_t bits = next_bits(dtype, (const char *)args->operands[0] + i,
                                    (const char *)args->operands[1] + i);
    memcpy((char *)args->results[0] + i, &bits, bytes);
  }
  return NULL;
}

// ----- mulhi: the upper half of the product -----

__extension__ typedef __int128 wide_signed_t;
__extension__ typedef unsigned __int128 wide_unsigned_t;

pod_status_t kernel_mulhi(const kernel_args_t *args) {
  const tensor_dtype_t dtype = kernel_result_shape(args, 0)->dtype;
  const size_t count = element_count(kernel_result_shape(args, 0));
  const size_t bytes = tensor_dtype_bytes(dtype);
  if (!tensor_dtype_is_integer(dtype)) {
    return kernel_unsupported(args, dtype);
  }
  const unsigned width = tensor_dtype_device_bits(dtype);
  for (size_t i = 0; i < count * bytes && !is_stopped_at(i); i += bytes) {
    const int64_t a = tensor_element_as_int64(dtype, (const char *)args->operands[0] + i);
    const int64_t b = tensor_element_as_int64(dtype, (const char *)args->operands[1] + i);
    const int64_t high =
        tensor_dtype_is_signed(dtype)
            ? (int64_t)((wide_signed_t)a * b >> width)
            : (int64_t)((wide_unsigned_t)(uint64_t)a * (uint64_t)b >> width);
    tensor_element_from_int64(dtype, high, (char *)args->results[0] + i);
  }
  return NULL;
}

// ----- map -----

pod_status_t kernel_map(const kernel_args_t *args) {
  const int64_t count = tensor_shape_elements(kernel_result_shape(args, 0));
  const int32_t operands = args->instruction->operand_count;
  if (operands > KERNEL_VALUES_MAX) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d operands",
                     args->instruction->name, KERNEL_VALUES_MAX);
  }
  kernel_signature_t signature = {.parameter_count = operands, .result_count = 1};
  for (int32_t k = 0; k < operands; k++) {
    signature.parameters[k] = kernel_operand_shape(args, k)->dtype;
  }
  signature.results[0] = kernel_result_shape(args, 0)->dtype;
  const size_t result_bytes = tensor_dtype_bytes(signature.results[0]);
  kernel_lanes_t *lanes;
  POD_TRY(kernel_lanes_create(args, 0, &signature, &lanes));
  pod_status_t status = NULL;
  for (int64_t done = 0; done < count && status == NULL && !kernel_is_stopped();
       done += KERNEL_LANES) {
    const size_t part =
        (size_t)(count - done < KERNEL_LANES ? count - done : KERNEL_LANES);
    for (int32_t k = 0; k < operands; k++) {
      const size_t bytes = tensor_dtype_bytes(signature.parameters[k]);
      memcpy(kernel_lanes_parameter(lanes, k),
             (const char *)args->operands[k] + (size_t)done * bytes, part * bytes);
    }
    status = kernel_lanes_run(lanes, part);
    if (status == NULL) {
      memcpy((char *)args->results[0] + (size_t)done * result_bytes,
             kernel_lanes_result(lanes, 0), part * result_bytes);
    }
  }
  kernel_lanes_destroy(lanes);
  return status;
}
