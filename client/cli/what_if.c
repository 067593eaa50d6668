// podium explain --what-if: what one other sharding would save. Every single change of an
// argument, or of a result that takes no argument's place, is compiled and timed: an axis
// added to a dimension, moved to another one, or taken away. So are those of constraints
// within, which may also go, and of the largest values that have none (what_if.h).

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/report.h"
#include "client/cli/search.h"
#include "client/cli/terminal.h"
#include "client/cli/what_if.h"

enum { CHANGES_MAX = 1024, TRIALS_MAX = 240, INNER_TRIALS_MAX = 120, SHOWN_MAX = 6 };

// A change that saves less is not told.
static const double saving_min = 0.01;

typedef struct change_t {
  const char *text;  // "shard x over y in dimension 1: P(None, "y")"
  const char *name, *spec;
  cli_measures_t measures;
} change_t;

typedef struct tries_t {
  search_t *search;
  const cli_given_t *users;
  change_t *list;
  int count, tried, most;
} tries_t;

// What is changed: the members of a group with the results that take their place, one
// result, or values within.
typedef struct subject_t {
  int group, result;  // -1, but of what it is.
  const what_if_value_t *value;
  const char *name;
  int like_it;
  podium_shape_t shape;
  signed char dims[SEARCH_AXES_MAX];
} subject_t;

// --- One trial ---

static const char *spec_of(search_t *search, const subject_t *subject) {
  // The same as of a group of that shape.
  const search_group_t kept = search->groups[0];
  search_plan_t plan = {.axis_count = search->axis_count};
  memcpy(plan.dims[0], subject->dims, sizeof(subject->dims));
  search->groups[0].shape = subject->shape;
  const char *spec = search_spec(search, &plan, 0);
  search->groups[0] = kept;
  return spec;
}

static void add(search_t *search, cli_given_t *given, bool is_result, int index,
                const char *spec) {
  const podium_given_sharding_t one = {
      pod_arena_numbered(search->arena, "", "", (uint64_t)index), spec};
  if (is_result) {
    given->out.items[given->out.count++] = one;
  } else {
    given->in.items[given->in.count++] = one;
  }
}

static cli_given_t given_with(const tries_t *tries, const subject_t *subject,
                              const char *spec) {
  search_t *search = tries->search;
  const cli_given_t *users = tries->users;
  cli_given_t given = *users;
  given.in.count = given.out.count = 0;
  given.in.items = pod_arena_array(
      search->arena, (size_t)users->in.count + (size_t)search->argument_count,
      sizeof(given.in.items[0]));
  given.out.items = pod_arena_array(
      search->arena, (size_t)users->out.count + (size_t)search->result_count,
      sizeof(given.out.items[0]));
  for (int i = 0; i < users->in.count; i++) {
    given.in.items[given.in.count++] = users->in.items[i];
  }
  for (int i = 0; i < users->out.count; i++) {
    given.out.items[given.out.count++] = users->out.items[i];
  }
  for (int i = 0; i < search->argument_count; i++) {
    if (subject->group >= 0 && search->group_of[i] == subject->group) {
      add(search, &given, false, i, spec);
    }
  }
  for (int r = 0; r < search->result_count; r++) {
    const int argument = search->argument_of[r];
    if (r == subject->result || (subject->group >= 0 && argument >= 0 &&
                                 search->group_of[argument] == subject->group)) {
      add(search, &given, true, r, spec);
    }
  }
  if (subject->value != NULL) {
    podium_given_sharding_t *inner =
        pod_arena_array(search->arena, (size_t)subject->value->count, sizeof(inner[0]));
    for (int i = 0; i < subject->value->count; i++) {
      inner[i].name =
          pod_arena_numbered(search->arena, "", "", (uint64_t)subject->value->numbers[i]);
      inner[i].spec = spec;
    }
    given.inner_count = subject->value->count;
    given.inner = inner;
  }
  return given;
}

static pod_status_t try_change(tries_t *tries, const subject_t *subject, const char *spec,
                               const char *what) {
  search_t *search = tries->search;
  if (tries->tried >= tries->most || tries->count == CHANGES_MAX) {
    return NULL;
  }
  tries->tried++;
  search_trial_t trial = {0};
  const cli_given_t given = given_with(tries, subject, spec);
  const double bar_ps = search->own->outcome == SEARCH_TIMED
                            ? SEARCH_NEAR * (double)search->own->estimated_ps
                            : 0;
  POD_TRY(search_measure_given(search, &given, bar_ps, &trial));
  const int64_t before = search->own->measures.values[CLI_STEP];
  const int64_t after = trial.measures.values[CLI_STEP];
  const bool is_good = search_is_better(&trial, search->own) &&
                       trial.outcome == SEARCH_TIMED && !trial.is_estimate &&
                       (search->own->outcome != SEARCH_TIMED ||
                        (double)after <= (1 - saving_min) * (double)before);
  if (is_good) {
    tries->list[tries->count++] = (change_t){
        .text = pod_arena_printf(
            search->arena, "%s%s: %s", what,
            subject->like_it == 0
                ? ""
                : pod_arena_printf(search->arena, " (and %d like it)", subject->like_it),
            spec),
        .name = subject->name,
        .spec = spec,
        .measures = trial.measures};
  }
  return NULL;
}

