// Buffers for frames (nng's messages), a few of the long ones kept for reuse: a fresh one
// costs more in page faults than the copy into it. And lists of frames that wait.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/ici/node.h"

nng_msg *ici_message_take(ici_node_t *node, size_t size_bytes) {
  nng_msg *message = NULL;
  pthread_mutex_lock(&node->lock);
  if (node->spare_count > 0) {
    message = node->spare[--node->spare_count];
  }
  pthread_mutex_unlock(&node->lock);
  if (message == NULL) {
    if (nng_msg_alloc(&message, size_bytes) != 0) {
      return NULL;
    }
  } else if (nng_msg_realloc(message, size_bytes) != 0) {
    nng_msg_free(message);
    return NULL;
  }
  atomic_fetch_add_explicit(&node->messages, 1, memory_order_relaxed);
  return message;
}

nng_msg *ici_message_make(ici_node_t *node, const ici_header_t *header,
                          const void *payload) {
  nng_msg *message = ici_message_take(node, ICI_HEADER_BYTES + header->payload_bytes);
  if (message == NULL) {
    return NULL;
  }
  uint8_t *body = nng_msg_body(message);
  ici_header_encode(header, body);
  if (header->payload_bytes > 0) {
    memcpy(body + ICI_HEADER_BYTES, payload, header->payload_bytes);
  }
  return message;
}

static void count_down(ici_node_t *node) {
  atomic_fetch_sub_explicit(&node->messages, 1, memory_order_relaxed);
}

void ici_message_free(ici_node_t *node, nng_msg *message) {
  count_down(node);
  nng_msg_free(message);
}

void ici_message_give(ici_node_t *node, nng_msg *message) {
  bool is_kept = false;
  count_down(node);
  pthread_mutex_lock(&node->lock);
  // Short ones are cheap to make anew; the long ones are worth the places.
  if (node->spare_count < ICI_SPARE_MESSAGES_MAX &&
      nng_msg_capacity(message) >= ICI_EAGER_STEP_BYTES) {
    node->spare[node->spare_count++] = message;
    is_kept = true;
  }
  pthread_mutex_unlock(&node->lock);
  if (!is_kept) {
    nng_msg_free(message);
  }
}

void ici_kept_init(ici_kept_list_t *list) {
  list->first = NULL;
  list->end = &list->first;
}

void ici_kept_push(ici_kept_list_t *list, ici_kept_t *kept) {
  kept->next = NULL;
  *list->end = kept;
  list->end = &kept->next;
}

ici_kept_t *ici_kept_remove(ici_kept_list_t *list, ici_kept_t **link) {
  ici_kept_t *kept = *link;
  *link = kept->next;
  if (list->end == &kept->next) {
    list->end = link;
  }
  return kept;
}

ici_kept_t *ici_kept_make(const ici_header_t *header, nng_msg *message) {
  ici_kept_t *kept = pod_alloc(sizeof(*kept));
  *kept = (ici_kept_t){.header = *header, .message = message};
  return kept;
}

void ici_kept_free(ici_node_t *node, ici_kept_t *kept) {
  ici_message_give(node, kept->message);
  free(kept);
}

const uint8_t *ici_kept_payload(const ici_kept_t *kept) {
  return (const uint8_t *)nng_msg_body(kept->message) + ICI_HEADER_BYTES;
}
