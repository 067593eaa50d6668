// Module text through the whole compiler: what comes out is a program that a worker
// accepts, or an error of the user's kind. INTERNAL would be a bug of ours.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "server/compiler/compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Of the first argument nothing is said, or that it is 8, or its shape of 8 each.
typedef enum said_t { NOTHING, VALUE, VECTOR, MATRIX, SAID_COUNT } said_t;

static pod_code_t compile(const char *text, size_t size, int32_t chips_x, said_t said) {
  const int rank = said > VALUE ? (int)said - (int)VALUE : 0;
  const compiler_argument_type_t type = {
      .argument = "0",
      .shape = tensor_shape_make(TENSOR_INVALID, rank, (const int64_t[]){8, 8}),
      .has_value = said == VALUE,
      .value = 8};
  const compiler_options_t options = {
      .file_name = "fuzz.mlir",
      .spec = chip_spec_find("v5e"),
      .argument_type_count = said != NOTHING,
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
  const pod_code_t code = compile(text, size, 2, NOTHING);
  if (code == POD_FAILED_PRECONDITION) {
    compile(text, size, 1, NOTHING);
  } else if (code == POD_UNIMPLEMENTED && memchr(text, '?', size) != NULL) {
    compile(text, size, 2, (said_t)(1 + size % (SAID_COUNT - 1)));
  }
  return 0;
}
