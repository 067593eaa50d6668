#include "common/rpc/decode.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum { BLOCK_BYTES = 32 << 10, ALIGNMENT = 16 };

struct rpc_decoder_t {
  ProtobufCAllocator allocator;
  rpc_pool_t *pool;
  rpc_block_t *home;    // Kept from message to message.
  rpc_block_t *blocks;  // Those beyond it; size_bytes is the part in use.
  size_t used_bytes, bytes_max;
  bool in_use;
};

static void *take(rpc_block_t *block, size_t size_bytes) {
  const uintptr_t start = (uintptr_t)(block->data + block->size_bytes);
  const size_t padding = (size_t)(-start & (ALIGNMENT - 1));
  if (size_bytes > block->capacity || padding > block->capacity - size_bytes ||
      block->size_bytes > block->capacity - size_bytes - padding) {
    return NULL;
  }
  uint8_t *memory = block->data + block->size_bytes + padding;
  block->size_bytes += padding + size_bytes;
  return memory;
}

static void *allocate(void *context, size_t size_bytes) {
  rpc_decoder_t *decoder = context;
  rpc_block_t *newest = decoder->blocks != NULL ? decoder->blocks : decoder->home;
  if (size_bytes > decoder->bytes_max - decoder->used_bytes) {
    return NULL;
  }
  decoder->used_bytes += size_bytes;
  void *memory = take(newest, size_bytes);
  if (memory != NULL) {
    return memory;
  }
  const size_t needed = size_bytes + ALIGNMENT;
  rpc_block_t *block =
      rpc_block_create(decoder->pool, needed > BLOCK_BYTES ? needed : BLOCK_BYTES);
  if (block == NULL) {
    return NULL;
  }
  block->next = decoder->blocks;
  decoder->blocks = block;
  return take(block, size_bytes);
}

static void free_nothing(void *context, void *memory) {
  (void)context;
  (void)memory;
}

rpc_decoder_t *rpc_decoder_create(rpc_pool_t *pool) {
  rpc_decoder_t *decoder = pod_alloc(sizeof(*decoder));
  decoder->allocator = (ProtobufCAllocator){allocate, free_nothing, decoder};
  decoder->pool = pool;
  decoder->home = rpc_block_create(pool, BLOCK_BYTES);
  POD_CHECK(decoder->home != NULL);
  return decoder;
}

void rpc_decoder_destroy(rpc_decoder_t *decoder) {
  rpc_block_release(decoder->home);
  free(decoder);
}

const ProtobufCMessage *rpc_decode(rpc_decoder_t *decoder,
                                   const ProtobufCMessageDescriptor *descriptor,
                                   const uint8_t *data, size_t size_bytes) {
  POD_CHECK(!decoder->in_use);
  decoder->in_use = true;
  decoder->used_bytes = 0;
  decoder->bytes_max = RPC_DECODE_BYTES_BASE + RPC_DECODE_EXPANSION * size_bytes;
  return protobuf_c_message_unpack(descriptor, &decoder->allocator, size_bytes, data);
}

void rpc_decoder_release(rpc_decoder_t *decoder) {
  while (decoder->blocks != NULL) {
    rpc_block_t *block = decoder->blocks;
    decoder->blocks = block->next;
    rpc_block_release(block);
  }
  decoder->home->size_bytes = 0;
  decoder->in_use = false;
}
