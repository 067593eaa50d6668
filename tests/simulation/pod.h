// A pod on the simulated machine: the coordinator and the workers as processes, which are
// started anew some time after they have died, as a supervisor does.

#ifndef TESTS_SIMULATION_POD_H_
#define TESTS_SIMULATION_POD_H_

#include <stdbool.h>
#include <stdint.h>

#include "tests/simulation/machine.h"

#define POD_ADDRESS "127.0.0.1:7400"

enum { POD_CHIPS_MAX = 4, POD_DAEMONS_MAX = 1 + POD_CHIPS_MAX };

typedef struct daemon_t daemon_t;

// Number 0 is the coordinator, from 1 on are the workers.
// `is_spread`: every daemon on a host of its own.
// `hbm_bytes` 0: what the kind has.
// `has_jobs`: the coordinator keeps jobs.
void pod_start(int x, int y, bool is_spread, int64_t hbm_bytes, bool has_jobs);
int pod_daemon_count(void);
int pod_size_x(void);
int pod_size_y(void);

// The process of the daemon; NULL while it has none.
process_t *pod_process(int daemon);

// SIGKILL; it is started anew after `pause_ns`.
void pod_kill(int daemon, int64_t pause_ns);
// SIGTERM, likewise once it has ended.
void pod_terminate(int daemon, int64_t pause_ns);

// From here on nothing is started anew, and everything is told to end.
void pod_shut_down(void);
bool pod_has_ended(void);

#endif  // TESTS_SIMULATION_POD_H_
