// Received DATA becomes messages: gRPC puts five bytes before each (a flag and a length).
//
// A large message is read from the socket straight into its block: rpc_inbox_target says
// where the next bytes belong, and rpc_inbox_add sees that they are there already.
//
// Threading: the loop's.
// Ownership: the inbox owns its blocks until they are popped.

#ifndef COMMON_RPC_INBOX_H_
#define COMMON_RPC_INBOX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/block.h"

enum {
  RPC_PREFIX_BYTES = 5,
  RPC_FIRST_BLOCK_BYTES = 1 << 20,  // What an announced size may cost before bytes come.
};

// Zero it to start. A block's held_bytes are those that the peer's window has not got
// back.
typedef struct rpc_inbox_t {
  uint8_t prefix[RPC_PREFIX_BYTES];
  size_t prefix_bytes;
  rpc_block_t *partial;  // The message that is arriving, of wanted_bytes.
  size_t wanted_bytes;
  rpc_block_t *first, *last;  // Whole messages.
  size_t whole_bytes;         // Of them, as they count for the connection.
} rpc_inbox_t;

// What a whole message takes. Five bytes on the wire are a message already, so that the
// block counts too.
static inline size_t rpc_inbox_cost(const rpc_block_t *block) {
  return sizeof(*block) + block->size_bytes;
}

// RESOURCE_EXHAUSTED for a message over `message_bytes_max`, UNIMPLEMENTED for a
// compressed one, INTERNAL for a flag that means nothing.
POD_MUST_USE pod_status_t rpc_inbox_add(rpc_inbox_t *inbox, rpc_pool_t *pool,
                                        size_t message_bytes_max, const uint8_t *data,
                                        size_t size_bytes);

// Where at most *out_size_bytes of the next DATA belong; NULL when too little is missing
// to be worth a read of its own.
uint8_t *rpc_inbox_target(rpc_inbox_t *inbox, size_t *out_size_bytes);

// Whether bytes of a message that is not complete are there.
bool rpc_inbox_is_inside_message(const rpc_inbox_t *inbox);

// Returns owned, or NULL.
rpc_block_t *rpc_inbox_pop(rpc_inbox_t *inbox);

// What a message larger than the window holds back is given to the peer as it arrives, or
// it would never arrive; but only while no whole message waits before it. Returns the
// bytes.
size_t rpc_inbox_take_early(rpc_inbox_t *inbox, size_t large_bytes);

void rpc_inbox_clear(rpc_inbox_t *inbox);

#endif  // COMMON_RPC_INBOX_H_
