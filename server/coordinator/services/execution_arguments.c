// What an execution takes: its arguments, and those of them that it consumes.

#include <stdlib.h>

#include "common/base/memory.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/core/donation.h"
#include "server/coordinator/services/execution.h"

pod_status_t execution_find_arguments(execution_t *execution,
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

pod_status_t execution_take_donations(execution_t *execution,
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

void execution_undo_donations(execution_t *execution) {
  if (execution->has_donations && !execution->is_consuming) {
    const donation_call_t donation = donation_of(execution);
    donation_give_back(&donation);
  }
}

// --- Whether they are there ---

// A fetch that came before must end first.
static bool is_held_by_readers(const execution_t *execution) {
  const donation_call_t donation = donation_of(execution);
  return donation_is_read(&donation);
}

static void argument_is_there(store_waiter_t *waiter) {
  const execution_t *execution =
      (const execution_t *)(void *)((char *)waiter - offsetof(execution_t, waits));
  executions_look_again(execution->request.coordinator);
}

// Waits when an argument is still being put, or still being read and to be consumed. What
// the chips are to make before its turn is there when it comes.
bool execution_has_arguments(execution_t *execution) {
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

pod_status_t execution_check_arguments(execution_t *execution) {
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

store_array_t *execution_find_failed(const execution_t *execution, bool or_pending) {
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
