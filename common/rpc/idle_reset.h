// Takes RST_STREAM frames for streams that were never opened out of what a client sends,
// and sees on the way whether a block of headers is under way.
//
// A client of gRPC's own core that cancels a call before its HEADERS have gone out resets
// the stream all the same. By RFC 9113, 5.1, that breaks the connection, and nghttp2 ends
// it with all calls on it; gRPC's own servers ignore the frame, and so do we.
//
// Cost: a look at each frame's header; payloads are passed on where they lie.
// Threading: pure.

#ifndef COMMON_RPC_IDLE_RESET_H_
#define COMMON_RPC_IDLE_RESET_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RPC_FRAME_HEADER_BYTES = 9, RPC_PREFACE_BYTES = 24 };

// Zero it for a connection, then set `pass_bytes` to RPC_PREFACE_BYTES.
typedef struct rpc_idle_reset_t {
  size_t pass_bytes;  // To be passed on without a look: the rest of a payload.
  size_t drop_bytes;  // To be left out.
  size_t held_bytes;  // Of a header that has not come whole.
  uint8_t held[RPC_FRAME_HEADER_BYTES];
  uint32_t last_stream_id;  // The highest that HEADERS have opened.
  uint32_t block_count;     // Blocks of headers begun.
  bool is_header_frame;     // The last one looked at: HEADERS or CONTINUATION ...
  bool ends_headers;        // ... with the last part of their block.
} rpc_idle_reset_t;

// Whether the block that was begun last, block_count, has not come whole.
bool rpc_idle_reset_is_inside_headers(const rpc_idle_reset_t *filter);

// Moves *data and *size_bytes behind what it has dealt with and returns how many bytes to
// pass on, which lie at *out_bytes (in the data or in the filter, until the next call).
// Call it until *size_bytes is 0.
size_t rpc_idle_reset_next(rpc_idle_reset_t *filter, const uint8_t **data,
                           size_t *size_bytes, const uint8_t **out_bytes);

#endif  // COMMON_RPC_IDLE_RESET_H_
