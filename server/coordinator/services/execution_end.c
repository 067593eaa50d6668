// How executions end: their results, their answer, and why.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/id_map.h"
#include "common/base/log.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/services/execution.h"

enum { FAILURES_LOG_MS = 1000 };

#define NS_PER_MS 1e6

static void give_back(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  for (size_t i = 0; i < execution->argument_count; i++) {
    if (execution->has_run) {
      store_array_land(execution->arguments[i]);
    }
    store_array_unuse(execution->arguments[i]);
  }
  if (execution->executable != NULL) {
    store_executable_unuse(execution->executable);
  }
  if (execution->is_counted) {
    account_give_back(execution->request.operation.session->account, ACCOUNT_EXECUTIONS,
                      1);
  }
  if (pod_id_map_get(coordinator->executions, execution->id) == execution) {
    pod_id_map_remove(coordinator->executions, execution->id);
  }
  store_array_leave(&execution->waits);
  free(execution->arguments);
  free(execution->kept);
  free(execution->results);
  free(execution->result_ids);
  free(execution->runs);
  free(execution->asks);
  store_profile_unuse(execution->profile);
  rpc_timer_destroy(execution->moment);
  fanout_deinit(&execution->fanout);
}

static void keep_results(execution_t *execution) {
  store_session_t *session = execution->request.operation.session;
  for (int32_t i = 0; i < execution->result_count; i++) {
    store_array_ready(execution->results[i]);
  }
  store_keep_profile(session, execution->id, execution->profile);
}

// Chips that had finished have results that nobody may use.
static void fail_results(execution_t *execution, pod_status_t status) {
  for (int32_t i = 0; i < execution->result_count; i++) {
    store_array_t *result = execution->results[i];
    if (!execution->has_named_results) {
      store_array_drop(result);
    }
    result->is_declared = !execution->has_run;
    store_array_fail(result, pod_status_copy(status));
  }
}

// Takes `status`.
static void answer(execution_t *execution, pod_status_t status) {
  if (execution->dispatch != NULL) {
    dispatch_answer(execution->dispatch, execution->id, status, execution->host_ns);
  } else if (status != NULL) {
    request_fail(&execution->request, status);
  } else {
    Podium__V1__ExecuteResponse response = PODIUM__V1__EXECUTE_RESPONSE__INIT;
    response.results = execution->result_ids;
    response.n_results = (size_t)execution->result_count;
    response.execution = execution->id;
    response.host_ns = execution->host_ns;
    request_reply(&execution->request, &response.base);
  }
}

// One that fails may take thousands with it that were not waited for: of those that came
// by Dispatch one in FAILURES_LOG_MS is told, the others for who looks closely.
static pod_log_level_t level_of_end(execution_t *execution, pod_status_t status) {
  unsigned long long muted;
  if (status == NULL) {
    return POD_LOG_DEBUG;
  }
  return execution->dispatch == NULL ||
                 pod_log_may(&execution->request.coordinator->failures, FAILURES_LOG_MS,
                             &muted)
             ? POD_LOG_INFO
             : POD_LOG_DEBUG;
}

static void log_end(execution_t *execution, pod_status_t status) {
  const pod_log_level_t level = level_of_end(execution, status);
  if (!pod_log_shows(level)) {
    return;
  }
  const request_t *request = &execution->request;
  const store_session_t *session = request->has_begun ? request->operation.session : NULL;
  const store_executable_t *executable = execution->executable;
  const int64_t took_ns = pod_clock_now_ns() - request->began_ns;
  char traceparent[REQUEST_TRACEPARENT_BYTES];
  request_traceparent(
      execution->dispatch != NULL ? dispatch_call(execution->dispatch) : request->client,
      traceparent);
  const pod_log_field_t *fields = POD_LOG_FIELDS(
      {"event", .text = "execution"}, {"execution", .number = (int64_t)execution->id},
      {"session", .number = session == NULL ? 0 : (int64_t)session->id},
      {"client", .text = session == NULL ? "" : session->client},
      {"program", .text = executable == NULL ? "" : executable->name},
      {"code", .text = pod_code_name(pod_status_code(status))},
      {"duration_ns", .number = took_ns}, {"chips_ns", .number = execution->host_ns},
      {"traceparent", .text = traceparent});
  if (status != NULL) {
    pod_log_fields(level, fields, "execution %" PRIu64 ": %s", execution->id,
                   pod_status_message(status));
  } else {
    pod_log_fields(level, fields, "execution %" PRIu64 " of %s has ended after %.3f ms",
                   execution->id, executable->name, (double)took_ns / NS_PER_MS);
  }
}

