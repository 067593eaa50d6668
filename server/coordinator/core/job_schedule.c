// Two lists: those that wait, in no order (the order changes with the principals' clocks,
// and is sorted when it is asked for), and those that run.

#include "server/coordinator/core/job_schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/memory.h"

typedef struct principal_t {
  char *name;
  int32_t job_count;  // Waiting and running.
  int64_t used_us;    // Of chips: the clock.
  bool is_recalled;   // From a coordinator before this one; none of his jobs has come.
} principal_t;

typedef struct planned_t {
  uint64_t id;
  principal_t *principal;
  int32_t priority;
  slice_wish_t wish;
  int32_t passes;
  bool runs;
  torus_slice_t slice;
  int64_t since_us;  // While it runs: up to when it has been charged.
} planned_t;

// What of the pod sizes lack by themselves, while the same of it is missing: looking for
// a box takes milliseconds in a large pod, and thousands of jobs wait for few sizes.
typedef enum lack_t { LACKS_NOTHING = 0, LACKS_CHIPS, LACKS_LINKS } lack_t;

enum { LACKS_KEPT = 64 };

typedef struct lacks_t {
  bool *chips;  // What was missing; NULL at first.
  uint16_t *links;
  int32_t count;
  slice_wish_t wishes[LACKS_KEPT];
  lack_t lacks[LACKS_KEPT];
} lacks_t;

struct job_schedule_t {
  torus_t torus;
  int32_t chip_count;
  bool *is_taken,
      *is_closed;  // By chip: by jobs that run; and all else that is not free.
  POD_LIST(principal_t *) principals;
  POD_LIST(planned_t *) jobs;
  lacks_t *lacks;
};

job_schedule_t *job_schedule_create(const torus_t *torus) {
  job_schedule_t *schedule = pod_alloc(sizeof(*schedule));
  schedule->torus = *torus;
  schedule->chip_count = torus_chip_count(torus);
  schedule->is_taken = pod_alloc((size_t)schedule->chip_count);
  schedule->is_closed = pod_alloc((size_t)schedule->chip_count);
  schedule->lacks = pod_alloc(sizeof(*schedule->lacks));
  return schedule;
}

void job_schedule_destroy(job_schedule_t *schedule) {
  if (schedule == NULL) {
    return;
  }
  for (int32_t i = 0; i < schedule->jobs.count; i++) {
    free(schedule->jobs.items[i]);
  }
  for (int32_t i = 0; i < schedule->principals.count; i++) {
    free(schedule->principals.items[i]->name);
    free(schedule->principals.items[i]);
  }
  pod_list_deinit(&schedule->jobs);
  pod_list_deinit(&schedule->principals);
  free(schedule->is_taken);
  free(schedule->is_closed);
  free(schedule->lacks->chips);
  free(schedule->lacks->links);
  free(schedule->lacks);
  free(schedule);
}

// --- Principals ---

static principal_t *find_principal(const job_schedule_t *schedule, const char *name) {
  for (int32_t i = 0; i < schedule->principals.count; i++) {
    if (strcmp(schedule->principals.items[i]->name, name) == 0) {
      return schedule->principals.items[i];
    }
  }
  return NULL;
}

// The clock of who has had least of those that have jobs; -1: nobody has.
static int64_t least_used(const job_schedule_t *schedule) {
  int64_t least = -1;
  for (int32_t i = 0; i < schedule->principals.count; i++) {
    const principal_t *at = schedule->principals.items[i];
    if (at->job_count > 0 && (least < 0 || at->used_us < least)) {
      least = at->used_us;
    }
  }
  return least;
}

// Those who have gone and are not ahead of anybody need not be remembered.
static void forget_principals(job_schedule_t *schedule) {
  const int64_t least = least_used(schedule);
  int32_t kept = 0;
  for (int32_t i = 0; i < schedule->principals.count; i++) {
    principal_t *at = schedule->principals.items[i];
    if (at->job_count == 0 && at->used_us <= least && !at->is_recalled) {
      free(at->name);
      free(at);
    } else {
      schedule->principals.items[kept++] = at;
    }
  }
  schedule->principals.count = kept;
}

