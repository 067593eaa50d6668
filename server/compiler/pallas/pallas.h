// Kernels of Pallas: what podium.kernel demands of a chip.
//
// A kernel is timed, not computed: its module is machine code to be, and nothing here
// runs it. What it takes follows from its grid and its body where these can be read
// (kernel.h), which is the better source: the user's estimate (cost_estimate) counts each
// array once and knows no step. Where they cannot be, because values decide or other
// chips take part, the estimate counts; without one the program is refused.
//
// Adds to each operation podium.kernel the attribute `work`, by chip_kernel_work_t, and
// takes away the configuration.
// Errors: of kernel.h, at the kernel's place in the program.

#ifndef SERVER_COMPILER_PALLAS_PALLAS_H_
#define SERVER_COMPILER_PALLAS_PALLAS_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "server/chip/spec.h"

enum { KERNEL_NOTES_MAX = 16 };

// Of kernels whose time does not rest on what they were seen to do: which and why, with
// the place. In the module's arena.
typedef struct kernel_notes_t {
  int32_t count;
  const char *texts[KERNEL_NOTES_MAX];
} kernel_notes_t;

POD_MUST_USE pod_status_t compiler_time_kernels(mlir_module_t *module,
                                                const chip_spec_t *spec,
                                                kernel_notes_t *out_notes);

#endif  // SERVER_COMPILER_PALLAS_PALLAS_H_
