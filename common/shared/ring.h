// Chunks of memory that two processes of one host share, and how many of them have been
// filled and emptied: what one process has to give is copied into them, and out of them
// by the other.
//
// The ring is small, so that what lies in it stays in the processors' caches: bytes cross
// main memory where they come from and where they go, and not on the way.
//
// Nothing that the other process writes is trusted: how far it says to be is checked
// against what it can have done, and the memory cannot be taken away (the file is sealed
// against shrinking).
//
// Threading: each end belongs to one thread of its process.
// Ownership: an end owns its mapping.

#ifndef COMMON_SHARED_RING_H_
#define COMMON_SHARED_RING_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
  SHARED_CHUNK_BYTES = 256 << 10,
  SHARED_CHUNKS = 4,  // One is filled, one emptied, one on the way each way.
};

typedef struct shared_page_t shared_page_t;

// An end of a ring. The bytes go either way, one way at a time.
typedef struct shared_ring_t {
  shared_page_t *page;  // NULL: not mapped.
  uint8_t *chunks;
  bool is_second;    // The end that did not make the ring.
  bool fills;        // The one that has filled last.
  uint32_t filled;   // Chunks, ever, modulo 2^32: as this end knows.
  uint32_t emptied;  // Likewise.
} shared_ring_t;

// The first end, and the file for the other process, which the caller closes.
// UNAVAILABLE where the system has no such memory.
POD_MUST_USE pod_status_t shared_ring_create(shared_ring_t *out_ring, int *out_file);

// The second end, of a file that another process gave; the file stays the caller's.
// PERMISSION_DENIED for one that is not as shared_ring_create makes it.
POD_MUST_USE pod_status_t shared_ring_map(int file, shared_ring_t *out_ring);

void shared_ring_unmap(shared_ring_t *ring);

// The chunk that may be filled next; NULL: none yet. DATA_LOSS when the other end says
// what cannot be.
POD_MUST_USE pod_status_t shared_ring_to_fill(shared_ring_t *ring, uint8_t **out_chunk);

// The chunk that may be emptied next; likewise.
POD_MUST_USE pod_status_t shared_ring_to_empty(shared_ring_t *ring, uint8_t **out_chunk);

// That chunk has been filled or emptied. True: the other end sleeps, and has to be woken.
bool shared_ring_filled(shared_ring_t *ring);
bool shared_ring_emptied(shared_ring_t *ring);

// This end is going to empty what the other one fills; all that it has filled itself
// will have been emptied before.
void shared_ring_begin_emptying(shared_ring_t *ring);

// This end is going to sleep: from now on the other end knows that it has to be woken.
// Look once more whether there is something to do, then sleep.
void shared_ring_sleep(shared_ring_t *ring, bool sleeps);

#endif  // COMMON_SHARED_RING_H_
