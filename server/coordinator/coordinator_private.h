// What the services of the coordinator share.
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_COORDINATOR_PRIVATE_H_
#define SERVER_COORDINATOR_COORDINATOR_PRIVATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/access/access.h"
#include "common/base/list.h"
#include "common/base/log.h"
#include "common/rpc/http.h"
#include "common/rpc/loop.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/chip_run.h"
#include "server/coordinator/coordinator.h"
#include "server/coordinator/core/compile_cache.h"
#include "server/coordinator/core/losses.h"
#include "server/coordinator/core/store.h"
#include "server/coordinator/core/turns.h"
#include "server/coordinator/job_queue.h"
#include "server/coordinator/later.h"
#include "server/coordinator/metrics.h"
#include "server/coordinator/page.h"
#include "server/coordinator/registry.h"

enum {
  // Of a received message: 4 MiB of data, as gRPC peers have it, with room for the rest.
  COORDINATOR_MESSAGE_BYTES_MAX = (4 << 20) + (64 << 10),
  COORDINATOR_PIECE_BYTES = 256 << 10,    // Of a stream to a worker.
  COORDINATOR_STAGING_BYTES = 4 << 20,    // Of one put or fetch, over all its shards.
  COORDINATOR_PIECE_BYTES_MIN = 4 << 10,  // However many shards share the staging.
};

typedef struct execution_t execution_t;
typedef struct session_call_t session_call_t;
typedef struct execution_queue_t execution_queue_t;
typedef struct dispatch_t dispatch_t;
typedef struct held_t held_t;
typedef struct fetch_t fetch_t;
typedef struct compile_work_t compile_work_t;

struct coordinator_t {
  rpc_loop_t *loop;
  later_t *later;
  coordinator_options_t options;
  char *pod_id;
  char *address;
  rpc_server_t *server;
  access_t *access;      // Who may call.
  access_t *own_access;  // The same when the options have none.
  registry_t *registry;
  store_t *store;
  coordinator_metrics_t *metrics;
  rpc_http_t *web;  // NULL: nobody asks for the metrics.
  char *metrics_address;
  losses_t losses;
  page_t *page;  // NULL: there is none.
  account_book_t *accounts;
  gang_groups_t *gangs;    // Of sessions that run programs together.
  uint64_t request_count;  // Of calls, ever: their numbers in traces.
  job_queue_t *compiles, *simulations;
  compile_cache_t *compile_cache;
  compile_work_t *works;       // Modules that are queued or being compiled.
  int64_t compile_text_bytes;  // Of modules that are being received or compiled.
  int64_t profile_bytes;       // Of profiles that are going out.
  rpc_method_t methods[18], job_methods[9];
  struct jobs_t *jobs;  // jobs.h; NULL: it keeps none.
  bool is_serving;      // What health was last told: the pod is ready.
  bool is_draining;
  bool is_destroyed;  // Nothing new is begun.
  bool has_ended_streams;
  rpc_timer_t *drain_timer, *end_timer;
  rpc_fn_t drain_done;
  void *drain_context;

  session_call_t *session_calls;

  dispatch_t *dispatches;
  held_t *held;             // Calls that wait for their session's Dispatch.
  fetch_t *queued_fetches;  // That wait for others of their session; in their order.

  // Executions: a queue for each session that has some, those that the chips have been
  // given, and those before them whose programs the chips are being given, at most one of
  // a session.
  turns_t *turns;
  pod_map_t *executions;     // All that have not ended, by id.
  uint64_t execution_count;  // Ever: their order.
  execution_queue_t *queues;
  execution_t *first_running, **last_running;
  int32_t running_count;
  pod_log_limit_t failures;  // Lines of executions that came by Dispatch.
  execution_t *loading;
  chip_runs_t *runs;
  later_item_t pump;
  int32_t paused_count;      // Of those that run.
  rpc_timer_t *slice_timer;  // While some wait for others; NULL before any did.
  bool is_slicing;           // It runs.
  rpc_timer_t *watch_timer;  // While executions are under way; NULL before any was.
  bool is_watching;          // It runs.

  // Ids of arrays to be freed on all chips.
  later_item_t free_arrays;
  POD_LIST(uint64_t) freed;
  POD_LIST(uint64_t) freed_in_turn;  // After the executions that the chips have.
};

// --- What the services ask of each other ---

// coordinator.c
void coordinator_flush_freed(coordinator_t *coordinator);
// Of it, what comes after the executions that the chips have been given: to be told them
// before they are given the next, which may need the room.
void coordinator_free_in_turn(coordinator_t *coordinator);
// An operation has ended or a place has changed: whoever waits for quiet may go on.
void coordinator_settle(coordinator_t *coordinator);

// services/session.c
void sessions_changed(coordinator_t *coordinator, const char *message);
// Drops those that are there; others have gone before, or are named twice.
void sessions_free_handles(store_session_t *session,
                           const Podium__V1__FreeHandlesRequest *request);
// What an execution of the session waits for; "": it waits no more.
void sessions_tell_waiting(coordinator_t *coordinator, const store_session_t *session,
                           const char *for_what);
void sessions_close(coordinator_t *coordinator);
enum { SESSION_METHODS = 3 };
void session_methods(rpc_method_t out_methods[SESSION_METHODS]);

// The others
rpc_method_t compile_method(void);
rpc_method_t put_method(void);
rpc_method_t put_shared_method(void);
rpc_method_t fetch_method(void);
rpc_method_t execute_method(void);
rpc_method_t profile_method(void);
rpc_method_t simulate_method(void);
rpc_method_t slice_method(void);

// services/request.c
// The session's Dispatch has taken so many messages.
void requests_let_go(coordinator_t *coordinator, uint64_t session, uint64_t dispatched);

// services/dispatch.c
rpc_method_t dispatch_method(void);
// The session has gone, or all have (NULL): ends its stream. Takes `status`.
void dispatches_close(coordinator_t *coordinator, const uint64_t *session,
                      pod_status_t status);
void dispatch_use(dispatch_t *dispatch);
// NULL once it has ended.
const rpc_call_t *dispatch_call(const dispatch_t *dispatch);
// What the execution asks of its host. Borrowed.
void dispatch_ask(dispatch_t *dispatch, uint64_t execution,
                  Podium__V1__HostTransfer *transfer);
// An execution of it has ended. Gives back the use.
void dispatch_answer(dispatch_t *dispatch, uint64_t execution, pod_status_t status,
                     int64_t host_ns);

// services/execute.c, execution_turn.c, execution_run.c
void executions_pump(coordinator_t *coordinator);
// None waits and none runs.
bool executions_are_idle(const coordinator_t *coordinator);
// In the queues of their sessions. Walks them.
int64_t executions_count_waiting(const coordinator_t *coordinator);
// Begins one that came by Dispatch, which it uses until it answers.
void executions_begin(coordinator_t *coordinator, store_session_t *session,
                      const Podium__V1__ExecuteRequest *request, dispatch_t *dispatch);
// Nothing happens when the session has no such execution. Takes `status`.
void executions_answer_host(coordinator_t *coordinator, const store_session_t *session,
                            Podium__V1__HostAnswer *answer);
void executions_cancel(coordinator_t *coordinator, const store_session_t *session,
                       uint64_t execution, pod_status_t status);
// The same soon: what somebody waited for may be there.
void executions_look_again(coordinator_t *coordinator);
void executions_lose_chip(coordinator_t *coordinator, int32_t chip, const char *reason);

#endif  // SERVER_COORDINATOR_COORDINATOR_PRIVATE_H_
