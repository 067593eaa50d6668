// Frames in shared memory: a ring that one side fills and the other empties. The memory
// belongs to the receiver, who makes a new one for every session of a link, so that a
// sender who has not heard of the end of the last one cannot disturb the next.
//
// Whatever the sender can write is checked when it is read; only the payload may still
// change under the reader's hands, which spoils nothing but numbers.
//
// Threading: one thread at a time on either side.

#ifndef SERVER_ICI_RING_H_
#define SERVER_ICI_RING_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/ici/frame.h"
#include "server/ici/shared.h"

enum {
  ICI_RING_BYTES = 1 << 21,
  // What a sender cuts its own messages into: the reader finds them in a cache. Frames
  // that are passed on may be as long as any.
  ICI_RING_PIECE_BYTES = 128 * 1024,
};

typedef struct ici_ring_t {
  ici_shared_t shared;
  uint64_t position;  // Own: head of the reader, tail of the writer.
  uint64_t seen;      // The other's, as last read.
} ici_ring_t;

// The receiver's end. RESOURCE_EXHAUSTED.
POD_MUST_USE pod_status_t ici_ring_create(const uint8_t token[ICI_TOKEN_BYTES],
                                          ici_ring_t *out_ring);

// The sender's end. UNAVAILABLE.
POD_MUST_USE pod_status_t ici_ring_open(int32_t process, int32_t file,
                                        const uint8_t token[ICI_TOKEN_BYTES],
                                        ici_ring_t *out_ring);

void ici_ring_close(ici_ring_t *ring);

bool ici_ring_is_open(const ici_ring_t *ring);

typedef enum ici_ring_put_t {
  ICI_RING_PUT = 0,
  ICI_RING_FULL = 1,        // Now; the reader will call when it has made room.
  ICI_RING_STILL_FULL = 2,  // The reader has been asked to call, and has not yet.
} ici_ring_put_t;

// Puts a frame in if it, and `spare` more of the longest ones, find room.
ici_ring_put_t ici_ring_put(ici_ring_t *ring, const ici_header_t *header,
                            const void *payload, int spare);

typedef enum ici_ring_look_t {
  ICI_RING_EMPTY = 0,
  ICI_RING_FRAME = 1,
  ICI_RING_BROKEN = 2,  // The writer is not one of ours: close the link.
} ici_ring_look_t;

// The next frame, which stays in the ring until ici_ring_drop. The payload is aligned to
// 64 bytes.
ici_ring_look_t ici_ring_look(ici_ring_t *ring, int32_t chip_count,
                              ici_header_t *out_header, const uint8_t **out_payload);

// Makes room of the frame last looked at, `payload_bytes` long. True: the writer waits
// for room; ring its bell.
bool ici_ring_drop(ici_ring_t *ring, uint32_t payload_bytes);

#endif  // SERVER_ICI_RING_H_
