// A map from the coordinator's 64-bit ids to objects. See common/base/map.h.

#ifndef SERVER_WORKER_ID_MAP_H_
#define SERVER_WORKER_ID_MAP_H_

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/map.h"

typedef struct id_key_t {
  char text[17];
} id_key_t;

static inline id_key_t id_key(uint64_t id) {
  id_key_t key;
  snprintf(key.text, sizeof(key.text), "%" PRIx64, id);
  return key;
}

static inline void *id_map_get(const pod_map_t *map, uint64_t id) {
  return pod_map_get(map, id_key(id).text);
}

static inline void id_map_put(pod_map_t *map, uint64_t id, void *value) {
  pod_map_put(map, id_key(id).text, value);
}

static inline void *id_map_remove(pod_map_t *map, uint64_t id) {
  return pod_map_remove(map, id_key(id).text);
}

#endif  // SERVER_WORKER_ID_MAP_H_