// --- All of them ---

static const char *describe(const search_t *search, const subject_t *subject, int axis,
                            int to) {
  const signed char from = subject->dims[axis];
  const char *name = search->axes[axis];
  if (to < 0) {
    return pod_arena_printf(search->arena, "do not shard %s over %s", subject->name,
                            name);
  }
  return from < 0 ? pod_arena_printf(search->arena, "shard %s over %s in dimension %d",
                                     subject->name, name, to)
                  : pod_arena_printf(search->arena,
                                     "shard %s over %s in dimension %d instead of %d",
                                     subject->name, name, to, from);
}

static bool may_lie(const search_t *search, const subject_t *subject, int dim) {
  int64_t parts = 1;
  for (int a = 0; a < search->axis_count; a++) {
    parts *= subject->dims[a] == dim ? search->own_sizes[a] : 1;
  }
  return dim < 0 || search_is_even_enough(subject->shape.dims[dim], parts);
}

// The axis along every other dimension, and along none.
static pod_status_t try_axis(tries_t *tries, const subject_t *subject, int axis) {
  const search_t *search = tries->search;
  const bool may_go = subject->value == NULL || subject->value->is_constraint;
  for (int dim = may_go ? -1 : 0; dim < subject->shape.rank; dim++) {
    subject_t changed = *subject;
    changed.dims[axis] = (signed char)dim;
    if (dim != subject->dims[axis] && may_lie(search, &changed, dim)) {
      POD_TRY(try_change(tries, &changed, spec_of(tries->search, &changed),
                         describe(search, subject, axis, dim)));
    }
  }
  return NULL;
}

static pod_status_t try_subject(tries_t *tries, const subject_t *subject) {
  const search_t *search = tries->search;
  for (int axis = 0; axis < search->axis_count; axis++) {
    if (search->own_sizes[axis] > 1) {
      POD_TRY(try_axis(tries, subject, axis));
    }
  }
  return NULL;
}

// The dimension of every axis; false: it lies over parts of axes, or otherwise.
static bool read_dims(const search_t *search, const char *sharding, subject_t *subject) {
  for (int a = 0; a < SEARCH_AXES_MAX; a++) {
    subject->dims[a] = a < search->axis_count ? search_dim_with(sharding, search->axes[a])
                                              : (signed char)-1;
  }
  return strchr(sharding, ':') == NULL && strstr(sharding, "unreduced") == NULL;
}

// Kept, since the first trial frees what is compiled.
static const char **keep_shardings(search_t *search, const podium_signature_t *list,
                                   int count) {
  const char **texts =
      pod_arena_array(search->arena, (size_t)count + 1, sizeof(texts[0]));
  for (int i = 0; i < count; i++) {
    texts[i] = pod_arena_strdup(search->arena, list[i].sharding);
  }
  return texts;
}

