// Execute, and what comes by Dispatch: the executions of a session run in the order of
// its calls, and all workers are given those of all sessions in one order.
//
//   WAITING ──first in its queue, all ready──> LOADING ──all chips have it──> RUNNING
//      │                                          │                             │
//      │                              chips ended, one lost touch <─────────────┤
//      │                                    SETTLING ────> AFTER <──────────────┤
//      └──────────────> OVER <──────────────────┴────────────┴──────────────────┘
//
// Several are RUNNING: they are given to the chips before those ahead of them have ended,
// and run there one after the other. An execution whose argument a put is still bringing
// holds its session's queue, and no other one; likewise one that needs chips or links
// that are not there. Those of programs on different chips run at the same time.
//
// In a group of sessions an execution on chips of several members is a part of a gang
// (core/gang.h): the parts wait in their sessions' queues until all are there and first,
// and then begin as one. The part of the lowest member leads: it has the runs on all
// chips, and the states; the others follow it, and end with it. Each chip is given what
// is its owner's: session, executable, arguments and results, but the leader's id.
//
// SETTLING: a worker that cannot reach another one tells us first, as a rule; that the
// other one is dead we find out a moment later, and that is then the cause to tell.
// AFTER: it failed, and so perhaps did one that makes an argument of it and has not ended
// yet; its error is then the cause. Its chips are others' by then: the other one may be
// paused, and need them.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/services/execution.h"

static const pod_state_t states[] = {
    [EXECUTION_NEW] = {"new", POD_TO(EXECUTION_WAITING) | POD_TO(EXECUTION_OVER)},
    [EXECUTION_WAITING] = {"waiting", POD_TO(EXECUTION_LOADING) |
                                          POD_TO(EXECUTION_RUNNING) |
                                          POD_TO(EXECUTION_OVER)},
    [EXECUTION_LOADING] = {"loading", POD_TO(EXECUTION_RUNNING) | POD_TO(EXECUTION_OVER)},
    [EXECUTION_RUNNING] = {"running", POD_TO(EXECUTION_SETTLING) |
                                          POD_TO(EXECUTION_AFTER) |
                                          POD_TO(EXECUTION_OVER)},
    [EXECUTION_SETTLING] = {"settling", POD_TO(EXECUTION_AFTER) | POD_TO(EXECUTION_OVER)},
    [EXECUTION_AFTER] = {"after", POD_TO(EXECUTION_OVER)},
    [EXECUTION_OVER] = {"over", 0},
};

bool executions_are_idle(const coordinator_t *coordinator) {
  return coordinator->queues == NULL && coordinator->loading == NULL &&
         coordinator->first_running == NULL;
}

int64_t executions_count_waiting(const coordinator_t *coordinator) {
  int64_t count = 0;
  for (const execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    for (const execution_t *at = queue->first; at != NULL; at = at->next) {
      count++;
    }
  }
  return count;
}

// --- The client's call ---

void execution_stop(execution_t *part, pod_status_t status) {
  execution_t *execution = part->leader != NULL ? part->leader : part;
  if (execution->stopped_by == NULL) {
    execution->stopped_by = part;
  }
  switch ((execution_state_t)pod_state_of(&execution->request.machine)) {
    case EXECUTION_NEW:
      execution_end(execution, status);
      return;
    case EXECUTION_WAITING:
      execution_take_out(execution);
      execution_end(execution, status);
      return;
    case EXECUTION_LOADING:
      load_cancel(execution->load, status);
      return;
    case EXECUTION_RUNNING:
      if (fanout_stop(&execution->fanout, FANOUT_CALLER, status)) {
        execution_cancel_runs(execution);
      }
      return;
    case EXECUTION_SETTLING:
      execution_end(execution, status);
      return;
    case EXECUTION_AFTER:
      store_array_leave(&execution->waits);
      pod_status_free(execution->failure);
      execution->failure = NULL;
      execution_end(execution, status);
      return;
    case EXECUTION_OVER:
      pod_status_free(status);
      return;
  }
}

// Its id, under which it can be found.
static pod_status_t take_id(execution_t *execution, uint64_t wanted) {
  coordinator_t *coordinator = execution->request.coordinator;
  const store_session_t *session = execution->request.operation.session;
  if (wanted == 0) {
    wanted = store_new_id(coordinator->store);
  } else {
    POD_TRY(store_check_new_id(session, wanted));
    if (pod_id_map_get(coordinator->executions, wanted) != NULL) {
      return pod_error(POD_ALREADY_EXISTS,
                       "session %" PRIu64 " has an execution %" PRIu64 " already",
                       session->id, wanted);
    }
  }
  execution->id = wanted;
  pod_id_map_put(coordinator->executions, wanted, execution);
  return NULL;
}

// The results can be named from now on.
static pod_status_t add_results(execution_t *execution,
                                const Podium__V1__ExecuteRequest *request) {
  store_session_t *session = execution->request.operation.session;
  const store_executable_t *executable = execution->executable;
  const size_t count = (size_t)executable->result_count;
  execution->has_named_results = request->n_result_ids > 0;
  if (execution->has_named_results && request->n_result_ids != count) {
    return pod_error(POD_INVALID_ARGUMENT, "%s has %zu results, ids were chosen for %zu",
                     executable->name, count, request->n_result_ids);
  }
  POD_TRY(store_check_room(session, count));
  execution->result_ids = pod_alloc(count * sizeof(*execution->result_ids));
  execution->results = pod_alloc(count * sizeof(store_array_t *));
  for (size_t i = 0; i < count; i++) {
    uint64_t id = 0;
    if (execution->has_named_results) {
      id = request->result_ids[i];
      POD_TRY(store_check_new_id(session, id));
    } else {
      id = store_new_id(session->store);
    }
    execution->result_ids[i] = id;
    execution->results[i] = store_add_pending(session, id, executable->results[i]);
    execution->result_count++;
  }
  return NULL;
}

