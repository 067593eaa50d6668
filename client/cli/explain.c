// From the program's collectives and what each costs to those that are alike; and whether
// that is as expected.

#include "client/cli/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/report.h"
#include "client/cli/report_page.h"
#include "client/cli/terminal.h"
#include "client/profile/collectives.h"
#include "client/profile/sums.h"

// --- Groups ---

static int compare_numbers(int64_t left, int64_t right) {
  return left < right ? -1 : left > right;
}

static int compare_shapes(const podium_shape_t *left, const podium_shape_t *right) {
  int order = compare_numbers(left->dtype, right->dtype);
  order = order != 0 ? order : compare_numbers(left->rank, right->rank);
  for (int d = 0; d < left->rank && order == 0; d++) {
    order = compare_numbers(left->dims[d], right->dims[d]);
  }
  return order;
}

// 0 when they are explained by the same words.
static int compare_collectives(const podium_collective_t *left,
                               const podium_collective_t *right) {
  int order = strcmp(left->op, right->op);
  order = order != 0 ? order : strcmp(left->axes, right->axes);
  order = order != 0 ? order : strcmp(left->mesh, right->mesh);
  order = order != 0 ? order : strcmp(left->source, right->source);
  order = order != 0 ? order : strcmp(left->because, right->because);
  order = order != 0 ? order : compare_shapes(&left->operand, &right->operand);
  order = order != 0 ? order : compare_shapes(&left->result, &right->result);
  const int64_t pairs[][2] = {
      {left->group_size, right->group_size}, {left->ici_bytes, right->ici_bytes},
      {left->dcn_bytes, right->dcn_bytes},   {left->link_bytes, right->link_bytes},
      {left->alone_ps, right->alone_ps},     {left->in_loop, right->in_loop},
      {left->inserted, right->inserted},     {left->asynchronous, right->asynchronous}};
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && order == 0; i++) {
    order = compare_numbers(pairs[i][0], pairs[i][1]);
  }
  return order;
}

static int by_likeness(const void *left, const void *right) {
  const cli_explained_t *a = left, *b = right;
  const int order = compare_collectives(a->it, b->it);
  return order != 0 ? order : compare_numbers(a->order, b->order);
}

static int by_cost(const void *left, const void *right) {
  const cli_explained_t *a = left, *b = right;
  int order = compare_numbers(b->exposed_ps, a->exposed_ps);
  order = order != 0 ? order : compare_numbers(b->flight_ps, a->flight_ps);
  return order != 0 ? order : compare_numbers(a->order, b->order);
}

static int group(cli_explained_t *rows, int count) {
  if (count == 0) {
    return 0;
  }
  qsort(rows, (size_t)count, sizeof(*rows), by_likeness);
  int last = 0;
  for (int i = 1; i < count; i++) {
    cli_explained_t *into = &rows[last];
    if (compare_collectives(into->it, rows[i].it) != 0) {
      rows[++last] = rows[i];
      continue;
    }
    into->count++;
    into->run_count += rows[i].run_count;
    into->flight_ps += rows[i].flight_ps;
    into->exposed_ps += rows[i].exposed_ps;
    if (into->behind == NULL) {
      into->behind = rows[i].behind;
      into->behind_more = rows[i].behind_more;
    }
  }
  qsort(rows, (size_t)last + 1, sizeof(*rows), by_cost);
  return last + 1;
}

// --- Measures ---

static void count_collectives(const podium_program_info_t *info, int64_t *values) {
  for (int m = CLI_ALL_GATHER; m < CLI_COLLECTIVES; m++) {
    for (int i = 0; i < info->collective_count; i++) {
      values[m] +=
          strcmp(info->collectives[i].op, cli_measure_name((cli_measure_t)m)) == 0;
    }
  }
  values[CLI_COLLECTIVES] = info->collective_count;
}

static void measure_times(const podium_profile_t *profile,
                          const cli_explanation_t *explanation, int64_t *values) {
  for (int c = 0; c < profile->class_count; c++) {
    const podium_chip_class_t *class = &profile->classes[c];
    int64_t sent = 0;
    for (int i = 0; i < class->total_count; i++) {
      sent += class->totals[i].ici_bytes;
    }
    values[CLI_ICI_BYTES] = sent > values[CLI_ICI_BYTES] ? sent : values[CLI_ICI_BYTES];
    for (int direction = 0; direction < PODIUM_LINK_DIE; direction++) {
      const int64_t bytes = class->links[direction].bytes;
      values[CLI_LINK_BYTES] =
          bytes > values[CLI_LINK_BYTES] ? bytes : values[CLI_LINK_BYTES];
    }
  }
  values[CLI_STEP] = profile->step_ps;
  for (int i = 0; i < explanation->count; i++) {
    values[CLI_IN_FLIGHT] += explanation->list[i].flight_ps;
  }
  int64_t waits[PROFILE_WAIT_COUNT];
  profile_waits_of(profile, profile_sums_of(profile).slowest, waits);
  values[CLI_EXPOSED] = waits[PROFILE_WAIT_ICI];
}

