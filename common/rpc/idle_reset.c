// A filter over the bytes of frames, header by header; a header that is cut by the end
// of the data is kept for the next piece.

#include "common/rpc/idle_reset.h"

#include <string.h>

enum {
  FRAME_HEADERS = 1,
  FRAME_RST_STREAM = 3,
  FRAME_CONTINUATION = 9,
  FLAG_END_HEADERS = 4,
};

bool rpc_idle_reset_is_inside_headers(const rpc_idle_reset_t *filter) {
  return filter->is_header_frame && (filter->pass_bytes > 0 || !filter->ends_headers);
}

// Sets what is to be done with the frame behind (and, when it passes, with) its header.
// True when it is to be left out.
static bool look(rpc_idle_reset_t *filter, const uint8_t *header) {
  const size_t length =
      (size_t)header[0] << 16 | (size_t)header[1] << 8 | (size_t)header[2];
  const uint32_t stream_id = ((uint32_t)header[5] << 24 | (uint32_t)header[6] << 16 |
                              (uint32_t)header[7] << 8 | (uint32_t)header[8]) &
                             0x7fffffffu;
  if (header[3] == FRAME_RST_STREAM && stream_id % 2 == 1 &&
      stream_id > filter->last_stream_id) {
    filter->drop_bytes = length;
    return true;
  }
  if (header[3] == FRAME_HEADERS && stream_id > filter->last_stream_id) {
    filter->last_stream_id = stream_id;
  }
  filter->block_count += header[3] == FRAME_HEADERS ? 1 : 0;
  filter->is_header_frame = header[3] == FRAME_HEADERS || header[3] == FRAME_CONTINUATION;
  filter->ends_headers = (header[4] & FLAG_END_HEADERS) != 0;
  filter->pass_bytes = length;
  return false;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

// A header that the end of the data has cut. Returns what to pass on, or 0.
static size_t complete_header(rpc_idle_reset_t *filter, const uint8_t **data,
                              size_t *size_bytes, const uint8_t **out_bytes) {
  const size_t part = smaller(RPC_FRAME_HEADER_BYTES - filter->held_bytes, *size_bytes);
  memcpy(filter->held + filter->held_bytes, *data, part);
  filter->held_bytes += part;
  *data += part;
  *size_bytes -= part;
  if (filter->held_bytes < RPC_FRAME_HEADER_BYTES) {
    return 0;
  }
  filter->held_bytes = 0;
  if (look(filter, filter->held)) {
    return 0;
  }
  *out_bytes = filter->held;
  return RPC_FRAME_HEADER_BYTES;
}

size_t rpc_idle_reset_next(rpc_idle_reset_t *filter, const uint8_t **data,
                           size_t *size_bytes, const uint8_t **out_bytes) {
  const uint8_t *bytes = *data;
  const size_t size = *size_bytes;
  const size_t dropped = smaller(filter->drop_bytes, size);
  filter->drop_bytes -= dropped;
  size_t end = dropped;
  *out_bytes = bytes + dropped;
  while (end < size && filter->drop_bytes == 0) {
    if (filter->pass_bytes > 0) {
      const size_t passed = smaller(filter->pass_bytes, size - end);
      filter->pass_bytes -= passed;
      end += passed;
      continue;
    }
    if (filter->held_bytes > 0 || size - end < RPC_FRAME_HEADER_BYTES) {
      if (end > dropped) {
        break;  // First what lies before it.
      }
      *data = bytes + end;
      *size_bytes = size - end;
      return complete_header(filter, data, size_bytes, out_bytes);
    }
    if (look(filter, bytes + end)) {
      *data = bytes + end + RPC_FRAME_HEADER_BYTES;
      *size_bytes = size - end - RPC_FRAME_HEADER_BYTES;
      return end - dropped;
    }
    end += RPC_FRAME_HEADER_BYTES;
  }
  *data = bytes + end;
  *size_bytes = size - end;
  return end - dropped;
}
