// What arrays hold.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate.h"
#include "tests/differential/reference_scalar.h"

static double special_real(generate_t *g) {
  static const double values[] = {
      0,        -0.0,     1,         -1,        2,       0.5,      -1.5,
      2.5,      3,        7,         -13,       1e-3,    100,      65504,
      65520,    448,      57344,     240,       0x1p-24, 0x1p-126, 0x1p-127,
      0x1p-133, 0x1p-149, 0x1p-1074, 0x1p-1022, 0x1p127, 0x1p128,  0x1.fffffep127,
      0x1p31,   -0x1p31,  0x1p32,    0x1p63,    -0x1p63, 0x1p64,   127.5,
      -128.5,   255.5,    1e300,     0x1p-10,   0.1,     -0.3,     3.14159265358979,
      1e-40,    -1e-310,  15.5,      30,        6,       -448,     0x1.921fb6p1,
  };
  const int kind = generate_below(g, 16);
  if (kind == 0) {
    return generate_chance(g, 50) ? (double)INFINITY : -(double)INFINITY;
  }
  if (kind == 1) {
    return (double)NAN;
  }
  if (kind < 9) {
    return values[generate_below(g, (int)POD_COUNT_OF(values))];
  }
  return (pod_random_uniform(&g->random) - 0.5) * ldexp(1, generate_between(g, -12, 12));
}

static int64_t special_integer(generate_t *g, tensor_dtype_t dtype) {
  const unsigned width = tensor_dtype_device_bits(dtype);
  const uint64_t smallest = (uint64_t)1 << (width - 1);
  switch (generate_below(g, 8)) {
    case 0:
      return (int64_t)smallest;
    case 1:
      return (int64_t)(smallest - 1);
    case 2:
      return -1;
    case 3:
      return (int64_t)pod_random_next(&g->random);
    case 4:
      return (int64_t)((uint64_t)1 << generate_below(g, (int)width));
    default:
      return generate_between(g, -13, 13);
  }
}

static double subnormal(generate_t *g, tensor_dtype_t dtype) {
  static const double least[TENSOR_DTYPE_COUNT] = {[TENSOR_BF16] = 0x1p-133,
                                                   [TENSOR_F16] = 0x1p-24,
                                                   [TENSOR_F32] = 0x1p-149,
                                                   [TENSOR_F64] = 0x1p-1074};
  return least[dtype] * generate_between(g, -8, 8);
}

static double finite_real(generate_t *g, tensor_dtype_t dtype, generate_data_t data) {
  switch (data) {
    case GENERATE_SUBNORMALS:
      return subnormal(g, dtype);
    case GENERATE_UNITS:
      return generate_between(g, -1, 1);
    case GENERATE_ONES:
      return generate_chance(g, 50) ? -1 : 1;
    case GENERATE_POSITIVE:
      return pod_random_uniform(&g->random) * 8 + 0x1p-10;
    case GENERATE_FINITE:
      return generate_chance(g, 30) ? generate_between(g, -8, 8)
                                    : pod_random_uniform(&g->random) * 16 - 8;
    case GENERATE_SPECIALS:
      return special_real(g);
  }
  return 0;
}

static int64_t finite_integer(generate_t *g, tensor_dtype_t dtype, generate_data_t data) {
  switch (data) {
    case GENERATE_UNITS:
      return generate_between(g, -1, 1);
    case GENERATE_ONES:
      return generate_chance(g, 50) ? -1 : 1;
    case GENERATE_POSITIVE:
      return generate_between(g, 1, 1 + generate_below(g, 2));
    case GENERATE_FINITE:
    case GENERATE_SUBNORMALS:
      return generate_between(g, -8, 8);
    case GENERATE_SPECIALS:
      return special_integer(g, dtype);
  }
  return 0;
}

// A NaN that signals may become another number, so NaNs are made quiet.
static void make_quiet(tensor_dtype_t part, char *element) {
  static const unsigned char quiet[TENSOR_DTYPE_COUNT][2] = {
      // Byte and bit.
      [TENSOR_BF16] = {0, 0x40},
      [TENSOR_F16] = {1, 0x02},
      [TENSOR_F32] = {2, 0x40},
      [TENSOR_F64] = {6, 0x08},
  };
  const tensor_shape_t scalar = generate_scalar_shape(part);
  const reference_value_t value = {.shape = scalar, .count = 1, .data = element};
  if (isnan(reference_load(&value, 0).real)) {
    element[quiet[part][0]] = (char)(element[quiet[part][0]] | quiet[part][1]);
  }
}

// Any bits that are an element of the type.
static void random_bits(generate_t *g, tensor_dtype_t dtype, char *element) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (size_t i = 0; i < bytes; i++) {
    element[i] = (char)pod_random_next(&g->random);
  }
  const unsigned bits = tensor_dtype_device_bits(dtype);
  if (dtype == TENSOR_PRED) {
    element[0] &= 1;
  } else if (tensor_dtype_is_integer(dtype)) {
    tensor_element_from_int64(dtype, tensor_element_as_int64(dtype, element), element);
  } else if (bits < 8) {
    element[0] = (char)(element[0] & ((1 << bits) - 1));
  } else {
    const tensor_dtype_t part = reference_part_of(dtype);
    for (size_t i = 0; i < bytes; i += tensor_dtype_bytes(part)) {
      make_quiet(part, element + i);
    }
  }
}

void generate_fill(generate_t *g, tensor_dtype_t dtype, generate_data_t data,
                   int64_t count, void *out_elements) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  const tensor_dtype_t part = reference_part_of(dtype);
  const int random_percent = data == GENERATE_SPECIALS ? 25 : 0;
  tensor_shape_t shape = tensor_shape_make(dtype, 1, &count);
  reference_value_t array = {.shape = shape, .count = count, .data = out_elements};
  for (int64_t i = 0; i < count; i++) {
    if (dtype == TENSOR_PRED || generate_chance(g, random_percent)) {
      random_bits(g, dtype, (char *)out_elements + (size_t)i * bytes);
    } else if (tensor_dtype_is_integer(dtype)) {
      reference_store(&array, i,
                      reference_of_integer(dtype, finite_integer(g, dtype, data)));
    } else if (part != dtype) {
      const double real = finite_real(g, part, data),
                   imaginary = finite_real(g, part, data);
      reference_store(&array, i, reference_of_complex(dtype, real, imaginary));
    } else {
      reference_store(&array, i, reference_of_real(dtype, finite_real(g, dtype, data)));
    }
  }
}
