// What the options of one run say, and which of them contradict each other.

#include "client/cli/run_options.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  RETRIES_MAX = 1000,
  REPEAT_MAX = 1000000000,
  VJP_ORDER_MAX = 100,
  COMPILES_MAX = 1000000,
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
  if (run->slice != NULL && run->given.device_order.count > 0) {
    argp_error(state, "--slice chooses chips, --device-order names them: leave one out");
  } else if (run->slice != NULL && run->pod != NULL &&
             (run->chip != NULL || run->topology != NULL)) {
    argp_error(state,
               "--slice is of the pod that --pod (or PODIUM_POD) names: leave out --chip "
               "and --topology, or --pod");
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

// Options that only set a field.
static const struct {
  int key;
  enum { TEXT, FLAG } kind;  // const char *, which gets the value; bool, which is set.
  size_t field;
} plain_options[] = {
    {'c', TEXT, offsetof(cli_run_t, chip)},
    {'t', TEXT, offsetof(cli_run_t, topology)},
    {CLI_RUN_POD, TEXT, offsetof(cli_run_t, pod)},
    {CLI_RUN_PROFILE, TEXT, offsetof(cli_run_t, profile)},
    {CLI_RUN_HOST_PROFILE, TEXT, offsetof(cli_run_t, host_profile)},
    {CLI_RUN_XPLANE, TEXT, offsetof(cli_run_t, xplane)},
    {CLI_RUN_REPORT, TEXT, offsetof(cli_run_t, report)},
    {CLI_RUN_SLICE, TEXT, offsetof(cli_run_t, slice)},
    {CLI_RUN_AFTER, TEXT, offsetof(cli_run_t, after)},
    {CLI_RUN_SHARDINGS, FLAG, offsetof(cli_run_t, wants_values)},
    {CLI_RUN_WHAT_IF, FLAG, offsetof(cli_run_t, wants_what_if)},
    {CLI_RUN_CAST, FLAG, offsetof(cli_run_t, casts)},
    {CLI_RUN_TIME_ONLY, FLAG, offsetof(cli_run_t, time_only)},
    {CLI_RUN_TEXT, FLAG, offsetof(cli_run_t, only_text)},
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
    case CLI_RUN_TOLERANCE:
      run->tolerance = strtod(value, &end);
      if (end == value || *end != '\0' || !(run->tolerance >= 0)) {
        argp_error(state, "--tolerance takes a number, got '%s'", value);
      }
      return true;
    case CLI_RUN_REPEAT:
      if (!cli_read_number(value, 1, REPEAT_MAX, &run->repeat)) {
        argp_error(state, "--repeat takes a number from 1 to %d, got '%s'", REPEAT_MAX,
                   value);
      }
      return true;
    case CLI_RUN_RETRY:
      if (!cli_read_number(value, 0, RETRIES_MAX, &run->retries)) {
        argp_error(state, "--retry takes a number from 0 to %d, got '%s'", RETRIES_MAX,
                   value);
      }
      return true;
    case CLI_RUN_TIMEOUT:
      if (!cli_read_seconds(value, &run->timeout_ms)) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return true;
    case CLI_RUN_MODEL_FLOP:
      run->model_flop = strtod(value, &end);
      if (end == value || *end != '\0' || !(run->model_flop > 0) ||
          !isfinite(run->model_flop)) {
        argp_error(state, "--model-flop takes a number such as 3.4e12, got '%s'", value);
      }
      return true;
    case CLI_RUN_BUDGET:
      if (!cli_read_number(value, 1, COMPILES_MAX, &run->search_compiles)) {
        argp_error(state, "--budget takes a number from 1 to %d, got '%s'", COMPILES_MAX,
                   value);
      }
      return true;
    case CLI_RUN_SECONDS:
      if (!cli_read_seconds(value, &run->search_seconds_ms)) {
        argp_error(state, "--seconds takes seconds, got '%s'", value);
      }
      return true;
    case CLI_RUN_VJP:
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

error_t cli_run_parse(int key, char *value, struct argp_state *state) {
  cli_run_t *run = state->input;
  if (parse_plain(run, key, value) || parse_number(run, key, value, state)) {
    return 0;
  }
  switch (key) {
    case CLI_KEY_SHAPE:
      return cli_shapes_option(&run->shapes, value, state);
    case CLI_KEY_CONSTANT:
      return cli_constant_option(&run->shapes, value, state);
    case CLI_RUN_FIT:
      return cli_fit_option(&run->fit, value, state);
    case 'i':
      return cli_bindings_option(&run->inputs, value, state);
    case 'o':
      return cli_bindings_option(&run->outputs, value, state);
    case CLI_RUN_EXPECT:
      return cli_bindings_option(&run->expected, value, state);
    case CLI_RUN_EXPECTATIONS:
      return parse_expectations(run, value, state);
    case ARGP_KEY_ARG:
      if ((run->compares || run->draws) && run->program != NULL && run->other == NULL) {
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
    default: {
      const error_t result = cli_given_option(&run->given, key, value, state);
      return result != ARGP_ERR_UNKNOWN
                 ? result
                 : cli_simulation_option(&run->simulation, key, value, state);
    }
  }
}
