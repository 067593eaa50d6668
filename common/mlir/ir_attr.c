// Types and attributes: how they are made, compared and read.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/ir.h"
#include "common/mlir/ir_private.h"

void mlir_nesting_add(int32_t *height, int64_t *weight, int32_t child_height,
                      int64_t child_weight) {
  if (*height < child_height + 1) {
    *height = child_height + 1;
  }
  *weight += child_weight;
  if (*weight > MLIR_WEIGHT_MAX) {
    *weight = MLIR_WEIGHT_MAX;
  }
}

// --- Types ---

mlir_type_t *mlir_type_new(mlir_module_t *module, mlir_type_kind_t kind) {
  mlir_type_t *type = pod_arena_alloc(module->arena, sizeof(*type));
  type->kind = kind;
  type->height = 1;
  type->weight = 1;
  return type;
}

const mlir_type_t *mlir_type_tensor(mlir_module_t *module, const tensor_shape_t *shape) {
  POD_CHECK(shape->rank >= 0 && shape->rank <= TENSOR_RANK_MAX);
  const size_t key_length =
      offsetof(tensor_shape_t, dims) + (size_t)shape->rank * sizeof(shape->dims[0]);
  const mlir_type_t *known =
      pod_map_get_n(module->tensor_types, (const char *)shape, key_length);
  if (known != NULL) {
    return known;
  }
  mlir_type_t *type = mlir_type_new(module, MLIR_TYPE_TENSOR);
  type->shape = *shape;
  pod_map_put_n(module->tensor_types, (const char *)shape, key_length, type);
  return type;
}

const mlir_type_t *mlir_type_scalar(mlir_module_t *module, tensor_dtype_t dtype) {
  POD_CHECK(dtype > TENSOR_INVALID && dtype < TENSOR_DTYPE_COUNT);
  if (module->scalar_types[dtype] == NULL) {
    mlir_type_t *type = mlir_type_new(module, MLIR_TYPE_SCALAR);
    type->shape = tensor_shape_make(dtype, 0, NULL);
    module->scalar_types[dtype] = type;
  }
  return module->scalar_types[dtype];
}

const mlir_type_t *mlir_type_simple(mlir_module_t *module, mlir_type_kind_t kind) {
  POD_CHECK(kind == MLIR_TYPE_INDEX || kind == MLIR_TYPE_NONE || kind == MLIR_TYPE_TOKEN);
  module->has_token_types = module->has_token_types || kind == MLIR_TYPE_TOKEN;
  return mlir_type_new(module, kind);
}

static void add_types(mlir_module_t *module, mlir_type_t *type, int count,
                      const mlir_type_t *const *members, const mlir_type_t ***out_list) {
  *out_list = pod_arena_copy(module->arena, members, (size_t)count * sizeof(*members));
  for (int i = 0; i < count; i++) {
    mlir_nesting_add(&type->height, &type->weight, members[i]->height,
                     members[i]->weight);
  }
}

const mlir_type_t *mlir_type_tuple(mlir_module_t *module, int count,
                                   const mlir_type_t *const *types) {
  mlir_type_t *type = mlir_type_new(module, MLIR_TYPE_TUPLE);
  type->input_count = count;
  add_types(module, type, count, types, &type->inputs);
  return type;
}

const mlir_type_t *mlir_type_function(mlir_module_t *module, int input_count,
                                      const mlir_type_t *const *inputs, int result_count,
                                      const mlir_type_t *const *results) {
  mlir_type_t *type = mlir_type_new(module, MLIR_TYPE_FUNCTION);
  type->input_count = input_count;
  type->result_count = result_count;
  add_types(module, type, input_count, inputs, &type->inputs);
  add_types(module, type, result_count, results, &type->results);
  return type;
}

static bool all_types_equal(int count, const mlir_type_t *const *a,
                            const mlir_type_t *const *b) {
  for (int i = 0; i < count; i++) {
    if (!mlir_type_equal(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

bool mlir_type_equal(const mlir_type_t *a, const mlir_type_t *b) {
  if (a == b) {
    return true;
  }
  if (a == NULL || b == NULL || a->kind != b->kind || a->weight != b->weight) {
    return false;
  }
  switch (a->kind) {
    case MLIR_TYPE_TENSOR:
      return tensor_shape_equal(&a->shape, &b->shape) &&
             mlir_attr_equal(a->encoding, b->encoding);
    case MLIR_TYPE_SCALAR:
      return a->shape.dtype == b->shape.dtype;
    case MLIR_TYPE_TUPLE:
    case MLIR_TYPE_FUNCTION:
      return a->input_count == b->input_count && a->result_count == b->result_count &&
             all_types_equal(a->input_count, a->inputs, b->inputs) &&
             all_types_equal(a->result_count, a->results, b->results);
    case MLIR_TYPE_OPAQUE:
      return strcmp(a->text, b->text) == 0;
    case MLIR_TYPE_INDEX:
    case MLIR_TYPE_NONE:
    case MLIR_TYPE_TOKEN:
      return true;
  }
  return false;
}

// --- Attributes ---

mlir_attr_t *mlir_attr_new(mlir_module_t *module, mlir_attr_kind_t kind) {
  mlir_attr_t *attr = pod_arena_alloc(module->arena, sizeof(*attr));
  attr->kind = kind;
  if (kind == MLIR_ATTR_DIALECT) {
    attr->arena = module->arena;
  }
  attr->height = 1;
  attr->weight = 1;
  return attr;
}

const mlir_attr_t *mlir_attr_unit(mlir_module_t *module) {
  return mlir_attr_new(module, MLIR_ATTR_UNIT);
}

const mlir_attr_t *mlir_attr_bool(mlir_module_t *module, bool value) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_BOOL);
  attr->integer = value;
  attr->type = mlir_type_scalar(module, TENSOR_PRED);
  return attr;
}

const mlir_attr_t *mlir_attr_integer(mlir_module_t *module, int64_t value,
                                     tensor_dtype_t dtype) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_INTEGER);
  attr->integer = value;
  attr->type = mlir_type_scalar(module, dtype);
  return attr;
}

