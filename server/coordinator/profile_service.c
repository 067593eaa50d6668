// GetProfile and Simulate: what the clock of the pod tells of an execution, or of a
// program that nobody has run.
//
//   NEW ──request──> QUEUED ──simulated──> SENDING ──all has gone out──> OVER
//    └──────────client gone, session over, error: when no work is left────^

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/simulation.h"

#define PROFILE_BYTES_MAX ((int64_t)512 << 20)  // Of all that are going out.

typedef enum profile_state_t {
  PROFILE_NEW = 0,
  PROFILE_QUEUED,
  PROFILE_SENDING,
  PROFILE_OVER,  // Waits for the client's call to end.
} profile_state_t;

typedef struct profile_call_t {
  request_t request;  // First, so that the operation finds it.
  profile_state_t state;
  bool is_simulate;
  bool is_unwanted;       // Nobody waits for the result.
  store_profile_t *host;  // GetProfile: what the workers measured. In use.
  simulation_t simulation;
  bool has_simulation;
  int64_t counted_bytes;  // In profile_bytes.
  size_t next_part;       // The simulation's, then the host's.
} profile_call_t;

static profile_call_t *call_of_job(queue_job_t *job) {
  return (profile_call_t *)(void *)((char *)job - offsetof(profile_call_t, simulation));
}

static void free_if_over(profile_call_t *call) {
  if (call->state == PROFILE_OVER && call->request.client == NULL) {
    free(call);
  }
}

// Takes `status`; NULL: all has gone out, or there is nobody to tell.
static void end_call(profile_call_t *call, pod_status_t status) {
  POD_CHECK(call->state != PROFILE_OVER);
  call->state = PROFILE_OVER;
  call->request.coordinator->profile_bytes -= call->counted_bytes;
  if (call->has_simulation) {
    simulation_deinit(&call->simulation);
  }
  store_profile_unuse(call->host);
  request_fail(&call->request, status);
  request_end(&call->request);
  free_if_over(call);
}

// --- SENDING ---

static const store_bytes_t *part_at(const profile_call_t *call, size_t index) {
  const simulation_t *simulation = &call->simulation;
  if (index < simulation->part_count) {
    return &simulation->parts[index];
  }
  index -= simulation->part_count;
  return call->host != NULL && index < call->host->part_count ? &call->host->parts[index]
                                                              : NULL;
}

static void send_while_writable(profile_call_t *call) {
  const store_bytes_t *part;
  while ((part = part_at(call, call->next_part)) != NULL) {
    if (!rpc_call_is_writable(call->request.client)) {
      return;
    }
    rpc_call_send_bytes(call->request.client, part->data, part->size_bytes);
    call->next_part++;
  }
  end_call(call, NULL);
}

// --- QUEUED ---

static pod_status_t take_outcome(profile_call_t *call) {
  coordinator_t *coordinator = call->request.coordinator;
  simulation_t *simulation = &call->simulation;
  if (call->is_unwanted || coordinator->is_destroyed) {
    return pod_error(POD_CANCELLED, "the caller has gone");
  }
  if (simulation->status != NULL) {
    return pod_status_copy(simulation->status);
  }
  if (simulation->size_bytes > PROFILE_BYTES_MAX - coordinator->profile_bytes) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "profiles of %" PRId64 " bytes are going out, and %" PRId64
                     " more would be over %" PRId64 ": try again later",
                     coordinator->profile_bytes, simulation->size_bytes,
                     PROFILE_BYTES_MAX);
  }
  call->counted_bytes = simulation->size_bytes;
  coordinator->profile_bytes += call->counted_bytes;
  return NULL;
}

static void simulated(queue_job_t *job) {
  profile_call_t *call = call_of_job(job);
  const pod_status_t status = take_outcome(call);
  if (status != NULL) {
    end_call(call, status);
    return;
  }
  call->state = PROFILE_SENDING;
  send_while_writable(call);
}

// --- Giving up ---

