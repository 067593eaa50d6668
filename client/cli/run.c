// podium run, simulate and compile: from a module's text to its results and profile.

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/explain.h"
#include "client/cli/report.h"
#include "client/cli/report_page.h"
#include "client/cli/run.h"
#include "client/cli/streams.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

enum {
  EVENTS_MAX = 1 << 20,
  RETRIES_MAX = 1000,
  REPEAT_MAX = 1000000000,
  VJP_ORDER_MAX = 100,
  // Of a pod that is made larger so that it has the chips named.
  CHIPS_STARTED_MAX = 64,
};

enum {
  KEY_POD = 256,
  KEY_PROFILE,
  KEY_TIMEOUT,
  KEY_EXPECT,
  KEY_TOLERANCE,
  KEY_REPEAT,
  KEY_TEXT,
  KEY_TIME_ONLY,
  KEY_XPLANE,
  KEY_ALGORITHM,
  KEY_MODEL_FLOP,
  KEY_HOST_PROFILE,
  KEY_CAST,
  KEY_DEVICE_ORDER,
  KEY_VJP,
  KEY_RETRY,
  KEY_REPORT,
  KEY_FIT,
  KEY_EXPECTATIONS,
};

// What one option says must not be dropped silently because of another.
static void refuse_contradictions(const cli_run_t *run, struct argp_state *state) {
  const bool has_values =
      run->inputs.list.count + run->outputs.list.count + run->expected.list.count > 0;
  if (run->time_only && has_values) {
    argp_error(state,
               "--time-only computes no values: leave it out, or --input, --output and "
               "--expect");
  } else if (run->time_only && run->host_profile != NULL) {
    argp_error(state, "--time-only measures nothing: leave it out, or --host-profile");
  } else if (run->time_only && run->repeat > 1) {
    argp_error(state, "--time-only executes nothing: leave it out, or --repeat");
  }
  // What only compiles or simulates does so for any kind and size.
  if (run->is_executed && !run->time_only && run->pod != NULL &&
      (run->chip != NULL || run->topology != NULL)) {
    argp_error(
        state,
        "--pod (or PODIUM_POD) names a pod, which has its chips: leave out --chip and "
        "--topology. "
        "`podium simulate --pod %s` tells the time on other ones",
        run->pod);
  }
}

// "0,1,3,2"; whether these are chips of the pod, and as many as the program needs, is the
// compiler's to say.
static error_t parse_device_order(cli_run_t *run, const char *value,
                                  struct argp_state *state) {
  enum { DEVICES_MAX = 1 << 20 };
  pod_list_clear(&run->device_order);
  for (const char *at = value; at != NULL; at = *at == ',' ? at + 1 : NULL) {
    char *end = NULL;
    const long long id = strtoll(at, &end, 10);
    const bool is_number = *at >= '0' && *at <= '9' && (*end == ',' || *end == '\0');
    if (!is_number || run->device_order.count == DEVICES_MAX) {
      argp_error(state, "--device-order takes chips, such as 3 or 0,1,3,2, got '%s'",
                 value);
      return EINVAL;
    }
    *pod_list_add(&run->device_order) = id;
    at = end;
  }
  return 0;
}

// Options that only set a field.
static const struct {
  int key;
  enum { TEXT, FLAG } kind;  // const char *, which gets the value; bool, which is set.
  size_t field;
} plain_options[] = {
    {'c', TEXT, offsetof(cli_run_t, chip)},
    {'t', TEXT, offsetof(cli_run_t, topology)},
    {KEY_POD, TEXT, offsetof(cli_run_t, pod)},
    {KEY_ALGORITHM, TEXT, offsetof(cli_run_t, algorithms)},
    {KEY_PROFILE, TEXT, offsetof(cli_run_t, profile)},
    {KEY_HOST_PROFILE, TEXT, offsetof(cli_run_t, host_profile)},
    {KEY_XPLANE, TEXT, offsetof(cli_run_t, xplane)},
    {KEY_REPORT, TEXT, offsetof(cli_run_t, report)},
    {KEY_CAST, FLAG, offsetof(cli_run_t, casts)},
    {KEY_TIME_ONLY, FLAG, offsetof(cli_run_t, time_only)},
    {KEY_TEXT, FLAG, offsetof(cli_run_t, only_text)},
    {'q', FLAG, offsetof(cli_run_t, quiet)},
};