static principal_t *come(job_schedule_t *schedule, const char *name) {
  const int64_t least = least_used(schedule);
  principal_t *found = find_principal(schedule, name);
  if (found == NULL) {
    found = pod_alloc(sizeof(*found));
    found->name = pod_strdup(name);
    *pod_list_add(&schedule->principals) = found;
  }
  if (found->job_count == 0 && found->used_us < least && !found->is_recalled) {
    found->used_us = least;
  }
  found->is_recalled = false;
  found->job_count++;
  return found;
}

void job_schedule_recall(job_schedule_t *schedule, const char *principal,
                         int64_t used_us) {
  principal_t *found = find_principal(schedule, principal);
  if (found == NULL) {
    found = pod_alloc(sizeof(*found));
    found->name = pod_strdup(principal);
    *pod_list_add(&schedule->principals) = found;
  }
  found->used_us = used_us;
  found->is_recalled = found->job_count == 0;
}

// What runs counts as it runs, not when it ends.
static void charge(job_schedule_t *schedule, int64_t now_us) {
  for (int32_t i = 0; i < schedule->jobs.count; i++) {
    planned_t *job = schedule->jobs.items[i];
    if (job->runs && now_us > job->since_us) {
      job->principal->used_us +=
          (now_us - job->since_us) * torus_slice_count(&job->slice);
      job->since_us = now_us;
    }
  }
}

int64_t job_schedule_used(const job_schedule_t *schedule, const char *principal) {
  const principal_t *found = find_principal(schedule, principal);
  return found == NULL ? 0 : found->used_us;
}

// --- Jobs ---

static int32_t index_of(const job_schedule_t *schedule, uint64_t id) {
  for (int32_t i = 0; i < schedule->jobs.count; i++) {
    if (schedule->jobs.items[i]->id == id) {
      return i;
    }
  }
  return -1;
}

void job_schedule_add(job_schedule_t *schedule, const job_plan_t *plan, int64_t now_us) {
  POD_CHECK(index_of(schedule, plan->id) < 0);
  charge(schedule, now_us);
  planned_t *job = pod_alloc(sizeof(*job));
  *job = (planned_t){.id = plan->id,
                     .principal = come(schedule, plan->principal),
                     .priority = plan->priority,
                     .wish = plan->wish};
  *pod_list_add(&schedule->jobs) = job;
}

static void give_back(job_schedule_t *schedule, planned_t *job) {
  if (job->runs) {
    slices_mark(&schedule->torus, &job->slice, false, schedule->is_taken);
    job->runs = false;
  }
}

void job_schedule_remove(job_schedule_t *schedule, uint64_t id, int64_t now_us) {
  const int32_t index = index_of(schedule, id);
  if (index < 0) {
    return;
  }
  charge(schedule, now_us);
  planned_t *job = schedule->jobs.items[index];
  give_back(schedule, job);
  job->principal->job_count--;
  free(job);
  schedule->jobs.items[index] = schedule->jobs.items[--schedule->jobs.count];
  forget_principals(schedule);
}

void job_schedule_again(job_schedule_t *schedule, uint64_t id, int64_t now_us) {
  const int32_t index = index_of(schedule, id);
  if (index >= 0) {
    charge(schedule, now_us);
    give_back(schedule, schedule->jobs.items[index]);
  }
}

bool job_schedule_slice(const job_schedule_t *schedule, uint64_t id,
                        torus_slice_t *out_slice) {
  const int32_t index = index_of(schedule, id);
  if (index < 0 || !schedule->jobs.items[index]->runs) {
    return false;
  }
  *out_slice = schedule->jobs.items[index]->slice;
  return true;
}

void job_schedule_mark(const job_schedule_t *schedule, bool *is_taken) {
  for (int32_t chip = 0; chip < schedule->chip_count; chip++) {
    is_taken[chip] |= schedule->is_taken[chip];
  }
}

// --- The order ---

