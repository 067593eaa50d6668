// Dimensions are int64; what multiplies them checks for overflow, here once.

#include "common/tensor/shape.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"

tensor_shape_t tensor_shape_make(tensor_dtype_t dtype, int rank, const int64_t *dims) {
  POD_CHECK(rank >= 0 && rank <= TENSOR_RANK_MAX);
  tensor_shape_t shape = {.dtype = dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    shape.dims[i] = dims[i];
  }
  return shape;
}

bool tensor_shape_equal(const tensor_shape_t *a, const tensor_shape_t *b) {
  return a->dtype == b->dtype && tensor_shape_same_dims(a, b);
}

bool tensor_shape_same_dims(const tensor_shape_t *a, const tensor_shape_t *b) {
  if (a->rank != b->rank) {
    return false;
  }
  for (int i = 0; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i]) {
      return false;
    }
  }
  return true;
}

bool tensor_shape_is_static(const tensor_shape_t *shape) {
  for (int i = 0; i < shape->rank; i++) {
    if (shape->dims[i] == TENSOR_DYNAMIC) {
      return false;
    }
  }
  return true;
}

int64_t tensor_shape_elements(const tensor_shape_t *shape) {
  int64_t elements = 1;
  for (int i = 0; i < shape->rank; i++) {
    elements *= shape->dims[i];
  }
  return elements;
}

int64_t tensor_shape_bytes(const tensor_shape_t *shape) {
  return tensor_shape_elements(shape) * (int64_t)tensor_dtype_bytes(shape->dtype);
}

static pod_status_t refuse(const tensor_shape_t *shape, const char *why) {
  pod_text_t text = {0};
  tensor_shape_print(&text, shape);
  const pod_status_t status = pod_error(POD_INVALID_ARGUMENT, "%s: %s", text.bytes, why);
  pod_text_deinit(&text);
  return status;
}

pod_status_t tensor_shape_check(const tensor_shape_t *shape) {
  if (shape->rank < 0 || shape->rank > TENSOR_RANK_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "rank %d is not in [0, %d]", shape->rank,
                     TENSOR_RANK_MAX);
  }
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(shape->dtype);
  if (element_bytes == 0) {
    return refuse(shape, "the element type is invalid");
  }
  int64_t bytes = element_bytes;
  for (int i = 0; i < shape->rank; i++) {
    const int64_t dim = shape->dims[i];
    if (dim == TENSOR_DYNAMIC) {
      return refuse(shape, "a dimension is dynamic where a size is needed");
    }
    if (dim < 0) {
      return refuse(shape, "a dimension is negative");
    }
    if (__builtin_mul_overflow(bytes, dim == 0 ? 1 : dim, &bytes)) {
      return refuse(shape, "the size in bytes exceeds 2^63 - 1");
    }
  }
  return NULL;
}

void tensor_shape_strides(const tensor_shape_t *shape, int64_t strides[TENSOR_RANK_MAX]) {
  int64_t stride = 1;
  for (int i = shape->rank - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape->dims[i];
  }
}

static void print_dim(pod_text_t *text, int64_t dim) {
  if (dim == TENSOR_DYNAMIC) {
    pod_text_add(text, "?");
  } else {
    pod_text_add_int(text, dim);
  }
}

void tensor_shape_print(pod_text_t *text, const tensor_shape_t *shape) {
  pod_text_printf(text, "%s[", tensor_dtype_name(shape->dtype));
  for (int i = 0; i < shape->rank; i++) {
    pod_text_add(text, i == 0 ? "" : ",");
    print_dim(text, shape->dims[i]);
  }
  pod_text_add(text, "]");
}

void tensor_shape_print_mlir(pod_text_t *text, const tensor_shape_t *shape) {
  pod_text_add(text, "tensor<");
  for (int i = 0; i < shape->rank; i++) {
    print_dim(text, shape->dims[i]);
    pod_text_add(text, "x");
  }
  pod_text_add(text, tensor_dtype_mlir_name(shape->dtype));
  pod_text_add(text, ">");
}