static bool parse_plain(cli_run_t *run, int key, const char *value) {
  char *fields = (char *)run;
  for (size_t i = 0; i < POD_COUNT_OF(plain_options); i++) {
    if (plain_options[i].key != key) {
      continue;
    }
    void *field = fields + plain_options[i].field;
    if (plain_options[i].kind == TEXT) {
      *(const char **)field = value;
    } else {
      *(bool *)field = true;
    }
    return true;
  }
  return false;
}

// Options that take a number; what is not one is an error that says what is.
static bool parse_number(cli_run_t *run, int key, const char *value,
                         struct argp_state *state) {
  char *end = NULL;
  switch (key) {
    case KEY_TOLERANCE:
      run->tolerance = strtod(value, &end);
      if (end == value || *end != '\0' || !(run->tolerance >= 0)) {
        argp_error(state, "--tolerance takes a number, got '%s'", value);
      }
      return true;
    case KEY_REPEAT:
      if (!cli_read_number(value, 1, REPEAT_MAX, &run->repeat)) {
        argp_error(state, "--repeat takes a number from 1 to %d, got '%s'", REPEAT_MAX,
                   value);
      }
      return true;
    case KEY_RETRY:
      if (!cli_read_number(value, 0, RETRIES_MAX, &run->retries)) {
        argp_error(state, "--retry takes a number from 0 to %d, got '%s'", RETRIES_MAX,
                   value);
      }
      return true;
    case KEY_TIMEOUT:
      if (!cli_read_seconds(value, &run->timeout_ms)) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return true;
    case KEY_MODEL_FLOP:
      run->model_flop = strtod(value, &end);
      if (end == value || *end != '\0' || !(run->model_flop > 0)) {
        argp_error(state, "--model-flop takes a number such as 3.4e12, got '%s'", value);
      }
      return true;
    case KEY_VJP:
      if (!cli_read_number(value, 1, VJP_ORDER_MAX, &run->vjp_order)) {
        argp_error(state, "--vjp takes a number from 1 to %d, got '%s'", VJP_ORDER_MAX,
                   value);
      }
      return true;
    default:
      return false;
  }
}

static error_t parse_expectations(cli_run_t *run, const char *value,
                                  struct argp_state *state) {
  if (run->expectations == NULL) {
    run->expectations = pod_alloc(sizeof(*run->expectations));
  }
  const pod_status_t status = cli_expect_parse(value, run->expectations);
  if (status != NULL) {
    argp_error(state, "--expect: %s", pod_status_message(status));
  }
  return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  cli_run_t *run = state->input;
  if (parse_plain(run, key, value) || parse_number(run, key, value, state)) {
    return 0;
  }
  switch (key) {
    case CLI_KEY_SHAPE:
      return cli_shapes_option(&run->shapes, value, state);
    case CLI_KEY_CONSTANT:
      return cli_constant_option(&run->shapes, value, state);
    case KEY_FIT:
      return cli_fit_option(&run->fit, value, state);
    case 'i':
      return cli_bindings_option(&run->inputs, value, state);
    case 'o':
      return cli_bindings_option(&run->outputs, value, state);
    case KEY_EXPECT:
      return cli_bindings_option(&run->expected, value, state);
    case KEY_DEVICE_ORDER:
      return parse_device_order(run, value, state);
    case KEY_EXPECTATIONS:
      return parse_expectations(run, value, state);
    case ARGP_KEY_ARG:
      if (run->compares && run->program != NULL && run->other == NULL) {
        run->other = value;
        return 0;
      }
      if (run->program != NULL) {
        argp_error(state, "one program at a time: '%s' and '%s'", run->program, value);
      }
      run->program = value;
      return 0;
    case ARGP_KEY_END:
      if (run->program == NULL) {
        argp_error(state,
                   "a PROGRAM is needed: a file of StableHLO, as text or as bytecode, or "
                   "- for standard input");
      } else if (run->compares && run->other == NULL) {
        argp_error(state, "two programs are compared: '%s' and what?", run->program);
      }
      refuse_contradictions(run, state);
      return 0;
    default:
      return cli_simulation_option(&run->simulation, key, value, state);
  }
}