// P(?, ?): as if there were no constraint.
static const char *open_spec(const search_t *search, int rank) {
  pod_text_t text = {0};
  for (int d = 0; d < rank; d++) {
    pod_text_add(&text, d == 0 ? "P(?" : ", ?");
  }
  pod_text_add(&text, ")");
  const char *copy = pod_arena_strdup(search->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

static pod_status_t try_values(tries_t *tries, int count, const what_if_value_t *values) {
  const search_t *search = tries->search;
  tries->most = tries->tried + INNER_TRIALS_MAX;
  for (int i = 0; i < count; i++) {
    subject_t subject = {.group = -1,
                         .result = -1,
                         .value = &values[i],
                         .name = values[i].name,
                         .like_it = values[i].count - 1,
                         .shape = values[i].shape};
    memcpy(subject.dims, values[i].dims, sizeof(subject.dims));
    if (values[i].is_constraint) {
      POD_TRY(
          try_change(tries, &subject, open_spec(search, values[i].shape.rank),
                     values[i].source[0] == '\0'
                         ? "without the constraint"
                         : pod_arena_printf(search->arena, "without the constraint at %s",
                                            values[i].source)));
    }
    POD_TRY(try_subject(tries, &subject));
  }
  return NULL;
}

static pod_status_t try_all(tries_t *tries) {
  search_t *search = tries->search;
  const podium_program_info_t *info = podium_executable_info(search->run->executable);
  const char **arguments = keep_shardings(search, info->arguments, info->argument_count);
  const char **results = keep_shardings(search, info->results, info->result_count);
  what_if_value_t *values;
  const int value_count = what_if_values(search, info, &values);
  for (int g = 0; g < search->group_count; g++) {
    const search_group_t *group = &search->groups[g];
    subject_t subject = {.group = g,
                         .result = -1,
                         .name = group->name,
                         .like_it = group->count - 1,
                         .shape = group->shape};
    if (read_dims(search, arguments[group->members[0]], &subject)) {
      POD_TRY(try_subject(tries, &subject));
    }
  }
  for (int r = 0; r < search->result_count; r++) {
    subject_t subject = {
        .group = -1,
        .result = r,
        .name = pod_arena_numbered(search->arena, "result", "", (uint64_t)r),
        .shape = search->result_shapes[r]};
    if (search->argument_of[r] < 0 && subject.shape.rank > 0 &&
        read_dims(search, results[r], &subject)) {
      POD_TRY(try_subject(tries, &subject));
    }
  }
  return try_values(tries, value_count, values);
}

// --- What it tells ---

static int by_step(const void *left, const void *right) {
  const change_t *a = left, *b = right;
  const int64_t first = a->measures.values[CLI_STEP],
                second = b->measures.values[CLI_STEP];
  return first != second ? (first < second ? -1 : 1) : strcmp(a->text, b->text);
}

// "-31 % step, -2 all_gather, HBM peak +12 %"
static const char *difference(const search_t *search, const change_t *change) {
  const int64_t *before = search->own->measures.values, *after = change->measures.values;
  pod_text_t text = {0};
  pod_text_printf(&text, "%+.0f %% step time",
                  100 * ((double)after[CLI_STEP] / (double)before[CLI_STEP] - 1));
  for (int m = CLI_ALL_GATHER; m < CLI_COLLECTIVES; m++) {
    if (after[m] != before[m]) {
      pod_text_printf(&text, ", %+" PRId64 " %s", after[m] - before[m],
                      cli_measure_name((cli_measure_t)m));
    }
  }
  const double hbm = (double)after[CLI_PEAK_HBM] / (double)(before[CLI_PEAK_HBM] + 1) - 1;
  if (hbm > saving_min || hbm < -saving_min) {
    pod_text_printf(&text, ", %+.0f %% HBM", 100 * hbm);
  }
  const char *copy = pod_arena_strdup(search->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

static void print(const tries_t *tries) {
  if (tries->count == 0) {
    cli_print(
        "what if: of %d other shardings of one argument, result or value within none "
        "would save "
        "%.0f %% of the step\n",
        tries->tried, 100 * saving_min);
    return;
  }
  cli_print(
      "what if: of %d other shardings of one argument, result or value within %d would "
      "save more than %.0f %% of the step\n",
      tries->tried, tries->count, 100 * saving_min);
  for (int i = 0; i < tries->count && i < SHOWN_MAX; i++) {
    cli_print_whole("  %s\n    %s\n", tries->list[i].text,
                    difference(tries->search, &tries->list[i]));
  }
}

static void report(const tries_t *tries) {
  cJSON *list = cJSON_AddArrayToObject(cli_report(), "what_if");
  for (int i = 0; i < tries->count; i++) {
    const change_t *change = &tries->list[i];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "change", change->text);
    cJSON_AddStringToObject(object, "name", change->name);
    cJSON_AddStringToObject(object, "sharding", change->spec);
    cJSON_AddItemToObject(object, "measures", cli_measures_json(&change->measures));
    cJSON_AddItemToArray(list, object);
  }
}

static pod_status_t run_all(tries_t *tries) {
  search_t *search = tries->search;
  POD_TRY(search_begin_again(search));
  if (search->axis_count > 0 && search->device_count > 1) {
    // An argument that is given may be changed like any other.
    search->run->given.in.count = 0;
    search_find_groups(search);
    search->run->given = *tries->users;
    cli_progress_step(search->run->progress, "trying other shardings", 0);
    POD_TRY(try_all(tries));
    cli_progress_step(search->run->progress, NULL, 0);
  }
  if (tries->count > 0) {
    qsort(tries->list, (size_t)tries->count, sizeof(tries->list[0]), by_step);
  }
  if (cli_report() != NULL) {
    report(tries);
  }
  if (!search->run->quiet) {
    print(tries);
  }
  return NULL;
}

pod_status_t cli_what_if(cli_run_t *run) {
  search_t *search = search_create(run);
  const cli_given_t users = run->given;
  tries_t tries = {
      .search = search,
      .most = TRIALS_MAX,
      .users = &users,
      .list = pod_arena_array(search->arena, CHANGES_MAX, sizeof(tries.list[0]))};
  const pod_status_t status = run_all(&tries);
  search_destroy(search);
  return status;
}
