// Whether the host has room for what a chip is to hold. The modelled HBM may be larger
// than the host's memory, and several chips may stand on one host: what does not fit is
// refused with the numbers, before the kernel has to kill somebody.
//
// Memory is taken from the host when it is first written, long after it was given out.
// What a process has given out and not seen written is its promise, which it tells the
// other workers of its user on this host in a table they share
// (/dev/shm/podium-memory-UID). Room is what the kernel says is left
// (common/base/available_memory.h), less all promises, less a reserve. Who asks promises
// first and looks then, so that of several who ask at once none is let in on the same
// memory; what was written meanwhile may count twice for HOST_ROOM_LOOK_MS, never not at
// all.
//
// PODIUM_HOST_MEMORY_BYTES bounds what all workers of the host hold together; without it
// only the kernel's figures count. Workers that are to be counted apart have another
// PODIUM_HOST_MEMORY_TABLE, the name of a file below /dev/shm.
//
// Cost: for blocks below HOST_ROOM_BLOCK_BYTES an addition; above, the figures are read
// at most every HOST_ROOM_LOOK_MS as long as there is plenty (some 50 µs). Threading: any
// thread. Errors: RESOURCE_EXHAUSTED says what is needed, what is left and who has the
// rest. A table that cannot be had is done without.

#ifndef SERVER_WORKER_HOST_ROOM_H_
#define SERVER_WORKER_HOST_ROOM_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
  HOST_ROOM_BLOCK_BYTES = 4 << 20,
  // Of smaller ones so much is given out between two looks.
  HOST_ROOM_SMALL_BYTES = 64 << 20,
  HOST_ROOM_LOOK_MS = 200,
};

// Names the table that is shared, as shm_open has it, before anything is admitted.
// Without it, it is the user's.
void host_room_open(const char *table);

// Before memory is taken. When that fails all the same, host_room_release(NULL, …).
POD_MUST_USE pod_status_t host_room_admit(int64_t size_bytes);

// The block of what was admitted, from HOST_ROOM_BLOCK_BYTES on: it is a promise until it
// is seen to be written. `is_used_before`: some of its pages may be there already.
void host_room_watch(const void *memory, int64_t size_bytes, bool is_used_before);

// What was admitted will not be written, or has been: it is no promise.
void host_room_fulfil(int64_t size_bytes);

// What was admitted goes; before it is unmapped. `memory` may be NULL: it never came.
void host_room_release(const void *memory, int64_t size_bytes);

// Looks at what has been written since. Call it every HOST_ROOM_LOOK_MS; costs nothing
// while there is no promise.
void host_room_look(void);

typedef struct host_room_use_t {
  int64_t held_bytes;      // Given out.
  int64_t promised_bytes;  // Of that, not seen written.
  int32_t process_count;
} host_room_use_t;

// Of all workers of the user on this host.
host_room_use_t host_room_use(void);

#endif  // SERVER_WORKER_HOST_ROOM_H_