#define POD_OPTIONS                                                                      \
  {"chip",                                                                               \
   'c',                                                                                  \
   "KIND|FILE",                                                                          \
   0,                                                                                    \
   "A kind that `podium chips` lists, or a file that describes one (v5e)",               \
   1},                                                                                   \
      {"topology",                                                                       \
       't',                                                                              \
       "SIZES",                                                                          \
       0,                                                                                \
       "2x2, 4x2, 2x2x4 … or v5litepod-4, v4-8 … (as many chips as the program has " \
       "partitions)",                                                                    \
       1},                                                                               \
      {"pod",                                                                            \
       KEY_POD,                                                                          \
       "POD",                                                                            \
       0,                                                                                \
       "Use this pod: HOST:PORT of its coordinator, or the name given to `podium up`. "  \
       "Without it a local pod is started and stopped",                                  \
       1},                                                                               \
      {"device-order",                                                                   \
       KEY_DEVICE_ORDER,                                                                 \
       "CHIPS",                                                                          \
       0,                                                                                \
       "The chips that run the program, one for each of its devices, in any order: "     \
       "3 for a program of one device, 0,1,3,2 makes a ring of 2x2. Values stay the "    \
       "same",                                                                           \
       1},                                                                               \
      {"vjp",                                                                            \
       KEY_VJP,                                                                          \
       "ORDER",                                                                          \
       0,                                                                                \
       "Of a file that jax.export's serialize(vjp_order=…) wrote, the vjp of that "    \
       "order "                                                                          \
       "instead of the function",                                                        \
       1},                                                                               \
      {"algorithm",                                                                      \
       KEY_ALGORITHM,                                                                    \
       "[COLLECTIVE=]NAME",                                                              \
       0,                                                                                \
       "How collectives run: ring, line, tree, gather, direct or torus, for all or for " \
       "one "                                                                            \
       "kind (all_reduce=ring,all_gather=line). Without it the cheapest",                \
       1},                                                                               \
  {                                                                                      \
    "timeout", KEY_TIMEOUT, "SECONDS", 0, "Give up after so long (no limit)", 3          \
  }

#define REPORT_OPTION                                                           \
  {                                                                             \
    "report", KEY_REPORT, "FILE.html", 0,                                       \
        "Write a page that shows it all, in one file that needs nothing else: " \
        "timeline, "                                                            \
        "links, memory, collectives, shardings, roofline",                      \
        2                                                                       \
  }

#define PROFILE_OPTIONS                                                              \
  {"model-flop",                                                                     \
   KEY_MODEL_FLOP,                                                                   \
   "N",                                                                              \
   0,                                                                                \
   "FLOP that the model needs for the step, such as 6 x parameters x tokens: "       \
   "the profile then shows the MFU beside the HFU",                                  \
   4},                                                                               \
      {"profile",                                                                    \
       KEY_PROFILE,                                                                  \
       "FILE.json",                                                                  \
       0,                                                                            \
       "Write a trace of the predicted time for https://ui.perfetto.dev",            \
       2},                                                                           \
  {                                                                                  \
    "xplane", KEY_XPLANE, "DIR", 0,                                                  \
        "Write DIR/plugins/profile/TIME/HOST.xplane.pb for TensorBoard and XProf", 2 \
  }

// --- The pod ---

// Only then does it need workers.
static bool is_running(const cli_run_t *run) {
  return run->is_executed && !run->time_only;
}

