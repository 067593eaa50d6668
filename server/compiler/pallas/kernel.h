// A kernel for TPUs, as Pallas hands it to Mosaic: its grid, the blocks that it moves
// between HBM and VMEM, and what it demands of a chip, step by step.
//
// Mosaic's module (jaxlib/mosaic/dialect/tpu): a function whose arguments are the indexes
// of the grid, arrays prefetched to SMEM, operands and results of the call as blocks, and
// scratch; `window_params` says of each block by which function its place follows from
// the indexes. A block whose place is that of the step before is not loaded again; a
// result is stored when the next step has another block of it, or at the end.
//
// Cost: some ten nanoseconds for each step and integer that decides something; grids of
// more than KERNEL_STEPS_MAX steps are followed at evenly spaced places only.
// Ownership: a kernel lives in the arena that it was read into.
// Threading: pure. Deterministic.
// Errors: INVALID_ARGUMENT for modules that do not hold together; UNIMPLEMENTED for those
// that cannot be timed, with what to do; RESOURCE_EXHAUSTED for too much VMEM.

#ifndef SERVER_COMPILER_PALLAS_KERNEL_H_
#define SERVER_COMPILER_PALLAS_KERNEL_H_

#include "common/base/status.h"
#include "server/compiler/pallas/config.h"
#include "server/compiler/pallas/machine.h"
#include "server/program/task.h"

enum { KERNEL_DIMS_MAX = 16, KERNEL_STEPS_MAX = 1 << 21 };

typedef struct kernel_t kernel_t;

// What the program says of the call.
typedef struct kernel_call_t {
  const chip_spec_t *spec;
  int operand_count, result_count;
  const tensor_shape_t *operands, *results;
  // By operand; `data` NULL for those that are no constants of the program.
  const kernel_memory_t *constants;
  // Where to say that the work is not what the kernel was seen to do, but rests on
  // something else; NULL: nobody asks. A constant.
  const char **rests_on;
} kernel_call_t;

// Reads the module of a configuration. The kernel refers to it.
POD_MUST_USE pod_status_t kernel_read(pod_arena_t *arena, const chip_spec_t *spec,
                                      const kernel_config_t *config,
                                      kernel_t **out_kernel);
void kernel_destroy(kernel_t *kernel);  // Accepts NULL.

// What it takes of VMEM: two of each block that moves, scratch, what it asks for beside.
int64_t kernel_vmem_bytes(const kernel_t *kernel);

// The work of the whole call, by following the kernel through its grid.
POD_MUST_USE pod_status_t kernel_follow(const kernel_t *kernel, const kernel_call_t *call,
                                        const kernel_config_t *config,
                                        chip_work_t *out_work);

// The same by what the user says that it costs, for `steps` steps alike.
chip_work_t kernel_estimate(const kernel_call_t *call, const kernel_config_t *config,
                            int64_t steps);

#endif  // SERVER_COMPILER_PALLAS_KERNEL_H_
