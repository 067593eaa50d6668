// Elements as they are stored, decoded to a compute type and encoded again, block by
// block.

#include "server/worker/kernels/storage.h"

#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/stop.h"

tensor_dtype_t kernel_compute_dtype(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_PRED:
    case TENSOR_U2:
    case TENSOR_U4:
      return TENSOR_U8;
    case TENSOR_S2:
    case TENSOR_S4:
      return TENSOR_S8;
    default:
      return tensor_dtype_is_float(dtype) && dtype != TENSOR_F64 ? TENSOR_F32 : dtype;
  }
}

bool kernel_is_computed_as_stored(tensor_dtype_t dtype) {
  return kernel_compute_dtype(dtype) == dtype;
}

unsigned kernel_size_index(tensor_dtype_t dtype) {
  return (unsigned)__builtin_ctzll(tensor_dtype_bytes(dtype));
}

static bool is_stored_in_a_byte(tensor_dtype_t dtype) {
  return tensor_dtype_bytes(dtype) == 1;
}

// A float of a byte has at most 256 values, which are decoded first when that is less
// work than decoding every element.
static void decode_byte_floats(tensor_dtype_t dtype, const uint8_t *in, size_t count,
                               float *out) {
  float values[256];
  if (count < POD_COUNT_OF(values)) {
    for (size_t i = 0; i < count; i++) {
      out[i] = (float)tensor_element_as_double(dtype, &in[i]);
    }
    return;
  }
  const unsigned value_count = 1u << tensor_dtype_device_bits(dtype);
  for (unsigned i = 0; i < value_count; i++) {
    const uint8_t bits = (uint8_t)i;
    values[i] = (float)tensor_element_as_double(dtype, &bits);
  }
  for (size_t i = 0; i < count; i++) {
    out[i] = values[in[i] & (value_count - 1u)];
  }
}

const void *kernel_decode(tensor_dtype_t dtype, const void *in, size_t count,
                          void *scratch) {
  if (kernel_compute_dtype(dtype) == dtype || !tensor_dtype_is_float(dtype)) {
    return in;  // Small integers are stored as the bytes that they are computed in.
  }
  if (dtype == TENSOR_BF16) {
    kernel_loops()->bf16_to_f32(in, scratch, count);
  } else if (dtype == TENSOR_F16) {
    kernel_loops()->f16_to_f32(in, scratch, count);
  } else {
    decode_byte_floats(dtype, in, count, scratch);
  }
  return scratch;
}

void kernel_encode(tensor_dtype_t dtype, const void *computed, size_t count, void *out) {
  if (dtype == TENSOR_BF16) {
    kernel_loops()->f32_to_bf16(computed, out, count);
  } else if (dtype == TENSOR_F16) {
    kernel_loops()->f32_to_f16(computed, out, count);
  } else if (tensor_dtype_is_float(dtype) && is_stored_in_a_byte(dtype)) {
    const float *values = computed;
    uint8_t *bytes = out;
    for (size_t i = 0; i < count; i++) {
      tensor_element_from_double(dtype, (double)values[i], &bytes[i]);
    }
  } else if (tensor_dtype_is_integer(dtype) && tensor_dtype_device_bits(dtype) < 8) {
    memmove(out, computed, count);
    tensor_elements_normalise(dtype, out, count);
  } else if (computed != out && count > 0) {
    memcpy(out, computed, count * tensor_dtype_bytes(dtype));
  }
}

// ----- conversion -----

// The real parts of complex elements, as f32 or f64.
static void take_real_parts(tensor_dtype_t dtype, const void *in, size_t count,
                            void *out) {
  const unsigned half = kernel_size_index(dtype) - 1;
  kernel_loops()->gather[half](in, 2, out, count);
}

// From one compute type (or pred as a target) to another; `in` and `out` differ.
static void convert_computed(tensor_dtype_t from, const void *in, tensor_dtype_t to,
                             void *out, size_t count) {
  if (from == to) {
    memcpy(out, in, count * tensor_dtype_bytes(to));
    return;
  }
  const kernel_unary_fn_t loop = kernel_loops()->convert[from][to];
  if (loop != NULL) {
    loop(in, out, count);
    return;
  }
  // Integers of the same size.
  POD_CHECK(tensor_dtype_bytes(from) == tensor_dtype_bytes(to));
  memcpy(out, in, count * tensor_dtype_bytes(to));
}