// As many chips as the program needs, or to the highest that it is to run on.
static int64_t chips_needed(const cli_run_t *run) {
  int64_t chips = cli_chips_of(run->text, run->length);
  chips = chips > run->chips_least ? chips : run->chips_least;
  for (int i = 0; i < run->device_order.count; i++) {
    const int64_t chip = run->device_order.items[i];
    chips = chip >= chips && chip < CHIPS_STARTED_MAX ? chip + 1 : chips;
  }
  return chips;
}

static pod_status_t start_local_pod(cli_run_t *run) {
  char *topology = run->topology != NULL ? pod_strdup(run->topology)
                                         : cli_topology_for(chips_needed(run));
  const pod_status_t status =
      cli_pod_start(&(cli_pod_options_t){.chip = run->chip,
                                         .topology = topology,
                                         .timeout_ms = run->timeout_ms,
                                         .has_no_workers = !is_running(run),
                                         .progress = run->progress},
                    &run->local);
  free(topology);
  return status;
}

// On the library's thread, which ends with the session, and before the progress does.
static void note_waiting(void *context, const char *for_what) {
  const cli_run_t *run = context;
  cli_progress_note(run->progress, for_what);
  if (!cli_progress_is_live(run->progress) && !run->quiet && *for_what != '\0') {
    fprintf(stderr, "waiting %s\n", for_what);
  }
}

static pod_status_t connect_pod(cli_run_t *run) {
  const int64_t started_ns = pod_clock_now_ns();
  char *address = NULL;
  if (run->pod != NULL) {
    POD_TRY(cli_pod_address(run->pod, &address));
  } else {
    POD_TRY(start_local_pod(run));
    address = pod_strdup(run->local->address);
  }
  const podium_connect_options_t options = {.timeout_ms = run->timeout_ms,
                                            .client_name = "podium run",
                                            .do_not_wait = !is_running(run),
                                            .retries = (int)run->retries,
                                            .on_waiting = note_waiting,
                                            .on_waiting_context = run};
  pod_status_t status = cli_status_of(podium_connect(address, &options, &run->session));
  free(address);
  if (status != NULL && run->local != NULL) {
    return cli_pod_explain(run->local, status);
  }
  POD_TRY(status);
  POD_TRY(cli_status_of(podium_pod(run->session, 10000, &run->pod_info)));
  if (run->local != NULL && !run->quiet && is_running(run)) {
    fprintf(stderr, "pod of %d %s chips, %s, ready after %.2f s\n",
            run->pod_info->device_count, run->pod_info->chip_kind,
            run->pod_info->topology, (double)(pod_clock_now_ns() - started_ns) / 1e9);
  }
  return NULL;
}

static void release(cli_run_t *run) {
  cli_shapes_deinit(&run->shapes);
  cli_bindings_deinit(&run->inputs);
  cli_bindings_deinit(&run->outputs);
  cli_bindings_deinit(&run->expected);
  podium_close(run->session);        // Frees arrays, execution and executable with it.
  cli_progress_stop(run->progress);  // Behind the session, whose thread notes waits.
  podium_pod_free(run->pod_info);
  cli_pod_stop(run->local);
  pod_list_deinit(&run->device_order);
  free(run->arguments);
  free(run->uploads);
  free(run->kept);
  free(run->results);
  free(run->text);
  free(run->expectations);
  free(run);
}

// What is not executed is compiled for any pod: one of another kind or size than the one
// that is asked.
pod_status_t cli_run_compile(cli_run_t *run) {
  podium_executable_free(run->executable);
  run->executable = NULL;
  const bool only = !is_running(run);
  const bool is_elsewhere = only && run->pod != NULL;
  const podium_compile_options_t options = {
      .timeout_ms = run->timeout_ms,
      .only = only,
      .algorithms = run->algorithms,
      .device_order_count = run->device_order.count,
      .device_order = run->device_order.items,
      .argument_type_count = run->shapes.types.count,
      .argument_types = run->shapes.types.items,
      .chip_kind = is_elsewhere ? run->chip : NULL,
      .topology = is_elsewhere ? run->topology : NULL};
  return cli_status_of(podium_compile(run->session, run->program, run->text, run->length,
                                      &options, &run->executable));
}

