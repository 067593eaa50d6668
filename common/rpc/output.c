// What goes out: messages as headers and blocks in a queue of each call (outbox), frames
// gathered for one writev(2) of each connection (output).

#include "common/rpc/output.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/check.h"

enum {
  COPIED_BYTES_MAX = 4 << 10,  // Up to this a piece is copied rather than referred to.
  FRAME_PARTS_MAX = 16,
  FRAME_COPIED_MAX = 16 << 10,
  FRAME_HEADER_BYTES = 16,
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

// --- Outbox ---

void rpc_outbox_push(rpc_outbox_t *outbox, rpc_block_t *block) {
  if (outbox->last == NULL) {
    outbox->first = block;
  } else {
    outbox->last->next = block;
  }
  outbox->last = block;
  outbox->bytes += block->size_bytes;
}

void rpc_outbox_clear(rpc_outbox_t *outbox) {
  while (outbox->first != NULL) {
    rpc_block_t *block = outbox->first;
    outbox->first = block->next;
    rpc_block_release(block);
  }
  *outbox = (rpc_outbox_t){0};
}

size_t rpc_outbox_frame_bytes(const rpc_outbox_t *outbox, size_t limit) {
  size_t total = 0;
  size_t parts = 0;
  size_t copied = 0;
  size_t offset = outbox->offset;
  for (const rpc_block_t *block = outbox->first; block != NULL && total < limit;
       block = block->next) {
    const size_t piece = smaller(block->size_bytes - offset, limit - total);
    if (piece > COPIED_BYTES_MAX) {
      // A copied piece may follow, in a part of its own.
      parts += 2;
    } else {
      copied += piece;
    }
    if (parts + 2 > FRAME_PARTS_MAX || copied > FRAME_COPIED_MAX) {
      break;
    }
    total += piece;
    offset = 0;
  }
  return total;
}

static void replace_in_outbox(rpc_outbox_t *outbox, rpc_block_t *lent,
                              rpc_block_t *copy) {
  rpc_block_t *previous = NULL;
  rpc_block_t *block = outbox->first;
  while (block != NULL && block != lent) {
    previous = block;
    block = block->next;
  }
  if (block == NULL) {
    return;
  }
  const size_t sent = previous == NULL ? outbox->offset : 0;
  memcpy(copy->data + sent, lent->lent + sent, lent->size_bytes - sent);
  copy->next = lent->next;
  if (previous == NULL) {
    outbox->first = copy;
  } else {
    previous->next = copy;
  }
  if (outbox->last == lent) {
    outbox->last = copy;
  }
  lent->next = NULL;
  rpc_block_retain(copy);
  rpc_block_release(lent);
}

bool rpc_outbox_keep(rpc_outbox_t *outbox, rpc_output_t *output, rpc_block_t *lent) {
  rpc_block_t *copy = rpc_block_create(lent->pool, lent->size_bytes);
  if (copy == NULL) {
    return false;
  }
  copy->size_bytes = lent->size_bytes;
  rpc_block_retain(lent);  // Until the last part of it is replaced.
  replace_in_outbox(outbox, lent, copy);
  for (size_t i = output->first; i < output->count; i++) {
    if (output->owners[i] == lent) {
      struct iovec *part = &output->parts[i];
      const size_t offset = (size_t)((const uint8_t *)part->iov_base - lent->lent);
      memcpy(copy->data + offset, part->iov_base, part->iov_len);
      part->iov_base = copy->data + offset;
      output->owners[i] = rpc_block_retain(copy);
      rpc_block_release(lent);
    }
  }
  rpc_block_release(lent);
  rpc_block_release(copy);
  return true;
}

// --- Output ---

bool rpc_output_is_full(const rpc_output_t *output) {
  return output->bytes >= RPC_OUTPUT_BATCH_BYTES ||
         output->count + FRAME_PARTS_MAX + 2 > RPC_OUTPUT_PARTS ||
         output->copied + FRAME_COPIED_MAX + FRAME_HEADER_BYTES > RPC_OUTPUT_COPY_BYTES;
}

static void add_part(rpc_output_t *output, rpc_block_t *owner, uint8_t *data,
                     size_t size_bytes) {
  POD_CHECK(output->count < RPC_OUTPUT_PARTS);
  output->parts[output->count] = (struct iovec){data, size_bytes};
  output->owners[output->count] = owner;
  output->count++;
  output->bytes += size_bytes;
}

static void add_copy(rpc_output_t *output, const uint8_t *data, size_t size_bytes) {
  POD_CHECK(output->copied + size_bytes <= RPC_OUTPUT_COPY_BYTES);
  uint8_t *copy = output->copies + output->copied;
  memcpy(copy, data, size_bytes);
  output->copied += size_bytes;
  if (output->count > output->first && output->owners[output->count - 1] == NULL) {
    struct iovec *last = &output->parts[output->count - 1];
    last->iov_len += size_bytes;
    output->bytes += size_bytes;
    return;
  }
  add_part(output, NULL, copy, size_bytes);
}

void rpc_output_add_frame(rpc_output_t *output, const uint8_t *header,
                          size_t header_bytes, rpc_outbox_t *outbox, size_t size_bytes) {
  add_copy(output, header, header_bytes);
  while (size_bytes > 0) {
    rpc_block_t *block = outbox->first;
    const size_t piece = smaller(block->size_bytes - outbox->offset, size_bytes);
    const uint8_t *bytes = block->lent != NULL ? block->lent : block->data;
    // Only to be read from, but an iovec does not say so.
    uint8_t *data = (uint8_t *)(uintptr_t)bytes + outbox->offset;
    if (piece > COPIED_BYTES_MAX) {
      add_part(output, rpc_block_retain(block), data, piece);
    } else if (piece > 0) {
      add_copy(output, data, piece);
    }
    outbox->offset += piece;
    outbox->bytes -= piece;
    size_bytes -= piece;
    if (outbox->offset == block->size_bytes) {
      outbox->first = block->next;
      outbox->offset = 0;
      if (outbox->first == NULL) {
        outbox->last = NULL;
      }
      rpc_block_release(block);
    }
  }
}

bool rpc_output_add(rpc_output_t *output, rpc_pool_t *pool, const uint8_t *data,
                    size_t size_bytes) {
  if (output->copied + size_bytes <= RPC_OUTPUT_COPY_BYTES) {
    add_copy(output, data, size_bytes);
    return true;
  }
  rpc_block_t *block = rpc_block_create(pool, size_bytes);
  if (block == NULL) {
    return false;
  }
  memcpy(block->data, data, size_bytes);
  add_part(output, block, block->data, size_bytes);
  return true;
}

static void drop_written(rpc_output_t *output, size_t written) {
  output->bytes -= written;
  while (written > 0) {
    struct iovec *part = &output->parts[output->first];
    if (written < part->iov_len) {
      part->iov_base = (uint8_t *)part->iov_base + written;
      part->iov_len -= written;
      return;
    }
    written -= part->iov_len;
    rpc_block_release(output->owners[output->first]);
    output->first++;
  }
}

rpc_written_t rpc_output_write(rpc_output_t *output, int fd) {
  while (output->bytes > 0) {
    const struct msghdr message = {.msg_iov = output->parts + output->first,
                                   .msg_iovlen = output->count - output->first};
    const ssize_t written = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno == EAGAIN || errno == EWOULDBLOCK ? RPC_WRITE_BLOCKED
                                                     : RPC_WRITE_FAILED;
    }
    drop_written(output, (size_t)written);
  }
  output->first = output->count = output->copied = 0;
  return RPC_WRITTEN;
}

size_t rpc_output_next(const rpc_output_t *output, const uint8_t **out_data) {
  const struct iovec *part = &output->parts[output->first];
  *out_data = part->iov_base;
  return part->iov_len;
}

void rpc_output_drop(rpc_output_t *output, size_t size_bytes) {
  drop_written(output, size_bytes);
  if (output->bytes == 0) {
    output->first = output->count = output->copied = 0;
  }
}

void rpc_output_clear(rpc_output_t *output) {
  for (size_t i = output->first; i < output->count; i++) {
    rpc_block_release(output->owners[i]);
  }
  output->first = output->count = output->copied = output->bytes = 0;
}
