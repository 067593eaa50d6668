// One block of memory, 64-byte aligned, row-major.

#include "common/tensor/array.h"

#include <stdlib.h>

enum { ALIGNMENT_BYTES = 64 };

// More than any host has today; what is larger need not be tried.
static const size_t array_bytes_max = (size_t)1 << 39;

pod_status_t tensor_array_init(tensor_array_t *array, const tensor_shape_t *shape) {
  POD_TRY(tensor_shape_check(shape));
  const size_t size = (size_t)tensor_shape_bytes(shape);
  const size_t padded = (size + ALIGNMENT_BYTES) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  void *data = size > array_bytes_max ? NULL : aligned_alloc(ALIGNMENT_BYTES, padded);
  if (data == NULL) {
    pod_text_t text = {0};
    tensor_shape_print(&text, shape);
    pod_text_add(&text, " takes ");
    pod_text_add_size(&text, size);
    const pod_status_t status = pod_error(
        POD_RESOURCE_EXHAUSTED, "%s, the host has no memory for it", text.bytes);
    pod_text_deinit(&text);
    return status;
  }
  array->shape = *shape;
  array->data = data;
  return NULL;
}

void tensor_array_deinit(tensor_array_t *array) {
  free(array->data);
  *array = (tensor_array_t){0};
}
