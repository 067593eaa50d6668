// Through a double, which holds every float exactly and integers up to 2^53; integers go
// to integers as they are.

#include "client/cli/cast.h"

#include "common/tensor/dtype.h"

static bool can_cast(tensor_dtype_t from, tensor_dtype_t to) {
  if (from == to) {
    return true;
  }
  const bool is_from_float = tensor_dtype_is_float(from);
  if (tensor_dtype_is_complex(from) || tensor_dtype_is_complex(to)) {
    return false;
  }
  return tensor_dtype_is_float(to) || !is_from_float;
}

static bool has_dims(const tensor_shape_t *a, const tensor_shape_t *b) {
  tensor_shape_t alike = *a;
  alike.dtype = b->dtype;
  return tensor_shape_equal(&alike, b);
}

pod_status_t cli_cast_check(const char *path, const tensor_shape_t *shape) {
  tensor_shape_t found;
  POD_TRY(tensor_npy_shape(path, &found));
  if (has_dims(&found, shape) && !can_cast(found.dtype, shape->dtype)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s has %s, which --cast does not turn into %s: floats and integers "
                     "become floats, integers become integers",
                     path, tensor_dtype_name(found.dtype),
                     tensor_dtype_name(shape->dtype));
  }
  found.dtype = has_dims(&found, shape) ? found.dtype : shape->dtype;
  tensor_shape_t wanted = *shape;
  wanted.dtype = found.dtype;
  return tensor_npy_check(path, &wanted);  // Says which shapes differ.
}

static pod_status_t cast_element(tensor_dtype_t from, const void *value,
                                 tensor_dtype_t to, void *out) {
  if (tensor_dtype_is_float(to)) {
    tensor_element_from_double(to, tensor_element_as_double(from, value), out);
    return NULL;
  }
  const int64_t number = tensor_element_as_int64(from, value);
  tensor_element_from_int64(to, number, out);
  const bool is_negative = from != TENSOR_U64 && number < 0;
  const bool was_negative = to != TENSOR_U64 && tensor_element_as_int64(to, out) < 0;
  if (tensor_element_as_int64(to, out) != number || is_negative != was_negative) {
    return pod_error(POD_OUT_OF_RANGE, "%s does not hold %lld", tensor_dtype_name(to),
                     (long long)number);
  }
  return NULL;
}

static pod_status_t cast(const tensor_array_t *from, tensor_array_t *to) {
  const size_t from_bytes = tensor_dtype_bytes(from->shape.dtype);
  const size_t to_bytes = tensor_dtype_bytes(to->shape.dtype);
  const int64_t count = tensor_shape_elements(&from->shape);
  for (int64_t i = 0; i < count; i++) {
    POD_TRY(pod_status_context(
        cast_element(from->shape.dtype, (const char *)from->data + (size_t)i * from_bytes,
                     to->shape.dtype, (char *)to->data + (size_t)i * to_bytes),
        "element %lld", (long long)i));
  }
  return NULL;
}

pod_status_t cli_cast_read(const char *path, const tensor_shape_t *shape,
                           tensor_array_t *out_array) {
  POD_TRY(cli_cast_check(path, shape));
  tensor_shape_t found;
  POD_TRY(tensor_npy_shape(path, &found));
  if (found.dtype == shape->dtype) {
    return tensor_npy_read(path, shape, out_array);
  }
  tensor_array_t from = {0}, to = {0};
  POD_TRY(tensor_npy_read(path, &found, &from));
  pod_status_t status = tensor_array_init(&to, shape);
  if (status == NULL) {
    status = pod_status_context(cast(&from, &to), "%s", path);
  }
  tensor_array_deinit(&from);
  if (status != NULL) {
    tensor_array_deinit(&to);
    return status;
  }
  *out_array = to;
  return NULL;
}
