// Unpacks one protobuf message at a time into memory that is reused for the next: a
// message lives for one callback only, so nothing of it needs freeing by itself.
//
// A large `bytes` field at the top of a message is not copied: the message points into
// `data`. Arrays travel in such fields, and the copy would cost as much as the rest of
// the journey.
//
// Threading: the loop's.
// Ownership: the message and what it was decoded from are borrowed until
// rpc_decoder_release.
// Errors: NULL for bytes that are no such message, and when decoding would take more
// memory than RPC_DECODE_BYTES_BASE and RPC_DECODE_EXPANSION times the bytes: some
// messages of a few bytes per element unpack to hundreds.

#ifndef COMMON_RPC_DECODE_H_
#define COMMON_RPC_DECODE_H_

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rpc/block.h"

enum { RPC_DECODE_BYTES_BASE = 64 << 20, RPC_DECODE_EXPANSION = 8 };

typedef struct rpc_decoder_t rpc_decoder_t;

rpc_decoder_t *rpc_decoder_create(rpc_pool_t *pool);

void rpc_decoder_destroy(rpc_decoder_t *decoder);

const ProtobufCMessage *rpc_decode(rpc_decoder_t *decoder,
                                   const ProtobufCMessageDescriptor *descriptor,
                                   const uint8_t *data, size_t size_bytes);

// Must follow every rpc_decode.
void rpc_decoder_release(rpc_decoder_t *decoder);

#endif  // COMMON_RPC_DECODE_H_
