// A trial is what the user would do by hand: --mesh and --in-sharding, compile, simulate.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/report.h"
#include "client/cli/search.h"
#include "client/lib/tiling.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

// --- Plans as text ---

const char *search_mesh(search_t *search, const search_plan_t *plan) {
  pod_text_t text = {0};
  for (int a = 0; a < plan->axis_count; a++) {
    pod_text_printf(&text, "%s%s=%" PRId64, a == 0 ? "" : ",", search->axes[a],
                    plan->sizes[a]);
  }
  const char *copy = pod_arena_strdup(search->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

const char *search_spec(search_t *search, const search_plan_t *plan, int group) {
  pod_text_t text = {0};
  pod_text_add(&text, "P(");
  const int rank = search->groups[group].shape.rank;
  int last = -1;
  for (int a = 0; a < plan->axis_count; a++) {
    last = plan->dims[group][a] > last ? plan->dims[group][a] : last;
  }
  for (int d = 0; d <= last && d < rank; d++) {
    int count = 0;
    for (int a = 0; a < plan->axis_count; a++) {
      count += plan->dims[group][a] == d;
    }
    pod_text_add(&text, d == 0 ? "" : ", ");
    pod_text_add(&text, count == 0 ? "None" : count > 1 ? "(" : "");
    for (int a = 0, written = 0; a < plan->axis_count; a++) {
      if (plan->dims[group][a] == d) {
        pod_text_printf(&text, "%s\"%s\"", written++ > 0 ? ", " : "", search->axes[a]);
      }
    }
    pod_text_add(&text, count > 1 ? ")" : "");
  }
  pod_text_add(&text, ")");
  const char *copy = pod_arena_strdup(search->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// What distinguishes plans.
static const char *key_of(search_t *search, const search_plan_t *plan) {
  pod_text_t text = {0};
  pod_text_add(&text, search_mesh(search, plan));
  for (int g = 0; g < search->group_count; g++) {
    pod_text_printf(&text, ";%s", search_spec(search, plan, g));
  }
  const char *copy = pod_arena_strdup(search->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// --- Compiling ---

static const char *number(search_t *search, int i) {
  return pod_arena_numbered(search->arena, "", "", (uint64_t)i);
}

// P(?, ?): whatever the module says, it is for propagation to find.
static const char *open_spec(search_t *search, int rank) {
  pod_text_t text = {0};
  pod_text_add(&text, "P(");
  for (int d = 0; d < rank; d++) {
    pod_text_add(&text, d == 0 ? "?" : ", ?");
  }
  pod_text_add(&text, ")");
  const char *copy = pod_arena_strdup(search->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// The plan for the arguments of groups, `only` one group unless that is -1, and for the
// results that take their place. All others are open.
static cli_given_t given_of(search_t *search, const search_plan_t *plan, int only) {
  const cli_given_t *user = &search->run->given;
  cli_given_t given = *user;  // What a plan says nothing of.
  given.mesh = search_mesh(search, plan);
  given.in.count = given.out.count = 0;
  given.in.items = pod_arena_array(
      search->arena, (size_t)search->argument_count + (size_t)user->in.count + 1,
      sizeof(given.in.items[0]));
  given.out.items = pod_arena_array(
      search->arena, (size_t)search->result_count + (size_t)user->out.count + 1,
      sizeof(given.out.items[0]));
  const char *specs[SEARCH_GROUPS_MAX];
  for (int g = 0; g < search->group_count; g++) {
    specs[g] = search_spec(search, plan, g);
  }
  for (int i = 0; i < search->argument_count; i++) {
    const int g = search->group_of[i];
    const bool is_set = g >= 0 && (only < 0 || g == only);
    given.in.items[given.in.count++] = (podium_given_sharding_t){
        number(search, i), is_set ? specs[g] : open_spec(search, search->shapes[i].rank)};
  }
  for (int i = 0; i < search->result_count; i++) {
    const int argument = search->argument_of[i];
    const int g = argument < 0 ? -1 : search->group_of[argument];
    if (g >= 0 || only >= 0) {
      given.out.items[given.out.count++] = (podium_given_sharding_t){
          number(search, i),
          only < 0 ? specs[g] : open_spec(search, search->result_shapes[i].rank)};
    }
  }
  // What the user says comes last, and stands; a probe asks for what may be.
  for (int i = 0; only < 0 && i < user->in.count; i++) {
    given.in.items[given.in.count++] = user->in.items[i];
  }
  for (int i = 0; only < 0 && i < user->out.count; i++) {
    given.out.items[given.out.count++] = user->out.items[i];
  }
  return given;
}

static pod_status_t compile(search_t *search, const search_plan_t *plan, int only) {
  cli_run_t *run = search->run;
  if (plan == NULL) {
    return cli_run_compile(run);
  }
  const cli_given_t users = run->given;
  run->given = given_of(search, plan, only);
  const pod_status_t status = cli_run_compile(run);
  run->given = users;
  return status;
}

// What is not timed needs no clock.
static pod_status_t compile_to_ask(search_t *search, const search_plan_t *plan,
                                   int only) {
  search->run->estimates = true;
  const pod_status_t status = compile(search, plan, only);
  search->run->estimates = false;
  return status;
}

// What is the program's, or the plan's, fault; not the pod's that went away.
static bool is_refusal(pod_status_t status) {
  const pod_code_t code = pod_status_code(status);
  return code == POD_INVALID_ARGUMENT || code == POD_UNIMPLEMENTED ||
         code == POD_FAILED_PRECONDITION;
}

// Takes the status.
static void note_failure(search_t *search, search_trial_t *trial, pod_status_t status) {
  const char *message = pod_status_message(status);
  trial->outcome = SEARCH_REFUSED;
  trial->why = pod_arena_text(search->arena, message, strcspn(message, "\n"));
  pod_status_free(status);
}

static pod_status_t measure(search_t *search, search_trial_t *trial) {
  podium_profile_t *profile;
  char *unknown;
  POD_TRY(cli_run_predict(search->run, &profile, &unknown));
  trial->measures =
      cli_explain_make(search->arena, podium_executable_info(search->run->executable),
                       profile, NULL)
          .measures;
  if (trial->measures.values[CLI_PEAK_HBM] > search->hbm_bytes) {
    trial->outcome = SEARCH_TOO_LARGE;
    trial->why = "does not fit";
  }
  if (profile == NULL) {
    trial->outcome = SEARCH_REFUSED;
    trial->why = pod_arena_strdup(search->arena, unknown);
  }
  podium_profile_free(profile);
  free(unknown);
  return NULL;
}

// Of what has been compiled, or has not.
static pod_status_t finish(search_t *search, pod_status_t status, search_trial_t *trial) {
  search->compile_count++;
  if (status == NULL) {
    return measure(search, trial);
  }
  if (!is_refusal(status)) {
    return status;
  }
  note_failure(search, trial, status);
  return NULL;
}

// What the scheduler alone makes of it, in a tenth of the time. `out_is_far`: it is not
// worth the clock. Takes the status of the compilation.
static pod_status_t look(search_t *search, pod_status_t status, double bar_ps,
                         search_trial_t *trial, bool *out_is_far) {
  *out_is_far = status != NULL;
  if (status != NULL) {
    return finish(search, status, trial);
  }
  const podium_program_info_t *info = podium_executable_info(search->run->executable);
  trial->estimated_ps = info->estimated_ps;
  *out_is_far = bar_ps > 0 && (double)info->estimated_ps > bar_ps;
  if (*out_is_far) {
    search->compile_count++;
    trial->is_estimate = true;
    trial->measures = cli_explain_make(search->arena, info, NULL, NULL).measures;
    trial->measures.values[CLI_STEP] = info->estimated_ps;
    if (trial->measures.values[CLI_PEAK_HBM] > search->hbm_bytes) {
      trial->outcome = SEARCH_TOO_LARGE;
      trial->why = "does not fit";
    }
  }
  return NULL;
}

pod_status_t search_measure_given(search_t *search, const cli_given_t *given,
                                  double bar_ps, search_trial_t *trial) {
  cli_run_t *run = search->run;
  const cli_given_t users = run->given;
  run->given = *given;
  run->estimates = true;
  bool is_far;
  pod_status_t status = look(search, cli_run_compile(run), bar_ps, trial, &is_far);
  run->estimates = false;
  if (status == NULL && !is_far) {
    status = finish(search, cli_run_compile(run), trial);
  }
  run->given = users;
  return status;
}

bool search_is_better(const search_trial_t *a, const search_trial_t *b) {
  if (b == NULL || a->outcome != b->outcome) {
    return b == NULL || a->outcome < b->outcome;
  }
  const int64_t *left = a->measures.values, *right = b->measures.values;
  switch (a->outcome) {
    case SEARCH_TIMED:
      if (a->is_estimate != b->is_estimate) {
        return b->is_estimate;
      }
      return left[CLI_STEP] != right[CLI_STEP] ? left[CLI_STEP] < right[CLI_STEP]
                                               : left[CLI_PEAK_HBM] < right[CLI_PEAK_HBM];
    case SEARCH_TOO_LARGE:
      if (a->is_bound != b->is_bound) {
        return b->is_bound;
      }
      return left[CLI_PEAK_HBM] < right[CLI_PEAK_HBM];
    case SEARCH_REFUSED:
      break;
  }
  return false;
}

static bool is_spent(search_t *search) {
  search->is_spent =
      search->is_spent || search->compile_count >= search->budget ||
      (search->deadline_ns != 0 && pod_clock_now_ns() >= search->deadline_ns);
  return search->is_spent;
}

// What a chip holds of the groups. What the user says of arguments comes on top of the
// plan, and nothing is known.
static int64_t argument_bytes(const search_t *search, const search_plan_t *plan) {
  double bytes = 0;
  for (int g = 0; g < search->group_count && search->run->given.in.count == 0; g++) {
    double part = (double)search->groups[g].bytes;
    for (int a = 0; a < plan->axis_count; a++) {
      part /= plan->dims[g][a] >= 0 ? (double)plan->sizes[a] : 1;
    }
    bytes += part;
  }
  return (int64_t)bytes;
}

pod_status_t search_try(search_t *search, const search_plan_t *plan, const char *label,
                        double bar_ps, search_trial_t **out_trial) {
  const char *key = key_of(search, plan);
  search_trial_t *trial = pod_map_get(search->tried, key);
  *out_trial = trial;
  const bool is_near =
      trial != NULL && trial->is_estimate && (double)trial->estimated_ps <= bar_ps;
  if ((trial != NULL && !is_near) || is_spent(search)) {
    return NULL;
  }
  if (is_near) {  // It was far from where the search stood then.
    trial->is_estimate = false;
    POD_TRY(finish(search, compile(search, trial->plan, -1), trial));
    search->best = search_is_better(trial, search->best) ? trial : search->best;
    return NULL;
  }
  trial = pod_arena_alloc(search->arena, sizeof(*trial));
  trial->plan = pod_arena_copy(search->arena, plan, sizeof(*plan));
  trial->label = label;
  const int64_t least = argument_bytes(search, plan);
  if (least > search->hbm_bytes) {
    trial->is_bound = true;
    trial->outcome = SEARCH_TOO_LARGE;
    trial->why = "its arguments alone do not fit";
    trial->measures.values[CLI_PEAK_HBM] = least;
  } else {
    bool is_far;
    POD_TRY(
        look(search, compile_to_ask(search, trial->plan, -1), bar_ps, trial, &is_far));
    if (!is_far) {
      POD_TRY(finish(search, compile(search, plan, -1), trial));
    }
  }
  pod_map_put(search->tried, key, trial);
  if (search_is_better(trial, search->best)) {
    search->best = trial;
  }
  *out_trial = trial;
  return NULL;
}

// --- Probes ---

signed char search_dim_with(const char *sharding, const char *axis) {
  const size_t length = strlen(axis);
  int dim = -1;
  for (const char *at = sharding; *at != '\0' && *at != ']'; at++) {
    dim += *at == '{';
    const bool begins = at > sharding && (at[-1] == '{' || at[-1] == ',');
    if (begins && strncmp(at, axis, length) == 0 &&
        (at[length] == '}' || at[length] == ',' || at[length] == ':')) {
      return (signed char)dim;
    }
  }
  return -1;
}

pod_status_t search_probe(search_t *search, int group, int dim,
                          search_spread_t *out_spread, bool *out_is_good) {
  search_plan_t plan = search->probe_mesh;
  memset(plan.dims, -1, sizeof(plan.dims));
  plan.dims[group][search->probe_axis] = (signed char)dim;
  search->compile_count++;
  const pod_status_t status = compile_to_ask(search, &plan, group);
  *out_is_good = status == NULL;
  if (status != NULL) {
    const bool may_go_on = is_refusal(status);
    if (may_go_on) {
      pod_status_free(status);
    }
    return may_go_on ? NULL : status;
  }
  const podium_program_info_t *info = podium_executable_info(search->run->executable);
  *out_spread = (search_spread_t){0};
  for (int g = 0; g < search->group_count; g++) {
    const search_group_t *it = &search->groups[g];
    out_spread->dims[g] = search_dim_with(info->arguments[it->members[0]].sharding,
                                          search->axes[search->probe_axis]);
    const bool is_in = out_spread->dims[g] >= 0;
    out_spread->has_state = out_spread->has_state || (is_in && it->is_state);
    out_spread->has_data = out_spread->has_data || (is_in && !it->is_state);
  }
  return NULL;
}

// A mesh with a small axis, which divides most dimensions; the program's own where it is
// for no other, as manual computations may be.
pod_status_t search_choose_probe(search_t *search) {
  const int64_t part = search_least_part(search);
  search_plan_t *plan = &search->probe_mesh;
  *plan = (search_plan_t){.axis_count = search->device_count > part ? 2 : 1,
                          .sizes = {part, search->device_count / part}};
  memset(plan->dims, -1, sizeof(plan->dims));
  search->probe_axis = 0;
  if (search->axis_count == 0) {
    return NULL;
  }
  search->compile_count++;
  const pod_status_t status = compile_to_ask(search, plan, SEARCH_GROUPS_MAX);
  search->is_fixed = status != NULL && is_refusal(status);
  if (!search->is_fixed) {
    return status;
  }
  pod_status_free(status);
  plan->axis_count = search->axis_count;
  for (int a = 0; a < search->axis_count; a++) {
    plan->sizes[a] = search->own_sizes[a];
    const bool is_smaller = plan->sizes[search->probe_axis] == 1 ||
                            plan->sizes[a] < plan->sizes[search->probe_axis];
    search->probe_axis = plan->sizes[a] > 1 && is_smaller ? a : search->probe_axis;
  }
  return NULL;
}

// --- The beginning ---

// A mesh that podium makes for a program that has none has one axis, "devices".
static void find_axes(search_t *search, const podium_program_info_t *info) {
  static const char *const plain[SEARCH_AXES_MAX] = {"x", "y", "z"};
  const lib_digit_t *axes = NULL;
  const int count =
      info->argument_count == 0 ? 0 : lib_tiling_mesh(info->arguments[0].tiling, &axes);
  const bool is_own = count > 0 && count <= SEARCH_AXES_MAX &&
                      !(count == 1 && strcmp(axes[0].name, "devices") == 0);
  search->axis_count = is_own ? count : 0;
  for (int a = 0; a < SEARCH_AXES_MAX; a++) {
    search->axes[a] = plain[a];
  }
  for (int a = 0; a < search->axis_count; a++) {
    search->axes[a] = pod_arena_strdup(search->arena, axes[a].name);
    search->own_sizes[a] = axes[a].size;
  }
  // A second axis is needed beside one of the module's that is called like it.
  for (int a = search->axis_count, next = 0; a < SEARCH_AXES_MAX; a++) {
    bool is_taken = true;
    while (is_taken) {
      static const char *const more[] = {"x", "y", "z", "u", "v", "w"};
      search->axes[a] = more[next++];
      is_taken = false;
      for (int k = 0; k < a; k++) {
        is_taken = is_taken || strcmp(search->axes[k], search->axes[a]) == 0;
      }
    }
  }
}

static void describe(search_t *search, const podium_program_info_t *info) {
  search->argument_count = info->argument_count;
  search->result_count = info->result_count;
  search->names = pod_arena_array(search->arena, (size_t)info->argument_count + 1,
                                  sizeof(search->names[0]));
  podium_shape_t *shapes =
      pod_arena_array(search->arena, (size_t)info->argument_count + 1, sizeof(shapes[0]));
  podium_shape_t *results =
      pod_arena_array(search->arena, (size_t)info->result_count + 1, sizeof(results[0]));
  for (int i = 0; i < info->argument_count; i++) {
    const char *name =
        i < info->value_count ? info->values[i].name : info->arguments[i].name;
    search->names[i] = pod_arena_strdup(search->arena, name);
    shapes[i] = info->arguments[i].shape;
  }
  search->argument_of = pod_arena_array(search->arena, (size_t)info->result_count + 1,
                                        sizeof(search->argument_of[0]));
  for (int i = 0; i < info->result_count; i++) {
    results[i] = info->results[i].shape;
    search->argument_of[i] = -1;
  }
  for (int i = 0; i < info->alias_count; i++) {
    search->argument_of[info->aliases[i].result] = info->aliases[i].argument;
  }
  search->shapes = shapes;
  search->result_shapes = results;
  search->hbm_bytes = info->hbm_bytes;
}

static pod_status_t set_up(search_t *search) {
  cli_run_t *run = search->run;
  const podium_program_info_t *info = podium_executable_info(run->executable);
  search->compile_count = 1;
  search->device_count = info->device_count;
  find_axes(search, info);
  describe(search, info);
  search->own = pod_arena_alloc(search->arena, sizeof(*search->own));
  search->own->label = "as the program is";
  search->own->estimated_ps = info->estimated_ps;
  search->chip = pod_arena_strdup(search->arena, run->pod_info->chip_kind);
  return measure(search, search->own);
}

pod_status_t search_begin(search_t *search) {
  cli_run_t *run = search->run;
  run->wants_values = true;
  run->ignores_hbm = true;
  const pod_status_t status = cli_run_prepare(run);
  const bool is_for_others =
      pod_status_code(status) == POD_FAILED_PRECONDITION && run->given.mesh == NULL;
  POD_TRY(is_for_others
              ? pod_status_context(status,
                                   "the search begins with the program as it is; "
                                   "--mesh gives its axes other sizes")
              : status);
  run->wants_values = false;
  return set_up(search);
}

pod_status_t search_begin_again(search_t *search) {
  cli_run_t *run = search->run;
  run->wants_values = true;
  run->ignores_hbm = true;
  run->after = NULL;
  POD_TRY(cli_run_compile(run));
  run->wants_values = false;
  return set_up(search);
}
