// gRPC's length-prefixed messages out of pieces of any size: five bytes of header, then
// as many as they say, in a buffer that grows with what really came.

#include "common/rpc/inbox.h"

#include <string.h>

enum {
  COMPRESSED_FLAG = 1,
  DIRECT_BYTES_MIN = 16 << 10,  // Below this the copy is cheaper than the read.
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static pod_status_t begin_message(rpc_inbox_t *inbox, rpc_pool_t *pool,
                                  size_t message_bytes_max) {
  const uint8_t *prefix = inbox->prefix;
  if (prefix[0] == COMPRESSED_FLAG) {
    return pod_error(POD_UNIMPLEMENTED, "the message is compressed; send it as it is");
  }
  if (prefix[0] != 0) {
    return pod_error(POD_INTERNAL, "the flag before a message is %u, not 0 or 1",
                     prefix[0]);
  }
  const size_t size = (size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 |
                      (size_t)prefix[3] << 8 | prefix[4];
  if (size > message_bytes_max) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "a message of %zu bytes is over the bound of %zu bytes", size,
                     message_bytes_max);
  }
  inbox->partial = rpc_block_create(pool, smaller(size, RPC_FIRST_BLOCK_BYTES));
  if (inbox->partial == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a message of %zu bytes",
                     size);
  }
  inbox->wanted_bytes = size;
  inbox->partial->held_bytes = RPC_PREFIX_BYTES;
  inbox->prefix_bytes = 0;
  return NULL;
}

static void end_message(rpc_inbox_t *inbox) {
  rpc_block_t *block = inbox->partial;
  inbox->partial = NULL;
  inbox->whole_bytes += rpc_inbox_cost(block);
  if (inbox->last == NULL) {
    inbox->first = block;
  } else {
    inbox->last->next = block;
  }
  inbox->last = block;
}

// Makes room for more of the partial message, doubling: a peer that announces much and
// sends little costs little.
static bool reserve(rpc_inbox_t *inbox, size_t more) {
  rpc_block_t *block = inbox->partial;
  const size_t needed = block->size_bytes + more;
  if (needed <= block->capacity) {
    return true;
  }
  const size_t doubled = 2 * block->capacity;
  block = rpc_block_grow(
      block, smaller(inbox->wanted_bytes, needed > doubled ? needed : doubled));
  if (block == NULL) {
    return false;
  }
  inbox->partial = block;
  return true;
}

// Both take as much of `data` as they need, and say how much.

static pod_status_t add_prefix(rpc_inbox_t *inbox, rpc_pool_t *pool,
                               size_t message_bytes_max, const uint8_t *data,
                               size_t size_bytes, size_t *out_taken) {
  *out_taken = smaller(size_bytes, RPC_PREFIX_BYTES - inbox->prefix_bytes);
  memcpy(inbox->prefix + inbox->prefix_bytes, data, *out_taken);
  inbox->prefix_bytes += *out_taken;
  return inbox->prefix_bytes == RPC_PREFIX_BYTES
             ? begin_message(inbox, pool, message_bytes_max)
             : NULL;
}

static pod_status_t add_content(rpc_inbox_t *inbox, const uint8_t *data,
                                size_t size_bytes, size_t *out_taken) {
  const size_t taken =
      smaller(size_bytes, inbox->wanted_bytes - inbox->partial->size_bytes);
  if (!reserve(inbox, taken)) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a message of %zu bytes",
                     inbox->wanted_bytes);
  }
  uint8_t *place = inbox->partial->data + inbox->partial->size_bytes;
  if (place != data) {
    memcpy(place, data, taken);
  }
  inbox->partial->size_bytes += taken;
  inbox->partial->held_bytes += taken;
  *out_taken = taken;
  return NULL;
}

pod_status_t rpc_inbox_add(rpc_inbox_t *inbox, rpc_pool_t *pool, size_t message_bytes_max,
                           const uint8_t *data, size_t size_bytes) {
  while (size_bytes > 0) {
    size_t taken = 0;
    POD_TRY(inbox->partial == NULL
                ? add_prefix(inbox, pool, message_bytes_max, data, size_bytes, &taken)
                : add_content(inbox, data, size_bytes, &taken));
    if (inbox->partial != NULL && inbox->partial->size_bytes == inbox->wanted_bytes) {
      end_message(inbox);
    }
    data += taken;
    size_bytes -= taken;
  }
  return NULL;
}

uint8_t *rpc_inbox_target(rpc_inbox_t *inbox, size_t *out_size_bytes) {
  if (inbox->partial == NULL) {
    return NULL;
  }
  const size_t missing = inbox->wanted_bytes - inbox->partial->size_bytes;
  if (missing < DIRECT_BYTES_MIN || !reserve(inbox, DIRECT_BYTES_MIN)) {
    return NULL;
  }
  const size_t room = inbox->partial->capacity - inbox->partial->size_bytes;
  *out_size_bytes = smaller(missing, room);
  return inbox->partial->data + inbox->partial->size_bytes;
}

bool rpc_inbox_is_inside_message(const rpc_inbox_t *inbox) {
  return inbox->partial != NULL || inbox->prefix_bytes > 0;
}

rpc_block_t *rpc_inbox_pop(rpc_inbox_t *inbox) {
  rpc_block_t *block = inbox->first;
  if (block != NULL) {
    inbox->first = block->next;
    if (inbox->first == NULL) {
      inbox->last = NULL;
    }
    block->next = NULL;
    inbox->whole_bytes -= rpc_inbox_cost(block);
  }
  return block;
}

size_t rpc_inbox_take_early(rpc_inbox_t *inbox, size_t large_bytes) {
  if (inbox->first != NULL || inbox->partial == NULL ||
      inbox->wanted_bytes < large_bytes) {
    return 0;
  }
  const size_t bytes = inbox->partial->held_bytes;
  inbox->partial->held_bytes = 0;
  return bytes;
}

void rpc_inbox_clear(rpc_inbox_t *inbox) {
  rpc_block_t *block = NULL;
  while ((block = rpc_inbox_pop(inbox)) != NULL) {
    rpc_block_release(block);
  }
  rpc_block_release(inbox->partial);
  *inbox = (rpc_inbox_t){0};
}