pod_status_t cli_run_prepare(cli_run_t *run) {
  run->progress = cli_progress_start(run->quiet);
  POD_TRY(cli_read_program(run->program, (int)run->vjp_order, &run->text, &run->length));
  POD_TRY(cli_run_check_files(run));
  POD_TRY(cli_run_find_shapes(run));
  cli_progress_step(run->progress, "starting the pod", 0);
  POD_TRY(connect_pod(run));
  cli_progress_step(run->progress, "compiling", 0);
  if (run->fit.label != NULL) {
    cli_progress_step(run->progress, NULL, 0);
    return cli_run_fit(run);
  }
  return cli_run_compile(run);
}

// --- What it tells ---

static pod_status_t show_profile(cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  const bool wants_events =
      run->profile != NULL || run->xplane != NULL || run->report != NULL;
  const podium_profile_options_t options = cli_simulation_options(
      &run->simulation, run->timeout_ms, wants_events ? EVENTS_MAX : 0);
  podium_profile_t *profile;
  cli_progress_step(run->progress, "simulating", 0);
  POD_TRY(cli_status_of(run->time_only
                            ? podium_simulate(run->executable, &options, &profile)
                            : podium_profile(run->execution, &options, &profile)));
  cli_progress_step(run->progress, NULL, 0);
  cli_report_profile(info, profile, run->model_flop);
  if (!run->quiet) {
    cli_print_profile(info, profile, run->model_flop);
  }
  pod_status_t status = NULL;
  if (run->profile != NULL) {
    status = cli_write_trace(run->profile, false, info, profile);
  }
  if (status == NULL && run->host_profile != NULL) {
    status = cli_write_host_trace(run->host_profile, info, profile);
  }
  if (status == NULL && run->xplane != NULL) {
    status = cli_write_xplane(run->xplane, info, profile);
  }
  if (status == NULL && run->report != NULL) {
    status = cli_write_report(
        run->report, &(profile_report_t){.made_by = run->time_only ? "simulate" : "run",
                                         .file = run->program,
                                         .info = info,
                                         .profile = profile});
  }
  podium_profile_free(profile);
  return status;
}

static pod_status_t execute(cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  run->results = pod_alloc((size_t)info->result_count * sizeof(podium_array_t *));
  run->kept = pod_alloc((size_t)info->alias_count * sizeof(int));
  for (int i = 0; i < info->alias_count; i++) {
    run->kept[i] = info->aliases[i].argument;
  }
  for (int64_t i = 0; i < run->repeat; i++) {
    const bool is_last = i == run->repeat - 1;
    const podium_execute_options_t options = {
        .timeout_ms = run->timeout_ms,
        .profile = run->host_profile != NULL,
        .kept_count = is_last ? 0 : info->alias_count,
        .kept = run->kept};
    for (int r = 0; r < info->result_count; r++) {
      podium_array_free(run->results[r]);
      run->results[r] = NULL;
    }
    podium_execution_free(run->execution);
    run->execution = NULL;
    cli_progress_step(run->progress, "executing", 0);
    POD_TRY(cli_status_of(podium_execute(run->executable, info->argument_count,
                                         run->arguments, &options, run->results,
                                         &run->execution)));
  }
  return NULL;
}