// Takes `status`.
static void give_up(profile_call_t *call, pod_status_t status) {
  switch (call->state) {
    case PROFILE_NEW:
    case PROFILE_SENDING:
      end_call(call, status);
      return;
    case PROFILE_QUEUED:
      if (job_queue_remove(call->request.coordinator->simulations,
                           &call->simulation.job)) {
        end_call(call, status);
        return;
      }
      call->is_unwanted = true;  // The thread has it; simulated() follows.
      simulation_cancel(&call->simulation);
      request_fail(&call->request, status);
      return;
    case PROFILE_OVER:
      pod_status_free(status);
      return;
  }
}

static void stop_operation(store_operation_t *operation) {
  give_up((profile_call_t *)operation, request_stop_reason((const request_t *)operation));
}

// --- NEW ---

static pod_status_t begin_profile(profile_call_t *call,
                                  const Podium__V1__GetProfileRequest *message) {
  POD_TRY(request_begin(&call->request, message->session, stop_operation));
  store_profile_t *profile;
  POD_TRY(
      store_find_profile(call->request.operation.session, message->execution, &profile));
  store_profile_use(profile);
  call->host = profile;
  return simulation_init(&call->simulation, profile->compiled, profile, message->options);
}

static pod_status_t begin_simulate(profile_call_t *call,
                                   const Podium__V1__SimulateRequest *message) {
  POD_TRY(request_begin(&call->request, message->session, stop_operation));
  store_executable_t *executable;
  POD_TRY(store_find_executable(call->request.operation.session, message->executable,
                                &executable));
  return simulation_init(&call->simulation, executable->compiled, NULL, message->options);
}

static pod_status_t begin(profile_call_t *call, const void *message) {
  POD_TRY(call->is_simulate ? begin_simulate(call, message)
                            : begin_profile(call, message));
  call->has_simulation = true;
  return simulation_begin(&call->simulation, call->request.coordinator->simulations,
                          simulated);
}

static void profile_message(rpc_call_t *client, const void *message, void *context) {
  (void)client;
  profile_call_t *call = context;
  if (call->state != PROFILE_NEW) {
    return;
  }
  const pod_status_t status = begin(call, message);
  if (status != NULL) {
    end_call(call, status);
    return;
  }
  call->state = PROFILE_QUEUED;
}

static void profile_half_close(rpc_call_t *client, void *context) {
  (void)client;
  profile_call_t *call = context;
  if (call->state == PROFILE_NEW) {
    end_call(call, pod_error(POD_INVALID_ARGUMENT, "%s without a request",
                             call->is_simulate ? "Simulate" : "GetProfile"));
  }
}

static void profile_writable(rpc_call_t *client, void *context) {
  (void)client;
  profile_call_t *call = context;
  if (call->state == PROFILE_SENDING) {
    send_while_writable(call);
  }
}

static void profile_end(rpc_call_t *client, pod_status_t status, void *context) {
  (void)client;
  profile_call_t *call = context;
  call->request.client = NULL;
  if (call->state == PROFILE_OVER) {
    pod_status_free(status);
    free_if_over(call);
    return;
  }
  give_up(call, status != NULL ? status : pod_error(POD_CANCELLED, "answered"));
}

static pod_status_t start(rpc_call_t *client, void *service, bool is_simulate,
                          void **out_context) {
  profile_call_t *call = pod_alloc(sizeof(*call));
  call->request.coordinator = service;
  call->request.client = client;
  call->is_simulate = is_simulate;
  *out_context = call;
  return NULL;
}

static pod_status_t profile_start(rpc_call_t *client, void *service, void **out_context) {
  return start(client, service, false, out_context);
}

static pod_status_t simulate_start(rpc_call_t *client, void *service,
                                   void **out_context) {
  return start(client, service, true, out_context);
}

// The responses have no descriptor here: they are serialised on the queue's thread.
static const rpc_call_events_t events = {.on_message = profile_message,
                                         .on_half_close = profile_half_close,
                                         .on_writable = profile_writable,
                                         .on_end = profile_end};

rpc_method_t profile_method(void) {
  return (rpc_method_t){.path = "/podium.v1.Podium/GetProfile",
                        .request = &podium__v1__get_profile_request__descriptor,
                        .events = events,
                        .on_start = profile_start};
}

rpc_method_t simulate_method(void) {
  return (rpc_method_t){.path = "/podium.v1.Podium/Simulate",
                        .request = &podium__v1__simulate_request__descriptor,
                        .events = events,
                        .on_start = simulate_start};
}
