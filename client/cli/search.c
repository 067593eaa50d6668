// podium search: the published schemes first, then small changes of the best of them for
// as long as one helps, in a fixed order.

#include "client/cli/search.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/report.h"
#include "client/cli/run_options.h"
#include "client/cli/terminal.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

// From so many of the best schemes the search goes on.
enum { STARTS = 3, BUDGET_DEFAULT = 400 };

// --- Small changes ---

// The axis shards what the spread says, whatever it sharded of that before; or, where it
// does so already, nothing of it.
static bool toggle_spread(const search_t *search, search_plan_t *plan, int axis,
                          const search_spread_t *spread) {
  bool is_there = true;
  for (int g = 0; g < search->group_count; g++) {
    is_there =
        is_there && (spread->dims[g] < 0 || plan->dims[g][axis] == spread->dims[g]);
  }
  for (int g = 0; g < search->group_count; g++) {
    if (spread->dims[g] < 0) {
      continue;
    }
    plan->dims[g][axis] = -1;
    if (!is_there && !search_may_shard(search, plan, g, axis, spread->dims[g])) {
      return false;
    }
    plan->dims[g][axis] = is_there ? -1 : spread->dims[g];
  }
  return true;
}

// A plan that is hardly better is not worth its oddity.
static bool is_worth(const search_trial_t *trial, const search_trial_t *at) {
  const int64_t *now = trial->measures.values, *before = at->measures.values;
  const bool is_timed = trial->outcome == SEARCH_TIMED && at->outcome == SEARCH_TIMED;
  return search_is_better(trial, at) &&
         (!is_timed || (double)now[CLI_STEP] < 0.999 * (double)before[CLI_STEP]);
}

// Goes to the plan if that is better than where the search stands.
static pod_status_t step_to(search_t *search, const search_plan_t *plan,
                            search_trial_t **at, bool *moved) {
  search_trial_t *trial;
  const char *origin = (*at)->label;
  const char *label = strstr(origin, ", changed") != NULL
                          ? origin
                          : pod_arena_printf(search->arena, "%s, changed", origin);
  const double bar_ps = SEARCH_NEAR * (double)(*at)->estimated_ps;
  POD_TRY(search_try(search, plan, label, bar_ps, &trial));
  if (trial != NULL && is_worth(trial, *at)) {
    *at = trial;
    *moved = true;
  }
  return NULL;
}

static pod_status_t change_spreads_over(search_t *search, int axis, search_trial_t **at,
                                        bool *moved) {
  for (int s = 0; s < search->spread_count && !search->is_spent; s++) {
    search_plan_t plan = *(*at)->plan;
    if (toggle_spread(search, &plan, axis, &search->spreads[s])) {
      POD_TRY(step_to(search, &plan, at, moved));
    }
  }
  return NULL;
}

static pod_status_t change_spreads(search_t *search, search_trial_t **at, bool *moved) {
  for (int axis = 0; axis < (*at)->plan->axis_count; axis++) {
    if ((*at)->plan->sizes[axis] > 1) {
      POD_TRY(change_spreads_over(search, axis, at, moved));
    }
  }
  return NULL;
}

static pod_status_t change_group(search_t *search, int group, int axis,
                                 search_trial_t **at, bool *moved) {
  const int rank = (*at)->plan->sizes[axis] > 1 ? search->groups[group].shape.rank : -1;
  for (int d = -1; d < rank && !search->is_spent; d++) {
    search_plan_t plan = *(*at)->plan;
    plan.dims[group][axis] = -1;
    if (d < 0 || search_may_shard(search, &plan, group, axis, d)) {
      plan.dims[group][axis] = (signed char)d;
      POD_TRY(step_to(search, &plan, at, moved));
    }
  }
  return NULL;
}

static pod_status_t change_groups(search_t *search, search_trial_t **at, bool *moved) {
  for (int g = 0; g < search->group_count; g++) {
    for (int axis = 0; axis < (*at)->plan->axis_count; axis++) {
      POD_TRY(change_group(search, g, axis, at, moved));
    }
  }
  return NULL;
}

static pod_status_t descend(search_t *search, search_trial_t *from) {
  bool moved = true;
  while (moved && !search->is_spent) {
    moved = false;
    POD_TRY(change_spreads(search, &from, &moved));
    POD_TRY(change_groups(search, &from, &moved));
  }
  return NULL;
}

// The best trials so far, best first. Returns how many.
static int find_starts(const search_t *search, search_trial_t *starts[STARTS]) {
  int count = 0;
  const char *key;
  void *value;
  for (size_t at = 0; pod_map_next(search->tried, &at, &key, &value);) {
    search_trial_t *trial = value;
    int place = count;
    while (place > 0 && search_is_better(trial, starts[place - 1])) {
      place--;
    }
    count += count < STARTS;
    for (int i = count - 1; i > place; i--) {
      starts[i] = starts[i - 1];
    }
    if (place < count) {
      starts[place] = trial;
    }
  }
  return count;
}

// --- The command ---

static pod_status_t prepare(search_t *search) {
  POD_TRY(search_begin(search));
  if (search->device_count < 2) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "there is nothing to search for on one chip: name more of them, "
                     "such as --topology 2x2, or a mesh");
  }
  search_find_groups(search);
  if (search->group_count == 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the program has no argument that could be sharded");
  }
  cli_progress_step(search->run->progress, "asking how shardings spread", 0);
  POD_TRY(search_choose_probe(search));
  return search_find_spreads(search);
}

static pod_status_t run_search(search_t *search) {
  POD_TRY(prepare(search));
  cli_progress_step(search->run->progress, "trying what is published", 0);
  POD_TRY(search_try_seeds(search));
  cli_progress_step(search->run->progress, "changing the best", 0);
  search_trial_t *starts[STARTS];
  const int count = find_starts(search, starts);
  for (int i = 0; i < count; i++) {
    POD_TRY(descend(search, starts[i]));
  }
  cli_progress_step(search->run->progress, NULL, 0);
  if (cli_report() != NULL) {
    search_report(search);
  }
  if (!search->run->quiet) {
    search_print(search);
  }
  return search->best != NULL && search->best->outcome == SEARCH_TIMED
             ? NULL
             : pod_error(POD_RESOURCE_EXHAUSTED,
                         "no sharding that was tried fits the HBM of a chip");
}

search_t *search_create(cli_run_t *run) {
  search_t *search = pod_alloc(sizeof(*search));
  search->run = run;
  search->arena = pod_arena_create();
  search->tried = pod_map_create();
  search->budget = run->search_compiles > 0 ? (int)run->search_compiles : BUDGET_DEFAULT;
  return search;
}

void search_destroy(search_t *search) {
  pod_map_destroy(search->tried);
  pod_arena_destroy(search->arena);
  free(search);
}

pod_status_t cli_search_program(cli_run_t *run) {
  search_t *search = search_create(run);
  if (run->search_seconds_ms > 0) {
    search->deadline_ns = pod_clock_now_ns() + run->search_seconds_ms * 1000000;
    search->budget = run->search_compiles > 0 ? search->budget : 1 << 30;
  }
  const pod_status_t status = run_search(search);
  search_destroy(search);
  return status;
}