// What run_program prints of a program, but for its results.
static pod_status_t simulate_program(cli_run_t *run) {
  POD_TRY(cli_run_prepare(run));
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_progress_step(run->progress, NULL, 0);
  cli_report_program(info);
  if (!run->quiet) {
    cli_print_signatures(info);
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return show_profile(run);
}

static pod_status_t run_program(cli_run_t *run) {
  if (run->time_only) {
    return simulate_program(run);
  }
  POD_TRY(cli_run_prepare(run));
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_report_program(info);
  POD_TRY(cli_run_check_arrays(run));
  POD_TRY(cli_run_put_inputs(run));
  POD_TRY(execute(run));
  cli_progress_step(run->progress, NULL, 0);
  if (!run->quiet) {
    cli_print_signatures(info);
  }
  POD_TRY(cli_run_fetch_results(run));
  if (!run->quiet) {
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return show_profile(run);
}

static cli_run_t *create(void) {
  cli_run_t *run = pod_alloc(sizeof(*run));
  run->inputs.option = "input";
  run->outputs.option = "output";
  run->expected.option = "expect";
  run->pod = cli_pod_default();
  return run;
}

static int finish(cli_run_t *run, pod_status_t status) {
  cli_progress_step(run->progress, NULL, 0);
  (void)cli_output_is_lost();  // Before what goes to standard error.
  const bool differs = pod_status_code(status) == POD_DATA_LOSS;  // As a check says.
  int result = status == NULL ? CLI_OK : cli_fail(status);
  result = differs ? CLI_FAILED : result;
  release(run);
  return result;
}

int cli_run(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS,
      {"input", 'i', "NAME=VALUE", 0,
       "An argument, by name or number: FILE.npy, random:SEED, ones, zeros, iota or "
       "const:VALUE. Without one an argument is random:ITS NUMBER",
       2},
      {"output", 'o', "NAME=FILE.npy", 0, "Write a result, by name or number", 2},
      {"expect", KEY_EXPECT, "NAME=FILE.npy", 0,
       "Compare a result; the exit status is 1 when it differs", 2},
      {"tolerance", KEY_TOLERANCE, "REL", 0,
       "For --expect: difference allowed, relative to the largest expected value (0.01)",
       2},
      CLI_SHAPE_OPTIONS,
      PROFILE_OPTIONS,
      REPORT_OPTION,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"time-only", KEY_TIME_ONLY, NULL, 0,
       "Compute no values, start no worker: tell only the time. The same as podium "
       "simulate",
       4},
      {"cast", KEY_CAST, NULL, 0,
       "Convert files of another dtype than the argument or the result has, such as f32 "
       "for bf16, which NumPy does not know",
       2},
      {"host-profile", KEY_HOST_PROFILE, "FILE.json", 0,
       "Write a trace of the time that was measured on the workers' hosts", 2},
      {"repeat", KEY_REPEAT, "N", 0, "Execute N times; the last one is shown", 3},
      {"retry", KEY_RETRY, "N", 0,
       "When the coordinator or a worker dies, wait for the pod and run what was lost "
       "again, each call at most N times (0)",
       3},
      {"quiet", 'q', NULL, 0, "Print only checks and errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc =
          "Run PROGRAM, StableHLO text as jax.jit(f).lower(...).as_text() prints it, a "
          "portable artifact, or what jax.export.export(f)(...).serialize() writes (- "
          "for "
          "standard input), and print its results, collectives, memory and profile.\v"
          "Examples:\n  podium run mm.mlir --chip v5e --topology 2x2\n"
          "  podium run mm.mlir -i arg0=x.npy -i arg1=random:7 -o 0=y.npy --profile "
          "trace.json"};
  cli_run_t *run = create();
  run->repeat = 1;
  run->tolerance = 0.01;
  run->is_executed = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, run_program(run));
}

int cli_simulate(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      PROFILE_OPTIONS,
      REPORT_OPTION,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"fit", KEY_FIT, "LABEL=ARG0.0[,ARG1.0…]", 0,
       "Find the largest size of these dimensions of arguments (dimension 0 of "
       "argument 0) with which the program fits the HBM. The program leaves them open "
       "(jax.export.symbolic_shape)",
       2},
      {"quiet", 'q', NULL, 0, "Print only errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc =
          "Tell how long PROGRAM would take on a pod of any kind and size, without "
          "running "
          "it: no values are computed and no worker is started. Prints the profile that "
          "`podium run` prints.\v"
          "Examples:\n  podium simulate step.mlir --chip v5p --topology 16x16x16\n"
          "  podium simulate step.mlir --slow chip=3:1.5 --slow-link '(0,0)-(1,0):0.5'\n"
          "  podium simulate step.mlirbc --fit batch=ARG1.0,ARG2.0"};
  cli_run_t *run = create();
  run->time_only = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, run_program(run));
}

