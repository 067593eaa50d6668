// A list in order of use, the least recently used last; bounded in entries and bytes.

#include "server/coordinator/core/compile_cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

typedef struct entry_t {
  pod_arena_t *arena;  // The key's.
  compile_key_t key;
  compiled_t *compiled;
  int64_t bytes;
} entry_t;

struct compile_cache_t {
  int32_t count, entries_max;
  int64_t bytes, bytes_max;
  entry_t *entries;  // The most recently used one first.
};

compile_cache_t *compile_cache_create(int32_t entries_max, int64_t bytes_max) {
  POD_CHECK(entries_max > 0);
  compile_cache_t *cache = pod_alloc(sizeof(*cache));
  cache->entries_max = entries_max;
  cache->bytes_max = bytes_max;
  cache->entries = pod_alloc((size_t)entries_max * sizeof(*cache->entries));
  return cache;
}

static void remove_entry(compile_cache_t *cache, int32_t index) {
  entry_t *entry = &cache->entries[index];
  cache->bytes -= entry->bytes;
  pod_arena_destroy(entry->arena);
  compiled_unuse(entry->compiled);
  cache->count--;
  memmove(entry, entry + 1, (size_t)(cache->count - index) * sizeof(*entry));
}

void compile_cache_destroy(compile_cache_t *cache) {
  if (cache == NULL) {
    return;
  }
  while (cache->count > 0) {
    remove_entry(cache, cache->count - 1);
  }
  free(cache->entries);
  free(cache);
}

// -1: there is none.
static int32_t find_entry(const compile_cache_t *cache, const compile_key_t *key) {
  for (int32_t i = 0; i < cache->count; i++) {
    if (compile_key_equal(&cache->entries[i].key, key)) {
      return i;
    }
  }
  return -1;
}

compiled_t *compile_cache_find(compile_cache_t *cache, const compile_key_t *key,
                               bool is_loadable) {
  const int32_t index = find_entry(cache, key);
  if (index < 0 || (is_loadable && cache->entries[index].compiled->packed == NULL)) {
    return NULL;
  }
  const entry_t found = cache->entries[index];
  memmove(cache->entries + 1, cache->entries, (size_t)index * sizeof(found));
  cache->entries[0] = found;
  return found.compiled;
}

void compile_cache_put(compile_cache_t *cache, const compile_key_t *key,
                       compiled_t *compiled, int64_t compiled_bytes) {
  // Compiled to be looked at before, now in a form that can be loaded, or the reverse.
  const int32_t same = find_entry(cache, key);
  const bool is_better = same < 0 || (compiled->packed != NULL &&
                                      cache->entries[same].compiled->packed == NULL);
  if (compiled_bytes > cache->bytes_max || !is_better) {
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  const entry_t entry = {.arena = arena,
                         .key = compile_key_copy(arena, key),
                         .compiled = compiled_use(compiled),
                         .bytes = compiled_bytes};
  if (same >= 0) {
    remove_entry(cache, same);
  }
  while (cache->count == cache->entries_max ||
         cache->bytes + compiled_bytes > cache->bytes_max) {
    remove_entry(cache, cache->count - 1);
  }
  memmove(cache->entries + 1, cache->entries, (size_t)cache->count * sizeof(entry));
  cache->entries[0] = entry;
  cache->count++;
  cache->bytes += compiled_bytes;
}

int32_t compile_cache_count(const compile_cache_t *cache) {
  return cache->count;
}
