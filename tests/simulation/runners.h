// podium-job as a process of the machine: what it does is the product's
// (server/jobs/runner), and so is what is said; the pipes between it and the coordinator
// are this file's.
//
// It lives on the coordinator's host, and dies with it, as the kernel has it.

#ifndef TESTS_SIMULATION_RUNNERS_H_
#define TESTS_SIMULATION_RUNNERS_H_

#include "server/coordinator/job_process.h"
#include "tests/simulation/machine.h"

extern const coordinator_runner_t runners;

void runners_reset(void);

// The coordinator was killed: so are its runners, at once or nearly.
void runners_orphan(const process_t *coordinator);

// How many run of a coordinator's; of anybody's for NULL.
int runners_count(const process_t *coordinator);

// SIGKILL of one of them, as when memory is short. False: there is none.
bool runners_kill_one(void);
// Of this one, if it is one.
void runners_kill(const process_t *runner);

#endif  // TESTS_SIMULATION_RUNNERS_H_
