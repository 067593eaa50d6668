// A pod in one process for the tests of collectives: executors for all chips of a torus,
// and links that a seeded generator serves in any order. Nothing sleeps, no sockets.

#ifndef TESTS_UNIT_SERVER_COLLECTIVE_POD_H_
#define TESTS_UNIT_SERVER_COLLECTIVE_POD_H_

#include "common/base/arena.h"
#include "common/base/random.h"
#include "server/collective/schedule.h"
#include "server/ici/executor.h"

typedef struct test_chip_t {
  collective_schedule_t schedule;
  collective_executor_t executor;
  uint8_t *input, *output, *scratch;
  bool takes_part;
} test_chip_t;

typedef struct test_pod_t {
  torus_t torus;
  int32_t chip_count;
  test_chip_t *chips;
  pod_arena_t *arena;
  pod_random_t random;
} test_pod_t;

// Plans `request` on every chip that takes part, without memory to run it in. Returns the
// planner's error, if any.
pod_status_t test_pod_plan(test_pod_t *pod, const torus_t *torus,
                           const collective_request_t *request);

// Plans and prepares `request` on every chip that takes part; inputs are filled with
// small numbers of the element type. Returns the planner's error, if any.
pod_status_t test_pod_init(test_pod_t *pod, const torus_t *torus,
                           const collective_request_t *request, bool in_place,
                           uint64_t seed);
void test_pod_deinit(test_pod_t *pod);

// Runs to the end without any buffer between chips: a piece moves only when the sender's
// step and the receiver's step match now. False: everybody waits for somebody.
bool test_pod_run_unbuffered(test_pod_t *pod);

// Runs to the end with queues that are delivered in any order (first in, first out per
// lane and pair of chips), what is early being offered again.
bool test_pod_run_queued(test_pod_t *pod);

// Bytes over each link: loads[chip · TORUS_DIRECTIONS + direction].
void test_pod_link_loads(const test_pod_t *pod, int64_t *loads);

#endif  // TESTS_UNIT_SERVER_COLLECTIVE_POD_H_
