// Two programs on one pod, by the same measures.

#include <stdlib.h>
#include <string.h>

#include "client/cli/explain.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"

pod_status_t cli_diff_name(const cli_run_t *run, pod_status_t status) {
  const char *message = status == NULL ? "" : pod_status_message(status);
  const size_t length = strlen(run->program);
  const bool is_named =
      strncmp(message, run->program, length) == 0 && message[length] == ':';
  return is_named ? status : pod_status_context(status, "%s", run->program);
}

// Measures what is compiled.
static pod_status_t measure(cli_run_t *run, pod_arena_t *arena, cli_measures_t *out) {
  podium_profile_t *profile;
  char *unknown;
  cli_progress_step(run->progress, "simulating", 0);
  POD_TRY(cli_diff_name(run, cli_run_predict(run, &profile, &unknown)));
  *out = cli_explain_make(arena, podium_executable_info(run->executable), profile, NULL)
             .measures;
  free(unknown);
  podium_profile_free(profile);
  return NULL;
}

static void print_row(pod_arena_t *arena, cli_measure_t measure, int64_t first,
                      int64_t second) {
  const char *change = "";
  if (first > 0 && second >= 0 && first != second) {
    change =
        pod_arena_printf(arena, "%+.1f %%", 100.0 * ((double)second / (double)first - 1));
  } else if (first == 0 && second > 0) {
    change = "new";
  }
  cli_print("  %-20s %14s %14s  %s\n", cli_measure_name(measure),
            cli_measure_text(arena, measure, first),
            cli_measure_text(arena, measure, second), change);
}

static void print_both(pod_arena_t *arena, const cli_run_t *run,
                       const cli_measures_t *first, const cli_measures_t *second) {
  cli_print("A %s\nB %s\n", run->program, run->other);
  cli_print("  %-20s %14s %14s  %s\n", "", "A", "B", "B against A");
  for (int m = 0; m < CLI_MEASURE_COUNT; m++) {
    print_row(arena, (cli_measure_t)m, first->values[m], second->values[m]);
  }
}

static pod_status_t compare(cli_run_t *run, pod_arena_t *arena, char *other,
                            size_t length) {
  cli_measures_t first, second;
  POD_TRY(cli_run_prepare(run));
  POD_TRY(measure(run, arena, &first));
  // The second takes the place of the first, on the same pod.
  char *text = run->text;
  const size_t text_length = run->length;
  const char *program = run->program;
  run->text = other;
  run->length = length;
  run->program = run->other;
  cli_progress_step(run->progress, "compiling", 0);
  pod_status_t status = cli_run_compile(run);
  status = status != NULL ? status : measure(run, arena, &second);
  run->text = text;
  run->length = text_length;
  run->program = program;
  POD_TRY(status);
  cli_progress_step(run->progress, NULL, 0);
  cli_measures_report("a", &first);
  cli_measures_report("b", &second);
  print_both(arena, run, &first, &second);
  return NULL;
}

pod_status_t cli_diff_programs(cli_run_t *run) {
  char *other;
  size_t length;
  POD_TRY(cli_read_program(run->other, (int)run->vjp_order, &other, &length));
  run->chips_least = cli_chips_of(other, length);
  pod_arena_t *arena = pod_arena_create();
  const pod_status_t status = compare(run, arena, other, length);
  pod_arena_destroy(arena);
  free(other);
  return status;
}
