// What the rewrites share.

#include "server/compiler/collectives/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"

static const char CHANNEL[] = "channel_handle";

// --- Reasons ---

int64_t rewrite_reason_of(const rewrite_t *rewrite, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, CHANNEL);
  int64_t channel = 0, type;
  if (attr == NULL) {
    return -1;
  }
  pod_status_t status = stablehlo_channel_handle(rewrite->module, attr, &channel, &type);
  const int64_t i = channel - rewrite->partitioned->first_channel - 1;
  const bool is_known = status == NULL && i >= 0 && i < rewrite->reasons.count;
  pod_status_free(status);
  return is_known ? i : -1;
}

void rewrite_touch(rewrite_t *rewrite, const mlir_op_t *op) {
  const int64_t reason = rewrite_reason_of(rewrite, op);
  if (reason >= 0) {
    *pod_list_add(&rewrite->touched) = reason;
  }
}

void rewrite_explain(rewrite_t *rewrite, mlir_op_t *op, const char *why,
                     const mlir_op_t *from) {
  mlir_module_t *module = rewrite->module;
  const int64_t reason = rewrite_reason_of(rewrite, from);
  const char *because = reason < 0 ? "" : rewrite->reasons.items[reason];
  pod_text_t text = {0};
  pod_text_printf(&text, "%s%s%s", because, *because == '\0' ? "" : "; ", why);
  *pod_list_add(&rewrite->reasons) = pod_arena_strdup(module->arena, text.bytes);
  pod_text_deinit(&text);
  char body[64];
  snprintf(body, sizeof(body), "handle = %lld, type = 1",
           (long long)(rewrite->partitioned->first_channel + rewrite->reasons.count));
  mlir_op_set_attr(module, op, mlir_intern(module, CHANNEL),
                   mlir_attr_dialect(module, "stablehlo.channel_handle", body));
}

// --- Making ---

mlir_op_t *rewrite_collective(rewrite_t *rewrite, const mlir_op_t *like,
                              int operand_count, mlir_value_t *const *operands,
                              int result_count, const mlir_type_t *const *types) {
  mlir_module_t *module = rewrite->module;
  mlir_op_t *op = mlir_op_create(module, like->name, operand_count, operands,
                                 result_count, types, like->region_count);
  op->position = like->position;
  op->location = like->location;
  for (int i = 0; i < like->attr_count; i++) {
    if (strcmp(like->attrs[i].name, CHANNEL) != 0) {
      mlir_op_add_attr(module, op, like->attrs[i].name, like->attrs[i].value);
    }
  }
  if (like->region_count == 1) {
    compiler_build_reducer(module, op, compiler_reducer(like),
                           rewrite_shape(operands[0])->dtype);
  }
  return op;
}

mlir_value_t *rewrite_emit(rewrite_t *rewrite, mlir_op_t *where, const char *name,
                           int operand_count, mlir_value_t *const *operands,
                           const tensor_shape_t *result, mlir_op_t **out_op) {
  const mlir_type_t *type = mlir_type_tensor(rewrite->module, result);
  mlir_op_t *op =
      mlir_op_create(rewrite->module, name, operand_count, operands, 1, &type, 0);
  op->position = where->position;
  op->location = where->location;
  mlir_block_insert_before(where, op);
  if (out_op != NULL) {
    *out_op = op;
  }
  return &op->results[0];
}

mlir_value_t *rewrite_reshape(rewrite_t *rewrite, mlir_op_t *where, mlir_value_t *value,
                              const tensor_shape_t *shape) {
  return tensor_shape_equal(rewrite_shape(value), shape)
             ? value
             : rewrite_emit(rewrite, where, "stablehlo.reshape", 1, &value, shape, NULL);
}

// --- Uses ---

void rewrite_uses_init(rewrite_uses_t *uses, const rewrite_t *rewrite) {
  const size_t count = rewrite->module->value_count;
  uses->value_count = rewrite->module->value_count;
  uses->counts = pod_alloc((count + 1) * sizeof(*uses->counts));
  uses->readers = pod_alloc((count + 1) * sizeof(*uses->readers));
  for (mlir_op_t *op = mlir_walk_first(rewrite->main); op != NULL;
       op = mlir_walk_next(rewrite->main, op)) {
    for (int i = 0; i < op->operand_count; i++) {
      uses->counts[op->operands[i]->id]++;
      uses->readers[op->operands[i]->id] = op;
    }
  }
}

void rewrite_uses_deinit(rewrite_uses_t *uses) {
  free(uses->counts);
  free(uses->readers);
}

void rewrite_uses_move(rewrite_uses_t *uses, const mlir_value_t *value,
                       const mlir_value_t *by) {
  if (by->id >= uses->value_count) {
    const size_t count = (size_t)by->id + 1, more = count - uses->value_count;
    uses->counts = pod_grow(uses->counts, count, sizeof(*uses->counts));
    uses->readers = pod_grow((void *)uses->readers, count, sizeof(*uses->readers));
    memset(uses->counts + uses->value_count, 0, more * sizeof(*uses->counts));
    memset((void *)(uses->readers + uses->value_count), 0, more * sizeof(*uses->readers));
    uses->value_count = (uint32_t)count;
  }
  uses->counts[by->id] = uses->counts[value->id];
  uses->readers[by->id] = uses->readers[value->id];
}

