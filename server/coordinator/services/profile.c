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
#include "server/coordinator/services/request.h"
#include "server/coordinator/simulation.h"

#define PROFILE_BYTES_MAX ((int64_t)512 << 20)  // Of all that are going out.

typedef enum profile_state_t {
  PROFILE_NEW = 0,
  PROFILE_QUEUED,
  PROFILE_SENDING,
  PROFILE_OVER,
} profile_state_t;

static const pod_state_t states[] = {
    [PROFILE_NEW] = {"new", POD_TO(PROFILE_QUEUED) | POD_TO(PROFILE_OVER)},
    [PROFILE_QUEUED] = {"queued", POD_TO(PROFILE_SENDING) | POD_TO(PROFILE_OVER)},
    [PROFILE_SENDING] = {"sending", POD_TO(PROFILE_OVER)},
    [PROFILE_OVER] = {"over", 0},
};

typedef struct profile_call_t {
  request_t request;      // First, so that the operation finds it.
  bool is_unwanted;       // Nobody waits for the result.
  store_profile_t *host;  // GetProfile: what the workers measured. In use.
  simulation_t simulation;
  bool has_simulation;
  int64_t counted_bytes;  // In profile_bytes.
  int32_t next_part;      // The simulation's, then the host's.
} profile_call_t;

static profile_call_t *call_of_job(queue_job_t *job) {
  return (profile_call_t *)(void *)((char *)job - offsetof(profile_call_t, simulation));
}

// Takes `status`; NULL: all has gone out, or there is nobody to tell.
static void end_call(profile_call_t *call, pod_status_t status) {
  request_move(&call->request, PROFILE_OVER);
  call->request.coordinator->profile_bytes -= call->counted_bytes;
  if (call->has_simulation) {
    simulation_deinit(&call->simulation);
  }
  store_profile_unuse(call->host);
  request_fail(&call->request, status);
  request_end(&call->request);
}

// --- SENDING ---

static const store_bytes_t *part_at(const profile_call_t *call, int32_t index) {
  const simulation_t *simulation = &call->simulation;
  if (index < simulation->parts.count) {
    return &simulation->parts.items[index];
  }
  index -= simulation->parts.count;
  return call->host != NULL && index < call->host->parts.count
             ? &call->host->parts.items[index]
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
  POD_TRY(request_take_memory(&call->request, simulation->size_bytes));
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
  request_move(&call->request, PROFILE_SENDING);
  send_while_writable(call);
}

// --- Giving up ---

// Takes `status`.
static void give_up(profile_call_t *call, pod_status_t status) {
  switch ((profile_state_t)pod_state_of(&call->request.machine)) {
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

// --- NEW ---

static pod_status_t begin_profile(profile_call_t *call,
                                  const Podium__V1__GetProfileRequest *message) {
  POD_TRY(request_begin(&call->request, message->session));
  store_profile_t *profile;
  POD_TRY(
      store_find_profile(call->request.operation.session, message->execution, &profile));
  store_profile_use(profile);
  call->host = profile;
  return simulation_init(&call->simulation, profile->compiled, profile, message->options);
}

static pod_status_t begin_simulate(profile_call_t *call,
                                   const Podium__V1__SimulateRequest *message) {
  POD_TRY(request_begin(&call->request, message->session));
  store_executable_t *executable;
  POD_TRY(store_find_executable(call->request.operation.session, message->executable,
                                &executable));
  POD_TRY(
      simulation_init(&call->simulation, executable->compiled, NULL, message->options));
  request_traceparent(call->request.client, call->simulation.traceparent);
  return NULL;
}

// Takes what beginning it gave.
static void queue_up(profile_call_t *call, pod_status_t status) {
  if (status == NULL) {
    call->has_simulation = true;
    call->simulation.job.owner = call->request.operation.session;
    status = simulation_begin(&call->simulation, call->request.coordinator->simulations,
                              simulated);
  }
  if (status != NULL) {
    end_call(call, status);
    return;
  }
  request_move(&call->request, PROFILE_QUEUED);
}

static void on_profile(request_t *request, const void *message) {
  profile_call_t *call = (profile_call_t *)request;
  queue_up(call, begin_profile(call, message));
}

static void on_simulate(request_t *request, const void *message) {
  profile_call_t *call = (profile_call_t *)request;
  queue_up(call, begin_simulate(call, message));
}

static void on_writable(request_t *request) {
  if (request_is(request, PROFILE_SENDING)) {
    send_while_writable((profile_call_t *)request);
  }
}

static void stop(request_t *request, pod_status_t status) {
  give_up((profile_call_t *)request, status);
}

static const request_kind_t profile_kind = {.name = "GetProfile",
                                            .operation = OPERATION_PROFILE,
                                            .size_bytes = sizeof(profile_call_t),
                                            .states = states,
                                            .state_count = POD_COUNT_OF(states),
                                            .on_message = on_profile,
                                            .on_writable = on_writable,
                                            .stop = stop};
static const request_kind_t simulate_kind = {.name = "Simulate",
                                             .operation = OPERATION_SIMULATE,
                                             .size_bytes = sizeof(profile_call_t),
                                             .states = states,
                                             .state_count = POD_COUNT_OF(states),
                                             .on_message = on_simulate,
                                             .on_writable = on_writable,
                                             .stop = stop};

static pod_status_t start_profile(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&profile_kind, client, service, out_context);
}

static pod_status_t start_simulate(rpc_call_t *client, void *service,
                                   void **out_context) {
  return request_start(&simulate_kind, client, service, out_context);
}

// The responses have no descriptor here: they are serialised on the queue's thread.
rpc_method_t profile_method(void) {
  return request_method_of_one("/podium.v1.Podium/GetProfile",
                               &podium__v1__get_profile_request__descriptor, NULL,
                               start_profile);
}

rpc_method_t simulate_method(void) {
  return request_method_of_one("/podium.v1.Podium/Simulate",
                               &podium__v1__simulate_request__descriptor, NULL,
                               start_simulate);
}