const mlir_attr_t *mlir_attr_float(mlir_module_t *module, double value,
                                   tensor_dtype_t dtype) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_FLOAT);
  attr->real = value;
  attr->type = mlir_type_scalar(module, dtype);
  return attr;
}

static mlir_attr_t *with_text(mlir_module_t *module, mlir_attr_kind_t kind,
                              const char *text) {
  mlir_attr_t *attr = mlir_attr_new(module, kind);
  attr->length = (int64_t)strlen(text);
  attr->text = pod_arena_text(module->arena, text, (size_t)attr->length);
  return attr;
}

const mlir_attr_t *mlir_attr_string(mlir_module_t *module, const char *text) {
  return with_text(module, MLIR_ATTR_STRING, text);
}

const mlir_attr_t *mlir_attr_symbol(mlir_module_t *module, const char *text) {
  return with_text(module, MLIR_ATTR_SYMBOL, text);
}

const mlir_attr_t *mlir_attr_type(mlir_module_t *module, const mlir_type_t *type) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_TYPE);
  attr->type = type;
  mlir_nesting_add(&attr->height, &attr->weight, type->height, type->weight);
  return attr;
}

const mlir_attr_t *mlir_attr_i64_array(mlir_module_t *module, int64_t count,
                                       const int64_t *values) {
  return mlir_attr_integer_array(module, TENSOR_S64, count, values);
}

const mlir_attr_t *mlir_attr_integer_array(mlir_module_t *module, tensor_dtype_t dtype,
                                           int64_t count, const int64_t *values) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_DENSE_ARRAY);
  attr->type = mlir_type_scalar(module, dtype);
  attr->count = count;
  attr->integers = pod_arena_copy(module->arena, values, (size_t)count * sizeof(*values));
  return attr;
}

const mlir_attr_t *mlir_attr_bool_array(mlir_module_t *module, int64_t count,
                                        const bool *values) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_DENSE_ARRAY);
  int64_t *integers = pod_arena_array(module->arena, (size_t)count, sizeof(*integers));
  for (int64_t i = 0; i < count; i++) {
    integers[i] = values[i];
  }
  attr->type = mlir_type_scalar(module, TENSOR_PRED);
  attr->count = count;
  attr->integers = integers;
  return attr;
}

void mlir_attr_set_data(mlir_attr_t *attr, const void *data, int64_t count) {
  const size_t bytes = tensor_dtype_bytes(attr->type->shape.dtype);
  if (tensor_shape_elements(&attr->type->shape) == 0) {
    count = 0;  // dense<1> of no elements is dense<>.
  }
  attr->data = data;
  attr->count = count;
  attr->is_splat = count == 1;
  // All elements alike are a splat, however they were written.
  if (count > 1 &&
      memcmp(data, (const char *)data + bytes, (size_t)(count - 1) * bytes) == 0) {
    attr->count = 1;
    attr->is_splat = true;
  }
  attr->length = attr->count * (int64_t)bytes;
  attr->weight = 1 + attr->length / 8;
}

const mlir_attr_t *mlir_attr_dense(mlir_module_t *module, const tensor_shape_t *shape,
                                   const void *data, bool is_splat) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_DENSE);
  attr->type = mlir_type_tensor(module, shape);
  mlir_attr_set_data(attr, data, is_splat ? 1 : tensor_shape_elements(shape));
  attr->data = pod_arena_copy(module->arena, data, (size_t)attr->length);
  return attr;
}

const mlir_attr_t *mlir_attr_dialect(mlir_module_t *module, const char *name,
                                     const char *body) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_DIALECT);
  attr->text = pod_arena_strdup(module->arena, name);
  if (body != NULL) {
    attr->length = (int64_t)strlen(body);
    attr->body = pod_arena_text(module->arena, body, (size_t)attr->length);
    // An enumerator is written #dialect<name WORD> in MLIR, a structure #dialect.name<…>.
    attr->is_spaced = attr->length > 0;
    for (int64_t i = 0; i < attr->length; i++) {
      attr->is_spaced = attr->is_spaced && mlir_is_word(body[i]);
    }
  }
  return attr;
}

