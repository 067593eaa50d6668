// The coordinator's books of jobs, and what the files of the service ask of each other.
//
//   queued ──start──> starting ──written──> running ──runner ended──> ending ──written──>
//   ended
//     │ ^                │                                              │
//     │ └──── its start, or its end, is to be tried again ──────────────┤ (again)
//     └──cancelled, or what it comes after has failed─────> ending ─────┘
//
// The books are in memory, and follow the disk: a state is shown when it is written. Each
// job has one change on its way to the disk at most; what is wished meanwhile (a cancel)
// is looked at when that is done.
//
// Threading: the loop thread, but for what runs on the disk's (job_disk.h).

#ifndef SERVER_COORDINATOR_SERVICES_JOBS_PRIVATE_H_
#define SERVER_COORDINATOR_SERVICES_JOBS_PRIVATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/access/secret.h"
#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/base/state_machine.h"
#include "proto/podium/v1/jobs.pb-c.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/core/job_schedule.h"
#include "server/coordinator/job_disk.h"
#include "server/coordinator/job_process.h"
#include "server/coordinator/jobs.h"
#include "server/coordinator/services/request.h"
#include "server/jobs/job_store.h"
#include "server/jobs/orders.h"

typedef struct job_watch_t job_watch_t;
typedef struct job_cancel_t job_cancel_t;
typedef struct job_log_t job_log_t;

typedef enum job_phase_t {
  JOB_PHASE_QUEUED = 0,
  JOB_PHASE_STARTING,
  JOB_PHASE_RUNNING,
  JOB_PHASE_ENDING,
  JOB_PHASE_ENDED,
  JOB_PHASE_COUNT,
} job_phase_t;

typedef struct job_entry_t job_entry_t;

typedef enum job_change_kind_t {
  CHANGE_START = 0,
  CHANGE_FINISH,
  CHANGE_AGAIN,
  CHANGE_CANCEL,
  CHANGE_REMOVE,
} job_change_kind_t;

// What is being written of a job, or has to be written again.
typedef struct job_change_t {
  disk_work_t work;
  job_entry_t *entry;
  job_change_kind_t what;
  job_state_t state;  // FINISH.
  int32_t code;
  char *message;    // Owned.
  char *given;      // START: its slice. Owned.
  bool is_failure;  // AGAIN: of those that the job's retries are about.
  int64_t at_us;
  bool is_on_its_way;
  bool is_to_be_repeated;  // The disk failed.
  bool is_reported;        // The log has said so.
  pod_status_t status;
} job_change_t;

struct job_entry_t {
  jobs_t *jobs;
  job_t *job;  // As it is on the disk.
  pod_state_machine_t machine;
  job_change_t change;
  slice_wish_t wish;
  bool is_scheduled;  // It may start, or runs.
  bool wants_cancel;
  char *cancel_word;      // Who does.
  int32_t refusals;       // Attempts that it was not ready for; they do not count.
  int64_t not_before_us;  // It waits until then after a refusal.
  torus_slice_t slice;    // Of an attempt that begins or runs.
  char *progress;
  uint64_t version;  // Of its last change.
  // The attempt.
  job_attempt_t *attempt;  // NULL: there is none.
  char token[ACCESS_TOKEN_TEXT_BYTES];
  bool was_refused;  // The pod was not ready for its execution.
  bool has_said_end;
  int32_t said_code;
  char *said_message;
  POD_LIST(job_array_t) results;
  job_blob_t profile, report;
};

struct jobs_t {
  coordinator_t *coordinator;
  job_disk_t *disk;
  job_store_t *store;  // The disk's thread's, once it is open.
  char *folder, *runner_address;
  char *socket_folder;  // NULL: the socket of the runners is in `folder`.
  const coordinator_runner_t *runner;
  job_schedule_t *schedule;
  POD_LIST(job_entry_t *) entries;  // By id.
  uint64_t version;
  bool is_draining, is_closing;
  bool is_collecting;
  // The pod comes up: since when it does, and when it changed last.
  bool is_settling, was_unsettled;
  int64_t unsettled_us, pod_changed_us;
  bool *is_lost;         // By chip, when it was last looked at;
  uint16_t *links_down;  // and its links: slices_missing_t.
  int64_t collected_us;
  later_item_t pump;
  rpc_timer_t *tick;
  job_watch_t *watches;
  job_cancel_t *cancels;
  job_log_t *logs;
};

