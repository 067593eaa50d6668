// A list of items that the loop runs in its next turn; an item that is posted twice runs
// once.

#include "server/coordinator/later.h"

#include <stdlib.h>

#include "common/base/memory.h"

struct later_t {
  rpc_timer_t *timer;
  later_item_t *first, **last;
};

void later_run(later_t *later) {
  while (later->first != NULL) {
    later_item_t *item = later->first;
    later->first = item->next;
    if (later->first == NULL) {
      later->last = &later->first;
    }
    item->is_queued = false;
    item->fn(item);
  }
}

static void on_timer(void *context) {
  later_run(context);
}

later_t *later_create(rpc_loop_t *loop) {
  later_t *later = pod_alloc(sizeof(*later));
  later->last = &later->first;
  later->timer = rpc_timer_create(loop, on_timer, later);
  return later;
}

void later_destroy(later_t *later) {
  if (later == NULL) {
    return;
  }
  later_run(later);
  rpc_timer_destroy(later->timer);
  free(later);
}

void later_post(later_t *later, later_item_t *item, void (*fn)(later_item_t *item)) {
  if (item->is_queued) {
    return;
  }
  if (later->first == NULL) {
    rpc_timer_start(later->timer, 0, 0);
  }
  *item = (later_item_t){.fn = fn, .is_queued = true};
  *later->last = item;
  later->last = &item->next;
}
