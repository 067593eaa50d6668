// Pods of nodes within the test's process, a thread a chip, and the collectives they run,
// whose results are checked. For the tests of server/ici.

#ifndef TESTS_UNIT_SERVER_ICI_POD_H_
#define TESTS_UNIT_SERVER_ICI_POD_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/ici/ici.h"

enum { CHIPS_MAX = 12 };

// MIXED: as SHARED, but chip 3 has its memory for itself. MEMORY: without sockets, over
// `memory_way`.
typedef enum way_t { WAY_IPC, WAY_TCP, WAY_SHARED, WAY_MIXED, WAY_MEMORY } way_t;

// What the test puts there (memory_carrier.h).
extern const struct ici_carrier_t *memory_way;

typedef struct pod_t {
  char directory[64];
  torus_t torus;
  int32_t chip_count;
  ici_node_t *nodes[CHIPS_MAX];
  atomic_int ups, downs;
} pod_t;

// What all nodes of a pod have in common, and no stranger knows.
extern const uint8_t pod_secret[ICI_SECRET_BYTES];

// On pod_clock_now_ns: when a wait has lasted too long.
int64_t deadline(void);

// Takes the status.
void assert_ok(pod_status_t status);

ici_node_t *make_node(pod_t *pod, int32_t chip, way_t way);

// In the directions in which the chip dials.
void dial_neighbours(pod_t *pod, int32_t chip, way_t way);

// All nodes, with their links up.
void pod_start(pod_t *pod, torus_t torus, way_t way);
void pod_stop(pod_t *pod);

// A list of collectives for a chip. `wrong` counts elements that are not as they should.
typedef struct work_t {
  pod_t *pod;
  int32_t chip;
  int32_t count;
  const collective_request_t *requests;
  uint64_t execution;
  const ici_pause_t *pause;  // Of each of them; NULL: none is paused.
  pod_status_t status;
  int wrong;
  pthread_t thread;
} work_t;

// A thread's function: does the work, then ends the execution.
void *run_work(void *work);

// A thread per chip, all with the same list.
void start_work(work_t *works, pod_t *pod, const collective_request_t *requests,
                int32_t count, uint64_t execution);
void join_work(work_t *works, const pod_t *pod);
void assert_all_right(work_t *works, const pod_t *pod);

// All of it.
void run_all(pod_t *pod, const collective_request_t *requests, int32_t count,
             uint64_t execution);

// Among groups of chips that follow each other; permutes go once around the first four.
// `block` elements are what a chip has of what it keeps or gets.
collective_request_t request_of(chip_op_t op, int32_t groups, int32_t group_size,
                                int64_t block);

static const torus_t square = {.size = {2, 2, 1}, .wraps = {false, false, false}};
static const torus_t oblong = {.size = {4, 2, 1}, .wraps = {false, false, false}};
static const torus_t ring = {.size = {4, 1, 1}, .wraps = {true, false, false}};
static const torus_t pair = {.size = {2, 1, 1}, .wraps = {false, false, false}};

#endif  // TESTS_UNIT_SERVER_ICI_POD_H_
