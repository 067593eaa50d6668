// What goes out: a call's outbox holds its messages until HTTP/2 lets them go, a
// connection's output holds the frames of one system call. Small things are copied
// together; large messages are sent from where they lie.
//
// Threading: the loop's.
// Ownership: both retain the blocks they refer to.

#ifndef COMMON_RPC_OUTPUT_H_
#define COMMON_RPC_OUTPUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/rpc/block.h"

enum {
  RPC_OUTPUT_COPY_BYTES = 32 << 10,
  RPC_OUTPUT_PARTS = 64,
  RPC_OUTPUT_BATCH_BYTES = 1 << 20,  // Enough for one system call.
  // A large message must not hold up other calls for long.
  RPC_FRAME_BYTES_MAX = 256 << 10,
};

// Zero it to start.
typedef struct rpc_outbox_t {
  rpc_block_t *first, *last;
  size_t offset;  // Of what is left of the first block.
  size_t bytes;   // What is left of all.
} rpc_outbox_t;

typedef struct rpc_output_t {
  uint8_t copies[RPC_OUTPUT_COPY_BYTES];
  size_t copied;
  struct iovec parts[RPC_OUTPUT_PARTS];
  rpc_block_t *owners[RPC_OUTPUT_PARTS];  // NULL for a part of `copies`.
  size_t first, count;
  size_t bytes;  // What is left to write.
} rpc_output_t;

typedef enum rpc_written_t {
  RPC_WRITTEN = 0,  // All of it.
  RPC_WRITE_BLOCKED,
  RPC_WRITE_FAILED,  // See errno.
} rpc_written_t;

// Takes the block.
void rpc_outbox_push(rpc_outbox_t *outbox, rpc_block_t *block);

void rpc_outbox_clear(rpc_outbox_t *outbox);

// How much of the outbox, up to `limit`, may go into one frame: as much as surely finds
// room in an output that rpc_output_is_full does not call full.
size_t rpc_outbox_frame_bytes(const rpc_outbox_t *outbox, size_t limit);

// Copies what is left of a lent block, in the outbox and in the output. False when memory
// runs out; the output must then not be written any more.
bool rpc_outbox_keep(rpc_outbox_t *outbox, rpc_output_t *output, rpc_block_t *lent);

// Whether the output should be written before more is added.
bool rpc_output_is_full(const rpc_output_t *output);

// Moves the first `size_bytes` (from rpc_outbox_frame_bytes) of the outbox behind
// `header`.
void rpc_output_add_frame(rpc_output_t *output, const uint8_t *header,
                          size_t header_bytes, rpc_outbox_t *outbox, size_t size_bytes);

// Any size; copied. False when memory runs out.
bool rpc_output_add(rpc_output_t *output, rpc_pool_t *pool, const uint8_t *data,
                    size_t size_bytes);

rpc_written_t rpc_output_write(rpc_output_t *output, int fd);

// For who writes by other means: the bytes that lie together at the front, and to leave
// out the first of those. There must be some.
size_t rpc_output_next(const rpc_output_t *output, const uint8_t **out_data);
void rpc_output_drop(rpc_output_t *output, size_t size_bytes);

void rpc_output_clear(rpc_output_t *output);

#endif  // COMMON_RPC_OUTPUT_H_