void rewrite_replace(const rewrite_t *rewrite, mlir_replacements_t *replacements) {
  for (mlir_op_t *op = mlir_walk_first(rewrite->main); op != NULL;
       op = mlir_walk_next(rewrite->main, op)) {
    mlir_replacements_apply(replacements, op);
  }
}

// --- Groups ---

bool rewrite_groups(const rewrite_t *rewrite, const mlir_op_t *op, int64_t *out_count,
                    int64_t *out_size, const int64_t **out_ids) {
  mlir_module_t *module = rewrite->module;
  compiler_groups_t groups;
  pod_status_t status = compiler_parse_replica_groups(
      module, mlir_op_attr(op, "replica_groups"), NULL, module->arena, &groups);
  if (status != NULL) {
    pod_status_free(status);
    return false;
  }
  *out_count = groups.group_count;
  *out_size = groups.group_size;
  *out_ids = groups.ids;
  if (groups.group_count > 0 && groups.group_size > 0) {
    return true;
  }
  const int64_t devices = rewrite->partitioned->mesh->device_count;
  int64_t *ids = pod_arena_array(module->arena, (size_t)devices, sizeof(*ids));
  for (int64_t i = 0; i < devices; i++) {
    ids[i] = i;
  }
  *out_count = 1;
  *out_size = devices;
  *out_ids = ids;
  return true;
}

// --- Likeness ---

static bool has_attrs_of(const mlir_op_t *a, const mlir_op_t *b, bool along_any) {
  for (int i = 0; i < a->attr_count; i++) {
    const char *name = a->attrs[i].name;
    const bool is_told = strcmp(name, CHANNEL) != 0 &&
                         !(along_any && strcmp(name, "scatter_dimension") == 0);
    const mlir_attr_t *other = mlir_op_attr(b, name);
    if (is_told && (other == NULL || !mlir_attr_equal(a->attrs[i].value, other))) {
      return false;
    }
  }
  return true;
}

bool rewrite_are_alike(const mlir_op_t *a, const mlir_op_t *b, bool along_any) {
  return a->kind == b->kind &&
         rewrite_shape(a->operands[0])->dtype == rewrite_shape(b->operands[0])->dtype &&
         has_attrs_of(a, b, along_any) && has_attrs_of(b, a, along_any) &&
         (a->region_count == 0 || compiler_reducer(a) == compiler_reducer(b));
}

// --- Loops ---

mlir_op_t *rewrite_extend_loop(rewrite_t *rewrite, mlir_op_t *loop, int count,
                               mlir_value_t *const *inits,
                               mlir_replacements_t *replacements) {
  mlir_module_t *module = rewrite->module;
  const int before = loop->operand_count, all = before + count;
  mlir_value_t **operands = pod_alloc((size_t)all * sizeof(*operands));
  const mlir_type_t **types = pod_alloc((size_t)all * sizeof(*types));
  for (int i = 0; i < all; i++) {
    operands[i] = i < before ? loop->operands[i] : inits[i - before];
    types[i] = operands[i]->type;
  }
  mlir_op_t *made = mlir_op_create(module, loop->name, all, operands, all, types, 2);
  made->position = loop->position;
  made->location = loop->location;
  for (int i = 0; i < loop->attr_count; i++) {
    mlir_op_add_attr(module, made, loop->attrs[i].name, loop->attrs[i].value);
  }
  for (int r = 0; r < 2; r++) {
    mlir_walk_move_region(&loop->regions[r], &made->regions[r]);
    for (int i = 0; i < count; i++) {
      (void)mlir_block_add_argument(module, mlir_op_block(made, r), types[before + i]);
    }
  }
  mlir_block_t *body = mlir_op_block(made, 1);
  for (int i = 0; i < all; i++) {
    operands[i] = i < before ? body->last->operands[i] : body->arguments[i];
  }
  mlir_op_t *old_end = body->last;
  mlir_op_t *end = mlir_op_create(module, old_end->name, all, operands, 0, NULL, 0);
  end->position = old_end->position;
  end->location = old_end->location;
  mlir_op_unlink(old_end);
  mlir_block_append(body, end);
  mlir_block_insert_before(loop, made);
  mlir_op_unlink(loop);
  for (int i = 0; i < before; i++) {
    mlir_replacements_put(replacements, &loop->results[i], &made->results[i]);
  }
  free((void *)operands);
  free((void *)types);
  return made;
}

mlir_value_t *rewrite_constant(rewrite_t *rewrite, mlir_op_t *where,
                               const tensor_shape_t *shape, const void *element) {
  mlir_op_t *op;
  mlir_value_t *value =
      rewrite_emit(rewrite, where, "stablehlo.constant", 0, NULL, shape, &op);
  mlir_op_set_attr(rewrite->module, op, mlir_intern(rewrite->module, "value"),
                   mlir_attr_dense(rewrite->module, shape, element, true));
  return value;
}
