// Large memory that a kernel needs for the moment, beyond what the program's temporaries
// have: asked for where the host's memory is counted, before the kernel of the system has
// to kill somebody for it.
//
// Threading: any thread; the host is set before others start.
// Ownership: kernel_free what kernel_malloc returned, and nothing else.

#ifndef SERVER_WORKER_KERNELS_MEMORY_H_
#define SERVER_WORKER_KERNELS_MEMORY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

// As server/worker/host_room.h, whose layer is above this one.
typedef struct kernel_host_t {
  pod_status_t (*admit)(int64_t size_bytes);
  void (*watch)(const void *memory, int64_t size_bytes, bool is_used_before);
  void (*release)(const void *memory, int64_t size_bytes);
} kernel_host_t;

enum { KERNEL_COUNTED_BYTES = 4 << 20 };  // Smaller blocks are not asked about.

// Until then all is admitted. Borrowed for the life of the process.
void kernel_memory_set_host(const kernel_host_t *counted_by);

// Whether the host has room for a block that is counted from now on.
POD_MUST_USE bool kernel_memory_admit(size_t size_bytes);
// It is there, or has gone (`memory` NULL: it never came). Smaller ones are ignored.
void kernel_memory_watch(const void *memory, size_t size_bytes);
void kernel_memory_release(const void *memory, size_t size_bytes);

// As malloc and free; NULL also when the host has no room for it.
void *kernel_malloc(size_t size_bytes);
void kernel_free(void *memory);

#endif  // SERVER_WORKER_KERNELS_MEMORY_H_
