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

static bool specs_are_equal(int64_t count, const compiler_given_spec_t *a,
                            const compiler_given_spec_t *b) {
  for (int64_t i = 0; i < count; i++) {
    if (strcmp(a[i].name, b[i].name) != 0 || strcmp(a[i].spec, b[i].spec) != 0) {
      return false;
    }
  }
  return true;
}

static bool texts_are_equal(const char *a, const char *b) {
  return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

static bool given_is_equal(const compiler_given_t *a, const compiler_given_t *b) {
  return texts_are_equal(a->mesh, b->mesh) && texts_are_equal(a->donated, b->donated) &&
         a->argument_count == b->argument_count && a->result_count == b->result_count &&
         specs_are_equal(a->argument_count, a->arguments, b->arguments) &&
         a->value_count == b->value_count &&
         specs_are_equal(a->result_count, a->results, b->results) &&
         specs_are_equal(a->value_count, a->values, b->values);
}

static bool asks_are_equal(const compile_key_t *a, const compile_key_t *b) {
  return a->wants_values == b->wants_values && a->ignores_hbm == b->ignores_hbm &&
         a->estimates_only == b->estimates_only && texts_are_equal(a->after, b->after) &&
         texts_are_equal(a->propagation, b->propagation);
}

bool compile_key_equal(const compile_key_t *a, const compile_key_t *b) {
  return a->text_bytes == b->text_bytes &&
         memcmp(a->digest, b->digest, DIGEST_BYTES) == 0 && a->spec == b->spec &&
         torus_equal(&a->torus, &b->torus) && strcmp(a->algorithms, b->algorithms) == 0 &&
         strcmp(a->collectives, b->collectives) == 0 &&
         strcmp(a->file_name, b->file_name) == 0 && types_are_equal(a, b) &&
         orders_are_equal(a, b) && given_is_equal(&a->given, &b->given) &&
         asks_are_equal(a, b);
}

static const compiler_given_spec_t *copy_specs(pod_arena_t *arena, int64_t count,
                                               const compiler_given_spec_t *from) {
  compiler_given_spec_t *to = pod_arena_array(arena, (size_t)count + 1, sizeof(*to));
  for (int64_t i = 0; i < count; i++) {
    to[i].name = pod_arena_strdup(arena, from[i].name);
    to[i].spec = pod_arena_strdup(arena, from[i].spec);
  }
  return to;
}

static const char *copy_text(pod_arena_t *arena, const char *text) {
  return pod_arena_strdup(arena, text == NULL ? "" : text);
}

compile_key_t compile_key_copy(pod_arena_t *arena, const compile_key_t *key) {
  compile_key_t copy = *key;
  copy.file_name = pod_arena_strdup(arena, key->file_name);
  copy.algorithms = pod_arena_strdup(arena, key->algorithms);
  copy.collectives = pod_arena_strdup(arena, key->collectives);
  compiler_argument_type_t *types =
      pod_arena_array(arena, (size_t)key->argument_type_count + 1, sizeof(*types));
  for (int64_t i = 0; i < key->argument_type_count; i++) {
    types[i] = key->argument_types[i];
    types[i].argument = pod_arena_strdup(arena, types[i].argument);
  }
  copy.argument_types = types;
  copy.given.mesh = copy_text(arena, key->given.mesh);
  copy.given.donated = copy_text(arena, key->given.donated);
  copy.given.arguments =
      copy_specs(arena, key->given.argument_count, key->given.arguments);
  copy.given.results = copy_specs(arena, key->given.result_count, key->given.results);
  copy.given.values = copy_specs(arena, key->given.value_count, key->given.values);
  copy.after = copy_text(arena, key->after);
  copy.propagation = copy_text(arena, key->propagation);
  copy.device_order =
      pod_arena_copy(arena, key->device_order,
                     (size_t)key->device_order_count * sizeof(*key->device_order));
  return copy;
}