// Takes `status`.
static void end_part(execution_t *execution, pod_status_t status) {
  coordinator_t *coordinator = execution->request.coordinator;
  request_note_outcome(&execution->request, status);
  gang_forget(coordinator->gangs, &execution->launch, status);
  request_move(&execution->request, EXECUTION_OVER);
  execution_waits_no_more(execution);
  executions_look_again(coordinator);
  if (status == NULL) {
    keep_results(execution);
  } else {
    execution_undo_donations(execution);
    fail_results(execution, status);
  }
  log_end(execution, status);
  answer(execution, status);
  give_back(execution);
  request_end(&execution->request);
}

// What the others hear when one part ends all. Owned.
static pod_status_t told_to_others(const execution_t *execution, pod_status_t status) {
  const execution_t *by = execution->stopped_by;
  if (by == NULL || status == NULL) {
    return pod_status_copy(status);
  }
  if (by->request.operation.session->is_closing) {
    return pod_error(POD_UNAVAILABLE,
                     "%s needs the chips of process %" PRId32
                     ", which has gone: its session has ended",
                     by->launch.name, by->launch.member);
  }
  return pod_status_context(pod_status_copy(status), "process %" PRId32 ", %s",
                            by->launch.member, by->launch.name);
}

// Of the chips' time. Those that fail tell nothing of it.
static int64_t time_taken(execution_t *execution, bool is_well) {
  if (is_well) {
    const int64_t took_ns = execution->host_ns > 0 ? execution->host_ns : 1;
    execution->executable->run_ns = took_ns;
    // What it took before it was paused has been settled.
    return took_ns > execution->ran_ns ? took_ns - execution->ran_ns : 1;
  }
  if (!execution->has_run) {
    return 0;
  }
  return execution->first_ns == 0 ? execution->cost.expected_ns
                                  : pod_clock_now_ns() - execution->first_ns;
}

// Its chips are there for others. Nothing happens when it has left them.
static void leave_chips(execution_t *execution, bool is_well) {
  execution_end_slice(execution);
  if (execution->is_listed) {
    execution_remove_running(execution);
  } else {
    execution_remove_loading(execution);
  }
  execution_give_back_chips(execution, time_taken(execution, is_well));
}

void execution_end(execution_t *execution, pod_status_t status) {
  leave_chips(execution, status == NULL);
  if (status == NULL) {
    store_profile_share_traces(execution->profile);
  }
  const pod_status_t told = told_to_others(execution, status);
  const execution_t *stopped_by = execution->stopped_by;
  while (execution->follower != NULL) {
    execution_t *part = execution->follower;
    execution->follower = part->follower;
    part->host_ns = execution->host_ns;
    end_part(part, pod_status_copy(part == stopped_by ? status : told));
  }
  end_part(execution, pod_status_copy(
                          stopped_by == NULL || stopped_by == execution ? status : told));
  pod_status_free(told);
  pod_status_free(status);
}

// --- One that failed ---

static void cause_is_known(store_waiter_t *waiter);

// It failed. When an argument of it is one that failed, that is why; and when it is not
// known yet whether one has, it will be. Takes `status`.
static void fail_execution(execution_t *execution, pod_status_t status) {
  store_array_t *argument = execution_find_failed(execution, true);
  if (argument == NULL) {
    execution_end(execution, status);
  } else if (argument->state == STORE_ARRAY_FAILED) {
    pod_status_free(status);
    execution_end(execution, pod_status_copy(argument->failure));
  } else {
    request_move(&execution->request, EXECUTION_AFTER);
    // What makes the argument may be paused, and wait for them.
    leave_chips(execution, false);
    executions_look_again(execution->request.coordinator);
    execution->failure = status;
    store_array_await(argument, &execution->waits, cause_is_known);
  }
}

static void cause_is_known(store_waiter_t *waiter) {
  execution_t *execution =
      (execution_t *)(void *)((char *)waiter - offsetof(execution_t, waits));
  store_array_t *argument = execution_find_failed(execution, true);
  if (argument != NULL && argument->state == STORE_ARRAY_PENDING) {
    store_array_await(argument, &execution->waits, cause_is_known);
    return;
  }
  if (argument != NULL) {
    pod_status_free(execution->failure);
    execution->failure = pod_status_copy(argument->failure);
  }
  const pod_status_t failure = execution->failure;
  execution->failure = NULL;
  execution_end(execution, failure);
}

void execution_conclude(execution_t *execution, pod_status_t status) {
  const store_array_t *failed =
      status == NULL ? execution_find_failed(execution, false) : NULL;
  if (failed != NULL) {
    status = pod_status_copy(failed->failure);
  }
  if (status == NULL) {
    execution_end(execution, NULL);
  } else {
    fail_execution(execution, status);
  }
}
