// What a search has found, and what it tried on the way.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/report.h"
#include "client/cli/search.h"
#include "client/cli/terminal.h"

enum { SHOWN_MAX = 12 };

typedef struct tally_t {
  int count;
  const search_trial_t **list;  // Best first; of what is alike in all figures the first.
  int timed, too_large, refused;
  int bound;  // Of the too large: by their arguments alone.
} tally_t;

static int by_quality(const void *left, const void *right) {
  const search_trial_t *const *a = left, *const *b = right;
  return search_is_better(*a, *b) ? -1 : search_is_better(*b, *a);
}

static tally_t tally_of(const search_t *search) {
  tally_t tally = {0};
  tally.list =
      pod_arena_array(search->arena, pod_map_count(search->tried), sizeof(tally.list[0]));
  const char *key;
  void *value;
  for (size_t at = 0; pod_map_next(search->tried, &at, &key, &value);) {
    const search_trial_t *trial = value;
    tally.list[tally.count++] = trial;
    tally.timed += trial->outcome == SEARCH_TIMED;
    tally.too_large += trial->outcome == SEARCH_TOO_LARGE;
    tally.bound += trial->is_bound;
    tally.refused += trial->outcome == SEARCH_REFUSED;
  }
  // In the order of trying where they are equal: a stable sort by insertion.
  for (int i = 1; i < tally.count; i++) {
    const search_trial_t *trial = tally.list[i];
    int place = i;
    while (place > 0 && by_quality(&trial, &tally.list[place - 1]) < 0) {
      tally.list[place] = tally.list[place - 1];
      place--;
    }
    tally.list[place] = trial;
  }
  return tally;
}

static const char *change(pod_arena_t *arena, int64_t before, int64_t after) {
  return before <= 0 ? ""
                     : pod_arena_printf(arena, "%+.0f %%",
                                        100 * ((double)after / (double)before - 1));
}

// --- The best ---

static void widen(int *width, const char *text) {
  const int length = (int)strlen(text);
  *width = length > *width ? length : *width;
}

static void print_shapes(search_t *search, const search_plan_t *plan) {
  int name_width = 8, shape_width = 8, spec_width = 8;
  for (int g = 0; g < search->group_count; g++) {
    widen(&name_width, search->groups[g].name);
    widen(&shape_width, cli_shape(search->arena, &search->groups[g].shape));
    widen(&spec_width, search_spec(search, plan, g));
  }
  for (int g = 0; g < search->group_count; g++) {
    const search_group_t *group = &search->groups[g];
    cli_print(
        "  %-*s  %-*s  %-*s%s\n", name_width, group->name, shape_width,
        cli_shape(search->arena, &group->shape), spec_width, search_spec(search, plan, g),
        group->count == 1
            ? ""
            : pod_arena_printf(search->arena, "  and %d like it", group->count - 1));
  }
  if (search->small_count > 0) {
    cli_print("  %d small arguments are left to propagation\n", search->small_count);
  }
}

static void print_command(search_t *search, const search_plan_t *plan) {
  cli_print_whole("by hand: podium explain %s --mesh %s", search->run->program,
                  search_mesh(search, plan));
  for (int i = 0; i < search->argument_count; i++) {
    if (search->group_of[i] >= 0) {
      cli_print_whole(" --in-sharding '%d=%s'", i,
                      search_spec(search, plan, search->group_of[i]));
    }
  }
  for (int i = 0; i < search->result_count; i++) {
    const int argument = search->argument_of[i];
    if (argument >= 0 && search->group_of[argument] >= 0) {
      cli_print_whole(" --out-sharding '%d=%s'", i,
                      search_spec(search, plan, search->group_of[argument]));
    }
  }
  const cli_given_t *given = &search->run->given;
  if (given->propagation != NULL) {
    cli_print_whole(" --propagation %s", given->propagation);
  }
  if (given->donate != NULL) {
    cli_print_whole(" --donate '%s'", given->donate);
  }
  cli_print_whole("\n");
}

static int mesh_width(search_t *search) {
  return search->best == NULL ? 8
                              : (int)strlen(search_mesh(search, search->best->plan)) + 4;
}

static void print_row(search_t *search, const search_trial_t *trial) {
  pod_arena_t *arena = search->arena;
  const int64_t *values = trial->measures.values;
  const bool is_refused = trial->outcome == SEARCH_REFUSED;
  const bool is_timed = !is_refused && !trial->is_bound;
  cli_print("  %10s %6s %10s %11s  %-*s %s%s\n",
            is_refused ? "refused"
            : is_timed ? pod_arena_printf(arena, "%s%s", trial->is_estimate ? "~" : "",
                                          cli_time(arena, values[CLI_STEP]))
                       : "",
            is_timed
                ? change(arena, search->own->measures.values[CLI_STEP], values[CLI_STEP])
                : "",
            is_refused ? "" : cli_size(arena, values[CLI_PEAK_HBM]),
            is_timed ? pod_arena_printf(arena, "%" PRId64, values[CLI_COLLECTIVES]) : "",
            mesh_width(search),
            trial->plan == NULL ? "" : search_mesh(search, trial->plan), trial->label,
            trial->is_bound                      ? ", arguments alone do not fit"
            : trial->outcome == SEARCH_TOO_LARGE ? ", does not fit"
                                                 : "");
}

