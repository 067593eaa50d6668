// Integers are compared as integers: beyond 2^53 unlike ones may be the same double.

#include "client/cli/elements.h"

#include <math.h>
#include <string.h>

// The type of a complex number's parts; others have one part, themselves.
static tensor_dtype_t part_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_C64 ? TENSOR_F32 : dtype == TENSOR_C128 ? TENSOR_F64 : dtype;
}

static void print_real(pod_text_t *text, tensor_dtype_t dtype, const char *element) {
  if (tensor_dtype_is_float(dtype)) {
    const double value = tensor_element_as_double(dtype, element);
    // The sign of a NaN means nothing, and differs between hosts.
    pod_text_printf(text, "%.6g", isnan(value) ? fabs(value) : value);
  } else if (dtype == TENSOR_U64) {
    pod_text_printf(text, "%llu",
                    (unsigned long long)tensor_element_as_int64(dtype, element));
  } else {
    pod_text_add_int(text, tensor_element_as_int64(dtype, element));
  }
}

static void print_element(pod_text_t *text, tensor_dtype_t dtype, const char *element) {
  const tensor_dtype_t part = part_of(dtype);
  print_real(text, part, element);
  if (part != dtype) {
    const char *imaginary = element + tensor_dtype_bytes(part);
    const double value = tensor_element_as_double(part, imaginary);
    pod_text_add(text, signbit(value) && !isnan(value) ? "" : "+");
    print_real(text, part, imaginary);
    pod_text_add(text, "i");
  }
}

void cli_elements_print(pod_text_t *text, const tensor_array_t *array, int64_t most) {
  const int64_t count = tensor_shape_elements(&array->shape);
  const size_t element_bytes = tensor_dtype_bytes(array->shape.dtype);
  for (int64_t i = 0; i < count && i < most; i++) {
    pod_text_add(text, i == 0 ? "" : ", ");
    print_element(text, array->shape.dtype,
                  (const char *)array->data + (size_t)i * element_bytes);
  }
  pod_text_add(text, count > most ? ", …" : "");
}

// 0 for equal infinities, whose difference would be NaN.
static double difference_of(tensor_dtype_t dtype, const char *a, const char *b) {
  const double x = tensor_element_as_double(dtype, a);
  const double y = tensor_element_as_double(dtype, b);
  if (!tensor_dtype_is_float(dtype)) {
    const bool are_equal =
        tensor_element_as_int64(dtype, a) == tensor_element_as_int64(dtype, b);
    return are_equal ? 0 : fmax(1, fabs(x - y));
  }
  return x == y ? 0 : fabs(x - y);
}

static bool is_nan(tensor_dtype_t dtype, const char *element) {
  return tensor_dtype_is_float(dtype) && isnan(tensor_element_as_double(dtype, element));
}

cli_odd_t cli_elements_count_odd(const tensor_array_t *array) {
  const tensor_dtype_t dtype = part_of(array->shape.dtype);
  cli_odd_t odd = {0};
  if (!tensor_dtype_is_float(dtype)) {
    return odd;
  }
  const size_t part_bytes = tensor_dtype_bytes(dtype);
  const size_t element_bytes = tensor_dtype_bytes(array->shape.dtype);
  const char *end = (const char *)array->data +
                    (size_t)tensor_shape_elements(&array->shape) * element_bytes;
  for (const char *at = array->data; at < end; at += element_bytes) {
    bool has_nan = false, has_inf = false;
    for (size_t part = 0; part < element_bytes; part += part_bytes) {
      const double value = tensor_element_as_double(dtype, at + part);
      has_nan = has_nan || isnan(value);
      has_inf = has_inf || isinf(value);
    }
    odd.nan += has_nan;
    odd.infinite += has_inf && !has_nan;
  }
  return odd;
}

cli_difference_t cli_elements_compare(const tensor_array_t *result,
                                      const tensor_array_t *expected) {
  const tensor_dtype_t dtype = part_of(result->shape.dtype);
  const size_t part_bytes = tensor_dtype_bytes(dtype);
  const int64_t parts = (int64_t)(tensor_dtype_bytes(result->shape.dtype) / part_bytes);
  const int64_t count = tensor_shape_elements(&result->shape) * parts;
  cli_difference_t found = {0};
  for (int64_t i = 0; i < count; i++) {
    const char *a = (const char *)result->data + (size_t)i * part_bytes;
    const char *b = (const char *)expected->data + (size_t)i * part_bytes;
    const bool is_nan_a = is_nan(dtype, a), is_nan_b = is_nan(dtype, b);
    found.nan_alike += is_nan_a && is_nan_b;
    const bool is_first =
        is_nan_a != is_nan_b && found.nan_result + found.nan_expected == 0;
    found.nan_result += is_nan_a && !is_nan_b;
    found.nan_expected += is_nan_b && !is_nan_a;
    found.worst = is_first ? i / parts : found.worst;
    if (!is_nan_b) {
      const double size = fabs(tensor_element_as_double(dtype, b));
      found.scale = isfinite(size) && size > found.scale ? size : found.scale;
    }
    if (is_nan_a || is_nan_b) {
      continue;
    }
    const double difference = difference_of(dtype, a, b);
    if (difference > found.largest) {
      found.largest = difference;
      found.worst = found.nan_result + found.nan_expected == 0 ? i / parts : found.worst;
    }
  }
  return found;
}

double cli_difference_error(const cli_difference_t *difference) {
  return difference->scale > 0 ? difference->largest / difference->scale
                               : difference->largest;
}

bool cli_difference_passes(const cli_difference_t *difference, double tolerance) {
  return difference->nan_result == 0 && difference->nan_expected == 0 &&
         isfinite(difference->largest) && cli_difference_error(difference) <= tolerance;
}

void cli_element_print_index(pod_text_t *text, const tensor_shape_t *shape,
                             int64_t element) {
  int64_t index[TENSOR_RANK_MAX] = {0};
  for (int d = shape->rank - 1; d >= 0; d--) {
    index[d] = element % shape->dims[d];
    element /= shape->dims[d];
  }
  pod_text_add(text, "[");
  for (int d = 0; d < shape->rank; d++) {
    pod_text_printf(text, "%s%lld", d == 0 ? "" : ", ", (long long)index[d]);
  }
  pod_text_add(text, "]");
}
