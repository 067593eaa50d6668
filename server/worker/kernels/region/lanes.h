// Regions over many elements at a time. A region whose instructions are elementwise on
// scalars is run by the kernels of these instructions over vectors of up to KERNEL_LANES
// elements: the lanes. Any other region is called lane by lane. Results are the same to
// the bit as those of single calls, as no lane looks at another.
//
// Cost: a few microseconds to make, some tens of nanoseconds per instruction and run, and
// then what the loops of the instructions cost per lane.
// Threading: one thread at a time.

#ifndef SERVER_WORKER_KERNELS_REGION_LANES_H_
#define SERVER_WORKER_KERNELS_REGION_LANES_H_

#include "server/worker/kernels/kernel.h"

enum { KERNEL_LANES = 512, KERNEL_VALUES_MAX = 64 };

typedef struct kernel_lanes_t kernel_lanes_t;

// What a region takes and returns, when its program does not say.
typedef struct kernel_signature_t {
  int32_t parameter_count, result_count;  // At most KERNEL_VALUES_MAX each.
  tensor_dtype_t parameters[KERNEL_VALUES_MAX], results[KERNEL_VALUES_MAX];
} kernel_signature_t;

// Of calls[call] of the instruction. Returns owned; `args` is borrowed until destroy.
// RESOURCE_EXHAUSTED, or UNIMPLEMENTED when there is neither a region that can be run so
// nor a function to call it by.
POD_MUST_USE pod_status_t kernel_lanes_create(const kernel_args_t *args, int32_t call,
                                              const kernel_signature_t *signature,
                                              kernel_lanes_t **out_lanes);

// Of the first `instruction_count` instructions of the region only; NULL when they are
// not elementwise. For values in the middle of a region.
POD_MUST_USE pod_status_t kernel_lanes_create_part(const kernel_args_t *args,
                                                   int32_t call,
                                                   int32_t instruction_count,
                                                   kernel_lanes_t **out_lanes);

void kernel_lanes_destroy(kernel_lanes_t *lanes);

// Where the elements of a parameter go before each run (a run may write over them), dense
// and 64-byte aligned, with room for KERNEL_LANES.
void *kernel_lanes_parameter(kernel_lanes_t *lanes, int32_t index);

// The same for `count` elements that lie elsewhere, for the next run: they are borrowed
// until then, and copied only if a run writes over them.
void kernel_lanes_lend(kernel_lanes_t *lanes, int32_t index, const void *elements,
                       size_t count);

// The first results of a run over `count` lanes become the parameters of the same index,
// of the same type; other lanes of these stay what they were.
void kernel_lanes_carry(kernel_lanes_t *lanes, int32_t result_count, size_t count);

// Where a run leaves its results, until parameters are written or the next run.
const void *kernel_lanes_result(const kernel_lanes_t *lanes, int32_t index);

// Where a run of a part leaves the value of a buffer of the program; the buffer must be
// one that the part takes or makes.
const void *kernel_lanes_buffer(const kernel_lanes_t *lanes, int32_t buffer);

// Runs lanes [0, count), count at most KERNEL_LANES.
POD_MUST_USE pod_status_t kernel_lanes_run(kernel_lanes_t *lanes, size_t count);

#endif  // SERVER_WORKER_KERNELS_REGION_LANES_H_
