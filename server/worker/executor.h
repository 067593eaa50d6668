// Runs programs on a chip: the instruction list of server/program/program.h over host
// memory.
//
// An executor is a chip: it has a place in the torus, a way to its peers, and the block
// of memory in which temporaries lie. An executable is a program made ready for it:
// kernels looked up and their caches, schedules of the collectives, constants in memory.
//
// Determinism: the same arguments give the same results and the same trace.
// Threading: executor_run on one thread at a time of each place (run->place), and of
// these all but one are paused; executor_load and executor_unload likewise, on a thread
// of their own if you like: an executable may come or go while another one runs.
// run->control's wish
// may be set by any. While a collective waits for peers it blocks the thread: to stop it
// then takes the runner's abort too, to pause it the runner's wake. Ownership: an
// executor outlives its executables. Errors: of kernels and collectives, with the
// instruction's name and source before them; CANCELLED; RESOURCE_EXHAUSTED when the host
// has no memory.

#ifndef SERVER_WORKER_EXECUTOR_H_
#define SERVER_WORKER_EXECUTOR_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/program/profile.h"
#include "server/program/program.h"
#include "server/worker/collective_runner.h"
#include "server/worker/kernels/kernel.h"

enum { EXECUTOR_PLACES = 16 };  // Runs under way; all but one of them are paused.

typedef struct executor_t executor_t;
typedef struct executable_t executable_t;

typedef struct executor_options_t {
  const chip_spec_t *spec;  // Borrowed: static.
  torus_t torus;
  int32_t chip;
  collective_runner_t runner;  // Borrowed context; may be zero on a torus of one chip.
} executor_options_t;

// Returns owned.
executor_t *executor_create(const executor_options_t *options);

// Gives the memory of a place back, in which nothing runs. False: it had none.
bool executor_clear_place(executor_t *executor, int32_t place);

// Its executables are gone. Accepts NULL.
void executor_destroy(executor_t *executor);

// Makes a program ready; takes it, also on error. It has passed chip_program_check.
// FAILED_PRECONDITION when its mesh is not of the pod's size; UNIMPLEMENTED names an
// instruction that no kernel or collective is there for.
POD_MUST_USE pod_status_t executor_load(executor_t *executor, chip_program_t *program,
                                        executable_t **out_executable);

// Frees the program too. Accepts NULL.
void executor_unload(executable_t *executable);

// Any thread, while it is loaded.
const chip_program_t *executable_program(const executable_t *executable);

// The shard's shape, as arrays given to a run must have it. Any thread, while it is
// loaded.
const tensor_shape_t *executable_argument_shape(const executable_t *executable,
                                                int32_t index);
const tensor_shape_t *executable_result_shape(const executable_t *executable,
                                              int32_t index);

// Whether nothing in it waits for chips or the host, and each instruction runs once: it
// then takes about as long every time. Any thread.
bool executable_is_straight_line(const executable_t *executable);

// What the constants take in HBM, expanded. Any thread.
int64_t executable_constant_bytes(const executable_t *executable);

// An array on its way. `data` of a send is only read; a receive fills it.
typedef struct executor_transfer_t {
  int64_t channel;
  bool is_receive;
  bool is_shared;  // All chips of the program ask for the same bytes.
  uint8_t *data;
  int64_t size_bytes;
} executor_transfer_t;

// What passes between a running program and its host. Both block the compute thread until
// the host has answered, and return its error.
typedef struct executor_host_t {
  pod_status_t (*transfer)(void *context, const executor_transfer_t *transfer);
  void *context;
} executor_host_t;

// Where the program has an alias, results[result] may be arguments[argument]: the
// argument then is lost. In memory of its own the result begins as a copy, and the
// argument stays.
typedef struct executor_run_t {
  int32_t place;                 // Whose temporaries: 0 to EXECUTOR_PLACES - 1.
  uint64_t execution;            // The same number on all chips.
  const void *const *arguments;  // In the program's order, 64-byte aligned.
  void *const *results;          // Their contents are undefined after an error.
  kernel_control_t *control;     // May be NULL.
  executor_host_t host;          // Zero: there is none, a program that needs one fails.
  bool *has_begun;               // Set once it has the memory that it needs. May be NULL.
} executor_run_t;

// Adds to `profile`, which chip_profile_init has made for the program; host_ns is set.
// Times are without those of pauses. On error the profile is incomplete.
POD_MUST_USE pod_status_t executor_run(executable_t *executable,
                                       const executor_run_t *run,
                                       chip_profile_t *profile);

#endif  // SERVER_WORKER_EXECUTOR_H_
