// Short lists, looked through from end to end: a chip has few executions at a time.

#include "server/ici/executions.h"

#include <string.h>

void ici_executions_deinit(ici_executions_t *executions) {
  for (int i = 0; i < executions->aborted_count; i++) {
    pod_status_free(executions->aborted[i].status);
  }
  for (int i = 0; i < executions->ended_count; i++) {
    pod_status_free(executions->ended[i].reason);
  }
  pod_list_deinit(&executions->told);
}

// Takes the reason. The one that is longest over is forgotten.
static void note_end(ici_executions_t *executions, uint64_t execution,
                     pod_status_t reason) {
  ici_ended_t *ended = &executions->ended[executions->ended_next];
  if (executions->ended_count == ICI_ENDED_MAX) {
    pod_status_free(ended->reason);
  }
  *ended = (ici_ended_t){execution, reason};
  executions->ended_next = (executions->ended_next + 1) % ICI_ENDED_MAX;
  executions->ended_count += executions->ended_count < ICI_ENDED_MAX ? 1 : 0;
}

static int32_t find_told(const ici_executions_t *executions, uint64_t execution) {
  for (int32_t i = 0; i < executions->told.count; i++) {
    if (executions->told.items[i].execution == execution) {
      return i;
    }
  }
  return -1;
}

static int find_aborted(const ici_executions_t *executions, uint64_t execution) {
  for (int i = 0; i < executions->aborted_count; i++) {
    if (executions->aborted[i].execution == execution) {
      return i;
    }
  }
  return -1;
}

const ici_ended_t *ici_executions_ended(const ici_executions_t *executions,
                                        uint64_t execution) {
  for (int i = 0; i < executions->ended_count; i++) {
    if (executions->ended[i].execution == execution) {
      return &executions->ended[i];
    }
  }
  return NULL;
}

void ici_executions_begin(ici_executions_t *executions, uint64_t execution) {
  if (find_told(executions, execution) < 0 &&
      ici_executions_ended(executions, execution) == NULL) {
    *pod_list_add(&executions->told) = (ici_told_t){.execution = execution};
  }
}

ici_told_t *ici_executions_told(ici_executions_t *executions, uint64_t execution) {
  const int32_t at = find_told(executions, execution);
  return at < 0 ? NULL : &executions->told.items[at];
}

bool ici_executions_is_told(const ici_executions_t *executions, uint64_t execution) {
  return find_told(executions, execution) >= 0;
}

bool ici_executions_abort(ici_executions_t *executions, uint64_t execution,
                          pod_status_t status) {
  if (find_aborted(executions, execution) >= 0 ||
      ici_executions_ended(executions, execution) != NULL) {
    pod_status_free(status);
    return false;
  }
  if (executions->aborted_count == ICI_ABORTED_MAX) {
    pod_status_free(executions->aborted[0].status);
    executions->aborted_count--;
    memmove(&executions->aborted[0], &executions->aborted[1],
            (size_t)executions->aborted_count * sizeof(executions->aborted[0]));
  }
  executions->aborted[executions->aborted_count++] = (ici_aborted_t){execution, status};
  return true;
}

pod_status_t ici_executions_reason(const ici_executions_t *executions,
                                   uint64_t execution) {
  const int at = find_aborted(executions, execution);
  return at < 0 ? NULL : executions->aborted[at].status;
}

void ici_executions_end(ici_executions_t *executions, uint64_t execution) {
  pod_status_t reason = NULL;
  const int32_t told = find_told(executions, execution);
  if (told >= 0) {
    executions->told.items[told] = *pod_list_last(&executions->told);
    executions->told.count--;
  }
  const int aborted = find_aborted(executions, execution);
  if (aborted >= 0) {
    reason = executions->aborted[aborted].status;
    executions->aborted_count--;
    memmove(
        &executions->aborted[aborted], &executions->aborted[aborted + 1],
        (size_t)(executions->aborted_count - aborted) * sizeof(executions->aborted[0]));
  }
  if (ici_executions_ended(executions, execution) == NULL) {
    note_end(executions, execution, reason);
  } else {
    pod_status_free(reason);
  }
}