const mlir_attr_t *mlir_attr_known(const mlir_module_t *module, const void *key,
                                   size_t key_bytes) {
  return pod_map_get_n(module->known_attrs, key, key_bytes);
}

void mlir_attr_remember(mlir_module_t *module, const void *key, size_t key_bytes,
                        const mlir_attr_t *attr) {
  pod_map_put_n(module->known_attrs, key, key_bytes, (void *)(uintptr_t)attr);
}

void mlir_attr_set_decoded(mlir_module_t *module, const mlir_attr_t *attr,
                           const void *decoded, size_t size_bytes) {
  if (mlir_attr_is(attr, MLIR_ATTR_DIALECT) && attr->arena == module->arena) {
    ((mlir_attr_t *)(uintptr_t)attr)->decoded =
        pod_arena_copy(module->arena, decoded, size_bytes);
  }
}

const mlir_attr_t *mlir_attr_dictionary(mlir_module_t *module, int64_t count,
                                        const mlir_named_attr_t *entries) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_DICTIONARY);
  mlir_named_attr_t *copy =
      pod_arena_copy(module->arena, entries, (size_t)count * sizeof(*entries));
  for (int64_t i = 0; i < count; i++) {
    copy[i].name = mlir_intern(module, entries[i].name);
    mlir_nesting_add(&attr->height, &attr->weight, copy[i].value->height,
                     copy[i].value->weight);
  }
  attr->count = count;
  attr->entries = copy;
  return attr;
}

const mlir_attr_t *mlir_attr_array(mlir_module_t *module, int64_t count,
                                   const mlir_attr_t *const *elements) {
  mlir_attr_t *attr = mlir_attr_new(module, MLIR_ATTR_ARRAY);
  attr->count = count;
  attr->elements =
      pod_arena_copy(module->arena, elements, (size_t)count * sizeof(*elements));
  for (int64_t i = 0; i < count; i++) {
    mlir_nesting_add(&attr->height, &attr->weight, elements[i]->height,
                     elements[i]->weight);
  }
  return attr;
}

// --- Reading ---

const mlir_attr_t *mlir_attr_get(const mlir_attr_t *dictionary, const char *name) {
  if (!mlir_attr_is(dictionary, MLIR_ATTR_DICTIONARY)) {
    return NULL;
  }
  for (int64_t i = 0; i < dictionary->count; i++) {
    if (strcmp(dictionary->entries[i].name, name) == 0) {
      return dictionary->entries[i].value;
    }
  }
  return NULL;
}

const mlir_attr_t *mlir_attr_get_at(const mlir_attr_t *list, int64_t index,
                                    const char *name) {
  return mlir_attr_is(list, MLIR_ATTR_ARRAY) && index < list->count
             ? mlir_attr_get(list->elements[index], name)
             : NULL;
}

static bool dense_as_i64s(mlir_module_t *module, const mlir_attr_t *attr,
                          int64_t *out_count, const int64_t **out_values) {
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  if (!tensor_dtype_is_integer(dtype) && dtype != TENSOR_PRED) {
    return false;
  }
  const int64_t count = tensor_shape_elements(&attr->type->shape);
  if (attr->is_splat && count > MLIR_EXPAND_MAX) {
    return false;  // A list of indices never is that long; its splat may be.
  }
  const size_t bytes = tensor_dtype_bytes(dtype);
  int64_t *values = pod_arena_array(module->arena, (size_t)count, sizeof(*values));
  for (int64_t i = 0; i < count; i++) {
    const size_t from = attr->is_splat ? 0 : (size_t)i * bytes;
    values[i] = tensor_element_as_int64(dtype, (const char *)attr->data + from);
  }
  *out_count = count;
  *out_values = values;
  return true;
}

bool mlir_attr_as_i64s(mlir_module_t *module, const mlir_attr_t *attr, int64_t *out_count,
                       const int64_t **out_values) {
  if (mlir_attr_is(attr, MLIR_ATTR_DENSE_ARRAY)) {
    if (attr->integers == NULL) {
      return false;
    }
    *out_count = attr->count;
    *out_values = attr->integers;
    return true;
  }
  if (mlir_attr_is(attr, MLIR_ATTR_DENSE)) {
    return dense_as_i64s(module, attr, out_count, out_values);
  }
  if (!mlir_attr_is(attr, MLIR_ATTR_ARRAY)) {
    return false;
  }
  for (int64_t i = 0; i < attr->count; i++) {
    if (attr->elements[i]->kind != MLIR_ATTR_INTEGER &&
        attr->elements[i]->kind != MLIR_ATTR_BOOL) {
      return false;
    }
  }
  int64_t *values = pod_arena_array(module->arena, (size_t)attr->count, sizeof(*values));
  for (int64_t i = 0; i < attr->count; i++) {
    values[i] = attr->elements[i]->integer;
  }
  *out_count = attr->count;
  *out_values = values;
  return true;
}
