// Events by time. Events of the same time come out together, in the order in which they
// were put in; the clock's results do not depend on that order.
//
// A heap holds the distinct times and a hash table finds the batch of a time, because
// chips that work in step make thousands of events at the same picosecond.
//
// Cost: amortised O(1) per event of a time that is there, O(log times) for a new time.
// Threading: one thread. Ownership: deinit frees all.

#ifndef SERVER_SIMULATOR_QUEUE_H_
#define SERVER_SIMULATOR_QUEUE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/heap.h"
#include "common/base/list.h"

typedef struct simulator_queue_event_t {
  uint32_t kind;
  int32_t a, b, c;  // What they mean is the kind's.
} simulator_queue_event_t;

typedef struct simulator_batch_t {
  int64_t time_ps;
  POD_LIST(simulator_queue_event_t) events;
} simulator_batch_t;

typedef struct simulator_queue_t {
  pod_heap_t times;  // Indexes of batches, by time.
  POD_LIST(simulator_batch_t) batches;
  POD_LIST(int32_t) free_batches;
  uint32_t table_size;  // A power of two, more than twice the batches.
  int32_t *table;       // Index of a batch + 1; 0: empty.
  int32_t latest;       // The batch that was used last, or -1.
  int32_t taken;        // The batch that is out, or -1.
} simulator_queue_t;

void simulator_queue_init(simulator_queue_t *queue);
void simulator_queue_deinit(simulator_queue_t *queue);

void simulator_queue_push(simulator_queue_t *queue, int64_t time_ps,
                          simulator_queue_event_t event);

// False when the queue is empty.
bool simulator_queue_next_time(const simulator_queue_t *queue, int64_t *out_time_ps);

// Takes the events of the earliest time; borrowed until the next take. What is pushed for
// the same time meanwhile is a batch of its own.
simulator_batch_t simulator_queue_take(simulator_queue_t *queue);

// The batch that would be taken next, or NULL.
const simulator_batch_t *simulator_queue_peek(const simulator_queue_t *queue);

// All events that are to come, in the order in which they would.
void simulator_queue_visit(const simulator_queue_t *queue,
                           void (*visit)(void *context, int64_t time_ps,
                                         const simulator_queue_event_t *event),
                           void *context);

// All of them come `by_ps` later.
void simulator_queue_move(simulator_queue_t *queue, int64_t by_ps);

#endif  // SERVER_SIMULATOR_QUEUE_H_
