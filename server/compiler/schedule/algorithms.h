// Collectives whose algorithm the user chooses instead of the planner.
//
// Threading: pure. Private to the compiler.

#ifndef SERVER_COMPILER_SCHEDULE_ALGORITHMS_H_
#define SERVER_COMPILER_SCHEDULE_ALGORITHMS_H_

#include "common/base/status.h"
#include "server/collective/schedule.h"
#include "server/program/program.h"

// By operation; AUTO where the planner takes the cheapest.
typedef struct algorithms_t {
  collective_algorithm_t of[CHIP_OP_COUNT];
} algorithms_t;

// Reads "ring", or "all_reduce=ring,all_gather=line", names as in
// collective_algorithm_name(); NULL or "": AUTO for all. INVALID_ARGUMENT: a text that
// names no collective or algorithm. Whether an algorithm does a collective over its
// groups is found when the scheduler asks for its price.
POD_MUST_USE pod_status_t algorithms_parse(const char *choices,
                                           algorithms_t *out_algorithms);

// Marks the program's collectives.
void algorithms_apply(const algorithms_t *algorithms, chip_program_t *program);

#endif  // SERVER_COMPILER_SCHEDULE_ALGORITHMS_H_
