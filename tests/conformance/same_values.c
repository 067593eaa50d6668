#include "tests/conformance/same_values.h"

#include <math.h>
#include <string.h>

#include "tests/differential/reference_scalar.h"

static double unit_of(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_BF16:
      return ldexp(1, -8);
    case TENSOR_F16:
      return ldexp(1, -11);
    case TENSOR_F64:
    case TENSOR_C128:
      return ldexp(1, -53);
    case TENSOR_F32:
    case TENSOR_C64:
      return ldexp(1, -24);
    default:
      return ldexp(1, -3);
  }
}

static bool is_same(double a, double b, double allowance) {
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowance;
}

int64_t same_values(const reference_value_t *expected, const reference_value_t *found,
                    double units) {
  const tensor_dtype_t dtype = expected->shape.dtype;
  const bool is_real = tensor_dtype_is_float(dtype) || tensor_dtype_is_complex(dtype);
  const size_t bytes = tensor_dtype_bytes(dtype);
  double largest = 0;
  for (int64_t i = 0; is_real && i < expected->count; i++) {
    const reference_scalar_t x = reference_load(expected, i);
    const double size = hypot(x.real, x.imaginary);
    largest = isfinite(size) ? fmax(largest, size) : largest;
  }
  const double allowance = units * unit_of(dtype) * largest;
  for (int64_t i = 0; i < expected->count; i++) {
    const size_t at = (size_t)i * bytes;
    if (memcmp(expected->data + at, found->data + at, bytes) == 0) {
      continue;
    }
    const reference_scalar_t x = reference_load(expected, i),
                             y = reference_load(found, i);
    const bool is_zero = x.real == 0 && x.imaginary == 0 && units == 0;
    if (!is_real || is_zero || !is_same(x.real, y.real, allowance) ||
        !is_same(x.imaginary, y.imaginary, allowance)) {
      return i;
    }
  }
  return -1;
}
