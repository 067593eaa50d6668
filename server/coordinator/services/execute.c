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
// yet; its error is then the cause.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/core/donation.h"
#include "server/coordinator/core/footprint.h"
#include "server/coordinator/services/execution.h"
#include "server/wire/profile.h"

enum {
  PARTS_MAX = 1 << 14,   // Of a profile; a chip that sends without end gets no more.
  MOMENT_MS_MIN = 200,   // How long SETTLING lasts: two heartbeats,
  MOMENT_MS_MAX = 2000,  // within these bounds.
  RUNNING_MAX = 64,      // Given to the chips at a time.
};

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

static void pump_later(later_item_t *item) {
  executions_pump(
      (coordinator_t *)(void *)((char *)item - offsetof(coordinator_t, pump)));
}

static void post_pump(coordinator_t *coordinator) {
  later_post(coordinator->later, &coordinator->pump, pump_later);
}

void executions_look_again(coordinator_t *coordinator) {
  post_pump(coordinator);
}

// --- What it consumes ---

static donation_call_t donation_of(const execution_t *execution) {
  const store_executable_t *executable = execution->executable;
  return (donation_call_t){
      .execution = execution->id,
      .executable = executable,
      .arrays = execution->arguments,
      .per_argument = execution->by_chip ? (size_t)executable->own_count : 1,
      .kept_count = execution->kept_count,
      .kept = execution->kept};
}

static pod_status_t take_donations(execution_t *execution,
                                   const Podium__V1__ExecuteRequest *request) {
  execution->kept = pod_alloc(request->n_kept * sizeof(*execution->kept));
  for (size_t i = 0; i < request->n_kept; i++) {
    execution->kept[execution->kept_count++] = request->kept[i];
  }
  const donation_call_t donation = donation_of(execution);
  POD_TRY(donation_take(&donation));
  execution->has_donations = true;
  return NULL;
}

static void undo_donations(execution_t *execution) {
  if (execution->has_donations && !execution->is_consuming) {
    const donation_call_t donation = donation_of(execution);
    donation_give_back(&donation);
  }
}

// A fetch that came before must end first.
static bool is_held_by_readers(const execution_t *execution) {
  const donation_call_t donation = donation_of(execution);
  return donation_is_read(&donation);
}

// --- Those that run ---

static void add_running(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  execution->next = NULL;
  // Where it stands among those that run; in its queue it may have overtaken older ones.
  execution->number = coordinator->execution_count++;
  *coordinator->last_running = execution;
  coordinator->last_running = &execution->next;
  coordinator->running_count++;
}

static void remove_running(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  execution_t **at = &coordinator->first_running;
  while (*at != execution) {
    at = &(*at)->next;
  }
  *at = execution->next;
  if (*at == NULL) {
    coordinator->last_running = at;
  }
  coordinator->running_count--;
}

// --- The end ---

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

