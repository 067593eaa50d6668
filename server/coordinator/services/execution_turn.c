// Whose turn it is: which of those that are first in their queues the chips are given
// next, and what the chips lack of its program.

#include <stddef.h>

#include "server/coordinator/services/execution.h"

enum { RUNNING_MAX = 64 };  // Given to the chips at a time.

static void pump_later(later_item_t *item) {
  executions_pump(
      (coordinator_t *)(void *)((char *)item - offsetof(coordinator_t, pump)));
}

void executions_look_again(coordinator_t *coordinator) {
  later_post(coordinator->later, &coordinator->pump, pump_later);
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
    execution_end(execution, status);
    return;
  }
  const execution_t *unloaded = find_unloaded(execution);
  if (unloaded != NULL) {
    load_part(execution, unloaded);
    return;
  }
  coordinator->loading = NULL;
  execution_run(execution);
  executions_look_again(coordinator);
}

static void begin(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  const pod_status_t status = execution_check_arguments(execution);
  const execution_t *unloaded = status == NULL ? find_unloaded(execution) : NULL;
  if (status != NULL) {
    execution_end(execution, status);
  } else if (unloaded != NULL) {
    coordinator->loading = execution;
    for (execution_t *part = execution; part != NULL; part = part->follower) {
      request_move(&part->request, EXECUTION_LOADING);
    }
    load_part(execution, unloaded);
  } else {
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
    execution_end(execution, status);
    queue = coordinator->queues;
  }
}

// Its chips, and with it whatever it is a part of.
static bool can_begin(execution_t *execution) {
  const gang_t *gang = execution->launch.gang;
  if (gang == NULL) {
    return is_ready(execution) && execution_has_arguments(execution);
  }
  for (int32_t i = 0; gang_is_complete(gang) && i < gang_size(gang); i++) {
    execution_t *part = execution_of_launch(gang_part(gang, i));
    if (part->queue->first != part || !is_ready(part) || !execution_has_arguments(part)) {
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
