// Execute: one execution at a time runs on the pod, in the order of the calls, so that
// all workers see the same order.
//
//   WAITING ──first in the queue, pod ready──> LOADING ──all chips have it──> RUNNING
//      │                                          │                             │
//      │                              chips ended, one lost touch <─────────────┤
//      │                                    SETTLING                            │
//      └──────────────> OVER <──────────────────┴───────────────────────────────┘
//
// SETTLING: a worker that cannot reach another one tells us first, as a rule; that the
// other one is dead we find out a moment later, and that is then the cause to tell.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/chip_call.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/core/fanout.h"
#include "server/coordinator/load.h"
#include "server/coordinator/services/request.h"
#include "server/wire/profile.h"

enum {
  PARTS_MAX = 1 << 14,   // Of a profile; a chip that sends without end gets no more.
  MOMENT_MS_MIN = 200,   // How long SETTLING lasts: two heartbeats,
  MOMENT_MS_MAX = 2000,  // within these bounds.
  TELL_MS = 500,         // How often those that wait are told what for.
};

typedef enum execution_state_t {
  EXECUTION_NEW = 0,
  EXECUTION_WAITING,
  EXECUTION_LOADING,
  EXECUTION_RUNNING,
  EXECUTION_SETTLING,
  EXECUTION_OVER,
} execution_state_t;

static const pod_state_t states[] = {
    [EXECUTION_NEW] = {"new", POD_TO(EXECUTION_WAITING) | POD_TO(EXECUTION_OVER)},
    [EXECUTION_WAITING] = {"waiting", POD_TO(EXECUTION_LOADING) |
                                          POD_TO(EXECUTION_RUNNING) |
                                          POD_TO(EXECUTION_OVER)},
    [EXECUTION_LOADING] = {"loading", POD_TO(EXECUTION_RUNNING) | POD_TO(EXECUTION_OVER)},
    [EXECUTION_RUNNING] = {"running",
                           POD_TO(EXECUTION_SETTLING) | POD_TO(EXECUTION_OVER)},
    [EXECUTION_SETTLING] = {"settling", POD_TO(EXECUTION_OVER)},
    [EXECUTION_OVER] = {"over", 0},
};

struct execution_t {
  request_t request;  // First, so that the operation finds it.
  execution_t *next;  // In the queue.
  uint64_t id;
  bool with_events;
  store_executable_t *executable;  // In use.
  size_t argument_count;
  store_array_t **arguments;  // In use.
  uint64_t *result_ids;
  load_t *load;
  fanout_t fanout;
  chip_call_t *calls;  // By chip; NULL before it runs.
  store_profile_t *profile;
  int64_t host_ns;      // The slowest chip's.
  rpc_timer_t *moment;  // While SETTLING.
  char *told;           // What the client was told that it waits for; NULL: nothing.
};

// --- What clients that wait are told ---

char *executions_waited_for(const coordinator_t *coordinator, int32_t ahead) {
  pod_text_t text = {0};
  const pod_status_t status = coordinator_check_ready(coordinator);
  const execution_t *first = coordinator->running;
  if (status != NULL) {
    pod_text_printf(&text, "for the pod: %s", pod_status_message(status));
  } else if (first == NULL) {
    pod_text_add(&text, "for its turn");
  } else {
    pod_text_printf(&text, "behind %" PRId32 " execution%s, %s of \"%s\"", ahead,
                    ahead == 1 ? "" : "s", ahead == 1 ? "which is" : "the first",
                    first->request.operation.session->client);
  }
  pod_status_free(status);
  return pod_text_take(&text);
}

static void tell(execution_t *execution, const char *for_what) {
  sessions_tell_waiting(execution->request.coordinator,
                        execution->request.operation.session, for_what);
}

// Every TELL_MS while any wait: who waits less is not told, and who waits long hears only
// of what has changed.
static void tell_waiting(void *context) {
  coordinator_t *coordinator = context;
  int32_t ahead = coordinator->running != NULL;
  for (execution_t *at = coordinator->first_waiting; at != NULL; at = at->next) {
    char *for_what = executions_waited_for(coordinator, ahead++);
    if (at->told == NULL || strcmp(at->told, for_what) != 0) {
      tell(at, for_what);
      free(at->told);
      at->told = for_what;
    } else {
      free(for_what);
    }
  }
  if (coordinator->first_waiting == NULL) {
    rpc_timer_stop(coordinator->waiting_timer);
    coordinator->is_waiting_told = false;
  }
}

