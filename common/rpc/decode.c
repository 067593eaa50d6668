// Messages are unpacked by protobuf-c; one large bytes field is first cut out and lent
// where it lies, so that a megabyte of data is not copied. Whatever looks odd is left to
// protobuf-c whole.

#include "common/rpc/decode.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  BLOCK_BYTES = 32 << 10,
  ALIGNMENT = 16,
  IN_PLACE_BYTES_MIN = 8 << 10,  // Smaller fields are copied with the rest.
};

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

// --- Large fields in place ---

// Where the one large field of a message is.
typedef struct large_field_t {
  const ProtobufCFieldDescriptor *field;  // NULL when there is none.
  size_t start, end;                      // With its tag.
  size_t data_start;
} large_field_t;

static bool read_varint(const uint8_t *data, size_t size_bytes, size_t *at,
                        uint64_t *out_value) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && *at < size_bytes; shift += 7) {
    const uint8_t byte = data[(*at)++];
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out_value = value;
      return true;
    }
  }
  return false;
}

// Steps over the value of a field and tells where it began. False for what protobuf-c
// shall judge.
static bool skip_value(const uint8_t *data, size_t size_bytes, unsigned wire_type,
                       size_t *at, size_t *out_start) {
  uint64_t value = 0;
  *out_start = *at;
  switch (wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
      return read_varint(data, size_bytes, at, &value);
    case PROTOBUF_C_WIRE_TYPE_64BIT:
      value = 8;
      break;
    case PROTOBUF_C_WIRE_TYPE_32BIT:
      value = 4;
      break;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
      if (!read_varint(data, size_bytes, at, &value)) {
        return false;
      }
      *out_start = *at;
      break;
    default:
      return false;
  }
  if (value > size_bytes - *at) {
    return false;
  }
  *at += (size_t)value;
  return true;
}

static bool may_stay_in_place(const ProtobufCFieldDescriptor *field) {
  return field != NULL && field->type == PROTOBUF_C_TYPE_BYTES &&
         field->label == PROTOBUF_C_LABEL_NONE &&
         (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0;
}

// Finds the field; none when the message is short, has several, or is malformed.
static large_field_t find_large_field(const ProtobufCMessageDescriptor *descriptor,
                                      const uint8_t *data, size_t size_bytes) {
  const large_field_t none = {0};
  large_field_t found = {0};
  size_t at = 0;
  while (size_bytes >= IN_PLACE_BYTES_MIN && at < size_bytes) {
    const size_t start = at;
    size_t value_start = 0;
    uint64_t key = 0;
    if (!read_varint(data, size_bytes, &at, &key) || key > UINT32_MAX ||
        !skip_value(data, size_bytes, (unsigned)(key & 7), &at, &value_start)) {
      return none;
    }
    const unsigned number = (unsigned)(key >> 3);
    if (found.field != NULL && found.field->id == number) {
      return none;  // Twice: the last one counts, which protobuf-c sees to.
    }
    if (at - value_start < IN_PLACE_BYTES_MIN) {
      continue;
    }
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(descriptor, number);
    if (found.field != NULL || !may_stay_in_place(field) ||
        (key & 7) != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
      return none;
    }
    found = (large_field_t){field, start, at, value_start};
  }
  return found;
}

// The message without the field, in one piece.
static const uint8_t *join_rest(rpc_decoder_t *decoder, const large_field_t *large,
                                const uint8_t *data, size_t size_bytes) {
  if (large->start == 0) {
    return data + large->end;
  }
  if (large->end == size_bytes) {
    return data;
  }
  const size_t behind = size_bytes - large->end;
  uint8_t *rest = allocate(decoder, large->start + behind);
  if (rest != NULL) {
    memcpy(rest, data, large->start);
    memcpy(rest + large->start, data + large->end, behind);
  }
  return rest;
}

const ProtobufCMessage *rpc_decode(rpc_decoder_t *decoder,
                                   const ProtobufCMessageDescriptor *descriptor,
                                   const uint8_t *data, size_t size_bytes) {
  POD_CHECK(!decoder->in_use);
  decoder->in_use = true;
  decoder->used_bytes = 0;
  decoder->bytes_max = RPC_DECODE_BYTES_BASE + RPC_DECODE_EXPANSION * size_bytes;
  const large_field_t large = find_large_field(descriptor, data, size_bytes);
  if (large.field == NULL) {
    return protobuf_c_message_unpack(descriptor, &decoder->allocator, size_bytes, data);
  }
  const uint8_t *rest = join_rest(decoder, &large, data, size_bytes);
  if (rest == NULL) {
    return NULL;
  }
  ProtobufCMessage *message = protobuf_c_message_unpack(
      descriptor, &decoder->allocator, size_bytes - (large.end - large.start), rest);
  if (message != NULL) {
    ProtobufCBinaryData *bytes =
        (ProtobufCBinaryData *)(void *)((uint8_t *)message + large.field->offset);
    // The message is lent as const, so nobody writes through this.
    *bytes = (ProtobufCBinaryData){large.end - large.data_start,
                                   (uint8_t *)(uintptr_t)data + large.data_start};
  }
  return message;
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
