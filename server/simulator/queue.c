// A time is a batch: the heap orders batches, the hash table (linear probing) finds the
// one of a time, and batches that are through are used again. No two batches have one
// time, so the heap has no ties to break.

#include "server/simulator/queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum { TABLE_FIRST = 256 };

void simulator_queue_init(simulator_queue_t *queue) {
  *queue = (simulator_queue_t){.table_size = TABLE_FIRST, .latest = -1, .taken = -1};
  queue->table = pod_alloc(TABLE_FIRST * sizeof(*queue->table));
}

void simulator_queue_deinit(simulator_queue_t *queue) {
  for (int32_t i = 0; i < queue->batches.count; i++) {
    pod_list_deinit(&queue->batches.items[i].events);
  }
  pod_list_deinit(&queue->batches);
  pod_list_deinit(&queue->free_batches);
  pod_heap_deinit(&queue->times);
  free(queue->table);
}

static uint32_t slot_of(const simulator_queue_t *queue, int64_t time_ps) {
  const uint64_t mixed = (uint64_t)time_ps * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mixed >> 32) & (queue->table_size - 1);
}

// The slot that holds the batch of a time, or the empty one where it would go.
static uint32_t find_slot(const simulator_queue_t *queue, int64_t time_ps) {
  uint32_t slot = slot_of(queue, time_ps);
  while (queue->table[slot] != 0 &&
         queue->batches.items[queue->table[slot] - 1].time_ps != time_ps) {
    slot = (slot + 1) & (queue->table_size - 1);
  }
  return slot;
}

// Linear probing without tombstones: what follows an emptied slot moves up.
static void table_remove(simulator_queue_t *queue, int64_t time_ps) {
  uint32_t hole = find_slot(queue, time_ps);
  uint32_t slot = hole;
  queue->table[hole] = 0;
  while (true) {
    slot = (slot + 1) & (queue->table_size - 1);
    if (queue->table[slot] == 0) {
      return;
    }
    const uint32_t home =
        slot_of(queue, queue->batches.items[queue->table[slot] - 1].time_ps);
    if (((slot - home) & (queue->table_size - 1)) >=
        ((slot - hole) & (queue->table_size - 1))) {
      queue->table[hole] = queue->table[slot];
      queue->table[slot] = 0;
      hole = slot;
    }
  }
}

static void table_fill(simulator_queue_t *queue) {
  for (int32_t i = 0; i < pod_heap_count(&queue->times); i++) {
    const int32_t batch = (int32_t)queue->times.entries.items[i].item;
    queue->table[find_slot(queue, queue->batches.items[batch].time_ps)] = batch + 1;
  }
}

static void table_grow(simulator_queue_t *queue) {
  free(queue->table);
  queue->table_size *= 2;
  queue->table = pod_alloc(queue->table_size * sizeof(*queue->table));
  table_fill(queue);
}

static int32_t new_batch(simulator_queue_t *queue) {
  if (queue->free_batches.count > 0) {
    return queue->free_batches.items[--queue->free_batches.count];
  }
  *pod_list_add(&queue->batches) = (simulator_batch_t){0};
  return queue->batches.count - 1;
}

static int32_t batch_of(simulator_queue_t *queue, int64_t time_ps) {
  if (queue->latest >= 0 && queue->batches.items[queue->latest].time_ps == time_ps) {
    return queue->latest;
  }
  uint32_t slot = find_slot(queue, time_ps);
  if (queue->table[slot] == 0) {
    const int32_t batch = new_batch(queue);
    queue->batches.items[batch].time_ps = time_ps;
    queue->table[slot] = batch + 1;
    pod_heap_push(&queue->times, time_ps, (uintptr_t)batch);
    if (2 * (uint32_t)pod_heap_count(&queue->times) >= queue->table_size) {
      table_grow(queue);
    }
    queue->latest = batch;
    return batch;
  }
  queue->latest = queue->table[slot] - 1;
  return queue->latest;
}

void simulator_queue_push(simulator_queue_t *queue, int64_t time_ps,
                          simulator_queue_event_t event) {
  const int32_t index = batch_of(queue, time_ps);  // May move the batches.
  simulator_batch_t *batch = &queue->batches.items[index];
  *pod_list_add(&batch->events) = event;
}

bool simulator_queue_next_time(const simulator_queue_t *queue, int64_t *out_time_ps) {
  if (pod_heap_count(&queue->times) == 0) {
    return false;
  }
  *out_time_ps = pod_heap_first(&queue->times).key;
  return true;
}

simulator_batch_t simulator_queue_take(simulator_queue_t *queue) {
  if (queue->taken >= 0) {
    pod_list_clear(&queue->batches.items[queue->taken].events);
    *pod_list_add(&queue->free_batches) = queue->taken;
    queue->taken = -1;
  }
  const int32_t batch = (int32_t)pod_heap_pop(&queue->times).item;
  table_remove(queue, queue->batches.items[batch].time_ps);
  queue->latest = -1;
  queue->taken = batch;
  return queue->batches.items[batch];
}

const simulator_batch_t *simulator_queue_peek(const simulator_queue_t *queue) {
  return pod_heap_count(&queue->times) == 0
             ? NULL
             : &queue->batches.items[pod_heap_first(&queue->times).item];
}

static int by_time(const void *a, const void *b) {
  const pod_heap_entry_t *x = a;
  const pod_heap_entry_t *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

void simulator_queue_visit(const simulator_queue_t *queue,
                           void (*visit)(void *context, int64_t time_ps,
                                         const simulator_queue_event_t *event),
                           void *context) {
  const size_t count = (size_t)pod_heap_count(&queue->times);
  if (count == 0) {
    return;
  }
  pod_heap_entry_t *times = pod_alloc(count * sizeof(*times));
  memcpy(times, queue->times.entries.items, count * sizeof(*times));
  qsort(times, count, sizeof(*times), by_time);
  for (size_t i = 0; i < count; i++) {
    const simulator_batch_t *batch = &queue->batches.items[times[i].item];
    for (int32_t e = 0; e < batch->events.count; e++) {
      visit(context, batch->time_ps, &batch->events.items[e]);
    }
  }
  free(times);
}

void simulator_queue_move(simulator_queue_t *queue, int64_t by_ps) {
  for (int32_t i = 0; i < pod_heap_count(&queue->times); i++) {
    pod_heap_entry_t *entry = &queue->times.entries.items[i];
    entry->key += by_ps;
    queue->batches.items[entry->item].time_ps = entry->key;
  }
  memset(queue->table, 0, queue->table_size * sizeof(*queue->table));
  table_fill(queue);
  queue->latest = -1;
}
