// A list of values of one type that grows at its end:
//
//   typedef POD_LIST(edge_t) edge_list_t;
//   edge_list_t edges = {0};
//   *pod_list_add(&edges) = (edge_t){.from = a, .to = b};
//   for (int32_t i = 0; i < edges.count; i++) use(&edges.items[i]);
//   pod_list_deinit(&edges);
//
// A zeroed list is an empty one. Places move when the list grows: keep indexes, not
// addresses. Macros, because a function cannot be told the type; `list` is evaluated more
// than once, so let it be a plain address.
//
// Cost: amortised O(1) to add; room doubles.
// Threading: one thread at a time.
// Ownership: the list owns its memory, not what its elements point to.
// Errors: none; see memory.h. Not for what a peer or a user sizes.

#ifndef COMMON_BASE_LIST_H_
#define COMMON_BASE_LIST_H_

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define POD_LIST(type)       \
  struct {                   \
    type *items;             \
    int32_t count, capacity; \
  }

// Adds an element, not zeroed; its address, until the list grows again.
#define pod_list_add(list)                                                           \
  ((list)->items = pod_list_room((list)->items, (list)->count, 1, &(list)->capacity, \
                                 sizeof(*(list)->items)),                            \
   &(list)->items[(list)->count++])

// Makes room for `more` elements, so that adding them moves nothing.
#define pod_list_reserve(list, more)                                          \
  ((void)((list)->items = pod_list_room((list)->items, (list)->count, (more), \
                                        &(list)->capacity, sizeof(*(list)->items))))

// The last element; the list must not be empty.
#define pod_list_last(list) (&(list)->items[(list)->count - 1])

// Empties the list and keeps its room.
#define pod_list_clear(list) ((void)((list)->count = 0))

// Frees the list's memory; it is empty then.
#define pod_list_deinit(list)                                    \
  (free((list)->items), (list)->items = NULL, (list)->count = 0, \
   (void)((list)->capacity = 0))

// For the macros: room for `more` elements behind `count`. Returns the items.
void *pod_list_grow(void *items, int32_t count, int32_t more, int32_t *inout_capacity,
                    size_t item_bytes);

// In place, because there nearly always is room.
static inline void *pod_list_room(void *items, int32_t count, int32_t more,
                                  int32_t *inout_capacity, size_t item_bytes) {
  return (uint32_t)more <= (uint32_t)(*inout_capacity - count)
             ? items
             : pod_list_grow(items, count, more, inout_capacity, item_bytes);
}

#endif  // COMMON_BASE_LIST_H_