static void tell_waiting_later(coordinator_t *coordinator) {
  if (coordinator->waiting_timer == NULL) {
    coordinator->waiting_timer =
        rpc_timer_create(coordinator->loop, tell_waiting, coordinator);
  }
  if (!coordinator->is_waiting_told) {
    coordinator->is_waiting_told = true;
    rpc_timer_start(coordinator->waiting_timer, TELL_MS, TELL_MS);
  }
}

static void waits_no_more(execution_t *execution) {
  if (execution->told != NULL) {
    tell(execution, "");
    free(execution->told);
    execution->told = NULL;
  }
}

// --- The queue ---

static void append(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  request_move(&execution->request, EXECUTION_WAITING);
  execution->next = NULL;
  *coordinator->last_waiting = execution;
  coordinator->last_waiting = &execution->next;
}

static void take_out(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  execution_t **at = &coordinator->first_waiting;
  while (*at != execution) {
    at = &(*at)->next;
  }
  *at = execution->next;
  if (*at == NULL) {
    coordinator->last_waiting = at;
  }
  waits_no_more(execution);
}

static void pump_later(later_item_t *item) {
  executions_pump(
      (coordinator_t *)(void *)((char *)item - offsetof(coordinator_t, pump)));
}

// --- The end ---

static void give_back(execution_t *execution) {
  for (size_t i = 0; i < execution->argument_count; i++) {
    store_array_unuse(execution->arguments[i]);
  }
  if (execution->executable != NULL) {
    store_executable_unuse(execution->executable);
  }
  free(execution->arguments);
  free(execution->result_ids);
  free(execution->calls);
  store_profile_unuse(execution->profile);
  rpc_timer_destroy(execution->moment);
  fanout_deinit(&execution->fanout);
}

static void answer(execution_t *execution) {
  const store_executable_t *executable = execution->executable;
  store_session_t *session = execution->request.operation.session;
  for (int32_t i = 0; i < executable->result_count; i++) {
    store_add_array(session, execution->result_ids[i], executable->results[i]);
  }
  store_profile_share_traces(execution->profile);
  store_keep_profile(session, execution->profile);
  Podium__V1__ExecuteResponse response = PODIUM__V1__EXECUTE_RESPONSE__INIT;
  response.results = execution->result_ids;
  response.n_results = (size_t)executable->result_count;
  response.execution = execution->id;
  response.host_ns = execution->host_ns;
  request_reply(&execution->request, &response.base);
}

// Nothing of it runs any more. Takes `status`; NULL: it went well.
static void end_execution(execution_t *execution, pod_status_t status) {
  coordinator_t *coordinator = execution->request.coordinator;
  request_move(&execution->request, EXECUTION_OVER);
  if (coordinator->running == execution) {
    coordinator->running = NULL;
    later_post(coordinator->later, &coordinator->pump, pump_later);
  }
  if (status == NULL) {
    answer(execution);
  } else {
    // Chips that had finished have results that nobody knows.
    for (int32_t i = 0;
         execution->calls != NULL && i < execution->executable->result_count; i++) {
      coordinator_free_array(coordinator, execution->result_ids[i]);
    }
    pod_log(POD_LOG_INFO, "execution %" PRIu64 ": %s", execution->id,
            pod_status_message(status));
    request_fail(&execution->request, status);
  }
  give_back(execution);
  request_end(&execution->request);
}

// --- RUNNING ---

static void cancel_calls(execution_t *execution) {
  for (int32_t chip = 0; chip < execution->executable->chip_count; chip++) {
    chip_call_cancel(&execution->calls[chip]);
  }
}

static void moment_is_over(void *context) {
  execution_t *execution = context;
  end_execution(execution, fanout_take(&execution->fanout));
}

static void settle(execution_t *execution) {
  const coordinator_t *coordinator = execution->request.coordinator;
  int64_t moment_ms = 2 * coordinator->options.heartbeat_ms;
  moment_ms = moment_ms < MOMENT_MS_MIN ? MOMENT_MS_MIN : moment_ms;
  moment_ms = moment_ms > MOMENT_MS_MAX ? MOMENT_MS_MAX : moment_ms;
  request_move(&execution->request, EXECUTION_SETTLING);
  execution->moment = rpc_timer_create(coordinator->loop, moment_is_over, execution);
  rpc_timer_start(execution->moment, (uint64_t)moment_ms, 0);
}

