// Executions that the chips have been given: what these say of them, and what programs
// ask of their host.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/core/footprint.h"
#include "server/coordinator/services/execution.h"
#include "server/wire/profile.h"

enum {
  PARTS_MAX = 1 << 14,   // Of a profile; a chip that sends without end gets no more.
  MOMENT_MS_MIN = 200,   // How long SETTLING lasts: two heartbeats,
  MOMENT_MS_MAX = 2000,  // within these bounds.
};

void execution_add_running(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  execution->first_ns = coordinator->first_running == NULL ? pod_clock_now_ns() : 0;
  execution->next = NULL;
  // Where it stands among those that run; in its queue it may have overtaken older ones.
  execution->number = coordinator->execution_count++;
  *coordinator->last_running = execution;
  coordinator->last_running = &execution->next;
  coordinator->running_count++;
  execution->is_listed = true;
}

void execution_remove_running(execution_t *execution) {
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
  execution->is_listed = false;
}

// --- They end ---

void execution_cancel_runs(execution_t *execution) {
  for (int32_t i = 0; i < execution->executable->chip_count; i++) {
    chip_run_cancel(&execution->runs[i]);
  }
}

static void moment_is_over(void *context) {
  execution_t *execution = context;
  rpc_timer_stop(execution->moment);
  execution_conclude(execution, fanout_take(&execution->fanout));
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
  execution_conclude(execution, fanout_take(&execution->fanout));
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
  execution->asked_ns = pod_clock_now_ns();
  transfer->device = is_shared ? 0 : at;
  dispatch_ask(part->dispatch, part->id, transfer);
}

// Its client, to any of its chips.
static bool owes_answer(const execution_t *execution) {
  const int32_t count = execution->executable->chip_count;
  for (int32_t i = 0; i < count; i++) {
    if (execution->asks[i] == HOST_ASK_OWN) {
      return true;
    }
  }
  return execution->shared_asks == count;
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
  execution->asked_ns = owes_answer(execution) ? pod_clock_now_ns() : 0;
  if (execution->is_paused && execution->asked_ns == 0) {
    executions_look_again(execution->request.coordinator);
  }
}

void executions_answer_host(coordinator_t *coordinator, const store_session_t *session,
                            Podium__V1__HostAnswer *answer) {
  execution_t *execution = pod_id_map_get(coordinator->executions, answer->execution);
  if (execution != NULL && execution->request.operation.session == session) {
    answer_host(execution, answer);
  }
}

// --- What chips say ---

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

static void on_paused(chip_run_t *call) {
  execution_has_paused(call->owner);
}

static void on_lacks_room(chip_run_t *call) {
  execution_lacks_room(call->owner);
}

static void on_end(chip_run_t *call, pod_status_t status, bool is_lost) {
  execution_t *execution = call->owner;
  if (fanout_ended(&execution->fanout, status, is_lost)) {
    execution_cancel_runs(execution);
  }
  if (fanout_is_over(&execution->fanout)) {
    end_run(execution);
  }
}

// --- They begin ---

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
  static const chip_run_events_t events = {.on_part = on_part,
                                           .on_paused = on_paused,
                                           .on_lacks_room = on_lacks_room,
                                           .on_end = on_end};
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

void execution_run(execution_t *execution) {
  const store_executable_t *executable = execution->executable;
  const size_t chip_count = (size_t)executable->chip_count;
  execution->profile = store_profile_create(executable->compiled, executable->chip_count,
                                            executable->chips);
  request_traceparent(execution->dispatch != NULL ? dispatch_call(execution->dispatch)
                                                  : execution->request.client,
                      execution->profile->traceparent);
  execution->runs = pod_alloc(chip_count * sizeof(*execution->runs));
  coordinator_free_in_turn(execution->request.coordinator);
  execution->asks = pod_alloc(chip_count * sizeof(*execution->asks));
  execution_add_running(execution);
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

// --- A chip is lost ---

static void lose_chip(execution_t *execution, const char *reason) {
  const pod_status_t status = pod_error(POD_UNAVAILABLE, "lost %s", reason);
  if (request_is(&execution->request, EXECUTION_SETTLING)) {
    fanout_blame(&execution->fanout, status);
    rpc_timer_stop(execution->moment);
    execution_conclude(execution, fanout_take(&execution->fanout));
  } else if (fanout_stop(&execution->fanout, FANOUT_LOST, status)) {
    execution_cancel_runs(execution);
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
