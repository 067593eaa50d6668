// Bytes of the input to frames. Where a choice of bytes would be well-formed or not, one
// in eight is not.

#include "grpc_peer.h"

#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <time.h>

#include "common/base/check.h"
#include "common/rpc/loop_internal.h"

enum { FRAME_HEADER_BYTES = 9, PIECE_BYTES = 5, NAP_NS = 1200000, NAPS_MAX = 3 };

uint8_t peer_byte(peer_t *peer) {
  if (peer->size == 0) {
    return 0;
  }
  peer->size--;
  return *peer->data++;
}

uint32_t peer_short(peer_t *peer) {
  const uint32_t high = peer_byte(peer);
  return high << 8 | peer_byte(peer);
}

void peer_turn(peer_t *peer) {
  static uint8_t dropped[65536];
  rpc_loop_turn(peer->loop);
  while (!peer->is_deaf && recv(peer->fd, dropped, sizeof(dropped), MSG_DONTWAIT) > 0) {
  }
}

static void say_in_pieces(peer_t *peer, const uint8_t *bytes, size_t size, size_t piece) {
  while (size > 0) {
    const ssize_t sent =
        send(peer->fd, bytes, size < piece ? size : piece, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) {
      return;  // The connection is closed, as bad frames deserve, or full.
    }
    bytes += sent;
    size -= (size_t)sent;
    peer_turn(peer);
  }
}

void peer_say(peer_t *peer, const void *bytes, size_t size) {
  say_in_pieces(peer, bytes, size, size);
}

static void say_frame(peer_t *peer, uint8_t type, uint8_t flags, uint32_t stream,
                      const void *payload, size_t size) {
  const uint8_t how = peer_byte(peer);
  const size_t announced = size + (how % 32 == 31 ? 1 : 0) + (how == 255 ? 70000 : 0);
  const uint8_t header[FRAME_HEADER_BYTES] = {(uint8_t)(announced >> 16),
                                              (uint8_t)(announced >> 8),
                                              (uint8_t)announced,
                                              type,
                                              flags,
                                              (uint8_t)(stream >> 24),
                                              (uint8_t)(stream >> 16),
                                              (uint8_t)(stream >> 8),
                                              (uint8_t)stream};
  pod_text_t frame = {0};
  pod_text_add_bytes(&frame, header, sizeof(header));
  pod_text_add_bytes(&frame, payload, size);
  say_in_pieces(peer, (const uint8_t *)frame.bytes, frame.length,
                how % 8 == 7 ? PIECE_BYTES : frame.length);
  pod_text_deinit(&frame);
}

// --- DATA ---

// Messages of the input's sizes, the last one possibly cut.
static void say_data(peer_t *peer, uint32_t stream) {
  static const uint16_t sizes[] = {0, 1, 5, 100, 5000, 17000, 40000, 2};
  const uint8_t how = peer_byte(peer);
  pod_text_t payload = {0};
  const bool is_padded = how % 16 == 15;
  const uint8_t padding = (uint8_t)(is_padded ? peer_byte(peer) : 0);
  if (is_padded) {
    pod_text_add_bytes(&payload, &padding, 1);
  }
  for (int count = how / 16 % 4; count > 0; count--) {
    static const uint8_t zeros[40000];
    const uint8_t what = peer_byte(peer);
    const size_t size = sizes[what % 8];
    const uint8_t prefix[] = {(uint8_t)(what >= 250 ? what - 249 : 0), 0, 0,
                              (uint8_t)(size >> 8), (uint8_t)size};
    pod_text_add_bytes(&payload, prefix, sizeof(prefix));
    pod_text_add_bytes(&payload, zeros, size);
  }
  if (how % 4 == 3 && payload.length > 0) {
    payload.length -= 1 + peer_byte(peer) % payload.length;
  }
  for (int i = 0; i < padding && is_padded; i++) {
    pod_text_add_bytes(&payload, "", 1);
  }
  const uint8_t flags = (uint8_t)((how / 64 == 1 ? NGHTTP2_FLAG_END_STREAM : 0) |
                                  (is_padded ? NGHTTP2_FLAG_PADDED : 0));
  say_frame(peer, NGHTTP2_DATA, flags, stream, payload.bytes, payload.length);
  pod_text_deinit(&payload);
}

// --- HEADERS ---

// In HEADERS and as many CONTINUATIONs as the input wants.
static void say_block(peer_t *peer, uint32_t stream, const pod_text_t *block) {
  const uint8_t how = peer_byte(peer);
  const size_t parts = how % 8 < 5 ? 1 : how % 8 - 3;
  const uint8_t end_stream = how & 0x40 ? NGHTTP2_FLAG_END_STREAM : 0;
  const uint8_t priority = how & 0x20 ? NGHTTP2_FLAG_PRIORITY : 0;
  pod_text_t first = {0};
  if (priority != 0) {
    const uint8_t depends[] = {0, 0, 0, peer_byte(peer), peer_byte(peer)};
    pod_text_add_bytes(&first, depends, sizeof(depends));
  }
  for (size_t i = 0; i < parts; i++) {
    const size_t from = block->length * i / parts;
    const size_t to = block->length * (i + 1) / parts;
    // Now and then the block has no end.
    const bool ends = i + 1 == parts && how != 255;
    const uint8_t flags = ends ? NGHTTP2_FLAG_END_HEADERS : 0;
    if (i > 0) {
      say_frame(peer, NGHTTP2_CONTINUATION, flags, stream, block->bytes + from,
                to - from);
      continue;
    }
    pod_text_add_bytes(&first, block->bytes, to);
    say_frame(peer, NGHTTP2_HEADERS, (uint8_t)(flags | end_stream | priority), stream,
              first.bytes, first.length);
  }
  pod_text_deinit(&first);
}

