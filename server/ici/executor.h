// Runs one chip's schedule without knowing what carries the bytes: it says what may be
// sent now, takes in what arrived, and does the local steps in between. The links and the
// tests drive it.
//
// Threading: one thread. Ownership: borrows schedule and buffers until deinit.

#ifndef SERVER_ICI_EXECUTOR_H_
#define SERVER_ICI_EXECUTOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/collective/schedule.h"

// Of the sizes that the schedule says. `scratch` may be NULL when it says 0. Aligned to
// 16 bytes at least.
typedef struct collective_buffers_t {
  const void *input;
  void *output;
  void *scratch;
} collective_buffers_t;

// target = a op b, element by element: `count` elements of `dtype`, aligned as it wants
// it. `target` may be `a` or `b`; otherwise no overlap. The executor has no loops over
// elements: who computes hands in its own, which give the same bits on every chip.
// Called on the executor's thread.
typedef void (*collective_combine_fn_t)(chip_reducer_t reducer, tensor_dtype_t dtype,
                                        void *target, const void *a, const void *b,
                                        int64_t count);

// Whether the thread is called elsewhere: looked at between two parts of a local step,
// which take a millisecond or so; the step is left there and gone on with later.
typedef struct collective_call_t {
  bool (*is_wanted)(void *context);  // NULL: never.
  void *context;
} collective_call_t;

typedef enum collective_lane_state_t {
  COLLECTIVE_LANE_WAITING = 0,  // For the lanes in `after`.
  COLLECTIVE_LANE_RUNNING = 1,
  COLLECTIVE_LANE_DONE = 2,
} collective_lane_state_t;

typedef struct collective_progress_t {
  collective_lane_state_t state;
  int32_t step;            // Index into the schedule's steps, when RUNNING.
  int64_t sent_bytes;      // Of the step's source.
  int64_t received_bytes;  // Of the step's target.
  int64_t done_bytes;      // Of a local step that has been left.
} collective_progress_t;

typedef struct collective_executor_t {
  const collective_schedule_t *schedule;
  collective_buffers_t buffers;
  collective_combine_fn_t combine;
  collective_call_t call;
  collective_progress_t *lanes;  // schedule->lane_count
  int32_t lanes_left;
} collective_executor_t;

// Runs the local steps that are due. `combine` may be NULL when the schedule reduces
// nothing. RESOURCE_EXHAUSTED.
POD_MUST_USE pod_status_t collective_executor_init(collective_executor_t *executor,
                                                   const collective_schedule_t *schedule,
                                                   const collective_buffers_t *buffers,
                                                   collective_combine_fn_t combine,
                                                   collective_call_t call);

void collective_executor_deinit(collective_executor_t *executor);

bool collective_executor_is_done(const collective_executor_t *executor);

// Whether local steps have been left because the thread was called. Nothing of theirs is
// sent before they are done.
bool collective_executor_is_left(const collective_executor_t *executor);

// Goes on with them, until the thread is called again. May move lanes on.
void collective_executor_go_on(collective_executor_t *executor);

// The transfer that a lane is at; NULL when it waits, is done or has left a local step.
const collective_step_t *collective_executor_step(const collective_executor_t *executor,
                                                  int32_t lane);

// What is left to send of the lane's step: its bytes and their number (0: nothing).
int64_t collective_executor_unsent(const collective_executor_t *executor, int32_t lane,
                                   const uint8_t **out_bytes);

// The next `size_bytes` of collective_executor_unsent have been copied away. May move the
// lane, and lanes that waited for it, on.
void collective_executor_sent(collective_executor_t *executor, int32_t lane,
                              int64_t size_bytes);

typedef enum collective_arrival_t {
  COLLECTIVE_ARRIVAL_TAKEN = 0,
  COLLECTIVE_ARRIVAL_EARLY = 1,  // The lane is not there yet: keep it and offer it again.
  COLLECTIVE_ARRIVAL_WRONG = 2,  // Not what the schedule says: the sender is confused.
} collective_arrival_t;

// A piece of what `source` sends in `lane` under `tag`: `size_bytes` (whole elements)
// from `offset` on. `payload` is borrowed for the call and need not be aligned. May move
// lanes on.
collective_arrival_t collective_executor_receive(collective_executor_t *executor,
                                                 int32_t lane, int32_t tag,
                                                 int32_t source, int64_t offset,
                                                 const void *payload, int64_t size_bytes);

// The place where the next bytes of the lane's step belong, when they are to be copied
// and not reduced; NULL otherwise. What is put there is announced with
// collective_executor_received.
uint8_t *collective_executor_place(const collective_executor_t *executor, int32_t lane,
                                   int64_t *out_size_bytes);
void collective_executor_received(collective_executor_t *executor, int32_t lane,
                                  int64_t size_bytes);

#endif  // SERVER_ICI_EXECUTOR_H_
