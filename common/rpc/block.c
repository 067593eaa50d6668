// Free blocks wait in a list, the most recently used first, whose pages are likely still
// in the cache; what would waste more than it holds is not taken. The pool is bounded in
// bytes.

#include "common/rpc/block.h"

#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  POOLED_BYTES_MIN = 32 << 10,  // Below this malloc is as good.
  KEPT_COUNT_MAX = 32,
  KEPT_BYTES_MAX = 16 << 20,
  ROUNDING_BYTES = 64 << 10,  // So that messages of about one size share blocks.
};

struct rpc_pool_t {
  rpc_block_t *kept[KEPT_COUNT_MAX];
  size_t kept_count, kept_bytes;
};

rpc_pool_t *rpc_pool_create(void) {
  return pod_alloc(sizeof(rpc_pool_t));
}

void rpc_pool_destroy(rpc_pool_t *pool) {
  for (size_t i = 0; i < pool->kept_count; i++) {
    free(pool->kept[i]);
  }
  free(pool);
}

// The most recently used block that fits and would not waste more than it holds: its
// pages are likely still in the cache.
static rpc_block_t *take_kept(rpc_pool_t *pool, size_t capacity) {
  for (size_t i = pool->kept_count; i-- > 0;) {
    rpc_block_t *block = pool->kept[i];
    if (block->capacity >= capacity && block->capacity / 2 <= capacity) {
      for (size_t j = i + 1; j < pool->kept_count; j++) {
        pool->kept[j - 1] = pool->kept[j];
      }
      pool->kept_count--;
      pool->kept_bytes -= block->capacity;
      return block;
    }
  }
  return NULL;
}

rpc_block_t *rpc_block_create(rpc_pool_t *pool, size_t capacity) {
  rpc_block_t *block = NULL;
  if (capacity >= POOLED_BYTES_MIN) {
    block = take_kept(pool, capacity);
    if (block == NULL) {
      const size_t whole = capacity + sizeof(*block) + ROUNDING_BYTES - 1;
      capacity = whole / ROUNDING_BYTES * ROUNDING_BYTES - sizeof(*block);
    }
  }
  if (block == NULL) {
    block = malloc(sizeof(*block) + capacity);
    if (block == NULL) {
      return NULL;
    }
    block->capacity = capacity;
  }
  block->next = NULL;
  block->pool = pool;
  block->references = 1;
  block->lent = NULL;
  block->size_bytes = block->held_bytes = 0;
  return block;
}

rpc_block_t *rpc_block_lend(rpc_pool_t *pool, const uint8_t *bytes, size_t size_bytes) {
  rpc_block_t *block = rpc_block_create(pool, 0);
  if (block != NULL) {
    block->lent = bytes;
    block->size_bytes = size_bytes;
  }
  return block;
}

rpc_block_t *rpc_block_grow(rpc_block_t *block, size_t capacity) {
  POD_CHECK(block->references == 1);
  if (capacity <= block->capacity) {
    return block;
  }
  rpc_block_t *larger = realloc(block, sizeof(*block) + capacity);
  if (larger != NULL) {
    larger->capacity = capacity;
  }
  return larger;
}

rpc_block_t *rpc_block_retain(rpc_block_t *block) {
  block->references++;
  return block;
}

void rpc_block_release(rpc_block_t *block) {
  if (block == NULL || --block->references > 0) {
    return;
  }
  rpc_pool_t *pool = block->pool;
  if (block->capacity < POOLED_BYTES_MIN || pool->kept_count == KEPT_COUNT_MAX ||
      pool->kept_bytes + block->capacity > KEPT_BYTES_MAX) {
    free(block);
    return;
  }
  pool->kept[pool->kept_count++] = block;
  pool->kept_bytes += block->capacity;
}
