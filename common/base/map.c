#include "common/base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// Entries stand in insertion order; `slots` holds 1 + index into them, 0 for empty. A
// removed entry keeps its slot with value NULL until the next rebuild.
typedef struct entry_t {
  char *key;
  size_t key_length;
  uint64_t hash;
  void *value;
} entry_t;

struct pod_map_t {
  entry_t *entries;
  size_t entry_count, entry_capacity, live_count;
  uint32_t *slots;
  size_t slot_count;  // A power of two.
};

enum { FIRST_SLOT_COUNT = 16 };

// FNV-1a.
static uint64_t hash_of(const char *key, size_t length) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) {
    hash = (hash ^ (unsigned char)key[i]) * 1099511628211u;
  }
  return hash ^ (hash >> 29);
}

pod_map_t *pod_map_create(void) {
  return pod_alloc(sizeof(pod_map_t));
}

void pod_map_destroy(pod_map_t *map) {
  if (map == NULL) {
    return;
  }
  for (size_t i = 0; i < map->entry_count; i++) {
    free(map->entries[i].key);
  }
  free(map->entries);
  free(map->slots);
  free(map);
}

static void insert_slot(pod_map_t *map, size_t index) {
  size_t slot = map->entries[index].hash & (map->slot_count - 1);
  while (map->slots[slot] != 0) {
    slot = (slot + 1) & (map->slot_count - 1);
  }
  map->slots[slot] = (uint32_t)index + 1;
}

static void rebuild(pod_map_t *map) {
  size_t kept = 0;
  for (size_t i = 0; i < map->entry_count; i++) {
    if (map->entries[i].value != NULL) {
      map->entries[kept++] = map->entries[i];
    } else {
      free(map->entries[i].key);
    }
  }
  map->entry_count = kept;
  map->slot_count = FIRST_SLOT_COUNT;
  while (map->slot_count < 4 * kept) {
    map->slot_count *= 2;
  }
  free(map->slots);
  map->slots = pod_alloc(map->slot_count * sizeof(*map->slots));
  for (size_t i = 0; i < kept; i++) {
    insert_slot(map, i);
  }
}

static entry_t *find(const pod_map_t *map, const char *key, size_t length) {
  if (map->slot_count == 0) {
    return NULL;
  }
  const uint64_t hash = hash_of(key, length);
  for (size_t slot = hash & (map->slot_count - 1); map->slots[slot] != 0;
       slot = (slot + 1) & (map->slot_count - 1)) {
    entry_t *entry = &map->entries[map->slots[slot] - 1];
    if (entry->hash == hash && entry->key_length == length && entry->value != NULL &&
        memcmp(entry->key, key, length) == 0) {
      return entry;
    }
  }
  return NULL;
}

void *pod_map_get_n(const pod_map_t *map, const char *key, size_t key_length) {
  const entry_t *entry = find(map, key, key_length);
  return entry == NULL ? NULL : entry->value;
}

void *pod_map_get(const pod_map_t *map, const char *key) {
  return pod_map_get_n(map, key, strlen(key));
}

void pod_map_put_n(pod_map_t *map, const char *key, size_t key_length, void *value) {
  POD_CHECK(value != NULL);
  entry_t *entry = find(map, key, key_length);
  if (entry != NULL) {
    entry->value = value;
    return;
  }
  if (2 * (map->entry_count + 1) > map->slot_count) {
    rebuild(map);
  }
  if (map->entry_count == map->entry_capacity) {
    map->entry_capacity = map->entry_capacity == 0 ? 8 : 2 * map->entry_capacity;
    map->entries = pod_grow(map->entries, map->entry_capacity, sizeof(*map->entries));
  }
  char *copy = pod_alloc(key_length + 1);
  memcpy(copy, key, key_length);
  map->entries[map->entry_count] =
      (entry_t){copy, key_length, hash_of(key, key_length), value};
  insert_slot(map, map->entry_count++);
  map->live_count++;
}

void pod_map_put(pod_map_t *map, const char *key, void *value) {
  pod_map_put_n(map, key, strlen(key), value);
}

void *pod_map_remove(pod_map_t *map, const char *key) {
  entry_t *entry = find(map, key, strlen(key));
  if (entry == NULL) {
    return NULL;
  }
  void *value = entry->value;
  entry->value = NULL;
  map->live_count--;
  return value;
}

size_t pod_map_count(const pod_map_t *map) {
  return map->live_count;
}

bool pod_map_next(const pod_map_t *map, size_t *position, const char **out_key,
                  void **out_value) {
  while (*position < map->entry_count) {
    const entry_t *entry = &map->entries[(*position)++];
    if (entry->value != NULL) {
      *out_key = entry->key;
      *out_value = entry->value;
      return true;
    }
  }
  return false;
}
