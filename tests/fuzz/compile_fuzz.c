// Module text through the whole compiler: what comes out is a program that a worker
// accepts, or an error of the user's kind. INTERNAL would be a bug of ours.

#include <stddef.h>
#include <stdint.h>

#include "server/compiler/compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const compiler_options_t options = {
      .file_name = "fuzz.mlir",
      .spec = chip_spec_find("v5e"),
      .torus = {.size = {2, 2, 1}},
  };
  compiler_result_t *result = NULL;
  const pod_status_t status =
      compiler_compile((const char *)data, (int64_t)size, &options, &result);
  if (pod_status_code(status) == POD_INTERNAL) {
    __builtin_trap();
  }
  pod_status_free(status);
  compiler_result_destroy(result);
  return 0;
}