static void end_run(execution_t *execution) {
  // A worker that was done and then died has taken its results with it.
  for (int32_t chip = 0; chip < execution->executable->chip_count; chip++) {
    const pod_status_t status = chip_call_check_alive(&execution->calls[chip]);
    if (status != NULL) {
      fanout_blame(&execution->fanout, status);
    }
  }
  if (fanout_may_learn_more(&execution->fanout)) {
    settle(execution);
    return;
  }
  end_execution(execution, fanout_take(&execution->fanout));
}

// Goes out to the client as it is, one part of the profile.
static void keep_part(execution_t *execution, Podium__V1__HostProfile *host) {
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  part.host = host;
  const size_t size_bytes = podium__v1__profile_part__get_packed_size(&part);
  uint8_t *data = pod_alloc(size_bytes);
  podium__v1__profile_part__pack(&part, data);
  store_profile_add_part(execution->profile, data, size_bytes);
  if (host->host_ns > execution->host_ns) {
    execution->host_ns = host->host_ns;
  }
}

static void on_message(chip_call_t *call, const void *data) {
  execution_t *execution = call->owner;
  store_profile_t *profile = execution->profile;
  const Podium__V1__WorkerExecuteResponse *message = data;
  if (message->profile != NULL && profile->parts.count < PARTS_MAX) {
    message->profile->chip = call->chip;
    keep_part(execution, message->profile);
  }
  if (message->trace != NULL && profile->trace_status == NULL) {
    profile->trace_status = pod_status_context(
        wire_trace_add(message->trace, profile->compiled->result->program,
                       store_profile_trace(profile, call->chip)),
        "chip %" PRId32, call->chip);
  }
}

static void on_end(chip_call_t *call, pod_status_t status, bool is_lost) {
  execution_t *execution = call->owner;
  if (fanout_ended(&execution->fanout, status, is_lost)) {
    cancel_calls(execution);
  }
  if (fanout_is_over(&execution->fanout)) {
    end_run(execution);
  }
}

static void run(execution_t *execution) {
  static const chip_call_events_t events = {.on_message = on_message, .on_end = on_end};
  const store_executable_t *executable = execution->executable;
  Podium__V1__WorkerExecuteRequest request = PODIUM__V1__WORKER_EXECUTE_REQUEST__INIT;
  request.session = execution->request.operation.session->id;
  request.program = executable->id;
  request.execution = execution->id;
  request.profile = execution->with_events;
  request.n_arguments = execution->argument_count;
  request.arguments = pod_alloc(execution->argument_count * sizeof(uint64_t));
  for (size_t i = 0; i < execution->argument_count; i++) {
    request.arguments[i] = execution->arguments[i]->id;
  }
  request.n_results = (size_t)executable->result_count;
  request.results = execution->result_ids;
  request_move(&execution->request, EXECUTION_RUNNING);
  execution->profile =
      store_profile_create(execution->id, executable->compiled, executable->chip_count);
  execution->calls =
      pod_alloc((size_t)executable->chip_count * sizeof(*execution->calls));
  fanout_begin(&execution->fanout, executable->chip_count);
  for (int32_t chip = 0; chip < executable->chip_count; chip++) {
    chip_call_t *call = &execution->calls[chip];
    chip_call_start(call, execution->request.coordinator->registry, chip,
                    "/podium.v1.Worker/Execute",
                    &podium__v1__worker_execute_response__descriptor, &events, execution);
    chip_call_send(call, &request.base);
    chip_call_half_close(call);
  }
  free(request.arguments);
}

static void loaded(void *context, pod_status_t status) {
  execution_t *execution = context;
  execution->load = NULL;
  if (status == NULL) {
    // The pod may have changed in the meantime.
    status = coordinator_check_ready(execution->request.coordinator);
  }
  if (status != NULL) {
    end_execution(execution, status);
    return;
  }
  run(execution);
}

static void begin(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  // What was whole when the call came may have lost a chip since.
  const pod_status_t status = store_check_arguments(
      execution->executable, execution->argument_count, execution->arguments);
  coordinator->running = execution;
  if (status != NULL) {
    end_execution(execution, status);
  } else if (load_is_needed(coordinator, execution->executable)) {
    request_move(&execution->request, EXECUTION_LOADING);
    execution->load = load_start(coordinator, execution->executable, loaded, execution);
  } else {
    run(execution);
  }
}

// Those that do not want to wait for a pod that is not ready end here.
static void refuse_impatient(coordinator_t *coordinator) {
  execution_t *execution = coordinator->first_waiting;
  while (execution != NULL) {
    if (execution->request.operation.session->waits_for_pod) {
      execution = execution->next;
      continue;
    }
    take_out(execution);
    end_execution(execution, coordinator_check_ready(coordinator));
    execution = coordinator->first_waiting;
  }
}

