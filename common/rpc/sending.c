// A call's messages on their way out: packed into blocks, or lent from where they lie,
// and queued in the call's outbox, from which the session takes them.

#include <string.h>

#include "common/rpc/call.h"
#include "common/rpc/connection.h"
#include "common/rpc/wire.h"

enum {
  // Below this a copy is cheaper than a system call of its own.
  LENT_BYTES_MIN = 64 << 10,
  LENT_PIECES_MAX = 8,
  SMALL_BLOCK_BYTES = 256,
};

void rpc_call_wake_sender(rpc_call_t *call) {
  rpc_connection_t *connection = call->connection;
  if (connection == NULL) {
    return;  // A client's call that waits for a connection.
  }
  if (!rpc_call_is_client(call) && !call->responded) {
    rpc_session_respond(connection, call);
  } else if (call->provider_asleep) {
    rpc_session_resume(connection, call);
  }
  rpc_connection_flush_later(connection);
}

static bool may_send(const rpc_call_t *call) {
  return call->state <= RPC_CALL_OPEN && !call->half_closed && !call->released;
}

// A message on its way into the outbox, in blocks: small pieces are gathered, large ones
// are lent.
typedef struct packer_t {
  ProtobufCBuffer buffer;  // First, so that protobuf-c's callback finds its packer.
  rpc_pool_t *pool;
  rpc_block_t *first, *last;
  rpc_block_t *lent[LENT_PIECES_MAX];  // With a reference each.
  size_t lent_count;
  bool may_lend, failed;
} packer_t;

static void add_block(packer_t *packer, rpc_block_t *block) {
  if (packer->last == NULL) {
    packer->first = block;
  } else {
    packer->last->next = block;
  }
  packer->last = block;
}

static void add_bytes(packer_t *packer, const uint8_t *bytes, size_t size_bytes) {
  rpc_block_t *block = packer->last;
  if (block == NULL || block->lent != NULL ||
      block->capacity - block->size_bytes < size_bytes) {
    block = rpc_block_create(
        packer->pool, size_bytes > SMALL_BLOCK_BYTES ? size_bytes : SMALL_BLOCK_BYTES);
    if (block == NULL) {
      packer->failed = true;
      return;
    }
    add_block(packer, block);
  }
  if (size_bytes > 0) {
    memcpy(block->data + block->size_bytes, bytes, size_bytes);
  }
  block->size_bytes += size_bytes;
}

static void append(ProtobufCBuffer *buffer, size_t size_bytes, const uint8_t *bytes) {
  packer_t *packer = (packer_t *)buffer;
  if (packer->failed) {
    return;
  }
  if (!packer->may_lend || size_bytes < LENT_BYTES_MIN ||
      packer->lent_count == LENT_PIECES_MAX) {
    add_bytes(packer, bytes, size_bytes);
    return;
  }
  rpc_block_t *block = rpc_block_lend(packer->pool, bytes, size_bytes);
  if (block == NULL) {
    packer->failed = true;
    return;
  }
  packer->lent[packer->lent_count++] = rpc_block_retain(block);
  add_block(packer, block);
}

static void abort_unsendable(rpc_call_t *call, size_t size_bytes) {
  rpc_call_abort(call, pod_error(POD_RESOURCE_EXHAUSTED,
                                 "cannot send a message of %zu bytes", size_bytes));
}

static void add_prefix(packer_t *packer, size_t size_bytes) {
  const uint8_t prefix[RPC_PREFIX_BYTES] = {
      0,  // Not compressed.
      (uint8_t)(size_bytes >> 24), (uint8_t)(size_bytes >> 16),
      (uint8_t)(size_bytes >> 8), (uint8_t)size_bytes};
  add_bytes(packer, prefix, sizeof(prefix));
}

// What was lent goes out now, as far as the socket takes it; the rest is copied.
static void settle_lent(rpc_call_t *call, packer_t *packer, size_t size_bytes) {
  rpc_connection_t *connection = call->connection;
  rpc_connection_flush_now(connection);
  for (size_t i = 0; i < packer->lent_count; i++) {
    rpc_block_t *lent = packer->lent[i];
    if (lent->references > 1 &&
        !rpc_outbox_keep(&call->outbox, &connection->output, lent)) {
      // Parts of it wait in the output, which must not be written now.
      rpc_connection_close(
          connection, pod_error(POD_RESOURCE_EXHAUSTED,
                                "no host memory for a message of %zu bytes", size_bytes));
    }
    rpc_block_release(lent);
  }
}

// Takes the blocks of the packer.
static void send_packed(rpc_call_t *call, packer_t *packer, size_t size_bytes) {
  if (packer->failed) {
    while (packer->first != NULL) {
      rpc_block_t *block = packer->first;
      packer->first = block->next;
      rpc_block_release(block);
    }
    for (size_t i = 0; i < packer->lent_count; i++) {
      rpc_block_release(packer->lent[i]);
    }
    abort_unsendable(call, size_bytes);
    return;
  }
  while (packer->first != NULL) {
    rpc_block_t *block = packer->first;
    packer->first = block->next;
    block->next = NULL;
    rpc_outbox_push(&call->outbox, block);
  }
  rpc_call_wake_sender(call);
  if (packer->lent_count > 0) {
    settle_lent(call, packer, size_bytes);
  }
  call->above_bound |= call->outbox.bytes > RPC_SEND_QUEUE_BYTES;
}

// A message may go out from where it lies when nothing waits before it.
static packer_t make_packer(const rpc_call_t *call) {
  return (packer_t){
      .buffer = {append},
      .pool = call->loop->pool,
      .may_lend = call->connection != NULL && call->outbox.bytes == 0 &&
                  rpc_connection_is_clear(call->connection) &&
                  !rpc_loop_has_guest(call->loop),
  };
}

void rpc_call_send(rpc_call_t *call, const ProtobufCMessage *message) {
  if (!may_send(call)) {
    return;
  }
  const size_t size_bytes = protobuf_c_message_get_packed_size(message);
  if (size_bytes > UINT32_MAX) {
    abort_unsendable(call, size_bytes);
    return;
  }
  packer_t packer = make_packer(call);
  if (packer.may_lend && size_bytes >= LENT_BYTES_MIN) {
    add_prefix(&packer, size_bytes);
    protobuf_c_message_pack_to_buffer(message, &packer.buffer);
  } else {
    rpc_block_t *block = rpc_block_create(packer.pool, RPC_PREFIX_BYTES + size_bytes);
    packer.failed = block == NULL;
    if (block != NULL) {
      add_block(&packer, block);
      add_prefix(&packer, size_bytes);
      block->size_bytes +=
          protobuf_c_message_pack(message, block->data + RPC_PREFIX_BYTES);
    }
  }
  send_packed(call, &packer, size_bytes);
}

void rpc_call_send_bytes(rpc_call_t *call, const void *data, size_t size_bytes) {
  if (!may_send(call)) {
    return;
  }
  if (size_bytes > UINT32_MAX) {
    abort_unsendable(call, size_bytes);
    return;
  }
  packer_t packer = make_packer(call);
  add_prefix(&packer, size_bytes);
  append(&packer.buffer, size_bytes, data);
  send_packed(call, &packer, size_bytes);
}

bool rpc_call_is_writable(const rpc_call_t *call) {
  return may_send(call) && call->outbox.bytes <= RPC_SEND_QUEUE_BYTES;
}

void rpc_call_half_close(rpc_call_t *call) {
  if (may_send(call)) {
    call->half_closed = true;
    rpc_call_wake_sender(call);
  }
}