pod_status_t cli_run_predict(cli_run_t *run, podium_profile_t **out_profile,
                             char **out_unknown) {
  const podium_profile_options_t options = cli_simulation_options(
      &run->simulation, run->timeout_ms, run->report != NULL ? EVENTS_MAX : 0);
  *out_profile = NULL;
  *out_unknown = NULL;
  podium_status_t *failed = podium_simulate(run->executable, &options, out_profile);
  if (failed == NULL || podium_status_code(failed) != PODIUM_FAILED_PRECONDITION) {
    return cli_status_of(failed);
  }
  *out_unknown = pod_strdup(podium_status_message(failed));
  podium_status_free(failed);
  return NULL;
}

// With the times as far as they can be told: a loop whose turns depend on values has
// none.
static pod_status_t report_compiled(cli_run_t *run) {
  podium_profile_t *profile;
  char *unknown;
  POD_TRY(cli_run_predict(run, &profile, &unknown));
  const profile_report_t report = {.made_by = "compile",
                                   .file = run->program,
                                   .info = podium_executable_info(run->executable),
                                   .profile = profile,
                                   .no_times = unknown};
  const pod_status_t status = cli_write_report(run->report, &report);
  free(unknown);
  podium_profile_free(profile);
  return status;
}

static pod_status_t compile_program(cli_run_t *run) {
  POD_TRY(cli_run_prepare(run));
  cli_progress_step(run->progress, NULL, 0);
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_report_program(info);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "partitioned_text", info->partitioned_text);
  }
  cli_print_whole("%s", info->partitioned_text);
  if (!run->only_text) {
    cli_print("\n");
    cli_print_signatures(info);
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return run->report == NULL ? NULL : report_compiled(run);
}

int cli_compile(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      {"text", KEY_TEXT, NULL, 0, "Print only the partitioned program", 2},
      REPORT_OPTION,
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc =
          "Compile PROGRAM and print what one chip runs, as StableHLO text, with its "
          "collectives and the HBM it needs. Nothing is executed.\v"
          "Example:\n  podium compile mm.mlir --chip v5e --topology 2x2"};
  cli_run_t *run = create();
  cli_parse(&argp, argc, argv, run);
  return finish(run, compile_program(run));
}

int cli_explain(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"expect", KEY_EXPECTATIONS, "MEASURE<=N,…", 0,
       "What the program shall keep to; the exit status is 1 when it does not. Measures: "
       "all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute, "
       "collectives (how many), peak_hbm, ici_bytes, link_bytes (12GiB), step, "
       "in_flight, "
       "exposed (3ms); with <=, <, ==, !=, >= or >. May be given again",
       2},
      {"quiet", 'q', NULL, 0, "Print only expectations that do not hold, and errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc =
          "Tell what the partitioner did with PROGRAM, why, and what that costs on a pod "
          "of "
          "any kind and size: every collective with its axes, bytes, predicted time, "
          "what "
          "hides it, the line it serves and why it is there; what every chip holds "
          "whole. "
          "Nothing is executed and no worker is started.\v"
          "Examples:\n  podium explain step.mlir --chip v5e --topology 4x4\n"
          "  podium explain step.mlir --expect "
          "'all_gather<=2,all_to_all==0,peak_hbm<=12GiB,step<=3ms'"};
  cli_run_t *run = create();
  cli_parse(&argp, argc, argv, run);
  bool is_met = true;
  const pod_status_t status = cli_explain_program(run, &is_met);
  const int result = finish(run, status);
  return result == CLI_OK && !is_met ? CLI_FAILED : result;
}

int cli_diff(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS, CLI_SHAPE_OPTIONS, CLI_SIMULATION_OPTIONS, CLI_TURNS_OPTION, {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "PROGRAM PROGRAM",
      .doc =
          "Tell what two programs cost on the same pod, side by side: collectives, HBM, "
          "load of the links, step. Nothing is executed.\v"
          "Example:\n  podium diff before.mlir after.mlir --chip v5e --topology 4x4"};
  cli_run_t *run = create();
  run->compares = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, cli_diff_programs(run));
}
