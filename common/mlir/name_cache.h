// What a pass knows of operations by their names, remembered by the names' addresses:
// they are interned, so that a pass over many operations compares texts only for the few
// names that it has not met. It forgets: a miss says nothing.
//
// Threading: one thread at a time. Ownership: none; a cache must not outlive the module
// whose names it has seen. Zero it to start.

#ifndef COMMON_MLIR_NAME_CACHE_H_
#define COMMON_MLIR_NAME_CACHE_H_

#include <stddef.h>
#include <stdint.h>

enum { MLIR_NAME_CACHE_SLOTS = 128 };  // A power of two.

typedef struct mlir_name_cache_t {
  const char *names[MLIR_NAME_CACHE_SLOTS];
  intptr_t values[MLIR_NAME_CACHE_SLOTS];
} mlir_name_cache_t;

static inline size_t mlir_name_cache_slot(const char *name) {
  const uintptr_t address = (uintptr_t)name;
  return ((address >> 4) ^ (address >> 11)) % MLIR_NAME_CACHE_SLOTS;
}

// `name` is interned. NULL: not known, or no longer.
static inline intptr_t *mlir_name_cache_find(mlir_name_cache_t *cache, const char *name) {
  const size_t slot = mlir_name_cache_slot(name);
  return cache->names[slot] == name ? &cache->values[slot] : NULL;
}

static inline intptr_t *mlir_name_cache_put(mlir_name_cache_t *cache, const char *name,
                                            intptr_t value) {
  const size_t slot = mlir_name_cache_slot(name);
  cache->names[slot] = name;
  cache->values[slot] = value;
  return &cache->values[slot];
}

// What `value_of` says of the name, asked when it is not known.
static inline intptr_t mlir_name_cache_get(mlir_name_cache_t *cache, const char *name,
                                           intptr_t (*value_of)(const char *name)) {
  const intptr_t *known = mlir_name_cache_find(cache, name);
  return known != NULL ? *known : *mlir_name_cache_put(cache, name, value_of(name));
}

#endif  // COMMON_MLIR_NAME_CACHE_H_
