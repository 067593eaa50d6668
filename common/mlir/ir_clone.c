// Deep copies of operations, also from one module to another.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/ir.h"

// Between modules types and attributes are copied too, each of them once per clone:
// `copies` maps the address of the old one to the new one.
typedef struct cloner_t {
  mlir_module_t *module;
  pod_map_t *copies;  // NULL when the two modules share them.
  mlir_value_t **value_map;
} cloner_t;

static const mlir_attr_t *clone_attr(cloner_t *cloner, const mlir_attr_t *attr);

static void *known_copy(const cloner_t *cloner, const void *old) {
  return pod_map_get_n(cloner->copies, (const char *)&old, sizeof(old));
}

static void remember_copy(cloner_t *cloner, const void *old, void *copy) {
  pod_map_put_n(cloner->copies, (const char *)&old, sizeof(old), copy);
}

static const mlir_type_t *clone_type(cloner_t *cloner, const mlir_type_t *type) {
  if (cloner->copies == NULL || type == NULL) {
    return type;
  }
  if (type->kind == MLIR_TYPE_TENSOR && type->encoding == NULL) {
    return mlir_type_tensor(cloner->module, &type->shape);
  }
  if (type->kind == MLIR_TYPE_SCALAR) {
    return mlir_type_scalar(cloner->module, type->shape.dtype);
  }
  mlir_type_t *copy = known_copy(cloner, type);
  if (copy != NULL) {
    return copy;
  }
  pod_arena_t *arena = cloner->module->arena;
  cloner->module->has_token_types =
      cloner->module->has_token_types || type->kind == MLIR_TYPE_TOKEN;
  copy = pod_arena_copy(arena, type, sizeof(*type));
  copy->encoding = clone_attr(cloner, type->encoding);
  copy->text = type->text == NULL ? NULL : pod_arena_strdup(arena, type->text);
  copy->inputs = pod_arena_array(arena, (size_t)type->input_count, sizeof(*copy->inputs));
  for (int i = 0; i < type->input_count; i++) {
    copy->inputs[i] = clone_type(cloner, type->inputs[i]);
  }
  copy->results =
      pod_arena_array(arena, (size_t)type->result_count, sizeof(*copy->results));
  for (int i = 0; i < type->result_count; i++) {
    copy->results[i] = clone_type(cloner, type->results[i]);
  }
  remember_copy(cloner, type, copy);
  return copy;
}

static void clone_payload(cloner_t *cloner, const mlir_attr_t *attr, mlir_attr_t *copy) {
  pod_arena_t *arena = cloner->module->arena;
  const size_t count = (size_t)attr->count;
  if (attr->text != NULL) {
    // Behind a DIALECT's text `length` is the body's.
    copy->text = attr->kind == MLIR_ATTR_STRING || attr->kind == MLIR_ATTR_SYMBOL
                     ? pod_arena_text(arena, attr->text, (size_t)attr->length)
                     : pod_arena_strdup(arena, attr->text);
  }
  if (attr->body != NULL) {
    copy->body = pod_arena_text(arena, attr->body, (size_t)attr->length);
  }
  if (attr->data != NULL) {
    copy->data = pod_arena_copy(arena, attr->data, (size_t)attr->length);
  }
  if (attr->integers != NULL) {
    copy->integers =
        pod_arena_copy(arena, attr->integers, count * sizeof(*attr->integers));
  }
  if (attr->reals != NULL) {
    copy->reals = pod_arena_copy(arena, attr->reals, count * sizeof(*attr->reals));
  }
  if (attr->elements != NULL) {
    copy->elements = pod_arena_array(arena, count, sizeof(*copy->elements));
    for (size_t i = 0; i < count; i++) {
      copy->elements[i] = clone_attr(cloner, attr->elements[i]);
    }
  }
  if (attr->entries != NULL) {
    mlir_named_attr_t *entries = pod_arena_array(arena, count, sizeof(*entries));
    for (size_t i = 0; i < count; i++) {
      entries[i].name = mlir_intern(cloner->module, attr->entries[i].name);
      entries[i].value = clone_attr(cloner, attr->entries[i].value);
    }
    copy->entries = entries;
  }
}

