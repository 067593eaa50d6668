// Memory that lives and dies together: a compile, a request, a profile has one arena and
// releases it in one call.
//
// Cost: an allocation is a few instructions; the blocks double up to 1 MiB, and what is
// larger than a block gets its own.
// Threading: one thread at a time.
// Ownership: what the functions return is borrowed from the arena.
// Errors: none; when host memory runs out the process stops (see memory.h). Sizes that
// come from outside are to be checked against a bound before they reach an arena.

#ifndef COMMON_BASE_ARENA_H_
#define COMMON_BASE_ARENA_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

typedef struct pod_arena_t pod_arena_t;

pod_arena_t *pod_arena_create(void);

// Accepts NULL.
void pod_arena_destroy(pod_arena_t *arena);

// Zeroed and aligned for any type (16 bytes). Never NULL.
void *pod_arena_alloc(pod_arena_t *arena, size_t size_bytes);

// `count` zeroed elements; stops the process when the product overflows. In place, so
// that the size of an element is a constant.
static inline void *pod_arena_array(pod_arena_t *arena, size_t count,
                                    size_t element_bytes) {
  size_t size_bytes;
  if (__builtin_mul_overflow(count, element_bytes, &size_bytes)) {
    size_bytes = SIZE_MAX;  // More than pod_arena_alloc gives.
  }
  return pod_arena_alloc(arena, size_bytes);
}

// A copy; `size_bytes` may be 0.
void *pod_arena_copy(pod_arena_t *arena, const void *data, size_t size_bytes);

// The first `length` bytes of `text`, with a NUL behind.
char *pod_arena_text(pod_arena_t *arena, const char *text, size_t length);

char *pod_arena_strdup(pod_arena_t *arena, const char *text);

// `prefix`, `separator` and the number in decimal digits, in a fraction of printf's time.
char *pod_arena_numbered(pod_arena_t *arena, const char *prefix, const char *separator,
                         uint64_t number);

POD_PRINTF(2, 3) char *pod_arena_printf(pod_arena_t *arena, const char *format, ...);

// Bytes handed out so far.
size_t pod_arena_used_bytes(const pod_arena_t *arena);

#endif  // COMMON_BASE_ARENA_H_
