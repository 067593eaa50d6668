// Module text through the whole compiler: what comes out is a program that a worker
// accepts, or an error of the user's kind. INTERNAL would be a bug of ours.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "server/compiler/compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pod_code_t compile(const char *text, size_t size, int32_t chips_x) {
  const compiler_options_t options = {
      .file_name = "fuzz.mlir",
      .spec = chip_spec_find("v5e"),
      .torus = {.size = {chips_x, 2, 1}},
  };
  compiler_result_t *result = NULL;
  const pod_status_t status = compiler_compile(text, (int64_t)size, &options, &result);
  const pod_code_t code = pod_status_code(status);
  if (code == POD_INTERNAL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    __builtin_trap();
  }
  pod_status_free(status);
  compiler_result_destroy(result);
  return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A program may ask for a pod of as many chips as its mesh has.
  if (compile((const char *)data, size, 2) == POD_FAILED_PRECONDITION) {
    compile((const char *)data, size, 1);
  }
  return 0;
}
