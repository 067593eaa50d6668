// See vars.h.

#include "server/compiler/lower/vars.h"

#include <stdint.h>

#include "common/base/check.h"

// --- The lists ---

static int64_t size_of(const lower_t *lower, const tensor_shape_t *shape) {
  if (lower->kernels == NULL) {
    return tensor_shape_bytes(shape);
  }
  return tensor_shape_elements(shape) == 1 ? 0 : lower->kernels->bytes_of(shape);
}

int32_t lower_add_var(lower_t *lower, const tensor_shape_t *shape) {
  const int32_t var = lower->vars.count;
  *pod_list_add(&lower->vars) = (lower_var_t){.shape = shape,
                                              .size_bytes = size_of(lower, shape),
                                              .born = 2 * lower->time + 1,
                                              .dies = 2 * lower->time + 1,
                                              .content = var,
                                              .scope = lower->scope,
                                              .captured_by = CHIP_NONE,
                                              .twin = var,
                                              .home = CHIP_BUFFER_TEMP};
  return var;
}

int32_t lower_add_like(lower_t *lower, int32_t var) {
  const int32_t like = lower_add_var(lower, lower->vars.items[var].shape);
  lower->vars.items[like].is_host = lower->vars.items[var].is_host;
  return like;
}

void lower_add_ref(lower_t *lower, int32_t ref) {
  *pod_list_add(&lower->refs) = ref;
}

lower_node_t *lower_add_node(lower_t *lower, chip_op_t op, const mlir_op_t *source) {
  lower_node_t *node = pod_list_add(&lower->nodes);
  *node = (lower_node_t){.op = op,
                         .source = source,
                         .computation = lower->computation,
                         .time = lower->time,
                         .refs = lower->refs.count};
  return node;
}

void lower_add_wish(lower_t *lower, lower_wish_kind_t kind, int32_t a, int32_t b) {
  *pod_list_add(&lower->wishes) = (lower_wish_t){kind, a, b};
}

int32_t lower_add_computation(lower_t *lower, const char *name) {
  const int32_t computation = lower->computations.count;
  *pod_list_add(&lower->computations) = (lower_computation_t){
      .name = computation == 0
                  ? name
                  : pod_arena_printf(lower->module->arena, "%s.%d", name, computation)};
  return computation;
}

// --- Lives ---

void lower_live_until(lower_t *lower, int32_t var, int32_t half_time) {
  if (lower->vars.items[var].dies < half_time) {
    lower->vars.items[var].dies = half_time;
  }
}

static void add_capture(lower_t *lower, int32_t scope, int32_t var) {
  const int32_t capture = lower->captures.count;
  *pod_list_add(&lower->captures) =
      (lower_capture_t){var, lower->scopes.items[scope].captured_first};
  lower->scopes.items[scope].captured_first = capture;
}

void lower_read_var(lower_t *lower, int32_t var, bool in_place) {
  lower_live_until(lower, var, 2 * lower->time + (in_place ? 0 : 1));
  if (lower->vars.items[var].dies == LOWER_FOREVER ||
      lower->vars.items[var].scope == lower->scope ||
      lower->vars.items[var].captured_by == lower->scope) {
    return;
  }
  lower->vars.items[var].captured_by = lower->scope;
  int32_t scope = lower->scope;
  for (; scope != lower->vars.items[var].scope && scope != CHIP_NONE;
       scope = lower->scopes.items[scope].parent) {
    add_capture(lower, scope, var);
  }
}

int32_t lower_enter_scope(lower_t *lower) {
  const int32_t scope = lower->scopes.count;
  *pod_list_add(&lower->scopes) = (lower_scope_t){lower->scope, CHIP_NONE};
  lower->scope = scope;
  return lower->scope;
}

void lower_leave_scope(lower_t *lower) {
  const lower_scope_t scope = lower->scopes.items[lower->scope];
  for (int32_t i = scope.captured_first; i != CHIP_NONE;
       i = lower->captures.items[i].next) {
    lower_live_until(lower, lower->captures.items[i].var, 2 * lower->time);
  }
  lower->scope = scope.parent;
}

// --- Values ---

int32_t lower_constant_var(lower_t *lower, const mlir_op_t *op) {
  const mlir_attr_t *value = mlir_op_attr(op, "value");
  const tensor_shape_t *shape = &op->results[0].type->shape;
  pod_text_t key = {0};
  pod_text_printf(&key, "%d ", value->is_splat);
  tensor_shape_print(&key, shape);
  pod_text_add_bytes(&key, value->data, (size_t)value->length);
  void *known = pod_map_get_n(lower->constant_indexes, key.bytes, key.length);
  if (known != NULL) {
    pod_text_deinit(&key);
    return (int32_t)(intptr_t)known - 1;
  }
  const int32_t constant = lower->constants.count;
  *pod_list_add(&lower->constants) = (lower_constant_t){value, shape};
  const int32_t var = lower_add_var(lower, shape);
  lower->vars.items[var].born = 0;
  lower->vars.items[var].dies = LOWER_FOREVER;
  lower->vars.items[var].scope = CHIP_NONE;
  lower->vars.items[var].home = CHIP_BUFFER_CONSTANT;
  lower->vars.items[var].home_index = constant;
  pod_map_put_n(lower->constant_indexes, key.bytes, key.length,
                (void *)(intptr_t)(var + 1));
  pod_text_deinit(&key);
  return var;
}

int32_t lower_var_of(const lower_t *lower, const mlir_value_t *value) {
  const int32_t var = lower->var_of[value->id];
  POD_CHECK(var != CHIP_NONE);
  return var;
}

bool lower_is_host(const lower_t *lower, const mlir_value_t *value) {
  return lower->is_host != NULL && lower->is_host[value->id];
}

int32_t lower_add_result(lower_t *lower, const mlir_value_t *value) {
  const int32_t var = lower_add_var(lower, &value->type->shape);
  lower->vars.items[var].is_host = lower_is_host(lower, value);
  lower->var_of[value->id] = var;
  return var;
}

// --- Moves ---

void lower_add_move(lower_t *lower, chip_op_t op, const mlir_op_t *source_op,
                    int32_t target, int32_t source, lower_wish_kind_t wish) {
  lower_node_t *node = lower_add_node(lower, op, source_op);
  node->is_move = true;
  node->operand_count = node->result_count = 1;
  lower_add_ref(lower, source);
  lower_add_ref(lower, target);
  lower_read_var(lower, source, true);
  lower->vars.items[target].born = 2 * lower->time + 1;
  lower_live_until(lower, target, 2 * lower->time + 1);
  lower->vars.items[target].content = lower->vars.items[source].content;
  lower_add_wish(lower, wish, target, source);
  lower->time++;
}