cli_explanation_t cli_explain_make(pod_arena_t *arena, const podium_program_info_t *info,
                                   const podium_profile_t *profile, const char *unknown) {
  cli_explanation_t explanation = {.info = info, .profile = profile};
  const size_t count = (size_t)info->collective_count;
  explanation.list = pod_arena_array(arena, count + 1, sizeof(*explanation.list));
  const profile_collective_t *costs = profile_collectives_of(arena, info, profile);
  for (int i = 0; i < info->collective_count; i++) {
    explanation.list[i] = (cli_explained_t){.it = &info->collectives[i],
                                            .order = i,
                                            .count = 1,
                                            .run_count = costs[i].run_count,
                                            .flight_ps = costs[i].flight_ps,
                                            .exposed_ps = costs[i].exposed_ps,
                                            .behind = costs[i].behind,
                                            .behind_more = costs[i].behind_more};
  }
  const bool is_timed = profile != NULL && profile->class_count > 0;
  explanation.count = group(explanation.list, info->collective_count);
  int64_t *values = explanation.measures.values;
  count_collectives(info, values);
  values[CLI_PEAK_HBM] = info->hbm_peak_bytes;
  if (is_timed) {
    measure_times(profile, &explanation, values);
    return explanation;
  }
  explanation.measures.unknown = unknown;
  for (int m = CLI_ICI_BYTES; m < CLI_MEASURE_COUNT; m++) {
    values[m] = -1;
  }
  return explanation;
}

// --- The command ---

static void report_expectation(cJSON *list, const cli_expectation_t *expectation, bool ok,
                               const char *difference) {
  if (list != NULL) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "expected", expectation->text);
    cJSON_AddBoolToObject(object, "ok", ok);
    cJSON_AddStringToObject(object, "difference", difference);
    cJSON_AddItemToArray(list, object);
  }
}

// What does not hold goes to standard error, where CI shows it whatever else is printed.
static bool check_expectations(pod_arena_t *arena, const cli_run_t *run,
                               const cli_measures_t *measures) {
  const cli_expectations_t *all = run->expectations;
  cJSON *list =
      cli_report() == NULL ? NULL : cJSON_AddArrayToObject(cli_report(), "expectations");
  bool is_met = true;
  for (int i = 0; all != NULL && i < all->count; i++) {
    const cli_expectation_t *one = &all->list[i];
    const bool ok = cli_expect_holds(one, measures);
    const char *difference = cli_expect_difference(arena, one, measures);
    report_expectation(list, one, ok, difference);
    is_met = is_met && ok;
    if (!ok) {
      fflush(stdout);
      fprintf(stderr, "podium: expected %s: %s %s\n", one->text,
              cli_measure_name(one->measure), difference);
    } else if (!run->quiet) {
      cli_print("expected %s: %s\n", one->text, difference);
    }
  }
  return is_met;
}

static void report(pod_arena_t *arena, const cli_run_t *run,
                   const cli_explanation_t *explanation) {
  cli_report_program(explanation->info);
  cli_explain_report(arena, explanation);
  if (run->wants_values) {
    cli_values_report(arena, explanation->info);
  }
  if (run->after != NULL) {
    cJSON_AddStringToObject(cli_report(), "after_text", explanation->info->after_text);
  }
}

static void print(pod_arena_t *arena, const cli_run_t *run,
                  const cli_explanation_t *explanation) {
  if (run->after != NULL) {
    cli_print_whole("%s", explanation->info->after_text);
  }
  if (run->wants_values) {
    cli_values_print(arena, explanation->info);
  }
  if (run->after == NULL && !run->wants_values) {
    cli_explain_print(arena, explanation);
  }
}

pod_status_t cli_explain_program(cli_run_t *run, bool *out_is_met) {
  POD_TRY(cli_run_prepare(run));
  cli_progress_step(run->progress, "simulating", 0);
  podium_profile_t *profile;
  char *unknown;
  POD_TRY(cli_run_predict(run, &profile, &unknown));
  cli_progress_step(run->progress, NULL, 0);
  pod_arena_t *arena = pod_arena_create();
  const cli_explanation_t explanation =
      cli_explain_make(arena, podium_executable_info(run->executable), profile, unknown);
  if (cli_report() != NULL) {
    report(arena, run, &explanation);
  }
  if (!run->quiet) {
    print(arena, run, &explanation);
  }
  *out_is_met = check_expectations(arena, run, &explanation.measures);
  const pod_status_t status =
      run->report == NULL
          ? NULL
          : cli_write_report(run->report, &(profile_report_t){.made_by = "explain",
                                                              .file = run->program,
                                                              .info = explanation.info,
                                                              .profile = profile,
                                                              .no_times = unknown});
  pod_arena_destroy(arena);
  free(unknown);
  podium_profile_free(profile);
  return status == NULL && run->wants_what_if ? cli_what_if(run) : status;
}
