// What computes an instruction on a worker's CPU. The executor finds the kernel in the
// instruction's row of the table of operations and lends it the operands' and results'
// bytes.
//
// Contract: operands and results are dense row-major host arrays, 64-byte aligned unless
// they lie inside a block at an offset (then 64 too). A result may be the same pointer as
// an operand of the same byte size for rows that work in place (program.h); otherwise
// they do not overlap. Instructions have passed chip_program_check and the compiler's
// verifier, so shapes agree.
// Determinism: the same operands give the same bits, on every run and worker of one CPU
// kind.
// Threading: called on the chip's compute thread only. A kernel starts no thread.
// Errors: RESOURCE_EXHAUSTED (scratch), UNIMPLEMENTED (an element type), INTERNAL,
// CANCELLED.

#ifndef SERVER_WORKER_KERNELS_KERNEL_H_
#define SERVER_WORKER_KERNELS_KERNEL_H_

#include <stdatomic.h>

#include "common/base/status.h"
#include "server/program/program.h"

typedef struct kernel_args_t kernel_args_t;

// What another thread wants of one that computes.
typedef enum kernel_wish_t {
  KERNEL_GO_ON = 0,
  KERNEL_STOP = 1,   // For good.
  KERNEL_PAUSE = 2,  // For others to have the chip; all that it has stays as it is.
} kernel_wish_t;

// Zeroed: it goes on. The wish is written by one other thread; the rest belongs to the
// thread that computes.
typedef struct kernel_control_t kernel_control_t;
struct kernel_control_t {
  atomic_int wish;  // kernel_wish_t
  // Called at KERNEL_PAUSE where the thread looks; returns when it may go on, or is to
  // stop. NULL: it is never paused.
  void (*pause)(kernel_control_t *control);
  int64_t paused_ns;  // How long that has taken, so far.
};

// Runs a computation of the program on scalars (the region of a general reduce): `inputs`
// are copied into its parameters, its results to `outputs`.
typedef pod_status_t (*kernel_call_fn_t)(const kernel_args_t *args, int32_t computation,
                                         const void *const *inputs, void *const *outputs);

struct kernel_args_t {
  const chip_program_t *program;
  const chip_instruction_t *instruction;
  const void *const *operands;  // instruction->operand_count
  void *const *results;         // instruction->result_count
  // What the kernel keeps for this instruction between runs (a oneDNN primitive, a packed
  // operand); NULL at first. cache_free is called on it when the executable is unloaded.
  // `cache` NULL: another run is paused with it, and nothing can be kept.
  void **cache;
  void (**cache_free)(void *cache);
  kernel_call_fn_t call;
  void *call_context;
  kernel_control_t *control;  // NULL: nobody wants anything.
};

typedef pod_status_t (*kernel_fn_t)(const kernel_args_t *args);

// Runs a kernel so that it ends soon after it is to stop: within some 50 ms, with
// CANCELLED and undefined results. A pause begins as soon, and leaves no trace in the
// results. Kernels are not called otherwise.
POD_MUST_USE pod_status_t kernel_run(kernel_fn_t kernel, const kernel_args_t *args);

// NULL for rows that the executor runs itself.
kernel_fn_t kernel_find(chip_op_t op);

// The shape of an operand or result.
static inline const tensor_shape_t *kernel_operand_shape(const kernel_args_t *args,
                                                         int32_t index) {
  return &args->program->buffers[args->instruction->operands[index]].shape;
}

static inline const tensor_shape_t *kernel_result_shape(const kernel_args_t *args,
                                                        int32_t index) {
  return &args->program->buffers[args->instruction->results[index]].shape;
}

#endif  // SERVER_WORKER_KERNELS_KERNEL_H_
