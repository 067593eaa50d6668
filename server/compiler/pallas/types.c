// The types of kernels, which the reader of MLIR keeps as text.

#include <stdlib.h>
#include <string.h>

#include "common/mlir/ir.h"
#include "server/compiler/pallas/code.h"

static const char *behind(const char *text, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

// "8x128xbf16" and what follows.
static bool parse_shape(const char *text, tensor_shape_t *out_shape) {
  *out_shape = (tensor_shape_t){0};
  while (*text >= '0' && *text <= '9') {
    char *end;
    const long long size = strtoll(text, &end, 10);
    if (*end != 'x' || out_shape->rank == TENSOR_RANK_MAX || size > INT32_MAX) {
      return false;
    }
    out_shape->dims[out_shape->rank++] = size;
    text = end + 1;
  }
  out_shape->dtype = tensor_dtype_parse(text, strcspn(text, ",>"));
  return out_shape->dtype != TENSOR_INVALID;
}

bool kernel_is_vector(const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_OPAQUE && behind(type->text, "vector<") != NULL;
}

bool kernel_is_integer(const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_INDEX ||
         (type->kind == MLIR_TYPE_SCALAR && (type->shape.dtype == TENSOR_PRED ||
                                             tensor_dtype_is_integer(type->shape.dtype)));
}

bool kernel_shape_of(const mlir_type_t *type, tensor_shape_t *out_shape) {
  if (type->kind == MLIR_TYPE_SCALAR) {
    *out_shape = tensor_shape_make(type->shape.dtype, 0, NULL);
    return true;
  }
  if (type->kind != MLIR_TYPE_OPAQUE) {
    return false;
  }
  const char *text = behind(type->text, "vector<");
  text = text == NULL ? behind(type->text, "memref<") : text;
  return text != NULL && parse_shape(text, out_shape);
}

kernel_space_t kernel_space_of(const mlir_type_t *type) {
  static const struct {
    const char *name;
    kernel_space_t space;
  } rows[] = {{"any>", KERNEL_SPACE_ANY},
              {"hbm>", KERNEL_SPACE_HBM},
              {"vmem>", KERNEL_SPACE_VMEM},
              {"smem>", KERNEL_SPACE_SMEM}};
  if (type->kind != MLIR_TYPE_OPAQUE || behind(type->text, "memref<") == NULL) {
    return KERNEL_SPACE_OTHER;
  }
  static const char attribute[] = "#tpu.memory_space<";
  const char *space = strstr(type->text, attribute);
  for (size_t i = 0; space != NULL && i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (behind(space + strlen(attribute), rows[i].name) != NULL) {
      return rows[i].space;
    }
  }
  return KERNEL_SPACE_OTHER;
}
