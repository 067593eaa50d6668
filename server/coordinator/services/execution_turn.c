// Whose turn it is: which of those that are first in their queues the chips are given
// next, and what the chips lack of its program.

#include <stddef.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "server/coordinator/jobs.h"
#include "server/coordinator/services/execution.h"

static void pump_later(later_item_t *item) {
  executions_pump(
      (coordinator_t *)(void *)((char *)item - offsetof(coordinator_t, pump)));
}

void executions_look_again(coordinator_t *coordinator) {
  later_post(coordinator->later, &coordinator->pump, pump_later);
}

// --- What the chips lack of the programs ---

static bool is_loading(const coordinator_t *coordinator, const store_session_t *session) {
  for (const execution_t *at = coordinator->loading; at != NULL; at = at->next) {
    for (const execution_t *part = at; part != NULL; part = part->follower) {
      if (part->request.operation.session == session) {
        return true;
      }
    }
  }
  return false;
}

static void add_loading(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  for (execution_t *part = execution; part != NULL; part = part->follower) {
    request_move(&part->request, EXECUTION_LOADING);
  }
  execution->next = coordinator->loading;
  coordinator->loading = execution;
}

void execution_remove_loading(execution_t *execution) {
  execution_t **at = &execution->request.coordinator->loading;
  while (*at != NULL && *at != execution) {
    at = &(*at)->next;
  }
  if (*at != NULL) {
    *at = execution->next;
  }
}

static execution_t *find_unloaded(execution_t *execution) {
  execution_t *part = execution;
  while (part != NULL && !load_is_needed(part->request.coordinator, part->executable)) {
    part = part->follower;
  }
  return part;
}

static void loaded(void *context, pod_status_t status);

// Of one that does not wait for the pod: what is said to it is noted.
static pod_status_t check_ready(const execution_t *execution) {
  const coordinator_t *coordinator = execution->request.coordinator;
  const pod_status_t status = execution_check_ready(coordinator, execution->executable);
  if (status != NULL) {
    jobs_note_refusal(coordinator->jobs, execution->request.operation.session->job);
  }
  return status;
}

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
    status = check_ready(execution);
  }
  if (status != NULL) {
    execution_end(execution, status);
    return;
  }
  const execution_t *unloaded = find_unloaded(execution);
  if (unloaded != NULL) {
    load_part(execution, unloaded);
    return;
  }
  execution_remove_loading(execution);
  execution_run(execution);
  executions_look_again(coordinator);
}

static turn_cost_t cost_of(const execution_t *execution) {
  const store_executable_t *executable = execution->executable;
  return turns_cost(executable->run_ns, executable->has_loops);
}

turn_clock_t *execution_client_clock(const execution_t *execution) {
  return &execution->request.operation.session->account->clock;
}

turn_clock_t *execution_session_clock(const execution_t *execution) {
  return &execution->request.operation.session->clock;
}

// A gang goes at the cost of all its sessions; its chips are given one.
void execution_charge(execution_t *execution, turn_cost_t cost) {
  const store_executable_t *executable = execution->executable;
  execution->has_turn = true;
  execution->cost = cost;
  turns_give(execution->request.coordinator->turns, executable->chip_count,
             executable->chips, cost);
  for (execution_t *part = execution; part != NULL; part = part->follower) {
    turns_charge(execution->request.coordinator->turns, cost,
                 execution_client_clock(part), execution_session_clock(part));
  }
}

void execution_settle(execution_t *execution, int64_t took_ns) {
  for (execution_t *part = execution; part != NULL; part = part->follower) {
    turns_settle(execution->cost, took_ns, execution_client_clock(part),
                 execution_session_clock(part));
  }
}

void execution_give_back_chips(execution_t *execution, int64_t took_ns) {
  const store_executable_t *executable = execution->executable;
  if (!execution->has_turn) {
    return;
  }
  execution->has_turn = false;
  turns_take_back(execution->request.coordinator->turns, executable->chip_count,
                  executable->chips, execution->cost);
  execution_settle(execution, took_ns);
}

