// The program of a file, told by what it begins with.

#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/memory.h"
#include "common/mlir/jax_export.h"

// The module inside takes the place of what is around it.
static pod_status_t take_module(const char *path, int vjp_order, char **inout_text,
                                size_t *inout_length) {
  const void *module;
  int64_t length;
  POD_TRY(mlir_jax_export_module(path, *inout_text, (int64_t)*inout_length, vjp_order,
                                 &module, &length));
  char *text = pod_alloc((size_t)length + 1);
  memcpy(text, module, (size_t)length);
  text[length] = '\0';
  free(*inout_text);
  *inout_text = text;
  *inout_length = (size_t)length;
  return NULL;
}

pod_status_t cli_read_program(const char *path, int vjp_order, char **out_text,
                              size_t *out_length) {
  char *text = NULL;
  size_t length = 0;
  POD_TRY(cli_read_file(path, &text, &length));
  pod_status_t status = NULL;
  if (mlir_is_jax_export(text, (int64_t)length)) {
    status = take_module(path, vjp_order, &text, &length);
  } else if (vjp_order > 0) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "%s is a program without a vjp: --vjp is for what "
                       "jax.export.export(…)(…).serialize(vjp_order=%d) writes",
                       path, vjp_order);
  }
  status = status == NULL ? cli_check_module(path, text, length) : status;
  if (status != NULL) {
    free(text);
    return status;
  }
  *out_text = text;
  *out_length = length;
  return NULL;
}
