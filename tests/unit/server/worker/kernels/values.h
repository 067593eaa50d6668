// Values where arithmetic is special, for the tests of elementwise kernels.

#ifndef TESTS_UNIT_SERVER_WORKER_KERNELS_VALUES_H_
#define TESTS_UNIT_SERVER_WORKER_KERNELS_VALUES_H_

#include <math.h>

#include "tests/unit/server/worker/kernels/kernel_case.h"

enum { COUNT = 2 * 1024 + 37 };  // Blocks, and a remainder.

// Special values first, then random ones of all magnitudes.
static inline void fill_floats(tensor_array_t *array, uint64_t seed) {
  static const double specials[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    1e-45,
                                    -1e-40,
                                    1e-38,
                                    3e38,
                                    -3e38,
                                    88.5,
                                    -88.5,
                                    104.0,
                                    -104.0,
                                    1e5,
                                    -7.25,
                                    0x1p-149,
                                    0x1p-126,
                                    16777216,
                                    3.0,
                                    10.0,
                                    0.1,
                                    -0.1,
                                    1e-5,
                                    20.0,
                                    -20.0,
                                    (double)NAN,
                                    (double)INFINITY,
                                    -(double)INFINITY};
  const tensor_dtype_t dtype = array->shape.dtype;
  pod_random_t random = {.state = seed};
  for (int64_t i = 0; i < COUNT; i++) {
    double value = 2 * pod_random_uniform(&random) - 1;
    value *= exp2((double)pod_random_below(&random, 24) - 8);
    const size_t count = POD_COUNT_OF(specials);
    if ((size_t)i < count * count) {  // Every pair, when the other operand does the same.
      value = specials[seed % 2 == 0 ? (size_t)i % count : (size_t)i / count];
    }
    tensor_element_from_double(dtype, value, mutable_element_of(array, i));
  }
}

static inline void fill_integers(tensor_array_t *array, uint64_t seed) {
  static const int64_t specials[] = {
      0,      1,     -1,        2,         -2,        3,         7,       8,
      31,     32,    33,        63,        64,        127,       -128,    255,
      -32768, 32767, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 1 << 20, 5};
  const tensor_dtype_t dtype = array->shape.dtype;
  pod_random_t random = {.state = seed};
  for (int64_t i = 0; i < COUNT; i++) {
    int64_t value = (int64_t)pod_random_next(&random);
    const size_t count = POD_COUNT_OF(specials);
    if ((size_t)i < count * count) {
      value = specials[seed % 2 == 0 ? (size_t)i % count : (size_t)i / count];
    }
    tensor_element_from_int64(dtype, value, mutable_element_of(array, i));
  }
}

static inline void fill(tensor_array_t *array, uint64_t seed) {
  if (tensor_dtype_is_float(array->shape.dtype)) {
    fill_floats(array, seed);
  } else {
    fill_integers(array, seed);
  }
}

static inline bool has_type(
    tensor_dtype_t dtype) {  // No sign and no zero to compute with.
  return dtype != TENSOR_F8E8M0FNU;
}

// `operands` arrays of `in`, of COUNT elements, and a result of `out`.
static inline kernel_case_t *make_case(chip_op_t op, int operands, tensor_dtype_t in,
                                       tensor_dtype_t out) {
  const int64_t dims[] = {COUNT};
  kernel_case_t *c = case_make(op);
  for (int i = 0; i < operands; i++) {
    fill(case_operand(c, in, 1, dims, "zeros"), (uint64_t)i);
  }
  case_result(c, out, 1, dims);
  return c;
}

static inline int64_t integer_of(const tensor_array_t *array, int64_t i) {
  return tensor_element_as_int64(array->shape.dtype, element_of(array, i));
}

static inline uint64_t width_mask(tensor_dtype_t dtype) {
  return UINT64_MAX >> (64 - tensor_dtype_device_bits(dtype));
}

#endif  // TESTS_UNIT_SERVER_WORKER_KERNELS_VALUES_H_
