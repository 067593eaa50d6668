// Keys are equal when all of their parts are; hashing is left to the text's digest.

#include "server/coordinator/core/compile_key.h"

#include <string.h>

static bool types_are_equal(const compile_key_t *a, const compile_key_t *b) {
  if (a->argument_type_count != b->argument_type_count) {
    return false;
  }
  for (int64_t i = 0; i < a->argument_type_count; i++) {
    const compiler_argument_type_t *x = &a->argument_types[i];
    const compiler_argument_type_t *y = &b->argument_types[i];
    if (strcmp(x->argument, y->argument) != 0 || x->has_value != y->has_value ||
        x->value != y->value || x->is_partial != y->is_partial ||
        !tensor_shape_equal(&x->shape, &y->shape)) {
      return false;
    }
  }
  return true;
}

static bool orders_are_equal(const compile_key_t *a, const compile_key_t *b) {
  return a->device_order_count == b->device_order_count &&
         (a->device_order_count == 0 ||
          memcmp(a->device_order, b->device_order,
                 (size_t)a->device_order_count * sizeof(*a->device_order)) == 0);
}

bool compile_key_equal(const compile_key_t *a, const compile_key_t *b) {
  return a->text_bytes == b->text_bytes &&
         memcmp(a->digest, b->digest, DIGEST_BYTES) == 0 && a->spec == b->spec &&
         torus_equal(&a->torus, &b->torus) && strcmp(a->algorithms, b->algorithms) == 0 &&
         strcmp(a->file_name, b->file_name) == 0 && types_are_equal(a, b) &&
         orders_are_equal(a, b);
}

compile_key_t compile_key_copy(pod_arena_t *arena, const compile_key_t *key) {
  compile_key_t copy = *key;
  copy.file_name = pod_arena_strdup(arena, key->file_name);
  copy.algorithms = pod_arena_strdup(arena, key->algorithms);
  compiler_argument_type_t *types =
      pod_arena_array(arena, (size_t)key->argument_type_count + 1, sizeof(*types));
  for (int64_t i = 0; i < key->argument_type_count; i++) {
    types[i] = key->argument_types[i];
    types[i].argument = pod_arena_strdup(arena, types[i].argument);
  }
  copy.argument_types = types;
  copy.device_order =
      pod_arena_copy(arena, key->device_order,
                     (size_t)key->device_order_count * sizeof(*key->device_order));
  return copy;
}
