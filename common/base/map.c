// Open addressing with linear probing over indexes into a list of entries, which keeps
// the order of insertion (as CPython's dict does since 3.6). Removing leaves a tombstone
// that the next rebuild sweeps; at most half of the slots are taken.

#include "common/base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// A key that is shorter lies in its entry: most are names, or addresses.
enum { INSIDE_BYTES = 16 };

// Entries stand in insertion order. A removed entry keeps its slot with value NULL until
// the next rebuild.
typedef struct entry_t {
  uint64_t hash;
  void *value;
  size_t key_length;
  union {
    char *heap;
    char inside[INSIDE_BYTES];
  } key;
} entry_t;

// `tag` is the upper half of the hash: what is not looked for is passed over without
// looking at its entry, which in a large map lies far away.
typedef struct slot_t {
  uint32_t tag;
  uint32_t index;  // 1 + index of the entry; 0 for empty.
} slot_t;

struct pod_map_t {
  entry_t *entries;
  size_t entry_count, entry_capacity, live_count;
  slot_t *slots;
  size_t slot_count;  // A power of two.
};

enum { FIRST_SLOT_COUNT = 16 };

// Multiplies and folds, eight bytes at a time, with the constants of SplitMix64 (Steele,
// Lea and Flood, 2014).
static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 29);
}

// Of fewer than eight bytes and more than none: two loads that may overlap.
static uint64_t last_word(const char *key, size_t length) {
  if (length >= sizeof(uint32_t)) {
    uint32_t low, high;
    memcpy(&low, key, sizeof(low));
    memcpy(&high, key + length - sizeof(high), sizeof(high));
    return (uint64_t)high << 32 | low;
  }
  const unsigned char *bytes = (const unsigned char *)key;
  return (uint64_t)bytes[0] | (uint64_t)bytes[length / 2] << 8 |
         (uint64_t)bytes[length - 1] << 16;
}

static uint64_t hash_of(const char *key, size_t length) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ length;
  uint64_t word;
  for (; length >= sizeof(word); key += sizeof(word), length -= sizeof(word)) {
    memcpy(&word, key, sizeof(word));
    hash = mix(hash, word);
  }
  if (length > 0) {
    hash = mix(hash, last_word(key, length));
  }
  hash *= 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

pod_map_t *pod_map_create(void) {
  return pod_alloc(sizeof(pod_map_t));
}

static const char *key_of(const entry_t *entry) {
  return entry->key_length < INSIDE_BYTES ? entry->key.inside : entry->key.heap;
}

static void free_key(entry_t *entry) {
  if (entry->key_length >= INSIDE_BYTES) {
    free(entry->key.heap);
  }
}

void pod_map_destroy(pod_map_t *map) {
  if (map == NULL) {
    return;
  }
  for (size_t i = 0; i < map->entry_count; i++) {
    free_key(&map->entries[i]);
  }
  free(map->entries);
  free(map->slots);
  free(map);
}

static void insert_slot(pod_map_t *map, size_t index) {
  const uint64_t hash = map->entries[index].hash;
  size_t slot = hash & (map->slot_count - 1);
  while (map->slots[slot].index != 0) {
    slot = (slot + 1) & (map->slot_count - 1);
  }
  map->slots[slot] = (slot_t){(uint32_t)(hash >> 32), (uint32_t)index + 1};
}

static void rebuild(pod_map_t *map) {
  size_t kept = 0;
  for (size_t i = 0; i < map->entry_count; i++) {
    if (map->entries[i].value != NULL) {
      map->entries[kept++] = map->entries[i];
    } else {
      free_key(&map->entries[i]);
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

static entry_t *find_hashed(const pod_map_t *map, const char *key, size_t length,
                            uint64_t hash) {
  if (map->slot_count == 0) {
    return NULL;
  }
  const uint32_t tag = (uint32_t)(hash >> 32);
  for (size_t slot = hash & (map->slot_count - 1); map->slots[slot].index != 0;
       slot = (slot + 1) & (map->slot_count - 1)) {
    if (map->slots[slot].tag != tag) {
      continue;
    }
    entry_t *entry = &map->entries[map->slots[slot].index - 1];
    if (entry->hash == hash && entry->key_length == length && entry->value != NULL &&
        memcmp(key_of(entry), key, length) == 0) {
      return entry;
    }
  }
  return NULL;
}

static entry_t *find(const pod_map_t *map, const char *key, size_t length) {
  return find_hashed(map, key, length, hash_of(key, length));
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
  const uint64_t hash = hash_of(key, key_length);
  entry_t *entry = find_hashed(map, key, key_length, hash);
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
  entry = &map->entries[map->entry_count];
  *entry = (entry_t){.hash = hash, .value = value, .key_length = key_length};
  char *copy = entry->key.inside;
  if (key_length >= INSIDE_BYTES) {
    copy = entry->key.heap = pod_alloc(key_length + 1);
  }
  if (key_length > 0) {
    memcpy(copy, key, key_length);
  }
  insert_slot(map, map->entry_count++);
  map->live_count++;
}

void pod_map_put(pod_map_t *map, const char *key, void *value) {
  pod_map_put_n(map, key, strlen(key), value);
}

void *pod_map_remove_n(pod_map_t *map, const char *key, size_t key_length) {
  entry_t *entry = find(map, key, key_length);
  if (entry == NULL) {
    return NULL;
  }
  void *value = entry->value;
  entry->value = NULL;
  map->live_count--;
  return value;
}

void *pod_map_remove(pod_map_t *map, const char *key) {
  return pod_map_remove_n(map, key, strlen(key));
}

size_t pod_map_count(const pod_map_t *map) {
  return map->live_count;
}

bool pod_map_next(const pod_map_t *map, size_t *position, const char **out_key,
                  void **out_value) {
  while (*position < map->entry_count) {
    const entry_t *entry = &map->entries[(*position)++];
    if (entry->value != NULL) {
      *out_key = key_of(entry);
      *out_value = entry->value;
      return true;
    }
  }
  return false;
}
