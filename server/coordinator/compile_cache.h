// What has been compiled, by content: a module that comes again, for the same pod and
// with the same options, costs a comparison. Shared by all sessions.
//
// Two modules are the same when their bytes are; no hash stands in for them. The file's
// name counts, because the sources that a profile shows have it. The chip kind counts by
// identity: a spec is immutable and lives as long as the coordinator.
//
// Cost: a comparison per entry that is as long, and of the text for the one that is
// equal. Threading: the loop thread, which also does the counting of compiled_t.
// Ownership: an entry has its text and a use of what was compiled, until it is the least
// recently used one and room is needed; executables made of it keep uses of their own.
// Errors: none.

#ifndef SERVER_COORDINATOR_COMPILE_CACHE_H_
#define SERVER_COORDINATOR_COMPILE_CACHE_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/coordinator/compiled.h"

enum { COMPILE_CACHE_ENTRIES_MAX = 64 };
#define COMPILE_CACHE_BYTES_MAX ((int64_t)256 << 20)  // Of texts and what came of them.

typedef struct compile_cache_t compile_cache_t;

// All that a compiled program depends on. Everything is borrowed.
typedef struct compile_key_t {
  const char *text;
  int64_t text_bytes;
  const char *file_name, *algorithms;
  const chip_spec_t *spec;
  torus_t torus;
} compile_key_t;

bool compile_key_equal(const compile_key_t *a, const compile_key_t *b);

compile_cache_t *compile_cache_create(int32_t entries_max, int64_t bytes_max);

// Accepts NULL.
void compile_cache_destroy(compile_cache_t *cache);

// What was compiled, borrowed until the next call of compile_cache_put; NULL: it has to
// be compiled. It then is the most recently used one. With `is_loadable` only what can be
// loaded on chips (compiled->packed) will do.
compiled_t *compile_cache_find(compile_cache_t *cache, const compile_key_t *key,
                               bool is_loadable);

// Takes `text` (free()), the key's own; copies the names and keeps a use of `compiled`,
// which holds `compiled_bytes`. What is larger than the whole cache is not kept.
void compile_cache_put(compile_cache_t *cache, const compile_key_t *key, char *text,
                       compiled_t *compiled, int64_t compiled_bytes);

int32_t compile_cache_count(const compile_cache_t *cache);

#endif  // SERVER_COORDINATOR_COMPILE_CACHE_H_
