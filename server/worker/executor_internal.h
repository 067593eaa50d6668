// What executable.c (making a program ready) and executor.c (running it) share. Private
// to server/worker.

#ifndef SERVER_WORKER_EXECUTOR_INTERNAL_H_
#define SERVER_WORKER_EXECUTOR_INTERNAL_H_

#include "server/worker/executor.h"
#include "server/worker/executor_block.h"
#include "server/worker/executor_collective.h"
#include "server/worker/kernels/kernel.h"

// The blocks are shared by all executables, of which one runs at a time, and freed with
// the last.
struct executor_t {
  executor_options_t options;
  executor_block_t temporaries;  // Of who runs; of who unloads the last executable.
  executor_scratch_t scratch;
  int32_t executable_count;  // Of who loads and unloads.
};

// An instruction made ready.
typedef struct executor_step_t {
  kernel_fn_t kernel;  // NULL: the executor's own.
  void *cache;         // The kernel's.
  void (*cache_free)(void *cache);
  executor_collective_t *collective;  // NULL unless it is one.
  void **pointers;                    // Operands, then results, refilled for every run.
} executor_step_t;

// A constant in memory; `memory` is NULL when it is lent by the program.
typedef struct executor_constant_t {
  const void *data;
  void *memory;
} executor_constant_t;

struct executable_t {
  executor_t *executor;
  chip_program_t *program;
  executor_step_t *steps;          // Of each instruction.
  void **pointers;                 // The steps' share these.
  void **buffers;                  // Where each buffer of the program lies now.
  const void *temporaries;         // The block for which `buffers` was filled.
  executor_constant_t *constants;  // NULL until the first run.
  tensor_shape_t *argument_shapes, *result_shapes;  // Local.
  bool is_straight_line;
};

// Puts the constants into memory. Once.
POD_MUST_USE pod_status_t executable_expand_constants(executable_t *executable);

#endif  // SERVER_WORKER_EXECUTOR_INTERNAL_H_
