// malloc for small, bounded things whose failure leaves nothing sensible to do: these
// stop the process. What a peer or a user sizes (arrays, messages, modules) must not come
// from here: use malloc and report RESOURCE_EXHAUSTED.
//
// Threading: any thread.
// Ownership: free() what they return.

#ifndef COMMON_BASE_MEMORY_H_
#define COMMON_BASE_MEMORY_H_

#include <stddef.h>

// Zeroed. Never NULL, also for a size of 0.
void *pod_alloc(size_t size_bytes);

// Like realloc for `count` elements of `element_bytes`; what grows is not zeroed.
void *pod_grow(void *memory, size_t count, size_t element_bytes);

char *pod_strdup(const char *text);

#endif  // COMMON_BASE_MEMORY_H_
