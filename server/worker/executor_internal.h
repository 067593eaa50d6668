// What executable.c (making a program ready) and executor.c (running it) share. Private
// to server/worker.

#ifndef SERVER_WORKER_EXECUTOR_INTERNAL_H_
#define SERVER_WORKER_EXECUTOR_INTERNAL_H_

#include <stdatomic.h>

#include "server/worker/executor.h"
#include "server/worker/executor_block.h"
#include "server/worker/executor_collective.h"
#include "server/worker/kernels/kernel.h"

// All that a run writes but for its results: the executables share it, and it is freed
// with the last. Runs of one executable may stand between each other, each in a place of
// its own; so what belongs to an executable does not change while it runs.
typedef struct executor_place_t {
  executor_block_t temporaries;
  executor_scratch_t scratch;
  void **buffers;   // Where each buffer of the program that runs here lies.
  void **pointers;  // Of its steps: operands, then results, refilled for every one.
  int64_t buffer_room, pointer_room;
} executor_place_t;

struct executor_t {
  executor_options_t options;
  // Of who runs there; of who unloads the last executable.
  executor_place_t places[EXECUTOR_PLACES];
  int32_t executable_count;  // Of who loads and unloads.
};

// An instruction made ready.
typedef struct executor_step_t {
  kernel_fn_t kernel;  // NULL: the executor's own.
  void *cache;         // The kernel's.
  void (*cache_free)(void *cache);
  atomic_bool is_cache_lent;          // To a run, which may be paused with it.
  executor_collective_t *collective;  // NULL unless it is one.
  int64_t first_pointer;              // Of the place's.
} executor_step_t;

// A constant in memory; `memory` is NULL when it is lent by the program.
typedef struct executor_constant_t {
  const void *data;
  void *memory;
  int64_t filled_bytes;  // From the beginning on.
} executor_constant_t;

struct executable_t {
  executor_t *executor;
  chip_program_t *program;
  executor_step_t *steps;                           // Of each instruction.
  int64_t pointer_count;                            // Of all steps.
  executor_constant_t *constants;                   // NULL until the first run.
  int32_t expanded_count;                           // Of these, what is whole.
  tensor_shape_t *argument_shapes, *result_shapes;  // Local.
  bool is_straight_line;
};

// Puts the constants into memory, once: what was begun by a run that was stopped, or is
// paused in it, the next one goes on with. CANCELLED.
POD_MUST_USE pod_status_t executable_expand_constants(executable_t *executable,
                                                      kernel_control_t *control);

#endif  // SERVER_WORKER_EXECUTOR_INTERNAL_H_
