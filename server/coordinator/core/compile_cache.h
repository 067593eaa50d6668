// What has been compiled, by content: a module that comes again, for the same pod and
// with the same options, costs a comparison of keys. Shared by all sessions.
//
// Threading: the loop thread, which also does the counting of compiled_t.
// Ownership: an entry has a copy of its key and a use of what was compiled, until it is
// the least recently used one and room is needed; executables made of it keep uses of
// their own.
// Errors: none.

#ifndef SERVER_COORDINATOR_CORE_COMPILE_CACHE_H_
#define SERVER_COORDINATOR_CORE_COMPILE_CACHE_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/coordinator/core/compile_key.h"
#include "server/coordinator/core/compiled.h"

enum { COMPILE_CACHE_ENTRIES_MAX = 64 };
#define COMPILE_CACHE_BYTES_MAX ((int64_t)256 << 20)  // Of what was compiled.

typedef struct compile_cache_t compile_cache_t;

compile_cache_t *compile_cache_create(int32_t entries_max, int64_t bytes_max);

// Accepts NULL.
void compile_cache_destroy(compile_cache_t *cache);

// What was compiled, borrowed until the next call of compile_cache_put; NULL: it has to
// be compiled. It then is the most recently used one. With `is_loadable` only what can be
// loaded on chips (compiled->packed) will do.
compiled_t *compile_cache_find(compile_cache_t *cache, const compile_key_t *key,
                               bool is_loadable);

// Copies the key and keeps a use of `compiled`, which holds `compiled_bytes`. What is
// larger than the whole cache is not kept.
void compile_cache_put(compile_cache_t *cache, const compile_key_t *key,
                       compiled_t *compiled, int64_t compiled_bytes);

int32_t compile_cache_count(const compile_cache_t *cache);

#endif  // SERVER_COORDINATOR_CORE_COMPILE_CACHE_H_
