// podium explain and diff: what a program's collectives cost, and what it is measured by.
//
// Threading: the main thread. Ownership: an explanation borrows the program's and the
// profile's texts, and lies in the arena given.

#ifndef CLIENT_CLI_EXPLAIN_H_
#define CLIENT_CLI_EXPLAIN_H_

#include "client/cli/report.h"
#include "client/cli/run.h"

// Collectives that differ in nothing but their place.
typedef struct cli_explained_t {
  const podium_collective_t *it;  // The first of them.
  int order;                      // Its place among all.
  int count;
  // Of a step, of all of them, on the chip that ends last; 0 without a profile.
  int64_t run_count;
  int64_t flight_ps;   // From the start to the arrival of the last byte.
  int64_t exposed_ps;  // Of it, while the core waited.
  // What the core did most of the time between start and end of the first one of which
  // something is hidden, and how many tasks it did besides; NULL: nothing is hidden.
  const podium_task_t *behind;
  int behind_more;
} cli_explained_t;

typedef struct cli_explanation_t {
  const podium_program_info_t *info;
  const podium_profile_t *profile;  // NULL: the times depend on values.
  int count;
  cli_explained_t *list;  // Most exposed first.
  cli_measures_t measures;
} cli_explanation_t;

// `unknown` says why there is no profile.
cli_explanation_t cli_explain_make(pod_arena_t *arena, const podium_program_info_t *info,
                                   const podium_profile_t *profile, const char *unknown);

// explain_print.c: as text, and for --json.
void cli_explain_print(pod_arena_t *arena, const cli_explanation_t *explanation);
void cli_explain_report(pod_arena_t *arena, const cli_explanation_t *explanation);

// explain_values.c: how the values lie, as text, and for --json.
void cli_values_print(pod_arena_t *arena, const podium_program_info_t *info);
void cli_values_report(pod_arena_t *arena, const podium_program_info_t *info);

// As an object.
cJSON *cli_measures_json(const cli_measures_t *measures);

// Adds the measures under that name.
void cli_measures_report(const char *key, const cli_measures_t *measures);

// "explain": compiles, predicts, prints; `out_is_met` when all expectations hold.
POD_MUST_USE pod_status_t cli_explain_program(cli_run_t *run, bool *out_is_met);

// explain --what-if, what_if.c: of a program that is compiled, which it replaces.
POD_MUST_USE pod_status_t cli_what_if(cli_run_t *run);

// "sharding", sharding.c: draws how arrays lie.
POD_MUST_USE pod_status_t cli_sharding_program(cli_run_t *run);

// "search", search.c: compiles many shardings, and prints the best.
POD_MUST_USE pod_status_t cli_search_program(cli_run_t *run);

// "diff", diff.c.
POD_MUST_USE pod_status_t cli_diff_programs(cli_run_t *run);

// Says which of the two programs failed, the one in hand, unless its place in the file is
// told. Takes and returns `status`; NULL stays NULL.
POD_MUST_USE pod_status_t cli_diff_name(const cli_run_t *run, pod_status_t status);

#endif  // CLIENT_CLI_EXPLAIN_H_