// Whether a better one of the same kind and mesh stands before it.
static bool is_shown(const tally_t *tally, int at) {
  const search_trial_t *trial = tally->list[at];
  for (int i = 0; i < at; i++) {
    const search_trial_t *other = tally->list[i];
    if (strcmp(other->label, trial->label) == 0 &&
        other->plan->axis_count == trial->plan->axis_count &&
        memcmp(other->plan->sizes, trial->plan->sizes, sizeof(trial->plan->sizes)) == 0) {
      return false;
    }
  }
  return true;
}

void search_print(search_t *search) {
  pod_arena_t *arena = search->arena;
  const tally_t tally = tally_of(search);
  const char *alone =
      tally.bound == 0
          ? ""
          : pod_arena_printf(arena, " (%d by their arguments alone)", tally.bound);
  cli_print(
      "tried %d shardings of %d groups of arguments in %d compilations%s: %d fit, "
      "%d do not%s, %d were refused\n",
      tally.count, search->group_count, search->compile_count,
      search->is_spent ? ", when the budget was spent" : "", tally.timed, tally.too_large,
      alone, tally.refused);
  cli_print("  %10s %6s %10s %11s  %-14s\n", "step", "", "HBM peak", "collectives",
            "mesh");
  print_row(search, search->own);
  int shown = 0, at = 0;
  for (; at < tally.count && shown < SHOWN_MAX; at++) {
    if (is_shown(&tally, at)) {
      print_row(search, tally.list[at]);
      shown++;
    }
  }
  if (tally.count > shown) {
    cli_print("  and %d others, which are dearer than one of these\n",
              tally.count - shown);
  }
  const search_trial_t *best = search->best;
  if (best == NULL || best->outcome != SEARCH_TIMED) {
    return;
  }
  const int64_t *values = best->measures.values;
  cli_print("best on %" PRId64 " %s chip%s: mesh %s, step %s, HBM peak %s of %s\n",
            search->device_count, search->chip, search->device_count == 1 ? "" : "s",
            search_mesh(search, best->plan), cli_time(arena, values[CLI_STEP]),
            cli_size(arena, values[CLI_PEAK_HBM]), cli_size(arena, search->hbm_bytes));
  print_shapes(search, best->plan);
  print_command(search, best->plan);
}

// --- JSON ---

static cJSON *trial_report(search_t *search, const search_trial_t *trial) {
  static const char *const outcomes[] = {"fits", "too large", "refused"};
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "label", trial->label);
  cJSON_AddStringToObject(object, "outcome", outcomes[trial->outcome]);
  cJSON_AddStringToObject(object, "why", trial->why == NULL ? "" : trial->why);
  if (trial->plan != NULL) {
    cJSON_AddStringToObject(object, "mesh", search_mesh(search, trial->plan));
    cJSON *list = cJSON_AddArrayToObject(object, "shardings");
    for (int g = 0; g < search->group_count; g++) {
      cJSON_AddItemToArray(list, cJSON_CreateString(search_spec(search, trial->plan, g)));
    }
  }
  if (trial->is_bound) {
    cJSON *measures = cJSON_AddObjectToObject(object, "measures");
    cJSON_AddNumberToObject(measures, "peak_hbm",
                            (double)trial->measures.values[CLI_PEAK_HBM]);
  } else if (trial->outcome != SEARCH_REFUSED) {
    cJSON_AddBoolToObject(object, "estimated", trial->is_estimate);
    cJSON_AddItemToObject(object, "measures", cli_measures_json(&trial->measures));
  }
  return object;
}

void search_report(search_t *search) {
  const tally_t tally = tally_of(search);
  cJSON *groups = cJSON_AddArrayToObject(cli_report(), "groups");
  for (int g = 0; g < search->group_count; g++) {
    cJSON *group = cJSON_CreateObject();
    cJSON_AddStringToObject(group, "name", search->groups[g].name);
    cJSON_AddStringToObject(group, "shape",
                            cli_shape(search->arena, &search->groups[g].shape));
    cJSON *members = cJSON_AddArrayToObject(group, "arguments");
    for (int m = 0; m < search->groups[g].count; m++) {
      cJSON_AddItemToArray(members, cJSON_CreateNumber(search->groups[g].members[m]));
    }
    cJSON_AddItemToArray(groups, group);
  }
  cJSON_AddNumberToObject(cli_report(), "compilations", search->compile_count);
  cJSON_AddBoolToObject(cli_report(), "spent", search->is_spent);
  cJSON_AddItemToObject(cli_report(), "own", trial_report(search, search->own));
  cJSON *trials = cJSON_AddArrayToObject(cli_report(), "trials");
  for (int i = 0; i < tally.count; i++) {
    cJSON_AddItemToArray(trials, trial_report(search, tally.list[i]));
  }
}