// What a float became in 8 bits stops at the ends of the narrower type too.
static void saturate_small_integers(tensor_dtype_t dtype, uint8_t *bytes, size_t count) {
  const unsigned width = tensor_dtype_device_bits(dtype);
  if (tensor_dtype_is_signed(dtype)) {
    const int8_t largest = (int8_t)((1 << (width - 1)) - 1);
    const int8_t smallest = (int8_t)(-largest - 1);
    for (size_t i = 0; i < count; i++) {
      const int8_t x = (int8_t)bytes[i];
      bytes[i] = (uint8_t)(x > largest ? largest : x < smallest ? smallest : x);
    }
    return;
  }
  const uint8_t largest = (uint8_t)((1 << width) - 1);
  for (size_t i = 0; i < count; i++) {
    bytes[i] = bytes[i] > largest ? largest : bytes[i];
  }
}

// At most KERNEL_BLOCK elements, neither type complex.
static void convert_real_block(tensor_dtype_t from, const void *in, tensor_dtype_t to,
                               void *out, size_t count) {
  _Alignas(64) char decoded[KERNEL_BLOCK_BYTES / 2], converted[KERNEL_BLOCK_BYTES / 2];
  const tensor_dtype_t source = kernel_compute_dtype(from);
  const void *computed = kernel_decode(from, in, count, decoded);
  const tensor_dtype_t target = to == TENSOR_PRED ? to : kernel_compute_dtype(to);
  const bool is_small_float =
      tensor_dtype_is_float(to) && !kernel_is_computed_as_stored(to);
  if (is_small_float && kernel_loops()->to_odd_f32[source] != NULL) {
    kernel_loops()->to_odd_f32[source](computed, converted, count);
  } else {
    convert_computed(source, computed, target, converted, count);
  }
  if (tensor_dtype_is_float(from) && tensor_dtype_is_integer(to) &&
      tensor_dtype_device_bits(to) < 8) {
    saturate_small_integers(to, (uint8_t *)converted, count);
  }
  if (to == TENSOR_PRED) {
    memcpy(out, converted, count);
  } else {
    kernel_encode(to, converted, count, out);
  }
}

// Complex from or to, or both.
static void convert_complex_block(tensor_dtype_t from, const void *in, tensor_dtype_t to,
                                  void *out, size_t count) {
  _Alignas(64) char parts[KERNEL_BLOCK_BYTES];
  const tensor_dtype_t from_part = from == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
  const tensor_dtype_t to_part = to == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
  if (tensor_dtype_is_complex(from) && tensor_dtype_is_complex(to)) {
    convert_real_block(from_part, in, to_part, out, 2 * count);
  } else if (tensor_dtype_is_complex(from)) {
    take_real_parts(from, in, count, parts);
    convert_real_block(from_part, parts, to, out, count);
  } else {
    convert_real_block(from, in, to_part, parts, count);
    memset(out, 0, count * tensor_dtype_bytes(to));
    kernel_loops()->scatter[kernel_size_index(to_part)](parts, out, 2, count);
  }
}

void kernel_convert_elements(tensor_dtype_t from, const void *in, tensor_dtype_t to,
                             void *out, size_t count) {
  const size_t from_bytes = tensor_dtype_bytes(from), to_bytes = tensor_dtype_bytes(to);
  if (from == to) {
    kernel_copy_bytes(out, in, count * to_bytes);
    return;
  }
  const bool is_direct = kernel_is_computed_as_stored(from) &&
                         kernel_is_computed_as_stored(to) &&
                         kernel_loops()->convert[from][to] != NULL;
  const char *source = in;
  char *target = out;
  for (size_t done = 0; is_direct && done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    kernel_loops()->convert[from][to](source + done * from_bytes,
                                      target + done * to_bytes,
                                      kernel_part(count, done, KERNEL_STOP_ELEMENTS));
  }
  if (is_direct) {
    return;
  }
  const bool is_complex = tensor_dtype_is_complex(from) || tensor_dtype_is_complex(to);
  const size_t block = is_complex ? KERNEL_BLOCK / 2 : KERNEL_BLOCK;
  for (size_t done = 0; done < count && !kernel_is_stopped(); done += block) {
    const size_t part = count - done < block ? count - done : block;
    (is_complex ? convert_complex_block : convert_real_block)(
        from, source + done * from_bytes, to, target + done * to_bytes, part);
  }
}
