#include "server/coordinator/core/job_past.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/list.h"
#include "common/base/memory.h"

typedef struct past_event_t {
  int64_t at_us;
  bool is_end;
  int32_t job;
} past_event_t;

typedef struct past_principal_t {
  const char *name;
  int32_t job_count;
  int64_t used_us;
} past_principal_t;

typedef struct past_t {
  POD_LIST(past_principal_t) principals;
} past_t;

// Ends before those who come at the same time, and both in the order of the jobs.
static int compare(const void *a, const void *b) {
  const past_event_t *left = a, *right = b;
  if (left->at_us != right->at_us) {
    return left->at_us < right->at_us ? -1 : 1;
  }
  if (left->is_end != right->is_end) {
    return left->is_end ? -1 : 1;
  }
  return left->job < right->job ? -1 : left->job > right->job;
}

static past_principal_t *find(past_t *past, const char *name) {
  for (int32_t i = 0; i < past->principals.count; i++) {
    if (strcmp(past->principals.items[i].name, name) == 0) {
      return &past->principals.items[i];
    }
  }
  past_principal_t *added = pod_list_add(&past->principals);
  *added = (past_principal_t){.name = name};
  return added;
}

static int64_t least_used(const past_t *past) {
  int64_t least = 0;
  bool has_any = false;
  for (int32_t i = 0; i < past->principals.count; i++) {
    const past_principal_t *at = &past->principals.items[i];
    if (at->job_count > 0 && (!has_any || at->used_us < least)) {
      least = at->used_us;
      has_any = true;
    }
  }
  return least;
}

static void come(past_t *past, const char *name) {
  const int64_t least = least_used(past);
  past_principal_t *principal = find(past, name);
  if (principal->job_count++ == 0 && principal->used_us < least) {
    principal->used_us = least;
  }
}

static void end(past_t *past, const job_past_t *job) {
  past_principal_t *principal = find(past, job->principal);
  principal->job_count--;
  if (job->started_us > 0 && job->ended_us > job->started_us) {
    principal->used_us += (job->ended_us - job->started_us) * job->chips;
  }
}

void job_past_clocks(const job_past_t *jobs, int32_t count, job_past_fn_t tell,
                     void *context) {
  past_event_t *events = pod_alloc(2 * (size_t)count * sizeof(*events) + 1);
  size_t event_count = 0;
  for (int32_t i = 0; i < count; i++) {
    events[event_count++] = (past_event_t){jobs[i].submitted_us, false, i};
    if (jobs[i].ended_us > 0) {
      // A clock of the host that was set back ends no job before it came.
      const int64_t at_us = jobs[i].ended_us > jobs[i].submitted_us
                                ? jobs[i].ended_us
                                : jobs[i].submitted_us + 1;
      events[event_count++] = (past_event_t){at_us, true, i};
    }
  }
  qsort(events, event_count, sizeof(*events), compare);
  past_t past = {0};
  for (size_t i = 0; i < event_count; i++) {
    const job_past_t *job = &jobs[events[i].job];
    if (events[i].is_end) {
      end(&past, job);
    } else {
      come(&past, job->principal);
    }
  }
  for (int32_t i = 0; i < past.principals.count; i++) {
    if (past.principals.items[i].job_count > 0) {
      tell(context, past.principals.items[i].name, past.principals.items[i].used_us);
    }
  }
  pod_list_deinit(&past.principals);
  free(events);
}
