// Names of values and blocks: what is in sight, and who defines it.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser_private.h"

enum { FIRST_BUCKET_COUNT = 64 };

// FNV-1a with a final mix; names are short.
static uint32_t hash_of(const char *name, size_t length) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) {
    hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
  }
  return (uint32_t)(hash ^ (hash >> 32));
}

void mlir_scope_deinit(mlir_scope_t *scope) {
  pod_list_deinit(&scope->bindings);
  free(scope->buckets);
  *scope = (mlir_scope_t){0};
}

const mlir_binding_t *mlir_scope_find(const mlir_scope_t *scope, const char *name,
                                      size_t length) {
  if (scope->bucket_count == 0) {
    return NULL;
  }
  const uint32_t hash = hash_of(name, length);
  for (uint32_t next = scope->buckets[hash & (scope->bucket_count - 1)];
       next > scope->isolated; next = scope->bindings.items[next - 1].older) {
    const mlir_binding_t *binding = &scope->bindings.items[next - 1];
    if (binding->hash == hash && binding->length == length &&
        memcmp(binding->name, name, length) == 0) {
      return binding;
    }
  }
  return NULL;
}

static void link_binding(mlir_scope_t *scope, uint32_t index) {
  mlir_binding_t *binding = &scope->bindings.items[index];
  uint32_t *bucket = &scope->buckets[binding->hash & (scope->bucket_count - 1)];
  binding->older = *bucket;
  *bucket = index + 1;
}

static void grow_buckets(mlir_scope_t *scope) {
  free(scope->buckets);
  scope->bucket_count =
      scope->bucket_count == 0 ? FIRST_BUCKET_COUNT : 2 * scope->bucket_count;
  scope->buckets = pod_alloc(scope->bucket_count * sizeof(*scope->buckets));
  for (uint32_t i = 0; i < (uint32_t)scope->bindings.count; i++) {
    link_binding(scope, i);
  }
}

void mlir_scope_add(mlir_scope_t *scope, const mlir_binding_t *binding) {
  const uint32_t index = (uint32_t)scope->bindings.count;
  if (index == scope->bucket_count) {
    grow_buckets(scope);
  }
  mlir_binding_t *added = pod_list_add(&scope->bindings);
  *added = *binding;
  added->hash = hash_of(binding->name, binding->length);
  link_binding(scope, index);
}

// Newest first, so that each one is the head of its bucket.
void mlir_scope_leave(mlir_scope_t *scope, uint32_t count) {
  while ((uint32_t)scope->bindings.count > count) {
    const mlir_binding_t *binding = &scope->bindings.items[--scope->bindings.count];
    scope->buckets[binding->hash & (scope->bucket_count - 1)] = binding->older;
  }
}

pod_status_t mlir_define_values(mlir_parser_t *parser, const char *name, size_t length,
                                mlir_position_t position, mlir_value_t *values,
                                uint32_t count) {
  mlir_scope_t *scope = &parser->state->scope;
  const mlir_binding_t *known = mlir_scope_find(scope, name, length);
  // Labels belong to their region: ^bb0 may stand in ^bb0.
  const bool is_outer_label =
      values == NULL && known != NULL && known - scope->bindings.items < scope->region;
  if (known != NULL && !is_outer_label) {
    int line, column;
    mlir_line_and_column(parser->module, known->position, &line, &column);
    return mlir_error_at(parser->module, position, POD_INVALID_ARGUMENT,
                         "%s%.*s is defined already, at %d:%d",
                         values == NULL ? "block " : "value %", (int)length, name, line,
                         column);
  }
  mlir_scope_add(scope, &(mlir_binding_t){.name = name,
                                          .length = (uint32_t)length,
                                          .position = position,
                                          .values = values,
                                          .count = count});
  return NULL;
}
