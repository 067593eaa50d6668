// A map from 64-bit ids to pointers, walked in insertion order; see map.h, whose keys the
// bytes of the ids are.

#ifndef COMMON_BASE_ID_MAP_H_
#define COMMON_BASE_ID_MAP_H_

#include <stdint.h>
#include <string.h>

#include "common/base/map.h"

// NULL when absent.
static inline void *pod_id_map_get(const pod_map_t *map, uint64_t id) {
  return pod_map_get_n(map, (const char *)&id, sizeof(id));
}

// Replaces the value of an id that is there. `value` must not be NULL.
static inline void pod_id_map_put(pod_map_t *map, uint64_t id, void *value) {
  pod_map_put_n(map, (const char *)&id, sizeof(id), value);
}

// Returns the value that was there, or NULL.
static inline void *pod_id_map_remove(pod_map_t *map, uint64_t id) {
  return pod_map_remove_n(map, (const char *)&id, sizeof(id));
}

// As pod_map_next; `out_id` may be NULL.
static inline bool pod_id_map_next(const pod_map_t *map, size_t *position,
                                   uint64_t *out_id, void **out_value) {
  const char *key;
  if (!pod_map_next(map, position, &key, out_value)) {
    return false;
  }
  if (out_id != NULL) {
    memcpy(out_id, key, sizeof(*out_id));
  }
  return true;
}

#endif  // COMMON_BASE_ID_MAP_H_
