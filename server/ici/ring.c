// A single-producer, single-consumer ring (Lamport, 1983): positions only grow, each
// side writes its own and reads the other's, and a writer that finds no room leaves a
// wish and looks once more.

#include "server/ici/ring.h"

#include <stdatomic.h>
#include <string.h>

enum {
  ALIGNMENT = 64,
  // A record: the frame's size (0: go on at the start), its header, its payload.
  HEADER_AT = 16,
  PAYLOAD_AT = 128,
  DATA_AT = 4096,
  RECORD_MAX = PAYLOAD_AT + ICI_PAYLOAD_MAX,
};
_Static_assert(HEADER_AT + ICI_HEADER_BYTES <= PAYLOAD_AT, "the header must fit");
_Static_assert(ICI_RING_BYTES >= 6 * RECORD_MAX, "a few of the longest must fit");

// Positions count bytes for ever; their remainder by the size is the place.
typedef struct control_t {
  uint8_t token[ICI_TOKEN_BYTES];
  _Alignas(ALIGNMENT) _Atomic uint64_t head;  // The reader's.
  _Alignas(ALIGNMENT) _Atomic uint64_t tail;  // The writer's.
  _Alignas(ALIGNMENT) _Atomic uint32_t writer_waits;
} control_t;

static control_t *control_of(const ici_ring_t *ring) {
  return ring->shared.memory;
}

static uint8_t *place_of(const ici_ring_t *ring, uint64_t position) {
  return (uint8_t *)ring->shared.memory + DATA_AT + position % ICI_RING_BYTES;
}

static uint64_t record_bytes(uint32_t payload_bytes) {
  return (PAYLOAD_AT + (uint64_t)payload_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

pod_status_t ici_ring_create(const uint8_t token[ICI_TOKEN_BYTES], ici_ring_t *out_ring) {
  *out_ring = (ici_ring_t){.shared.file = -1};
  return ici_shared_create(DATA_AT + ICI_RING_BYTES, token, &out_ring->shared);
}

pod_status_t ici_ring_open(int32_t process, int32_t file,
                           const uint8_t token[ICI_TOKEN_BYTES], ici_ring_t *out_ring) {
  *out_ring = (ici_ring_t){.shared.file = -1};
  return ici_shared_open(process, file, DATA_AT + ICI_RING_BYTES, token,
                         &out_ring->shared);
}

void ici_ring_close(ici_ring_t *ring) {
  ici_shared_close(&ring->shared);
  ring->position = 0;
  ring->seen = 0;
}

bool ici_ring_is_open(const ici_ring_t *ring) {
  return ring->shared.memory != NULL;
}

// Free bytes, when at least `wanted` of them; looks at the reader's position only when
// the last look is not enough.
static bool has_room(ici_ring_t *ring, uint64_t wanted) {
  if (ICI_RING_BYTES - (ring->position - ring->seen) >= wanted) {
    return true;
  }
  const uint64_t head =
      atomic_load_explicit(&control_of(ring)->head, memory_order_acquire);
  if (ring->position - head > ICI_RING_BYTES) {
    return false;  // Not one of ours.
  }
  ring->seen = head;
  return ICI_RING_BYTES - (ring->position - head) >= wanted;
}

// Asks the reader to call, and looks once more: it may have made room in between.
static ici_ring_put_t look_for_room(ici_ring_t *ring, uint64_t wanted) {
  if (has_room(ring, wanted)) {
    return ICI_RING_PUT;
  }
  const uint32_t waited = atomic_exchange(&control_of(ring)->writer_waits, 1);
  atomic_thread_fence(memory_order_seq_cst);  // The reader: room first, then who waits.
  if (has_room(ring, wanted)) {
    return ICI_RING_PUT;
  }
  return waited != 0 ? ICI_RING_STILL_FULL : ICI_RING_FULL;
}

ici_ring_put_t ici_ring_put(ici_ring_t *ring, const ici_header_t *header,
                            const void *payload, int spare) {
  const uint64_t record = record_bytes(header->payload_bytes);
  const uint64_t to_end = ICI_RING_BYTES - ring->position % ICI_RING_BYTES;
  const uint64_t skipped = to_end < record ? to_end : 0;
  const ici_ring_put_t room =
      look_for_room(ring, skipped + record + (uint64_t)spare * RECORD_MAX);
  if (room != ICI_RING_PUT) {
    return room;
  }
  if (skipped > 0) {
    memset(place_of(ring, ring->position), 0, sizeof(uint32_t));
    ring->position += skipped;
  }
  uint8_t *place = place_of(ring, ring->position);
  const uint32_t frame_bytes = ICI_HEADER_BYTES + header->payload_bytes;
  memcpy(place, &frame_bytes, sizeof(frame_bytes));
  ici_header_encode(header, place + HEADER_AT);
  if (header->payload_bytes > 0) {
    memcpy(place + PAYLOAD_AT, payload, header->payload_bytes);
  }
  ring->position += record;
  atomic_store_explicit(&control_of(ring)->tail, ring->position, memory_order_release);
  return ICI_RING_PUT;
}

static ici_ring_look_t look_at_record(const ici_ring_t *ring, int32_t chip_count,
                                      ici_header_t *out_header,
                                      const uint8_t **out_payload) {
  const uint8_t *place = place_of(ring, ring->position);
  uint8_t header[ICI_HEADER_BYTES];
  uint32_t frame_bytes;
  memcpy(&frame_bytes, place, sizeof(frame_bytes));
  memcpy(header, place + HEADER_AT, sizeof(header));
  pod_status_t status = ici_header_decode(header, frame_bytes, chip_count, out_header);
  if (status != NULL) {
    pod_status_free(status);
    return ICI_RING_BROKEN;
  }
  const uint64_t record = record_bytes(out_header->payload_bytes);
  const uint64_t to_end = ICI_RING_BYTES - ring->position % ICI_RING_BYTES;
  if (record > to_end || record > ring->seen - ring->position) {
    return ICI_RING_BROKEN;
  }
  *out_payload = place + PAYLOAD_AT;
  return ICI_RING_FRAME;
}

ici_ring_look_t ici_ring_look(ici_ring_t *ring, int32_t chip_count,
                              ici_header_t *out_header, const uint8_t **out_payload) {
  control_t *control = control_of(ring);
  if (ring->position == ring->seen) {
    const uint64_t tail = atomic_load_explicit(&control->tail, memory_order_acquire);
    if (tail == ring->position) {
      return ICI_RING_EMPTY;
    }
    if (tail - ring->position > ICI_RING_BYTES || tail % ALIGNMENT != 0) {
      return ICI_RING_BROKEN;
    }
    ring->seen = tail;
  }
  uint32_t frame_bytes;
  memcpy(&frame_bytes, place_of(ring, ring->position), sizeof(frame_bytes));
  if (frame_bytes != 0) {
    return look_at_record(ring, chip_count, out_header, out_payload);
  }
  const uint64_t to_end = ICI_RING_BYTES - ring->position % ICI_RING_BYTES;
  if (to_end >= ring->seen - ring->position) {
    return ICI_RING_BROKEN;  // Behind a skip there is a frame.
  }
  ring->position += to_end;
  return look_at_record(ring, chip_count, out_header, out_payload);
}

bool ici_ring_drop(ici_ring_t *ring, uint32_t payload_bytes) {
  control_t *control = control_of(ring);
  ring->position += record_bytes(payload_bytes);
  atomic_store(&control->head, ring->position);
  return atomic_load(&control->writer_waits) != 0 &&
         atomic_exchange(&control->writer_waits, 0) != 0;
}
