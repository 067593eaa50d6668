// Module text through the whole compiler: what comes out is a program that a worker
// accepts, or an error of the user's kind. INTERNAL would be a bug of ours.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "server/compiler/compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// With `rank` > 0 the first argument is said to have as many dimensions of 8.
static pod_code_t compile(const char *text, size_t size, int32_t chips_x, int rank) {
  const compiler_argument_type_t type = {
      "0", tensor_shape_make(TENSOR_INVALID, rank, (const int64_t[]){8, 8, 8})};
  const compiler_options_t options = {
      .file_name = "fuzz.mlir",
      .spec = chip_spec_find("v5e"),
      .argument_type_count = rank > 0,
      .argument_types = &type,
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
  const char *text = (const char *)data;
  const pod_code_t code = compile(text, size, 2, 0);
  if (code == POD_FAILED_PRECONDITION) {
    compile(text, size, 1, 0);
  } else if (code == POD_UNIMPLEMENTED && memchr(text, '?', size) != NULL) {
    compile(text, size, 2, 1 + (int)(size % 3));
  }
  return 0;
}
