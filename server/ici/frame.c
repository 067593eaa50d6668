// Fields one behind the other, little-endian; reading checks every bound before the
// payload's length is believed.

#include "server/ici/frame.h"

#include <inttypes.h>
#include <string.h>

#include "server/ici/remote.h"

// Writes and reads little-endian numbers one behind the other.
typedef struct cursor_t {
  uint8_t *write;
  const uint8_t *read;
} cursor_t;

static void put(cursor_t *cursor, uint64_t value, int size_bytes) {
  for (int i = 0; i < size_bytes; i++) {
    *cursor->write++ = (uint8_t)(value >> (8 * i));
  }
}

static uint64_t take(cursor_t *cursor, int size_bytes) {
  uint64_t value = 0;
  for (int i = 0; i < size_bytes; i++) {
    value |= (uint64_t)*cursor->read++ << (8 * i);
  }
  return value;
}

static int32_t take_i32(cursor_t *cursor) {
  return (int32_t)(uint32_t)take(cursor, 4);
}

void ici_header_encode(const ici_header_t *header, uint8_t bytes[ICI_HEADER_BYTES]) {
  cursor_t cursor = {.write = bytes};
  put(&cursor, ICI_MAGIC, 4);
  put(&cursor, ICI_VERSION, 1);
  put(&cursor, header->kind, 1);
  put(&cursor, header->flags, 2);
  put(&cursor, (uint32_t)header->source, 4);
  put(&cursor, (uint32_t)header->destination, 4);
  put(&cursor, header->epoch, 8);
  put(&cursor, header->execution, 8);
  put(&cursor, header->sequence, 4);
  put(&cursor, (uint32_t)header->lane, 4);
  put(&cursor, (uint32_t)header->tag, 4);
  put(&cursor, header->payload_bytes, 4);
  put(&cursor, (uint64_t)header->offset, 8);
  put(&cursor, (uint64_t)header->total, 8);
  put(&cursor, 0, 8);
  put(&cursor, header->hops, 4);
  put(&cursor, 0, 4);
}

static void read_header(const uint8_t *bytes, ici_header_t *header) {
  cursor_t cursor = {.read = bytes + 5};
  header->kind = (uint8_t)take(&cursor, 1);
  header->flags = (uint16_t)take(&cursor, 2);
  header->source = take_i32(&cursor);
  header->destination = take_i32(&cursor);
  header->epoch = take(&cursor, 8);
  header->execution = take(&cursor, 8);
  header->sequence = (uint32_t)take(&cursor, 4);
  header->lane = take_i32(&cursor);
  header->tag = take_i32(&cursor);
  header->payload_bytes = (uint32_t)take(&cursor, 4);
  header->offset = (int64_t)take(&cursor, 8);
  header->total = (int64_t)take(&cursor, 8);
  (void)take(&cursor, 8);
  header->hops = (uint32_t)take(&cursor, 4);
}

static bool is_place_valid(const ici_header_t *header) {
  if (header->lane < 0 || header->lane >= COLLECTIVE_LANES_MAX || header->tag < 0) {
    return false;
  }
  if (header->total < 0 || header->total > COLLECTIVE_BYTES_MAX || header->offset < 0) {
    return false;
  }
  if (header->kind != ICI_DATA) {
    return header->payload_bytes == 0 || header->kind == ICI_ABANDON ||
           (header->kind == ICI_REQUEST && header->payload_bytes == ICI_REMOTE_BYTES);
  }
  return header->payload_bytes > 0 &&
         header->offset <= header->total - (int64_t)header->payload_bytes;
}

pod_status_t ici_header_decode(const uint8_t *bytes, size_t size_bytes,
                               int32_t chip_count, ici_header_t *out_header) {
  if (size_bytes < ICI_HEADER_BYTES || size_bytes > ICI_FRAME_MAX) {
    return pod_error(POD_DATA_LOSS, "a frame of %zu bytes", size_bytes);
  }
  cursor_t cursor = {.read = bytes};
  const uint64_t magic = take(&cursor, 4);
  const uint64_t version = take(&cursor, 1);
  if (magic != ICI_MAGIC || version != ICI_VERSION) {
    return pod_error(POD_DATA_LOSS, "no ICI frame of version %d: %08" PRIx64 " %" PRIu64,
                     ICI_VERSION, magic, version);
  }
  ici_header_t header = {0};
  read_header(bytes, &header);
  if (header.kind < ICI_KNOCK || header.kind >= ICI_KIND_COUNT) {
    return pod_error(POD_DATA_LOSS, "a frame of kind %u", header.kind);
  }
  if (header.payload_bytes != size_bytes - ICI_HEADER_BYTES) {
    return pod_error(POD_DATA_LOSS, "%zu bytes of payload, %u announced",
                     size_bytes - ICI_HEADER_BYTES, header.payload_bytes);
  }
  if (header.source < 0 || header.source >= chip_count || header.destination < 0 ||
      header.destination >= chip_count) {
    return pod_error(POD_DATA_LOSS, "a frame from chip %d to chip %d of %d",
                     header.source, header.destination, chip_count);
  }
  if (header.kind >= ICI_DATA && !is_place_valid(&header)) {
    return pod_error(
        POD_DATA_LOSS, "lane %d, tag %d, offset %" PRId64 " + %u of %" PRId64 " bytes",
        header.lane, header.tag, header.offset, header.payload_bytes, header.total);
  }
  if (header.hops > ICI_HOPS_MAX) {
    return pod_error(POD_DATA_LOSS, "a frame that has gone %u hops", header.hops);
  }
  *out_header = header;
  return NULL;
}