// Takes `status`.
static void end_part(execution_t *execution, pod_status_t status) {
  coordinator_t *coordinator = execution->request.coordinator;
  gang_forget(coordinator->gangs, &execution->launch, status);
  request_move(&execution->request, EXECUTION_OVER);
  execution_waits_no_more(execution);
  post_pump(coordinator);
  if (status == NULL) {
    keep_results(execution);
  } else {
    undo_donations(execution);
    fail_results(execution, status);
    // One that fails may take thousands with it that were not waited for.
    pod_log(execution->dispatch == NULL ? POD_LOG_INFO : POD_LOG_DEBUG,
            "execution %" PRIu64 ": %s", execution->id, pod_status_message(status));
  }
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

// Nothing of it runs any more. Takes `status`; NULL: it went well. Not for followers,
// which end with their leader.
static void end_execution(execution_t *execution, pod_status_t status) {
  coordinator_t *coordinator = execution->request.coordinator;
  if (execution->has_run) {
    remove_running(execution);
  } else if (coordinator->loading == execution) {
    coordinator->loading = NULL;
  }
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

// The first argument of all parts that has failed, or is pending when `or_pending`.
static store_array_t *find_failed(const execution_t *execution, bool or_pending) {
  for (const execution_t *part = execution; part != NULL; part = part->follower) {
    for (size_t i = 0; i < part->argument_count; i++) {
      store_array_t *argument = part->arguments[i];
      if (argument->state == STORE_ARRAY_FAILED ||
          (or_pending && argument->state == STORE_ARRAY_PENDING)) {
        return argument;
      }
    }
  }
  return NULL;
}

static void cause_is_known(store_waiter_t *waiter);

// It failed. When an argument of it is one that failed, that is why; and when it is not
// known yet whether one has, it will be. Takes `status`.
static void fail_execution(execution_t *execution, pod_status_t status) {
  store_array_t *argument = find_failed(execution, true);
  if (argument == NULL) {
    end_execution(execution, status);
  } else if (argument->state == STORE_ARRAY_FAILED) {
    pod_status_free(status);
    end_execution(execution, pod_status_copy(argument->failure));
  } else {
    request_move(&execution->request, EXECUTION_AFTER);
    execution->failure = status;
    store_array_await(argument, &execution->waits, cause_is_known);
  }
}

static void cause_is_known(store_waiter_t *waiter) {
  execution_t *execution =
      (execution_t *)(void *)((char *)waiter - offsetof(execution_t, waits));
  store_array_t *argument = find_failed(execution, true);
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
  end_execution(execution, failure);
}

// Its chips have ended. One that was stopped may have been too far on a chip to stop what
// uses it there. Takes `status`.
static void conclude(execution_t *execution, pod_status_t status) {
  const store_array_t *failed = status == NULL ? find_failed(execution, false) : NULL;
  if (failed != NULL) {
    status = pod_status_copy(failed->failure);
  }
  if (status == NULL) {
    end_execution(execution, NULL);
  } else {
    fail_execution(execution, status);
  }
}

// --- RUNNING ---

static void cancel_runs(execution_t *execution) {
  for (int32_t i = 0; i < execution->executable->chip_count; i++) {
    chip_run_cancel(&execution->runs[i]);
  }
}

static void moment_is_over(void *context) {
  execution_t *execution = context;
  rpc_timer_stop(execution->moment);
  conclude(execution, fanout_take(&execution->fanout));
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
  for (int32_t i = 0; i < execution->executable->chip_count; i++) {
    const pod_status_t status = chip_run_check_alive(&execution->runs[i]);
    if (status != NULL) {
      fanout_blame(&execution->fanout, status);
    }
  }
  if (fanout_may_learn_more(&execution->fanout)) {
    settle(execution);
    return;
  }
  conclude(execution, fanout_take(&execution->fanout));
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

// --- What programs ask of their host ---

// The part whose process has the chip at that position of the program's mesh.
static execution_t *part_at(execution_t *execution, int32_t at) {
  execution_t *part = execution;
  while (part->executable->own_index[at] < 0) {
    part = part->follower;
  }
  return part;
}

static void refuse_host(const execution_t *execution, int32_t at, int64_t channel) {
  Podium__V1__HostAnswer answer = PODIUM__V1__HOST_ANSWER__INIT;
  pod_text_t text = {0};
  pod_text_printf(&text,
                  "it passes data to its host by channel %" PRId64
                  ", and the client that executes it has no callbacks for that",
                  channel);
  answer.execution = execution->id;
  answer.code = POD_FAILED_PRECONDITION;
  answer.message = text.bytes;
  chip_run_answer(&execution->runs[at], &answer);
  pod_text_deinit(&text);
}

static void ask_host(execution_t *execution, int32_t at,
                     Podium__V1__HostTransfer *transfer) {
  const bool is_shared = transfer->is_shared && transfer->is_receive;
  const execution_t *part = part_at(execution, is_shared ? 0 : at);
  if (part->dispatch == NULL || !part->serves_host) {
    refuse_host(execution, at, transfer->channel);
    return;
  }
  execution->shared_asks += is_shared && execution->asks[at] == HOST_ASK_NONE;
  execution->asks[at] = is_shared ? HOST_ASK_SHARED : HOST_ASK_OWN;
  if (is_shared && execution->shared_asks < execution->executable->chip_count) {
    return;
  }
  transfer->device = is_shared ? 0 : at;
  dispatch_ask(part->dispatch, part->id, transfer);
}

static void answer_host(execution_t *part, Podium__V1__HostAnswer *answer) {
  execution_t *execution = part->leader != NULL ? part->leader : part;
  const int32_t count = execution->executable->chip_count;
  if (!request_is(&execution->request, EXECUTION_RUNNING) || answer->device < 0 ||
      answer->device >= count || part_at(execution, answer->device) != part) {
    return;
  }
  answer->execution = execution->id;  // As the chips know it.
  const host_ask_t asked = execution->asks[answer->device];
  if (asked == HOST_ASK_OWN) {
    execution->asks[answer->device] = HOST_ASK_NONE;
    chip_run_answer(&execution->runs[answer->device], answer);
  } else if (asked == HOST_ASK_SHARED && execution->shared_asks == count) {
    execution->shared_asks = 0;
    for (int32_t i = 0; i < count; i++) {
      execution->asks[i] = HOST_ASK_NONE;
      chip_run_answer(&execution->runs[i], answer);
    }
  }
}

static void on_part(chip_run_t *call, const Podium__V1__WorkerExecuteResponse *message) {
  execution_t *execution = call->owner;
  store_profile_t *profile = execution->profile;
  const int32_t at = (int32_t)(call - execution->runs);
  part_at(execution, at)->is_consuming |= message->consumed;
  if (message->host_transfer != NULL) {
    ask_host(execution, at, message->host_transfer);
  }
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

static void on_end(chip_run_t *call, pod_status_t status, bool is_lost) {
  execution_t *execution = call->owner;
  if (fanout_ended(&execution->fanout, status, is_lost)) {
    cancel_runs(execution);
  }
  if (fanout_is_over(&execution->fanout)) {
    end_run(execution);
  }
}

// What the chip at that position is to take: for every argument its array.
static void fill_arguments(const execution_t *part, int32_t at, uint64_t *ids) {
  const store_executable_t *executable = part->executable;
  for (int32_t i = 0; i < executable->argument_count; i++) {
    const int32_t given =
        part->by_chip ? i * executable->own_count + executable->own_index[at] : i;
    ids[i] = part->arguments[given]->id;
  }
}

// Of the part, to its own chips.
static void run_part(execution_t *execution, execution_t *part) {
  static const chip_run_events_t events = {.on_part = on_part, .on_end = on_end};
  const store_executable_t *executable = part->executable;
  Podium__V1__WorkerExecuteRequest request = PODIUM__V1__WORKER_EXECUTE_REQUEST__INIT;
  request.session = part->request.operation.session->id;
  request.program = executable->id;
  request.execution = execution->id;
  request.profile = execution->with_events;
  request.n_arguments = (size_t)executable->argument_count;
  request.arguments = pod_alloc(request.n_arguments * sizeof(uint64_t));
  request.n_results = (size_t)executable->result_count;
  request.results = part->result_ids;
  request.n_kept = part->kept_count;
  request.kept = part->kept;
  for (int32_t i = 0; i < executable->own_count; i++) {
    const int32_t at = executable->own[i];
    if (i == 0 || part->by_chip) {
      fill_arguments(part, at, request.arguments);
    }
    chip_run_start(execution->request.coordinator->runs, &execution->runs[at],
                   executable->chips[at], &request, &events, execution);
  }
  free(request.arguments);
  for (size_t i = 0; i < part->argument_count; i++) {
    store_array_fly(part->arguments[i]);
  }
}

static void run(execution_t *execution) {
  const store_executable_t *executable = execution->executable;
  const size_t chip_count = (size_t)executable->chip_count;
  execution->profile = store_profile_create(executable->compiled, executable->chip_count,
                                            executable->chips);
  execution->runs = pod_alloc(chip_count * sizeof(*execution->runs));
  coordinator_free_in_turn(execution->request.coordinator);
  execution->asks = pod_alloc(chip_count * sizeof(*execution->asks));
  add_running(execution);
  for (execution_t *part = execution; part != NULL; part = part->follower) {
    request_move(&part->request, EXECUTION_RUNNING);
    part->has_run = true;
    execution->with_events |= part->with_events;
    if (part != execution) {
      part->profile = execution->profile;
      store_profile_use(part->profile);
    }
    for (int32_t i = 0; i < part->result_count; i++) {
      part->results[i]->is_under_way = true;
    }
  }
  fanout_begin(&execution->fanout, executable->chip_count);
  for (execution_t *part = execution; part != NULL; part = part->follower) {
    run_part(execution, part);
  }
}

// --- What the chips lack of the programs ---

static execution_t *find_unloaded(execution_t *execution) {
  execution_t *part = execution;
  while (part != NULL && !load_is_needed(part->request.coordinator, part->executable)) {
    part = part->follower;
  }
  return part;
}

static void loaded(void *context, pod_status_t status);

static void load_part(execution_t *execution, const execution_t *part) {
  execution->load =
      load_start(execution->request.coordinator, part->executable, loaded, execution);
}

static void loaded(void *context, pod_status_t status) {
  execution_t *execution = context;
  coordinator_t *coordinator = execution->request.coordinator;
  execution->load = NULL;
  if (status == NULL) {
    // The pod may have changed in the meantime.
    status = execution_check_ready(coordinator, execution->executable);
  }
  if (status != NULL) {
    end_execution(execution, status);
    return;
  }
  const execution_t *unloaded = find_unloaded(execution);
  if (unloaded != NULL) {
    load_part(execution, unloaded);
    return;
  }
  coordinator->loading = NULL;
  run(execution);
  post_pump(coordinator);
}

// What was whole when the call came may have lost a chip since, or failed.
static pod_status_t check_arguments(execution_t *execution) {
  for (execution_t *part = execution; part != NULL; part = part->follower) {
    const pod_status_t status = store_check_arguments(
        part->executable, part->by_chip, part->argument_count, part->arguments);
    if (status != NULL) {
      execution->stopped_by = part;
      return status;
    }
  }
  return NULL;
}

static void begin(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  const pod_status_t status = check_arguments(execution);
  const execution_t *unloaded = status == NULL ? find_unloaded(execution) : NULL;
  if (status != NULL) {
    end_execution(execution, status);
  } else if (unloaded != NULL) {
    coordinator->loading = execution;
    for (execution_t *part = execution; part != NULL; part = part->follower) {
      request_move(&part->request, EXECUTION_LOADING);
    }
    load_part(execution, unloaded);
  } else {
    run(execution);
  }
}

// Out of the queue; of a gang all parts, in the order of their members. Returns who
// leads.
static execution_t *take_turn(execution_t *execution) {
  gang_t *gang = execution->launch.gang;
  if (gang == NULL) {
    execution_take_out(execution);
    return execution;
  }
  execution_t *leader = execution_of_launch(gang_part(gang, 0));
  execution_t **link = &leader->follower;
  for (int32_t i = 0; i < gang_size(gang); i++) {
    execution_t *part = execution_of_launch(gang_part(gang, i));
    execution_take_out(part);
    if (part != leader) {
      part->leader = leader;
      *link = part;
      link = &part->follower;
    }
  }
  gang_begin(gang);
  return leader;
}

static bool is_ready(const execution_t *execution) {
  const pod_status_t status =
      execution_check_ready(execution->request.coordinator, execution->executable);
  pod_status_free(status);
  return status == NULL;
}

// While its chips are not ready, one ends that does not want to wait for them, or cannot
// run then either.
static pod_status_t check_patience(const coordinator_t *coordinator,
                                   const execution_t *execution) {
  const pod_status_t status = execution_check_ready(coordinator, execution->executable);
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t hopeless =
      store_check_arguments(execution->executable, execution->by_chip,
                            execution->argument_count, execution->arguments);
  if (hopeless == NULL && !execution->request.operation.session->waits_for_pod) {
    return status;
  }
  pod_status_free(status);
  return hopeless;
}

static void refuse_impatient(coordinator_t *coordinator) {
  execution_queue_t *queue = coordinator->queues;
  while (queue != NULL) {
    execution_t *execution = queue->first;
    const pod_status_t status = check_patience(coordinator, execution);
    if (status == NULL) {
      queue = queue->next;
      continue;
    }
    execution_take_out(execution);
    end_execution(execution, status);
    queue = coordinator->queues;
  }
}

static void argument_is_there(store_waiter_t *waiter) {
  const execution_t *execution =
      (const execution_t *)(void *)((char *)waiter - offsetof(execution_t, waits));
  post_pump(execution->request.coordinator);
}

// Waits when an argument is still being put, or still being read and to be consumed. What
// the chips are to make before its turn is there when it comes.
static bool has_arguments(execution_t *execution) {
  if (execution->waits.array != NULL) {
    return false;
  }
  for (size_t i = 0; i < execution->argument_count; i++) {
    store_array_t *argument = execution->arguments[i];
    if (argument->state == STORE_ARRAY_PENDING && !argument->is_under_way) {
      store_array_await(argument, &execution->waits, argument_is_there);
      return false;
    }
  }
  return !is_held_by_readers(execution);
}

// Its chips, and with it whatever it is a part of.
static bool can_begin(execution_t *execution) {
  const gang_t *gang = execution->launch.gang;
  if (gang == NULL) {
    return is_ready(execution) && has_arguments(execution);
  }
  for (int32_t i = 0; gang_is_complete(gang) && i < gang_size(gang); i++) {
    execution_t *part = execution_of_launch(gang_part(gang, i));
    if (part->queue->first != part || !is_ready(part) || !has_arguments(part)) {
      return false;
    }
  }
  return gang_is_complete(gang);
}

// Those whose gangs will not come together.
static void end_failed_gangs(coordinator_t *coordinator) {
  pod_status_t status;
  gang_launch_t *launch;
  while ((launch = gang_take_failed(coordinator->gangs, &status)) != NULL) {
    execution_t *execution = execution_of_launch(launch);
    execution_take_out(execution);
    end_execution(execution, status);
  }
}

// The oldest of those that are first in their queues and can run.
static execution_t *choose(const coordinator_t *coordinator) {
  execution_t *oldest = NULL;
  for (execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    execution_t *first = queue->first;
    if ((oldest == NULL || first->number < oldest->number) && can_begin(first)) {
      oldest = first;
    }
  }
  return oldest;
}

void executions_pump(coordinator_t *coordinator) {
  end_failed_gangs(coordinator);
  while (!coordinator->is_destroyed && coordinator->loading == NULL &&
         coordinator->running_count < RUNNING_MAX && coordinator->queues != NULL) {
    refuse_impatient(coordinator);
    execution_t *execution = choose(coordinator);
    if (execution == NULL) {
      return;
    }
    begin(take_turn(execution));
    end_failed_gangs(coordinator);
  }
}

static void lose_chip(execution_t *execution, const char *reason) {
  const pod_status_t status = pod_error(POD_UNAVAILABLE, "lost %s", reason);
  if (request_is(&execution->request, EXECUTION_SETTLING)) {
    fanout_blame(&execution->fanout, status);
    rpc_timer_stop(execution->moment);
    conclude(execution, fanout_take(&execution->fanout));
  } else if (request_is(&execution->request, EXECUTION_AFTER)) {
    pod_status_free(status);
  } else if (fanout_stop(&execution->fanout, FANOUT_LOST, status)) {
    cancel_runs(execution);
  }
}

void executions_lose_chip(coordinator_t *coordinator, int32_t chip, const char *reason) {
  // In their order, so that those that come after find the cause. Concluding one may end
  // others, but those after it only: they wait for it.
  const uint64_t last = coordinator->execution_count;
  for (uint64_t from = 0; from < last;) {
    execution_t *execution = coordinator->first_running;
    while (execution != NULL && execution->number < from) {
      execution = execution->next;
    }
    if (execution == NULL) {
      return;
    }
    from = execution->number + 1;
    if (footprint_has(execution->executable->compiled->footprint, chip)) {
      lose_chip(execution, reason);
    }
  }
}

// --- The client's call ---

// Takes `status`.
static void stop_execution(execution_t *part, pod_status_t status) {
  execution_t *execution = part->leader != NULL ? part->leader : part;
  if (execution->stopped_by == NULL) {
    execution->stopped_by = part;
  }
  switch ((execution_state_t)pod_state_of(&execution->request.machine)) {
    case EXECUTION_NEW:
      end_execution(execution, status);
      return;
    case EXECUTION_WAITING:
      execution_take_out(execution);
      end_execution(execution, status);
      return;
    case EXECUTION_LOADING:
      load_cancel(execution->load, status);
      return;
    case EXECUTION_RUNNING:
      if (fanout_stop(&execution->fanout, FANOUT_CALLER, status)) {
        cancel_runs(execution);
      }
      return;
    case EXECUTION_SETTLING:
      end_execution(execution, status);
      return;
    case EXECUTION_AFTER:
      store_array_leave(&execution->waits);
      pod_status_free(execution->failure);
      execution->failure = NULL;
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
  return store_check_arguments(execution->executable, execution->by_chip,
                               execution->argument_count, execution->arguments);
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

static pod_status_t accept(execution_t *execution,
                           const Podium__V1__ExecuteRequest *request) {
  POD_TRY(take_id(execution, request->execution_id));
  const store_session_t *session = execution->request.operation.session;
  store_executable_t *executable;
  POD_TRY(store_find_executable(session, request->executable, &executable));
  POD_TRY(store_check_loadable(executable));
  store_executable_use(executable);
  execution->executable = executable;
  execution->with_events = request->profile;
  execution->by_chip = request->arguments_by_chip;
  execution->serves_host = request->serves_host;
  POD_TRY(add_results(execution, request));
  POD_TRY(find_arguments(execution, request));
  return take_donations(execution, request);
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
    end_execution(execution, status);
    return;
  }
  execution_append(execution);
  launch_part(execution);
  executions_pump(coordinator);
  if (coordinator->queues != NULL || coordinator->running_count > 1) {
    executions_tell_waiting(coordinator);
  }
}

static void on_request(request_t *request, const void *data) {
  execution_t *execution = (execution_t *)request;
  const Podium__V1__ExecuteRequest *message = data;
  const pod_status_t status = request_begin(request, message->session);
  if (status != NULL) {
    end_execution(execution, status);
    return;
  }
  take_up(execution, message);
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

void executions_answer_host(coordinator_t *coordinator, const store_session_t *session,
                            Podium__V1__HostAnswer *answer) {
  execution_t *execution = pod_id_map_get(coordinator->executions, answer->execution);
  if (execution != NULL && execution->request.operation.session == session) {
    answer_host(execution, answer);
  }
}

void executions_cancel(coordinator_t *coordinator, const store_session_t *session,
                       uint64_t execution, pod_status_t status) {
  execution_t *found = pod_id_map_get(coordinator->executions, execution);
  if (found == NULL || found->request.operation.session != session) {
    pod_status_free(status);
    return;
  }
  stop_execution(found, status);
}
