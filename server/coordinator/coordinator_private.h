// What the services of the coordinator share.
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_COORDINATOR_PRIVATE_H_
#define SERVER_COORDINATOR_COORDINATOR_PRIVATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rpc/loop.h"
#include "common/rpc/rpc.h"
#include "server/coordinator/compile_cache.h"
#include "server/coordinator/coordinator.h"
#include "server/coordinator/job_queue.h"
#include "server/coordinator/later.h"
#include "server/coordinator/registry.h"
#include "server/coordinator/store.h"

enum {
  // Of a received message: 4 MiB of data, as gRPC peers have it, with room for the rest.
  COORDINATOR_MESSAGE_BYTES_MAX = (4 << 20) + (64 << 10),
  COORDINATOR_PIECE_BYTES = 256 << 10,    // Of a stream to a worker.
  COORDINATOR_STAGING_BYTES = 4 << 20,    // Of one put or fetch, over all its shards.
  COORDINATOR_PIECE_BYTES_MIN = 4 << 10,  // However many shards share the staging.
};

typedef struct execution_t execution_t;
typedef struct session_call_t session_call_t;
typedef struct compile_work_t compile_work_t;

struct coordinator_t {
  rpc_loop_t *loop;
  later_t *later;
  coordinator_options_t options;
  char *pod_id;
  char *address;
  rpc_server_t *server;
  registry_t *registry;
  store_t *store;
  job_queue_t *compiles, *simulations;
  compile_cache_t *compile_cache;
  compile_work_t *works;       // Modules that are queued or being compiled.
  int64_t compile_text_bytes;  // Of modules that are being received or compiled.
  int64_t profile_bytes;       // Of profiles that are going out.
  rpc_method_t methods[16];
  bool is_serving;  // What health was last told: the pod is ready.
  bool is_draining;
  bool is_destroyed;  // Nothing new is begun.
  bool has_ended_streams;
  rpc_timer_t *drain_timer, *end_timer;
  rpc_fn_t drain_done;
  void *drain_context;

  session_call_t *session_calls;

  // Execution: a queue, and the one that runs.
  execution_t *first_waiting, **last_waiting;
  execution_t *running;
  later_item_t pump;

  // Ids of arrays to be freed on all chips.
  later_item_t free_arrays;
  uint64_t *freed;
  size_t freed_count, freed_capacity;
};

// --- One call of a client ---
//
// Embedded first in the state of each call. It is freed by its service when both the
// client's call and its own work have ended.

typedef struct request_t {
  store_operation_t operation;  // First, so that `stop` finds its request.
  coordinator_t *coordinator;
  rpc_call_t *client;  // NULL once the call has ended.
  bool has_begun;      // The operation is in its session's list.
  bool is_answered;
} request_t;

// Finds the session and begins the operation in it. UNAVAILABLE when draining.
POD_MUST_USE pod_status_t request_begin(request_t *request, uint64_t session,
                                        void (*stop)(store_operation_t *));

// Why an operation is stopped: its session ends, or all do. Owned.
POD_MUST_USE pod_status_t request_stop_reason(const request_t *request);

// Ends the client's call, unless it has ended. Takes `status`.
void request_fail(request_t *request, pod_status_t status);

// One message, then OK.
void request_reply(request_t *request, const ProtobufCMessage *message);

// Takes the operation out of its session. Handles in use must be given back before.
void request_end(request_t *request);

// --- What the services ask of each other ---

// coordinator.c
pod_status_t coordinator_check_ready(const coordinator_t *coordinator);
void coordinator_free_array(coordinator_t *coordinator, uint64_t array);
void coordinator_flush_freed(coordinator_t *coordinator);
// An operation has ended or a place has changed: whoever waits for quiet may go on.
void coordinator_settle(coordinator_t *coordinator);

// session_service.c
void sessions_changed(coordinator_t *coordinator, const char *message);
void sessions_close(coordinator_t *coordinator);
enum { SESSION_METHODS = 3 };
void session_methods(rpc_method_t out_methods[SESSION_METHODS]);

// The others
rpc_method_t compile_method(void);
rpc_method_t put_method(void);
rpc_method_t fetch_method(void);
rpc_method_t execute_method(void);
rpc_method_t profile_method(void);
rpc_method_t simulate_method(void);

// execute_service.c
void executions_pump(coordinator_t *coordinator);
void executions_lose_chip(coordinator_t *coordinator, int32_t chip, const char *reason);

#endif  // SERVER_COORDINATOR_COORDINATOR_PRIVATE_H_