void ici_hello_encode(const ici_hello_t *hello, uint8_t bytes[ICI_HELLO_BYTES]) {
  memset(bytes, 0, ICI_HELLO_BYTES);
  cursor_t cursor = {.write = bytes};
  memcpy(cursor.write, hello->pod, sizeof(hello->pod));
  cursor.write += sizeof(hello->pod);
  put(&cursor, (uint32_t)hello->from, 4);
  put(&cursor, (uint32_t)hello->to, 4);
  put(&cursor, (uint32_t)hello->direction, 4);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    put(&cursor, (uint32_t)hello->torus.size[d], 4);
    put(&cursor, hello->torus.wraps[d] ? 1 : 0, 1);
  }
  put(&cursor, 0, 1);
  put(&cursor, hello->epoch, 8);
  put(&cursor, hello->host, 8);
  put(&cursor, (uint32_t)hello->process, 4);
  put(&cursor, (uint32_t)hello->bell_file, 4);
  put(&cursor, (uint32_t)hello->ring_file, 4);
  memcpy(cursor.write, hello->token, ICI_TOKEN_BYTES);
  cursor.write += ICI_TOKEN_BYTES;
  put(&cursor, (uint32_t)hello->torus.slice_count, 4);
  put(&cursor, (uint32_t)hello->torus.core_count, 4);
}

pod_status_t ici_hello_decode(const uint8_t *bytes, size_t size_bytes,
                              ici_hello_t *out_hello) {
  if (size_bytes != ICI_HELLO_BYTES) {
    return pod_error(POD_DATA_LOSS, "a hello of %zu bytes", size_bytes);
  }
  ici_hello_t hello = {0};
  cursor_t cursor = {.read = bytes};
  memcpy(hello.pod, cursor.read, sizeof(hello.pod));
  cursor.read += sizeof(hello.pod);
  if (memchr(hello.pod, '\0', sizeof(hello.pod)) == NULL) {
    return pod_error(POD_DATA_LOSS, "a hello with a pod name without end");
  }
  hello.from = take_i32(&cursor);
  hello.to = take_i32(&cursor);
  hello.direction = take_i32(&cursor);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    hello.torus.size[d] = take_i32(&cursor);
    hello.torus.wraps[d] = take(&cursor, 1) != 0;
  }
  cursor.read += 1;
  hello.epoch = take(&cursor, 8);
  hello.host = take(&cursor, 8);
  hello.process = take_i32(&cursor);
  hello.bell_file = take_i32(&cursor);
  hello.ring_file = take_i32(&cursor);
  memcpy(hello.token, cursor.read, ICI_TOKEN_BYTES);
  cursor.read += ICI_TOKEN_BYTES;
  hello.torus.slice_count = take_i32(&cursor);
  hello.torus.core_count = take_i32(&cursor);
  *out_hello = hello;
  return NULL;
}

pod_status_t ici_hello_check(const ici_hello_t *own, const ici_hello_t *hello) {
  if (strcmp(own->pod, hello->pod) != 0) {
    return pod_error(POD_FAILED_PRECONDITION, "it belongs to pod '%s', not to '%s'",
                     hello->pod, own->pod);
  }
  if (!torus_equal(&own->torus, &hello->torus)) {
    pod_text_t theirs = {0}, ours = {0};
    torus_print(&theirs, &hello->torus);
    torus_print(&ours, &own->torus);
    const pod_status_t status = pod_error(
        POD_FAILED_PRECONDITION, "its pod is %s, not %s", theirs.bytes, ours.bytes);
    pod_text_deinit(&theirs);
    pod_text_deinit(&ours);
    return status;
  }
  if (hello->from != own->to || hello->to != own->from ||
      hello->direction != (own->direction ^ 1)) {
    return pod_error(
        POD_FAILED_PRECONDITION,
        "it is chip %d looking for chip %d, where chip %d should look for %d",
        hello->from, hello->to, own->to, own->from);
  }
  return NULL;
}
