// One run of the simulation: a plan is carried out, and what must always hold is checked.

#ifndef TESTS_SIMULATION_RUN_H_
#define TESTS_SIMULATION_RUN_H_

#include <stdint.h>

#include "tests/simulation/plan.h"

typedef struct run_result_t {
  const char *failure;  // Borrowed until the next run; NULL: all was well.
  uint64_t hash;        // Of all that happened.
  uint64_t slices;
  double seconds;  // Of simulated time.
} run_result_t;

void run_plan(const plan_t *plan, run_result_t *out_result);

#endif  // TESTS_SIMULATION_RUN_H_
