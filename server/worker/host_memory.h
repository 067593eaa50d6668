// Host memory for what stands in a chip's HBM: arrays and the block of temporaries.
//
// Cost: blocks of HOST_MEMORY_MAPPED_BYTES and more are mapped, on huge pages where the
// kernel has them; their pages are taken from the host when they are first touched, which
// costs as much as to fill them. The last large ones that were given back are kept for
// who wants one of the same size, until host_memory_trim has seen them twice; the kernel
// may have their pages meanwhile, if it needs them. Others go back at once.
// Threading: any thread.
// Ownership: the caller's, who remembers the size.

#ifndef SERVER_WORKER_HOST_MEMORY_H_
#define SERVER_WORKER_HOST_MEMORY_H_

#include <stdint.h>

#include "common/base/status.h"

enum {
  HOST_MEMORY_ALIGNMENT = 64,
  HOST_MEMORY_MAPPED_BYTES = 128 << 10,
  HOST_MEMORY_KEPT_BYTES = 1 << 30,  // At most, over all kept blocks.
  HOST_MEMORY_TRIM_MS = 1000,        // How often to trim.
};

// At HOST_MEMORY_ALIGNMENT, contents undefined; never NULL on success, also for size 0.
// RESOURCE_EXHAUSTED says that it is the host's memory that is short, and the size, also
// when the kernel would give it out and could not keep its word (host_room.h).
POD_MUST_USE pod_status_t host_memory_alloc(int64_t size_bytes, void **out_memory);

// The same with zeros. A mapped block takes no pages until it is used.
POD_MUST_USE pod_status_t host_memory_alloc_zeros(int64_t size_bytes, void **out_memory);

// Accepts NULL.
void host_memory_free(void *memory, int64_t size_bytes);

// Gives kept blocks back that have been kept since the last call.
void host_memory_trim(void);

#endif  // SERVER_WORKER_HOST_MEMORY_H_
