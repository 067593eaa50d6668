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

// How a process that is out of memory stops: `stop` is called with the bytes that were
// not to be had, and does not come back. Without one it aborts. Set once, before threads
// start; NULL: abort.
void pod_memory_on_exhausted(void (*stop)(size_t size_bytes));

// Stops the process; for allocators of their own.
_Noreturn void pod_memory_exhausted(size_t size_bytes);

#endif  // COMMON_BASE_MEMORY_H_
