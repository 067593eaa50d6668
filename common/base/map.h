// A hash map from strings to pointers, in insertion order when walked: nothing that
// depends on it can depend on addresses or hash seeds.
//
// Threading: one thread at a time.
// Ownership: keys are copied; values are borrowed.
// Errors: none; see memory.h.

#ifndef COMMON_BASE_MAP_H_
#define COMMON_BASE_MAP_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct pod_map_t pod_map_t;

pod_map_t *pod_map_create(void);

// Accepts NULL. Leaves the values alone.
void pod_map_destroy(pod_map_t *map);

// NULL when absent.
void *pod_map_get(const pod_map_t *map, const char *key);

void *pod_map_get_n(const pod_map_t *map, const char *key, size_t key_length);

// Replaces the value of a key that is there. `value` must not be NULL.
void pod_map_put(pod_map_t *map, const char *key, void *value);

void pod_map_put_n(pod_map_t *map, const char *key, size_t key_length, void *value);

// Returns the value that was there, or NULL.
void *pod_map_remove(pod_map_t *map, const char *key);

void *pod_map_remove_n(pod_map_t *map, const char *key, size_t key_length);

size_t pod_map_count(const pod_map_t *map);

// Walks in insertion order: start with *position = 0; false at the end. The map may lose
// the entry just returned during the walk, and must not gain any.
bool pod_map_next(const pod_map_t *map, size_t *position, const char **out_key,
                  void **out_value);

#endif  // COMMON_BASE_MAP_H_
