// The text is parsed as an attribute of an empty module, so that what MLIR reads is what
// is taken.

#include "client/cli/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/mlir/ir.h"
#include "common/mlir/parser.h"

static pod_status_t copy_value(const mlir_attr_t *value, int index,
                               tensor_array_t *out_array) {
  if (!mlir_attr_is(value, MLIR_ATTR_DENSE) || value->type->kind != MLIR_TYPE_TENSOR) {
    return pod_error(POD_INVALID_ARGUMENT, "--args: value %d is not dense<…> : tensor<…>",
                     index);
  }
  const tensor_shape_t *shape = &value->type->shape;
  POD_TRY(tensor_array_init(out_array, shape));
  const size_t element = tensor_dtype_bytes(shape->dtype);
  const int64_t count = tensor_shape_elements(shape);
  for (int64_t i = 0; value->is_splat && i < count; i++) {
    memcpy((char *)out_array->data + (size_t)i * element, value->data, element);
  }
  if (!value->is_splat && count > 0) {
    memcpy(out_array->data, value->data, (size_t)count * element);
  }
  return NULL;
}

// The text is the attribute of an empty module.
pod_status_t cli_arguments_parse(const char *text, cli_arguments_t *out_arguments) {
  pod_text_t module_text = {0};
  pod_text_printf(&module_text, "module attributes {podium.args = %s} {}", text);
  mlir_module_t *module = NULL;
  cli_arguments_t arguments = {0};
  pod_status_t status =
      mlir_parse("--args", module_text.bytes, (int64_t)module_text.length, NULL, &module);
  pod_text_deinit(&module_text);
  POD_TRY(status);
  const mlir_attr_t *list = mlir_op_attr(module->op, "podium.args");
  if (!mlir_attr_is(list, MLIR_ATTR_ARRAY)) {
    status =
        pod_error(POD_INVALID_ARGUMENT,
                  "--args takes a list, '[dense<1> : tensor<2xi32>, …]', got '%s'", text);
  } else {
    arguments.arrays = pod_alloc((size_t)(list->count + 1) * sizeof(tensor_array_t));
    for (int64_t i = 0; i < list->count && status == NULL; i++) {
      status = copy_value(list->elements[i], (int)i, &arguments.arrays[i]);
      arguments.count = (int)i + 1;
    }
  }
  mlir_module_destroy(module);
  if (status != NULL) {
    cli_arguments_deinit(&arguments);
    return status;
  }
  *out_arguments = arguments;
  return NULL;
}

void cli_arguments_deinit(cli_arguments_t *arguments) {
  for (int i = 0; i < arguments->count; i++) {
    tensor_array_deinit(&arguments->arrays[i]);
  }
  free(arguments->arrays);
  *arguments = (cli_arguments_t){0};
}