static int compare(const planned_t *a, const planned_t *b) {
  if (a->priority != b->priority) {
    return a->priority > b->priority ? -1 : 1;
  }
  if (a->principal != b->principal && a->principal->used_us != b->principal->used_us) {
    return a->principal->used_us < b->principal->used_us ? -1 : 1;
  }
  return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_pointers(const void *a, const void *b) {
  return compare(*(planned_t *const *)a, *(planned_t *const *)b);
}

// Those that wait, in their order. Returns owned (free()).
static planned_t **sort_waiting(const job_schedule_t *schedule, int32_t *out_count) {
  planned_t **list = pod_alloc(((size_t)schedule->jobs.count + 1) * sizeof(planned_t *));
  int32_t count = 0;
  for (int32_t i = 0; i < schedule->jobs.count; i++) {
    if (!schedule->jobs.items[i]->runs) {
      list[count++] = schedule->jobs.items[i];
    }
  }
  qsort(list, (size_t)count, sizeof(planned_t *), compare_pointers);
  *out_count = count;
  return list;
}

static void close_missing(job_schedule_t *schedule, const slices_missing_t *missing) {
  const bool *chips = missing == NULL ? NULL : missing->chips;
  for (int32_t chip = 0; chip < schedule->chip_count; chip++) {
    schedule->is_closed[chip] =
        schedule->is_taken[chip] || (chips != NULL && chips[chip]);
  }
}

// The box that a job which was passed often enough waits for; nobody else gets it.
static void keep_free(job_schedule_t *schedule, const slices_missing_t *missing,
                      const planned_t *job) {
  torus_slice_t kept;
  if (job->passes >= JOB_SCHEDULE_PASSES &&
      slices_reserve(&schedule->torus, schedule->is_closed, missing, &job->wish, &kept)) {
    slices_mark(&schedule->torus, &kept, true, schedule->is_closed);
  }
}

// Sizes that have found no room need not be looked for again: what is free gets less.
typedef struct tried_t {
  int32_t count;
  slice_wish_t at[64];
} tried_t;

static bool was_tried(const tried_t *tried, const slice_wish_t *wish) {
  for (int32_t i = 0; i < tried->count; i++) {
    if (memcmp(&tried->at[i], wish, sizeof(*wish)) == 0) {
      return true;
    }
  }
  return false;
}

static void note_tried(tried_t *tried, const slice_wish_t *wish) {
  if (tried->count < (int32_t)POD_COUNT_OF(tried->at)) {
    tried->at[tried->count++] = *wish;
  }
}

static bool find_box(const job_schedule_t *schedule, const slices_missing_t *missing,
                     tried_t *tried, const planned_t *job, torus_slice_t *out_slice) {
  if (was_tried(tried, &job->wish)) {
    return false;
  }
  if (slices_find(&schedule->torus, schedule->is_closed, missing, &job->wish,
                  out_slice)) {
    return true;
  }
  note_tried(tried, &job->wish);
  return false;
}

bool job_schedule_next(job_schedule_t *schedule, const slices_missing_t *missing,
                       int64_t now_us, uint64_t *out_id, torus_slice_t *out_slice) {
  charge(schedule, now_us);
  close_missing(schedule, missing);
  int32_t count;
  planned_t **waiting = sort_waiting(schedule, &count);
  tried_t tried = {0};
  planned_t *found = NULL;
  for (int32_t i = 0; i < count && found == NULL; i++) {
    if (find_box(schedule, missing, &tried, waiting[i], out_slice)) {
      found = waiting[i];
      for (int32_t before = 0; before < i; before++) {
        waiting[before]->passes++;
      }
    } else {
      keep_free(schedule, missing, waiting[i]);
    }
  }
  free(waiting);
  if (found == NULL) {
    return false;
  }
  found->runs = true;
  found->passes = 0;
  found->slice = *out_slice;
  found->since_us = now_us;
  slices_mark(&schedule->torus, out_slice, true, schedule->is_taken);
  *out_id = found->id;
  return true;
}

// --- For people ---

int32_t job_schedule_position(const job_schedule_t *schedule, uint64_t id) {
  const int32_t index = index_of(schedule, id);
  if (index < 0 || schedule->jobs.items[index]->runs) {
    return -1;
  }
  int32_t before = 0;
  for (int32_t i = 0; i < schedule->jobs.count; i++) {
    const planned_t *at = schedule->jobs.items[i];
    before += !at->runs && i != index && compare(at, schedule->jobs.items[index]) < 0;
  }
  return before;
}

static void print_wish(const slice_wish_t *wish, pod_text_t *text) {
  if (wish->size[0] > 0) {
    pod_text_add(text, "a free slice of ");
    torus_slice_print_size(text, wish->size);
  } else if (wish->count == 1) {
    pod_text_add(text, "a free chip");
  } else {
    pod_text_printf(text, "a free slice of %" PRId32 " chips", wish->count);
  }
}

// NULL is as zeros.
static bool is_same(const void *kept, const void *now, size_t size) {
  const char *bytes = kept;
  if (now != NULL) {
    return memcmp(kept, now, size) == 0;
  }
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static void keep(void *kept, const void *now, size_t size) {
  if (now == NULL) {
    memset(kept, 0, size);
  } else {
    memcpy(kept, now, size);
  }
}

// Forgets what was found when other chips or links were missing.
static void look_at_missing(const job_schedule_t *schedule,
                            const slices_missing_t *missing) {
  lacks_t *lacks = schedule->lacks;
  const size_t chips = (size_t)schedule->chip_count;
  if (lacks->chips == NULL) {
    lacks->chips = pod_alloc(chips);
    lacks->links = pod_alloc(chips * sizeof(*lacks->links));
  }
  if (!is_same(lacks->chips, missing->chips, chips) ||
      !is_same(lacks->links, missing->links, chips * sizeof(*lacks->links))) {
    keep(lacks->chips, missing->chips, chips);
    keep(lacks->links, missing->links, chips * sizeof(*lacks->links));
    lacks->count = 0;
  }
}

static lack_t find_lack(const job_schedule_t *schedule, const slices_missing_t *missing,
                        const slice_wish_t *wish) {
  bool *none = pod_alloc((size_t)schedule->chip_count);
  const slices_missing_t chips = {.chips = missing->chips};
  torus_slice_t slice;
  const lack_t lack =
      !slices_find(&schedule->torus, none, &chips, wish, &slice)    ? LACKS_CHIPS
      : !slices_find(&schedule->torus, none, missing, wish, &slice) ? LACKS_LINKS
                                                                    : LACKS_NOTHING;
  free(none);
  return lack;
}

static lack_t lack_of(const job_schedule_t *schedule, const slices_missing_t *missing,
                      const slice_wish_t *wish) {
  lacks_t *lacks = schedule->lacks;
  look_at_missing(schedule, missing);
  for (int32_t i = 0; i < lacks->count; i++) {
    if (memcmp(&lacks->wishes[i], wish, sizeof(*wish)) == 0) {
      return lacks->lacks[i];
    }
  }
  const lack_t lack = find_lack(schedule, missing, wish);
  lacks->count = lacks->count < LACKS_KEPT ? lacks->count : 0;
  lacks->wishes[lacks->count] = *wish;
  lacks->lacks[lacks->count++] = lack;
  return lack;
}

// What of the pod it lacks even if nobody else had any; nothing when it lacks nothing.
static void print_missing(const job_schedule_t *schedule, const slices_missing_t *missing,
                          const slice_wish_t *wish, pod_text_t *text) {
  static const char *const words[] = {
      [LACKS_NOTHING] = "",
      [LACKS_CHIPS] = ", which the pod does not have while chips are missing",
      [LACKS_LINKS] = ", which the pod does not have while links are down"};
  pod_text_add(text, words[lack_of(schedule, missing, wish)]);
}

void job_schedule_print_wait(const job_schedule_t *schedule,
                             const slices_missing_t *missing, uint64_t id,
                             pod_text_t *text) {
  const int32_t position = job_schedule_position(schedule, id);
  if (position < 0) {
    return;
  }
  const planned_t *job = schedule->jobs.items[index_of(schedule, id)];
  pod_text_add(text, "for ");
  print_wish(&job->wish, text);
  const size_t length = text->length;
  if (missing != NULL) {
    print_missing(schedule, missing, &job->wish, text);
  }
  if (text->length == length && position > 0) {
    pod_text_printf(text, ", behind %" PRId32 " job%s", position,
                    position == 1 ? "" : "s");
  }
}

// --- What comes of an attempt ---

job_verdict_t job_verdict(pod_code_t code, int32_t failures, int32_t retries) {
  const bool is_the_pods = code == POD_UNAVAILABLE || code == POD_DATA_LOSS;
  return is_the_pods && failures <= retries ? JOB_VERDICT_AGAIN : JOB_VERDICT_END;
}
