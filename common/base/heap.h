// A binary heap (Williams, 1964): the smallest key first. What lies in it is a number of
// the user's: an index, or an address as uintptr_t.
//
// Which of two equal keys comes first is not said: where it matters, let the key say it.
//
// Cost: O(log n) to push, pop and remove.
// Threading: one thread at a time.
// Ownership: the heap owns its memory. A zeroed heap is an empty one.
// Errors: none; see memory.h.

#ifndef COMMON_BASE_HEAP_H_
#define COMMON_BASE_HEAP_H_

#include <stdint.h>

#include "common/base/check.h"
#include "common/base/list.h"

typedef struct pod_heap_entry_t {
  int64_t key;
  uintptr_t item;
} pod_heap_entry_t;

typedef struct pod_heap_t {
  POD_LIST(pod_heap_entry_t) entries;
  // Told where an item has come to lie, for pod_heap_remove; may be NULL.
  void (*placed)(uintptr_t item, int32_t at);
} pod_heap_t;

static inline void pod_heap_place(pod_heap_t *heap, int32_t at, pod_heap_entry_t entry) {
  heap->entries.items[at] = entry;
  if (heap->placed != NULL) {
    heap->placed(entry.item, at);
  }
}

// Puts `entry` where it belongs, at or above `at`, which is free.
static inline void pod_heap_rise(pod_heap_t *heap, int32_t at, pod_heap_entry_t entry) {
  while (at > 0 && heap->entries.items[(at - 1) / 2].key > entry.key) {
    pod_heap_place(heap, at, heap->entries.items[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  pod_heap_place(heap, at, entry);
}

// The same, at or below.
static inline void pod_heap_sink(pod_heap_t *heap, int32_t at, pod_heap_entry_t entry) {
  const pod_heap_entry_t *items = heap->entries.items;
  for (int32_t child; (child = 2 * at + 1) < heap->entries.count; at = child) {
    if (child + 1 < heap->entries.count && items[child + 1].key < items[child].key) {
      child++;
    }
    if (items[child].key >= entry.key) {
      break;
    }
    pod_heap_place(heap, at, items[child]);
  }
  pod_heap_place(heap, at, entry);
}

static inline void pod_heap_push(pod_heap_t *heap, int64_t key, uintptr_t item) {
  (void)pod_list_add(&heap->entries);
  pod_heap_rise(heap, heap->entries.count - 1, (pod_heap_entry_t){key, item});
}

static inline int32_t pod_heap_count(const pod_heap_t *heap) {
  return heap->entries.count;
}

// The entry of the smallest key; the heap must not be empty.
static inline pod_heap_entry_t pod_heap_first(const pod_heap_t *heap) {
  POD_CHECK(heap->entries.count > 0);
  return heap->entries.items[0];
}

// Takes out the entry at `at`, which `placed` has told.
static inline void pod_heap_remove(pod_heap_t *heap, int32_t at) {
  POD_CHECK(at >= 0 && at < heap->entries.count);
  const pod_heap_entry_t last = heap->entries.items[--heap->entries.count];
  if (at == heap->entries.count) {
    return;
  }
  if (at > 0 && heap->entries.items[(at - 1) / 2].key > last.key) {
    pod_heap_rise(heap, at, last);
  } else {
    pod_heap_sink(heap, at, last);
  }
}

// Takes out the first entry.
static inline pod_heap_entry_t pod_heap_pop(pod_heap_t *heap) {
  const pod_heap_entry_t first = pod_heap_first(heap);
  pod_heap_remove(heap, 0);
  return first;
}

static inline void pod_heap_deinit(pod_heap_t *heap) {
  pod_list_deinit(&heap->entries);
}

#endif  // COMMON_BASE_HEAP_H_
