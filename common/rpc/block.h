// Memory for messages on their way in or out: reference-counted blocks from a pool.
//
// The pool is here for the large ones. Memory fresh from the kernel costs more in page
// faults than the copy that fills it, so a stream of 1 MiB messages must reuse the same
// pages.
//
// Threading: the loop's.
// Ownership: a block is freed with its last reference.
// Errors: NULL when host memory runs out; peers size these blocks.

#ifndef COMMON_RPC_BLOCK_H_
#define COMMON_RPC_BLOCK_H_

#include <stddef.h>
#include <stdint.h>

typedef struct rpc_pool_t rpc_pool_t;

typedef struct rpc_block_t rpc_block_t;
struct rpc_block_t {
  rpc_block_t *next;  // For the list its holder keeps it in.
  rpc_pool_t *pool;
  size_t references;
  size_t capacity;    // Of `data`.
  size_t size_bytes;  // For the holder: how much of `data` is in use.
  size_t held_bytes;  // For the holder: see call.h.
  // Stands for `data` while a sender's memory can be used; else NULL.
  const uint8_t *lent;
  uint8_t data[];
};

rpc_pool_t *rpc_pool_create(void);

void rpc_pool_destroy(rpc_pool_t *pool);

// With one reference and a capacity of `capacity` or somewhat more.
rpc_block_t *rpc_block_create(rpc_pool_t *pool, size_t capacity);

// Refers to memory that the caller lends; it must be replaced before the caller takes it
// back.
rpc_block_t *rpc_block_lend(rpc_pool_t *pool, const uint8_t *bytes, size_t size_bytes);

// Moves a block with one reference to at least `capacity`; NULL, and the block as it was,
// when memory runs out.
rpc_block_t *rpc_block_grow(rpc_block_t *block, size_t capacity);

rpc_block_t *rpc_block_retain(rpc_block_t *block);

// Accepts NULL.
void rpc_block_release(rpc_block_t *block);

#endif  // COMMON_RPC_BLOCK_H_
