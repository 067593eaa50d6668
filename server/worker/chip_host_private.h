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
  freed_after;    // Arrays to be freed when it and those before have ended.
  bool *is_kept;  // By alias: the argument stays.
  bool *is_made;  // By result: it gets memory of its own.
  void (*consumed)(void *context);
  bool is_running;
  int64_t temp_bytes;
  atomic_bool cancelled;
  bool has_host;
  host_exchange_t exchange;
  chip_profile_t profile;
  pod_status_t status;
  chip_host_executed_fn_t done;  // NULL: nobody waits any more.
  void *context;
  chip_host_execution_t *next;
};

struct chip_host_t {
  rpc_loop_t *loop;
  chip_host_options_t options;
  hbm_t *hbm;
  executor_t *executor;  // Programs run on the one thread, and come and go on the other.
  compute_t *compute, *loader;
  patience_t *patience;
  pod_map_t *programs;
  loaded_t *loading;
  int32_t loading_count, unloading_count;
  chip_host_execution_t *queue, **queue_end;  // The first may be running.
  int32_t queue_length;
  int32_t ahead;             // Of the queue, the compute thread has.
  int64_t ahead_temp_bytes;  // What these have reserved; only one of them uses its own.
  bool is_sweep_posted;
  rpc_fn_t idle;
  void *idle_context;
  pod_status_t stop_reason;  // Set once it stops.
  rpc_fn_t gone;
  void *gone_context;
};

// After anything ended: tells who waits for it, or goes when it was the last.
void chip_host_check_idle(chip_host_t *host);

// Why the host stops.
POD_MUST_USE pod_status_t chip_host_check_running(const chip_host_t *host);

// One reference less. Accepts NULL.
void chip_host_release_program(loaded_t *program);

#endif  // SERVER_WORKER_CHIP_HOST_PRIVATE_H_