// The service of a call; NULL: the coordinator keeps no jobs.
static inline jobs_t *jobs_of(const request_t *request) {
  return request->coordinator->jobs;
}

// --- jobs_books.c ---

int64_t jobs_now_us(void);

// NULL when there is none.
job_entry_t *jobs_find(const jobs_t *jobs, uint64_t id);

// For this caller: NOT_FOUND, also when it is another's and he does not administer.
POD_MUST_USE pod_status_t jobs_enter(const jobs_t *jobs, const access_identity_t *caller,
                                     uint64_t id, job_entry_t **out_entry);

bool jobs_may_see(const job_entry_t *entry, const access_identity_t *caller);

// Who calls. UNAVAILABLE when the coordinator goes down.
POD_MUST_USE pod_status_t jobs_identify(const request_t *request,
                                        access_identity_t *out_caller);

// Takes `job`, which the store has accepted.
job_entry_t *jobs_add(jobs_t *jobs, job_t *job);

static inline job_phase_t job_phase(const job_entry_t *entry) {
  return (job_phase_t)pod_state_of(&entry->machine);
}

// Those that watch shall hear of it.
void jobs_changed(job_entry_t *entry);

// What may go on, soon: starts, ends, watchers.
void jobs_look_again(jobs_t *jobs);

// A line of the log about it.
void jobs_log(const job_entry_t *entry, const char *event, const char *text);

// Has its start on entry->slice written.
void jobs_write_start(job_entry_t *entry);
// Has it written that it waits again. Takes `message`.
void jobs_write_again(job_entry_t *entry, bool is_failure, char *message);
// Has it written. Takes `message`.
void jobs_write(job_entry_t *entry, job_change_kind_t what, job_state_t state,
                int32_t code, char *message);

// Cancels what has not ended; `word`: who wants it, borrowed.
void jobs_cancel(job_entry_t *entry, const char *word);

// What the pod lacked when it was last looked at.
static inline slices_missing_t jobs_missing(const jobs_t *jobs) {
  return (slices_missing_t){.chips = jobs->is_lost, .links = jobs->links_down};
}

// --- jobs_run.c ---

// Its start is written.
void jobs_launch(job_entry_t *entry);
// How long it still waits after a refusal; 0: not at all.
int64_t jobs_pause_us(const job_entry_t *entry);
// Forgets what an attempt has brought.
void jobs_clear_attempt(job_entry_t *entry);

// --- jobs_options.c ---

// The compile options of a header into a job's, which are empty; INVALID_ARGUMENT names
// the option.
POD_MUST_USE pod_status_t jobs_read_options(const Podium__V1__JobHeader *header,
                                            job_options_t *out_options);
// Into the key of a compilation, which borrows them.
void jobs_compile_with(pod_arena_t *arena, const job_options_t *options,
                       compile_key_t *key);
// The chips of a slice by the program's devices, in place.
void jobs_order_chips(const job_options_t *options, int64_t *chips, size_t count);

// --- jobs_clocks.c ---

// Before any job may start: who has had how much of the chips, as the books tell.
void jobs_recall_clocks(jobs_t *jobs);

// --- jobs_describe.c ---

Podium__V1__JobState jobs_wire_state(job_state_t state);
Podium__V1__Job *jobs_describe(pod_arena_t *arena, const job_entry_t *entry);

// --- The methods ---

void jobs_watches_pump(jobs_t *jobs);
void jobs_watches_close(jobs_t *jobs);
void jobs_logs_look(jobs_t *jobs);
void jobs_logs_close(jobs_t *jobs);
void jobs_cancels_look(jobs_t *jobs);
pod_status_t jobs_start_submit(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_get(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_list(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_watch(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_cancel(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_remove(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_log(rpc_call_t *client, void *service, void **out_context);
pod_status_t jobs_start_fetch(rpc_call_t *client, void *service, void **out_context);

#endif  // SERVER_COORDINATOR_SERVICES_JOBS_PRIVATE_H_