static void begin(execution_t *execution) {
  const pod_status_t status = execution_check_arguments(execution);
  const execution_t *unloaded = status == NULL ? find_unloaded(execution) : NULL;
  if (status != NULL) {
    execution_end(execution, status);
  } else if (unloaded != NULL) {
    execution_charge(execution, cost_of(execution));
    add_loading(execution);
    load_part(execution, unloaded);
  } else {
    execution_charge(execution, cost_of(execution));
    execution_run(execution);
  }
}

// --- The turn ---

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
  pod_status_free(status);
  return hopeless == NULL && !execution->request.operation.session->waits_for_pod
             ? check_ready(execution)
             : hopeless;
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
    execution_end(execution, status);
    queue = coordinator->queues;
  }
}

static bool can_begin_part(execution_t *part) {
  const coordinator_t *coordinator = part->request.coordinator;
  return part->queue->first == part && is_ready(part) && execution_has_arguments(part) &&
         !is_loading(coordinator, part->request.operation.session) &&
         !execution_is_behind_paused(part);
}

// Its chips, and with it whatever it is a part of.
bool execution_can_begin(execution_t *execution) {
  const gang_t *gang = execution->launch.gang;
  if (gang == NULL) {
    return can_begin_part(execution);
  }
  for (int32_t i = 0; gang_is_complete(gang) && i < gang_size(gang); i++) {
    if (!can_begin_part(execution_of_launch(gang_part(gang, i)))) {
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
    execution_end(execution, status);
  }
}

int execution_compare_turns(const execution_t *a, const execution_t *b) {
  const int order = turns_compare(execution_client_clock(a), execution_session_clock(a),
                                  execution_client_clock(b), execution_session_clock(b));
  return order != 0 ? order : (a->number > b->number) * 2 - 1;
}

static int compare(const void *left, const void *right) {
  return execution_compare_turns(*(execution_t *const *)left,
                                 *(execution_t *const *)right);
}

size_t executions_find_waiting(coordinator_t *coordinator,
                               execution_t *out_waiting[EXECUTIONS_WAITING_MAX]) {
  size_t count = 0;
  for (execution_queue_t *at = coordinator->queues; at != NULL; at = at->next) {
    POD_CHECK(count < STORE_SESSIONS_MAX);
    out_waiting[count++] = at->first;
  }
  execution_t *at = coordinator->paused_count > 0 ? coordinator->first_running : NULL;
  for (; at != NULL && count < EXECUTIONS_WAITING_MAX; at = at->next) {
    if (at->is_paused) {
      out_waiting[count++] = at;
    }
  }
  qsort(out_waiting, count, sizeof(out_waiting[0]), compare);
  return count;
}

bool execution_may_have_turn(execution_t *execution) {
  return execution->is_paused ? execution_can_go_on(execution)
                              : execution_can_begin(execution);
}

turn_cost_t execution_next_cost(const execution_t *execution) {
  const turn_cost_t cost = cost_of(execution);
  return execution->is_paused && execution->is_held ? turns_slice_cost(cost) : cost;
}

// Of those that are first in their queues and can run, and those that are paused, the one
// whose turn it is and that finds room on its chips.
static execution_t *choose(coordinator_t *coordinator) {
  execution_t *waiting[EXECUTIONS_WAITING_MAX];
  const size_t count = executions_find_waiting(coordinator, waiting);
  turns_begin(coordinator->turns);
  for (size_t i = 0; i < count; i++) {
    const store_executable_t *executable = waiting[i]->executable;
    if (execution_may_have_turn(waiting[i]) &&
        turns_have_room(coordinator->turns, executable->chip_count, executable->chips,
                        execution_next_cost(waiting[i]))) {
      return waiting[i];
    }
  }
  return NULL;
}

void executions_pump(coordinator_t *coordinator) {
  end_failed_gangs(coordinator);
  while (!coordinator->is_destroyed &&
         (coordinator->queues != NULL || coordinator->paused_count > 0)) {
    refuse_impatient(coordinator);
    execution_t *execution = choose(coordinator);
    if (execution == NULL) {
      break;
    }
    if (execution->is_paused) {
      execution_go_on(execution);
    } else {
      begin(take_turn(execution));
    }
    end_failed_gangs(coordinator);
  }
  executions_slice(coordinator);
}