// What it makes beside what lies in arguments that it consumes.
static pod_status_t check_hbm(const execution_t *execution,
                              const Podium__V1__ExecuteRequest *request) {
  const store_executable_t *executable = execution->executable;
  const chip_program_t *program = executable->compiled->result->program;
  const chip_memory_t memory = chip_program_memory(program);
  const int64_t reused_bytes = request->n_kept == 0 ? memory.alias_bytes : 0;
  return account_check_hbm(execution->request.operation.session->account,
                           executable->chip_count, executable->chips,
                           memory.output_bytes - reused_bytes);
}

static pod_status_t accept(execution_t *execution,
                           const Podium__V1__ExecuteRequest *request) {
  POD_TRY(take_id(execution, request->execution_id));
  POD_TRY(
      account_take(execution->request.operation.session->account, ACCOUNT_EXECUTIONS, 1));
  execution->is_counted = true;
  const store_session_t *session = execution->request.operation.session;
  store_executable_t *executable;
  POD_TRY(store_find_executable(session, request->executable, &executable));
  POD_TRY(store_check_loadable(executable));
  const compiled_t *compiled = executable->compiled;
  if (compiled->kernel != CHIP_NONE) {
    return chip_kernel_refusal(
        &compiled->result->program->instructions[compiled->kernel]);
  }
  store_executable_use(executable);
  execution->executable = executable;
  execution->with_events = request->profile;
  execution->by_chip = request->arguments_by_chip;
  execution->serves_host = request->serves_host;
  POD_TRY(check_hbm(execution, request));
  POD_TRY(add_results(execution, request));
  POD_TRY(execution_find_arguments(execution, request));
  return execution_take_donations(execution, request);
}

// What names results that were never begun shall hear why. Ids that are no good are left
// out.
static void fail_named(store_session_t *session,
                       const Podium__V1__ExecuteRequest *request, pod_status_t status) {
  for (size_t i = 0; i < request->n_result_ids; i++) {
    pod_status_t wrong = store_check_room(session, 1);
    if (wrong == NULL) {
      wrong = store_check_new_id(session, request->result_ids[i]);
    }
    if (wrong == NULL) {
      store_add_failed(session, request->result_ids[i], pod_status_copy(status));
    }
    pod_status_free(wrong);
  }
}

// It has its place among those of its process, for the others' to find.
static void launch_part(execution_t *execution) {
  const store_session_t *session = execution->request.operation.session;
  store_executable_t *executable = execution->executable;
  if (session->group == NULL || executable == NULL || !executable->is_loadable ||
      executable->own_count == executable->chip_count) {
    return;
  }
  execution->launch = (gang_launch_t){
      .member = session->member, .name = executable->name, .program = executable};
  gang_launch(session->group, &execution->launch, executable->chip_count,
              executable->chips);
}

static void take_up(execution_t *execution, const Podium__V1__ExecuteRequest *request) {
  coordinator_t *coordinator = execution->request.coordinator;
  const pod_status_t status = accept(execution, request);
  if (status != NULL) {
    if (execution->id == 0) {
      execution->id = request->execution_id;
    }
    launch_part(execution);  // What came of it the others hear when it ends.
    fail_named(execution->request.operation.session, request, status);
    execution_end(execution, status);
    return;
  }
  execution_append(execution);
  launch_part(execution);
  executions_pump(coordinator);
  executions_watch(coordinator);
}

static void on_request(request_t *request, const void *data) {
  execution_t *execution = (execution_t *)request;
  const Podium__V1__ExecuteRequest *message = data;
  const pod_status_t status = request_begin(request, message->session);
  if (status != NULL) {
    execution_end(execution, status);
    return;
  }
  take_up(execution, message);
}

static void stop(request_t *request, pod_status_t status) {
  execution_stop((execution_t *)request, status);
}

static const request_kind_t kind = {.name = "Execute",
                                    .operation = OPERATION_EXECUTE,
                                    .size_bytes = sizeof(execution_t),
                                    .states = states,
                                    .state_count = POD_COUNT_OF(states),
                                    .on_message = on_request,
                                    .stop = stop};

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}

rpc_method_t execute_method(void) {
  return request_method_of_one("/podium.v1.Podium/Execute",
                               &podium__v1__execute_request__descriptor,
                               &podium__v1__execute_response__descriptor, start);
}

// --- By Dispatch ---

void executions_begin(coordinator_t *coordinator, store_session_t *session,
                      const Podium__V1__ExecuteRequest *request, dispatch_t *dispatch) {
  dispatch_use(dispatch);
  request_t *queued;
  const pod_status_t status = request_queue(&kind, coordinator, session, &queued);
  if (status != NULL) {
    fail_named(session, request, status);
    dispatch_answer(dispatch, request->execution_id, status, 0);
    return;
  }
  execution_t *execution = (execution_t *)queued;
  execution->dispatch = dispatch;
  take_up(execution, request);
}

void executions_cancel(coordinator_t *coordinator, const store_session_t *session,
                       uint64_t execution, pod_status_t status) {
  execution_t *found = pod_id_map_get(coordinator->executions, execution);
  if (found == NULL || found->request.operation.session != session) {
    pod_status_free(status);
    return;
  }
  execution_stop(found, status);
}
