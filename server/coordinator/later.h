// Work that is to be done soon, from the loop, instead of inside the callback that found
// it: what rpc_loop_post is, but it ends with its owner.
//
// Threading: the loop thread.
// Ownership: items are embedded in what they belong to, which may free itself in `fn`,
// and not before.

#ifndef SERVER_COORDINATOR_LATER_H_
#define SERVER_COORDINATOR_LATER_H_

#include <stdbool.h>

#include "common/rpc/loop.h"

typedef struct later_t later_t;
typedef struct later_item_t later_item_t;

struct later_item_t {
  later_item_t *next;
  void (*fn)(later_item_t *item);
  bool is_queued;
};

later_t *later_create(rpc_loop_t *loop);

// Runs what is queued, and what that queues, now.
void later_run(later_t *later);

// Runs what is queued, and frees it. Accepts NULL.
void later_destroy(later_t *later);

// In the order of the calls. An item that is queued already stays where it is.
void later_post(later_t *later, later_item_t *item, void (*fn)(later_item_t *item));

#endif  // SERVER_COORDINATOR_LATER_H_
