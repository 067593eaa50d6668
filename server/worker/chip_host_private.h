// What the files of a chip's host share. Not for others.

#ifndef SERVER_WORKER_CHIP_HOST_PRIVATE_H_
#define SERVER_WORKER_CHIP_HOST_PRIVATE_H_

#include "common/base/list.h"
#include "common/base/map.h"
#include "server/worker/chip_host.h"
#include "server/worker/compute.h"
#include "server/worker/patience.h"

// A program on the chip. Counted: by the table, and by each execution of it.
typedef struct loaded_t {
  compute_job_t job;  // Of loading, later of unloading. First.
  chip_host_t *host;
  uint64_t id, session;
  int32_t count;
  executable_t *executable;
  int64_t constant_bytes;
  int64_t run_ns;        // What its last run took; INT64_MAX: there was none.
  char *execution_text;  // "an execution of NAME (temporaries and results)".
  // While it loads.
  uint8_t *bytes;
  size_t size_bytes;
  pod_status_t status;
  bool session_closed;
  chip_host_done_fn_t done;
  void *context;
  struct loaded_t *next_loading;
} loaded_t;

struct chip_host_execution_t {
  compute_job_t job;  // First.
  chip_host_t *host;
  uint64_t id, session;
  loaded_t *program;
  hbm_array_t **arguments, **results;
  const void **argument_data;
  void **result_data;
  uint64_t *result_ids;
  uint64_t *argument_ids;  // Of those that are not there yet.
  POD_LIST(uint64_t)
  freed_after;    // Arrays to be freed when it and those before have ended, and no other
                  // one is left that names them.
  bool *is_kept;  // By alias: the argument stays.
  bool *is_made;  // By result: it gets memory of its own.
  void (*consumed)(void *context);
  uint64_t number;    // It came as this one: the order within its session.
  bool is_running;    // Prepared: it holds what it has reserved.
  bool is_ahead;      // The compute threads have it.
  bool is_paused;     // Of the list of these.
  bool was_paused;    // Others may have gone past it.
  bool is_withdrawn;  // Prepared, and not begun.
  bool is_parked;     // Begun, and stands still.
  bool is_to_resume;  // As soon as it stands still.
  bool has_told_lack;
  int64_t temp_bytes, host_temp_bytes;
  kernel_control_t control;
  bool has_host;
  host_exchange_t exchange;
  chip_profile_t profile;
  pod_status_t status;
  chip_host_executed_fn_t done;  // NULL: nobody waits any more.
  void (*paused)(void *context);
  void (*lacks_room)(void *context);
  void *context;
  chip_host_execution_t *next;
};

struct chip_host_t {
  rpc_loop_t *loop;
  chip_host_options_t options;
  hbm_t *hbm;
  executor_t *executor;  // Programs run on the one, and come and go on the other.
  compute_t *compute, *loader;
  patience_t *patience[COMPUTE_THREADS_MAX];  // NULL where there was no need.
  pod_map_t *programs;
  loaded_t *loading;
  int32_t loading_count, unloading_count;
  chip_host_execution_t *queue, **queue_end;  // The first may be running.
  chip_host_execution_t *paused;              // By their numbers.
  int32_t queue_length;                       // With them.
  int32_t passed_count;                       // Of these, those that were ever paused.
  uint64_t execution_count;                   // Ever.
  int32_t ahead;                              // Of the queue, the compute threads have.
  int64_t held_temp_bytes;                    // What is reserved for temporaries in all.
  bool is_sweep_posted;
  rpc_fn_t idle;
  void *idle_context;
  pod_status_t stop_reason;  // Set once it stops.
  rpc_fn_t gone;
  void *gone_context;
};

static inline bool chip_host_is_stopped(const chip_host_execution_t *execution) {
  return atomic_load(&execution->control.wish) == KERNEL_STOP;
}

// Soon: ends what is not to begin any more, and gives the compute threads what is next.
void chip_host_look_again(chip_host_t *host);

// One that was stopped, and has been given to the compute threads: how long it goes on.
// What has not begun sees it first of all.
void chip_host_watch(const chip_host_execution_t *execution);
// All of these.
void chip_host_watch_stopped(const chip_host_t *host);

// A job's `parked`.
void chip_host_parked(compute_job_t *job);

// Control's `pause`.
void chip_host_yield(kernel_control_t *control);

// Tells that an execution, `context`, has no room beside those that are paused, once.
void chip_host_tell_lack(void *context);

// On its thread, of one that ended with its status, and had begun or had not. True: it is
// to try again. It had not, for want of memory beside those that are paused; then it has
// stood, and nothing has run, until it was paused itself.
bool chip_host_finds_room(chip_host_execution_t *execution, bool has_begun);

// Whether it stands still or has reserved something, beside `execution`, and goes on.
bool chip_host_others_hold(const chip_host_execution_t *execution);

// Out of the queue or the list of paused ones. Returns the one before it in the queue.
chip_host_execution_t *chip_host_take_out(chip_host_execution_t *execution);
void chip_host_append(chip_host_execution_t *execution);

// The array goes when the execution and those before it have ended; NULL: now.
void chip_host_free_after(chip_host_t *host, chip_host_execution_t *execution,
                          uint64_t id);
// It has ended, or is of those that are paused now: what waits for its end waits for who
// names it, or else for `previous`.
void chip_host_pass_on_freed(chip_host_execution_t *execution,
                             chip_host_execution_t *previous);

// After anything ended: tells who waits for it, or goes when it was the last.
void chip_host_check_idle(chip_host_t *host);

// Why the host stops.
POD_MUST_USE pod_status_t chip_host_check_running(const chip_host_t *host);

// One reference less. Accepts NULL.
void chip_host_release_program(loaded_t *program);

#endif  // SERVER_WORKER_CHIP_HOST_PRIVATE_H_