static const mlir_attr_t *clone_attr(cloner_t *cloner, const mlir_attr_t *attr) {
  if (cloner->copies == NULL || attr == NULL) {
    return attr;
  }
  mlir_attr_t *copy = known_copy(cloner, attr);
  if (copy != NULL) {
    return copy;
  }
  copy = pod_arena_copy(cloner->module->arena, attr, sizeof(*attr));
  // The position is one of the other module's text.
  copy->position = copy->body_position = 0;
  copy->type = clone_type(cloner, attr->type);
  clone_payload(cloner, attr, copy);
  if (attr->kind == MLIR_ATTR_LOCATION) {
    copy->location_child = clone_attr(cloner, attr->location_child);
    copy->location_caller = clone_attr(cloner, attr->location_caller);
  } else if (attr->kind == MLIR_ATTR_DIALECT) {
    copy->arena = cloner->module->arena;
    copy->decoded = NULL;  // Lies in the other module's.
  }
  remember_copy(cloner, attr, copy);
  return copy;
}

static const char *clone_name(cloner_t *cloner, const char *name) {
  return cloner->copies == NULL || name == NULL ? name
                                                : mlir_intern(cloner->module, name);
}

// Values have names of their own, which nobody compares by address.
static const char *clone_spelling(cloner_t *cloner, const char *name) {
  return cloner->copies == NULL || name == NULL
             ? name
             : pod_arena_strdup(cloner->module->arena, name);
}

static bool keeps_positions(const cloner_t *cloner) {
  return cloner->copies == NULL;
}

static void clone_value(cloner_t *cloner, const mlir_value_t *old, mlir_value_t *copy) {
  copy->name = clone_spelling(cloner, old->name);
  copy->location = clone_attr(cloner, old->location);
  copy->position = keeps_positions(cloner) ? old->position : 0;
  cloner->value_map[old->id] = copy;
}

static mlir_op_t *clone_op(cloner_t *cloner, const mlir_op_t *op);

// Blocks and their arguments first: a branch may name a later block's.
static void clone_region(cloner_t *cloner, const mlir_region_t *from, mlir_region_t *to) {
  for (const mlir_block_t *old = from->first; old != NULL; old = old->next) {
    mlir_block_t *copy = mlir_block_create(cloner->module, to);
    copy->label = clone_spelling(cloner, old->label);
    for (int i = 0; i < old->argument_count; i++) {
      const mlir_value_t *argument = old->arguments[i];
      clone_value(cloner, argument,
                  mlir_block_add_argument(cloner->module, copy,
                                          clone_type(cloner, argument->type)));
    }
  }
  mlir_block_t *copy = to->first;
  for (const mlir_block_t *old = from->first; old != NULL; old = old->next) {
    for (const mlir_op_t *op = old->first; op != NULL; op = op->next) {
      mlir_block_append(copy, clone_op(cloner, op));
    }
    copy = copy->next;
  }
}

static mlir_op_t *clone_op(cloner_t *cloner, const mlir_op_t *op) {
  mlir_module_t *module = cloner->module;
  mlir_op_t *copy = mlir_op_create(module, op->name, op->operand_count, op->operands, 0,
                                   NULL, op->region_count);
  for (int i = 0; i < op->operand_count; i++) {
    mlir_value_t *mapped = cloner->value_map[op->operands[i]->id];
    if (mapped != NULL) {
      copy->operands[i] = mapped;
    }
  }
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->result_count, sizeof(*types));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = clone_type(cloner, op->results[i].type);
  }
  mlir_op_set_result_types(module, copy, op->result_count, types);
  for (int i = 0; i < op->result_count; i++) {
    clone_value(cloner, &op->results[i], &copy->results[i]);
  }
  for (int i = 0; i < op->attr_count; i++) {
    mlir_op_add_attr(module, copy, clone_name(cloner, op->attrs[i].name),
                     clone_attr(cloner, op->attrs[i].value));
  }
  copy->kind = op->kind;
  copy->position = keeps_positions(cloner) ? op->position : 0;
  copy->location = clone_attr(cloner, op->location);
  for (int i = 0; i < op->region_count; i++) {
    clone_region(cloner, &op->regions[i], &copy->regions[i]);
  }
  return copy;
}

mlir_op_t *mlir_op_clone(mlir_module_t *module, const mlir_op_t *op,
                         mlir_value_t **value_map) {
  // A name is interned once for a module and those beside it: the pointer tells whose the
  // operation is.
  const bool is_shared = mlir_intern(module, op->name) == op->name;
  cloner_t cloner = {module, is_shared ? NULL : pod_map_create(), value_map};
  mlir_op_t *copy = clone_op(&cloner, op);
  pod_map_destroy(cloner.copies);
  return copy;
}
