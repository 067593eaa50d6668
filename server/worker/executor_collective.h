// A collective instruction on one chip: its schedules, planned when the program is
// loaded, and the way between its arrays and the packed blocks that schedules move.
//
// A region that is no known reducer cannot be planned; then the operands are gathered (or
// exchanged, for reduce_scatter) and every chip applies the region element by element, in
// the order of the group.
//
// Threading: the compute thread.

#ifndef SERVER_WORKER_EXECUTOR_COLLECTIVE_H_
#define SERVER_WORKER_EXECUTOR_COLLECTIVE_H_

#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/torus.h"
#include "server/program/program.h"
#include "server/worker/collective_runner.h"
#include "server/worker/executor_block.h"
#include "server/worker/kernels/kernel.h"

typedef struct executor_collective_t executor_collective_t;

// Shared by all collectives of a chip; zero it to start.
typedef struct executor_scratch_t {
  executor_block_t input, output, steps;
} executor_scratch_t;

void executor_scratch_deinit(executor_scratch_t *scratch);

// Plans it, choosing algorithms by the rates of `spec`. Returns owned. UNIMPLEMENTED for
// a region whose element type differs from an operand's, and what collective_plan
// refuses.
POD_MUST_USE pod_status_t executor_collective_create(
    const chip_program_t *program, const chip_instruction_t *instruction,
    const chip_spec_t *spec, const torus_t *torus, int32_t chip,
    executor_collective_t **out_collective);

// Accepts NULL.
void executor_collective_destroy(executor_collective_t *collective);

typedef struct executor_collective_run_t {
  const collective_runner_t *runner;
  executor_scratch_t *scratch;
  const kernel_args_t *args;  // Buffers, and `call` for regions.
  uint64_t execution;
  uint32_t *sequence;  // Of the execution's next collective; counted on.
} executor_collective_run_t;

POD_MUST_USE pod_status_t executor_collective_run(executor_collective_t *collective,
                                                  const executor_collective_run_t *run);

#endif  // SERVER_WORKER_EXECUTOR_COLLECTIVE_H_