void peer_say_headers(peer_t *peer, uint32_t stream, const peer_field_t *usual,
                      size_t usual_count, const peer_field_t *others,
                      size_t other_count) {
  pod_text_t block = {0};
  const uint8_t how = peer_byte(peer);
  const uint8_t left_out = how % 8 == 7 ? peer_byte(peer) : 255;
  for (size_t i = 0; i < usual_count; i++) {
    if (i != left_out) {
      pod_text_add_bytes(&block, usual[i].bytes, usual[i].size);
    }
  }
  for (int count = how / 8 % 8; count > 0; count--) {
    const peer_field_t *other = &others[peer_byte(peer) % other_count];
    pod_text_add_bytes(&block, other->bytes, other->size);
  }
  if (how / 64 == 3) {  // Any byte of HPACK.
    const uint8_t byte = peer_byte(peer);
    pod_text_add_bytes(&block, &byte, 1);
  }
  pod_text_add_bytes(&block, "", 0);
  say_block(peer, stream, &block);
  pod_text_deinit(&block);
}

// --- The rest ---

static void say_settings(peer_t *peer) {
  static const uint32_t values[] = {0,     1,      2,       100,         16384,
                                    65535, 100000, 1048576, 0x7fffffffu, 0x80000000u};
  uint8_t payload[6 * 4];
  const uint8_t how = peer_byte(peer);
  const size_t count = how % 5;
  for (size_t i = 0; i < count; i++) {
    const uint32_t value = values[peer_byte(peer) % 10];
    const uint8_t entry[] = {0,
                             (uint8_t)(peer_byte(peer) % 8),
                             (uint8_t)(value >> 24),
                             (uint8_t)(value >> 16),
                             (uint8_t)(value >> 8),
                             (uint8_t)value};
    for (size_t j = 0; j < sizeof(entry); j++) {
      payload[6 * i + j] = entry[j];
    }
  }
  say_frame(peer, NGHTTP2_SETTINGS, how >= 240 ? NGHTTP2_FLAG_ACK : 0, 0, payload,
            6 * count);
}

static void say_number(peer_t *peer, uint8_t type, uint32_t stream) {
  static const uint32_t numbers[] = {0, 1, 8, 7, 0x7fffffffu, 65535, 5, 2};
  const uint8_t which = peer_byte(peer);
  const uint32_t number = which < 128 ? numbers[which % 8] : which;
  const uint8_t payload[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 8), (uint8_t)number};
  say_frame(peer, type, 0, stream, payload, sizeof(payload));
}

static void say_goaway(peer_t *peer) {
  const uint8_t payload[] = {0, 0, 0, (uint8_t)(peer_byte(peer) % 16),
                             0, 0, 0, (uint8_t)(peer_byte(peer) % 14)};
  say_frame(peer, NGHTTP2_GOAWAY, 0, 0, payload, sizeof(payload));
}

static void say_priority(peer_t *peer, uint32_t stream) {
  const uint8_t payload[] = {0, 0, 0, (uint8_t)(peer_byte(peer) % 16), 7};
  say_frame(peer, NGHTTP2_PRIORITY, 0, stream, payload, sizeof(payload));
}

static void say_anything(peer_t *peer, uint32_t stream) {
  const uint8_t type = (uint8_t)(peer_byte(peer) % 16);
  const uint8_t flags = peer_byte(peer);
  const size_t size = peer_byte(peer) % 16;
  uint8_t payload[16];
  for (size_t i = 0; i < size; i++) {
    payload[i] = peer_byte(peer);
  }
  say_frame(peer, type, flags, stream, payload, size);
}

// So long that alarms are due.
static void nap(peer_t *peer) {
  if (peer->naps++ < NAPS_MAX) {
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  }
  peer_turn(peer);
}

void peer_act(peer_t *peer, uint32_t stream) {
  switch (peer_byte(peer) % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      say_data(peer, stream);
      return;
    case 5:
      say_number(peer, NGHTTP2_WINDOW_UPDATE, stream);
      return;
    case 6:
      say_number(peer, NGHTTP2_WINDOW_UPDATE, 0);
      return;
    case 7:
      say_number(peer, NGHTTP2_RST_STREAM, stream);
      return;
    case 8:
      say_settings(peer);
      return;
    case 9:
      say_frame(peer, NGHTTP2_PING, peer_byte(peer) % 2, 0, "12345678", 8);
      return;
    case 10:
      say_goaway(peer);
      return;
    case 11:
      say_priority(peer, stream);
      return;
    case 12:
      say_anything(peer, stream);
      return;
    case 13:
      peer->is_deaf = !peer->is_deaf;
      peer_turn(peer);
      return;
    case 14:
      nap(peer);
      return;
    default:
      if (peer_byte(peer) % 8 == 0 && !peer->is_shut) {
        peer->is_shut = true;
        shutdown(peer->fd, SHUT_WR);
      }
      peer_turn(peer);
      return;
  }
}
