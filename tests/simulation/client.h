// Clients of the pod: each a process that works through its part of the plan with
// libpodium, and judges all that it is told.

#ifndef TESTS_SIMULATION_CLIENT_H_
#define TESTS_SIMULATION_CLIENT_H_

#include <stdbool.h>

#include "tests/simulation/plan.h"

// Borrows the plan. Clients come during the first seconds.
void clients_start(const plan_t *plan);

// They do no more than they have begun.
bool clients_are_done(void);

// Fails the run when a call has not ended within its bound.
void clients_check_bounds(void);

// NULL: it is not there.
process_t *clients_process(int client);

// SIGKILL; it goes on with the next item of the plan, as another process.
void clients_kill(int client);

// Sees to it that the pod does all it should, when nothing disturbs it any more.
void clients_start_checker(void);

#endif  // TESTS_SIMULATION_CLIENT_H_
