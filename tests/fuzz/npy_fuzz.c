// Any bytes as a .npy file: a status or an array, nothing else.

#include <stddef.h>
#include <stdint.h>

#include "common/base/check.h"
#include "common/tensor/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const uint8_t *data, size_t size, const tensor_shape_t *expected) {
  tensor_array_t array = {0};
  const pod_status_t status = tensor_npy_parse("fuzz.npy", data, size, expected, &array);
  if (status == NULL) {
    const uint8_t *bytes = array.data;
    const int64_t last = tensor_shape_bytes(&array.shape) - 1;
    POD_CHECK(last < (int64_t)size);
    POD_CHECK(last < 0 || bytes[last] <= UINT8_MAX);
    POD_CHECK(expected == NULL || tensor_shape_equal(&array.shape, expected));
  }
  pod_status_free(status);
  tensor_array_deinit(&array);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int64_t dims[] = {2, 3};
  const tensor_shape_t expected = tensor_shape_make(TENSOR_BF16, 2, dims);
  parse(data, size, NULL);
  parse(data, size, &expected);
  return 0;
}