void executions_pump(coordinator_t *coordinator) {
  if (coordinator->is_destroyed || coordinator->running != NULL ||
      coordinator->first_waiting == NULL) {
    return;
  }
  if (!places_are_ready(registry_places(coordinator->registry))) {
    refuse_impatient(coordinator);
    return;
  }
  execution_t *execution = coordinator->first_waiting;
  take_out(execution);
  begin(execution);
}

void executions_lose_chip(coordinator_t *coordinator, int32_t chip, const char *reason) {
  execution_t *execution = coordinator->running;
  if (execution == NULL || execution->calls == NULL ||
      chip >= execution->executable->chip_count) {
    return;
  }
  const pod_status_t status = pod_error(POD_UNAVAILABLE, "lost %s", reason);
  if (request_is(&execution->request, EXECUTION_SETTLING)) {
    fanout_blame(&execution->fanout, status);
    end_execution(execution, fanout_take(&execution->fanout));
  } else if (fanout_stop(&execution->fanout, FANOUT_LOST, status)) {
    cancel_calls(execution);
  }
}

// --- The client's call ---

// Takes `status`.
static void stop_execution(execution_t *execution, pod_status_t status) {
  switch ((execution_state_t)pod_state_of(&execution->request.machine)) {
    case EXECUTION_NEW:
      end_execution(execution, status);
      return;
    case EXECUTION_WAITING:
      take_out(execution);
      end_execution(execution, status);
      return;
    case EXECUTION_LOADING:
      load_cancel(execution->load, status);
      return;
    case EXECUTION_RUNNING:
      if (fanout_stop(&execution->fanout, FANOUT_CALLER, status)) {
        cancel_calls(execution);
      }
      return;
    case EXECUTION_SETTLING:
      end_execution(execution, status);
      return;
    case EXECUTION_OVER:
      pod_status_free(status);
      return;
  }
}

static pod_status_t find_arguments(execution_t *execution,
                                   const Podium__V1__ExecuteRequest *request) {
  const store_session_t *session = execution->request.operation.session;
  execution->arguments = pod_alloc(request->n_arguments * sizeof(store_array_t *));
  for (size_t i = 0; i < request->n_arguments; i++) {
    POD_TRY(store_find_array(session, request->arguments[i], &execution->arguments[i]));
    store_array_use(execution->arguments[i]);
    execution->argument_count++;
  }
  return store_check_arguments(execution->executable, execution->argument_count,
                               execution->arguments);
}

static pod_status_t accept(execution_t *execution,
                           const Podium__V1__ExecuteRequest *request) {
  coordinator_t *coordinator = execution->request.coordinator;
  POD_TRY(request_begin(&execution->request, request->session));
  const store_session_t *session = execution->request.operation.session;
  store_executable_t *executable;
  POD_TRY(store_find_executable(session, request->executable, &executable));
  POD_TRY(store_check_loadable(executable));
  store_executable_use(executable);
  execution->executable = executable;
  POD_TRY(find_arguments(execution, request));
  POD_TRY(store_check_room(session, (size_t)executable->result_count));
  execution->id = store_new_id(coordinator->store);
  execution->with_events = request->profile;
  execution->result_ids =
      pod_alloc((size_t)executable->result_count * sizeof(*execution->result_ids));
  for (int32_t i = 0; i < executable->result_count; i++) {
    execution->result_ids[i] = store_new_id(coordinator->store);
  }
  return NULL;
}

static void on_request(request_t *request, const void *message) {
  execution_t *execution = (execution_t *)request;
  const pod_status_t status = accept(execution, message);
  if (status != NULL) {
    end_execution(execution, status);
    return;
  }
  append(execution);
  executions_pump(request->coordinator);
  if (request->coordinator->first_waiting != NULL) {
    tell_waiting_later(request->coordinator);
  }
}

static void stop(request_t *request, pod_status_t status) {
  stop_execution((execution_t *)request, status);
}

static const request_kind_t kind = {.name = "Execute",
                                    .size_bytes = sizeof(execution_t),
                                    .states = states,
                                    .state_count = POD_COUNT_OF(states),
                                    .on_message = on_request,
                                    .stop = stop};

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}

rpc_method_t execute_method(void) {
  return request_method("/podium.v1.Podium/Execute",
                        &podium__v1__execute_request__descriptor,
                        &podium__v1__execute_response__descriptor, start);
}
