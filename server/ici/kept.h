// Messages of frames, reused, and lists of frames that wait. Private to server/ici.
//
// Threading: messages from any thread; a list is for who has the lock that it stands
// under.

#ifndef SERVER_ICI_KEPT_H_
#define SERVER_ICI_KEPT_H_

#include <nng/nng.h>
#include <stddef.h>
#include <stdint.h>

#include "server/ici/frame.h"
#include "server/ici/ici.h"

// A frame that arrived and cannot be used yet. Owns the message.
typedef struct ici_kept_t {
  struct ici_kept_t *next;
  ici_header_t header;
  nng_msg *message;  // Header and payload.
} ici_kept_t;

typedef struct ici_kept_list_t {
  ici_kept_t *first, **end;  // `end` points at the NULL.
} ici_kept_list_t;

// A message of `size_bytes`, contents undefined. NULL: out of host memory. Every message
// that is in the node's hands is counted, so that a lost one is found out when it ends.
nng_msg *ici_message_take(ici_node_t *node, size_t size_bytes);

// Header and payload in a message. NULL: out of host memory.
nng_msg *ici_message_make(ici_node_t *node, const ici_header_t *header,
                          const void *payload);

// Takes the message and frees it. Needs no lock.
void ici_message_free(ici_node_t *node, nng_msg *message);

// Takes the message back for reuse.
void ici_message_give(ici_node_t *node, nng_msg *message);

void ici_kept_init(ici_kept_list_t *list);
void ici_kept_push(ici_kept_list_t *list, ici_kept_t *kept);
// Removes and returns *link, which is `first` or a `next` of the list.
ici_kept_t *ici_kept_remove(ici_kept_list_t *list, ici_kept_t **link);
ici_kept_t *ici_kept_make(const ici_header_t *header, nng_msg *message);
void ici_kept_free(ici_node_t *node, ici_kept_t *kept);
const uint8_t *ici_kept_payload(const ici_kept_t *kept);

#endif  // SERVER_ICI_KEPT_H_
