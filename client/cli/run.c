// podium run, simulate and compile: from a module's text to its results and profile.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/shapes.h"
#include "client/cli/simulation.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/tensor/array.h"

enum { BINDINGS_MAX = 4096, VALUES_SHOWN = 8, EVENTS_MAX = 1 << 20 };

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
};

// NAME=VALUE of --input, --output, --expect.
typedef struct binding_t {
  const char *name;
  size_t name_length;
  const char *value;
  bool used;
} binding_t;

typedef struct bindings_t {
  int count;
  binding_t list[BINDINGS_MAX];
} bindings_t;

typedef struct run_t {
  const char *program, *pod, *chip, *topology, *algorithms, *profile, *xplane;
  int64_t timeout_ms;
  int repeat;
  double tolerance;
  bool quiet, only_text, time_only;
  cli_simulation_t simulation;
  bindings_t inputs, outputs, expected;
  cli_shapes_t shapes;
  // What it makes on the way, released in reverse.
  char *text;
  size_t length;
  char *folder;
  cli_pod_t *local;
  podium_session_t *session;
  podium_pod_t *pod_info;
  podium_executable_t *executable;
  podium_array_t **arguments, **results;
  podium_execution_t *execution;
  cli_progress_t *progress;
} run_t;

static error_t bind(struct argp_state *state, bindings_t *bindings, const char *option,
                    const char *text) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    argp_error(state, "--%s takes NAME=VALUE, got '%s'", option, text);
  } else if (bindings->count == BINDINGS_MAX) {
    argp_error(state, "more than %d --%s", BINDINGS_MAX, option);
  } else {
    bindings->list[bindings->count++] = (binding_t){
        .name = text, .name_length = (size_t)(equals - text), .value = equals + 1};
  }
  return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  run_t *run = state->input;
  char *end = NULL;
  switch (key) {
    case 'c':
      run->chip = value;
      return 0;
    case 't':
      run->topology = value;
      return 0;
    case KEY_POD:
      run->pod = value;
      return 0;
    case CLI_KEY_SHAPE:
      return cli_shapes_option(&run->shapes, value, state);
    case CLI_KEY_CONSTANT:
      return cli_constant_option(&run->shapes, value, state);
    case 'i':
      return bind(state, &run->inputs, "input", value);
    case 'o':
      return bind(state, &run->outputs, "output", value);
    case KEY_EXPECT:
      return bind(state, &run->expected, "expect", value);
    case KEY_TOLERANCE:
      run->tolerance = strtod(value, &end);
      if (*end != '\0' || !(run->tolerance >= 0)) {
        argp_error(state, "--tolerance takes a number, got '%s'", value);
      }
      return 0;
    case KEY_ALGORITHM:
      run->algorithms = value;
      return 0;
    case KEY_PROFILE:
      run->profile = value;
      return 0;
    case KEY_XPLANE:
      run->xplane = value;
      return 0;
    case KEY_TIME_ONLY:
      run->time_only = true;
      return 0;
    case KEY_REPEAT:
      run->repeat = (int)strtol(value, &end, 10);
      if (*end != '\0' || run->repeat < 1) {
        argp_error(state, "--repeat takes a number from 1, got '%s'", value);
      }
      return 0;
    case KEY_TIMEOUT:
      run->timeout_ms = (int64_t)(1000 * strtod(value, &end));
      if (*end != '\0' || run->timeout_ms <= 0) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return 0;
    case KEY_TEXT:
      run->only_text = true;
      return 0;
    case 'q':
      run->quiet = true;
      return 0;
    case ARGP_KEY_ARG:
      if (run->program != NULL) {
        argp_error(state, "one program at a time: '%s' and '%s'", run->program, value);
      }
      run->program = value;
      return 0;
    case ARGP_KEY_END:
      if (run->program == NULL) {
        argp_error(state,
                   "a PROGRAM is needed: a file of StableHLO text, or - for "
                   "standard input");
      }
      return 0;
    default:
      return cli_simulation_option(&run->simulation, key, value, state);
  }
}

#define POD_OPTIONS                                                                      \
  {"chip", 'c', "KIND|FILE", 0, "v2, v3, v4, v5e, v5p, v6e, v7x (v5e) or a file", 1},    \
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
      {"algorithm",                                                                      \
       KEY_ALGORITHM,                                                                    \
       "[COLLECTIVE=]NAME",                                                              \
       0,                                                                                \
       "How collectives run: ring, line, tree, direct or torus, for all of them or for " \
       "one kind (all_reduce=ring,all_gather=line). Without it the cheapest",            \
       1},                                                                               \
  {                                                                                      \
    "timeout", KEY_TIMEOUT, "SECONDS", 0, "Give up after so long (no limit)", 3          \
  }

#define PROFILE_OPTIONS                                                                 \
  {"profile", KEY_PROFILE, "FILE.json", 0, "Write a trace for https://ui.perfetto.dev", \
   2},                                                                                  \
  {                                                                                     \
    "xplane", KEY_XPLANE, "DIR", 0,                                                     \
        "Write DIR/plugins/profile/TIME/HOST.xplane.pb for TensorBoard and XProf", 2    \
  }

// --- The pod ---

static pod_status_t start_local_pod(run_t *run) {
  char folder[] = "/tmp/podium-run-XXXXXX";
  if (mkdtemp(folder) == NULL) {
    return pod_error(POD_INTERNAL, "no temporary folder under /tmp");
  }
  run->folder = pod_strdup(folder);
  char *topology = run->topology != NULL ? pod_strdup(run->topology)
                                         : cli_topology_for(cli_chips_for(run->text));
  const pod_status_t status =
      cli_pod_start(&(cli_pod_options_t){.chip = run->chip,
                                         .topology = topology,
                                         .folder = folder,
                                         .has_no_workers = run->time_only},
                    &run->local);
  free(topology);
  return status;
}

static pod_status_t connect_pod(run_t *run) {
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
                                            .do_not_wait = run->time_only};
  pod_status_t status = cli_status_of(podium_connect(address, &options, &run->session));
  free(address);
  if (status != NULL && run->local != NULL) {
    return cli_pod_explain(run->local, status);
  }
  POD_TRY(status);
  POD_TRY(cli_status_of(podium_pod(run->session, 10000, &run->pod_info)));
  if (run->local != NULL && !run->quiet && !run->time_only) {
    fprintf(stderr, "pod of %d %s chips, %s, ready after %.2f s\n",
            run->pod_info->device_count, run->pod_info->chip_kind,
            run->pod_info->topology, (double)(pod_clock_now_ns() - started_ns) / 1e9);
  }
  return NULL;
}

static void release(run_t *run) {
  cli_progress_stop(run->progress);
  cli_shapes_deinit(&run->shapes);
  podium_close(run->session);  // Frees arrays, execution and executable with it.
  podium_pod_free(run->pod_info);
  cli_pod_stop(run->local);
  if (run->folder != NULL) {
    rmdir(run->folder);
  }
  free(run->folder);
  free(run->arguments);
  free(run->results);
  free(run->text);
  free(run);
}

static bool is_generator(const char *value) {
  return strcmp(value, "ones") == 0 || strcmp(value, "zeros") == 0 ||
         strcmp(value, "iota") == 0 || strncmp(value, "random:", 7) == 0 ||
         strncmp(value, "const:", 6) == 0;
}

// Arguments whose sizes the program leaves open have those of their files.
static pod_status_t find_shapes(run_t *run) {
  if (!cli_has_open_sizes(run->text)) {
    return NULL;
  }
  for (int i = run->inputs.count - 1; i >= 0; i--) {  // The last one of a name counts.
    const binding_t *input = &run->inputs.list[i];
    tensor_shape_t shape;
    if (!is_generator(input->value)) {
      POD_TRY(pod_status_context(tensor_npy_shape(input->value, &shape), "input %.*s",
                                 (int)input->name_length, input->name));
      cli_shapes_add(&run->shapes, input->name, input->name_length, &shape);
    }
  }
  return NULL;
}

// With `only` for any pod: one of another kind or size than the one that is asked.
static pod_status_t prepare(run_t *run, bool only) {
  run->progress = cli_progress_start();
  POD_TRY(cli_read_file(run->program, &run->text, &run->length));
  POD_TRY(find_shapes(run));
  cli_progress_step(run->progress, "starting the pod", 0);
  POD_TRY(connect_pod(run));
  cli_progress_step(run->progress, "compiling", 0);
  const bool is_elsewhere = only && run->pod != NULL;
  const podium_compile_options_t options = {
      .timeout_ms = run->timeout_ms,
      .only = only,
      .algorithms = run->algorithms,
      .argument_type_count = run->shapes.count,
      .argument_types = run->shapes.types,
      .chip_kind = is_elsewhere ? run->chip : NULL,
      .topology = is_elsewhere ? run->topology : NULL};
  return cli_status_of(podium_compile(run->session, run->program, run->text, run->length,
                                      &options, &run->executable));
}

// --- Inputs ---

// A binding of this name, or of this number.
static binding_t *find_binding(bindings_t *bindings, const char *name, int index) {
  char number[16];
  snprintf(number, sizeof(number), "%d", index);
  for (int i = bindings->count - 1; i >= 0; i--) {
    binding_t *binding = &bindings->list[i];
    const bool is_name = strlen(name) == binding->name_length &&
                         memcmp(name, binding->name, binding->name_length) == 0;
    const bool is_number = strlen(number) == binding->name_length &&
                           memcmp(number, binding->name, binding->name_length) == 0;
    if (is_name || is_number) {
      binding->used = true;
      return binding;
    }
  }
  return NULL;
}

static pod_status_t check_all_used(const bindings_t *bindings, const char *what,
                                   int count, const podium_signature_t *signatures) {
  for (int i = 0; i < bindings->count; i++) {
    const binding_t *binding = &bindings->list[i];
    if (binding->used) {
      continue;
    }
    pod_text_t names = {0};
    for (int s = 0; s < count; s++) {
      pod_text_printf(&names, "%s%s", s == 0 ? "" : ", ", signatures[s].name);
    }
    const pod_status_t status =
        pod_error(POD_INVALID_ARGUMENT, "the program has no %s '%.*s', only: %s", what,
                  (int)binding->name_length, binding->name,
                  names.bytes == NULL ? "none" : names.bytes);
    pod_text_deinit(&names);
    return status;
  }
  return NULL;
}

static tensor_shape_t tensor_of(const podium_shape_t *shape) {
  return tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
}

static pod_status_t make_input(run_t *run, int index, tensor_array_t *array) {
  const podium_signature_t *signature =
      &podium_executable_info(run->executable)->arguments[index];
  const tensor_shape_t shape = tensor_of(&signature->shape);
  const binding_t *binding = find_binding(&run->inputs, signature->name, index);
  char generator[32];
  int64_t constant;
  if (cli_constant_of(&run->shapes, signature->name, index, &constant)) {
    snprintf(generator, sizeof(generator), "const:%lld", (long long)constant);
  } else {
    snprintf(generator, sizeof(generator), "random:%d", index);
  }
  const char *value = binding == NULL ? generator : binding->value;
  pod_status_t status;
  if (is_generator(value)) {
    status = tensor_array_init(array, &shape);
    if (status == NULL) {
      status = tensor_fill(value, array);
    }
  } else {
    status = tensor_npy_read(value, &shape, array);
  }
  return pod_status_context(status, "input %s", signature->name);
}

typedef struct upload_t {
  const tensor_array_t *array;
  int64_t done;
  cli_progress_t *progress;
} upload_t;

static int64_t read_array(void *context, void *buffer, size_t size) {
  upload_t *upload = context;
  memcpy(buffer, (const char *)upload->array->data + upload->done, size);
  upload->done += (int64_t)size;
  cli_progress_advance(upload->progress, upload->done);
  return (int64_t)size;
}

static pod_status_t put_inputs(run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  run->arguments = pod_alloc((size_t)info->argument_count * sizeof(podium_array_t *));
  for (int i = 0; i < info->argument_count; i++) {
    tensor_array_t array = {0};
    POD_TRY(make_input(run, i, &array));
    cli_progress_step(run->progress, "sending inputs", tensor_shape_bytes(&array.shape));
    upload_t upload = {.array = &array, .progress = run->progress};
    const podium_layout_t layout = {.executable = run->executable, .argument = i};
    const pod_status_t status = cli_status_of(podium_put_stream(
        run->session, &layout, read_array, &upload, run->timeout_ms, &run->arguments[i]));
    tensor_array_deinit(&array);
    POD_TRY(pod_status_context(status, "input %s", info->arguments[i].name));
  }
  return check_all_used(&run->inputs, "argument", info->argument_count, info->arguments);
}

// --- Results ---

static void print_values(const tensor_array_t *array) {
  const int64_t count = tensor_shape_elements(&array->shape);
  const size_t element_bytes = tensor_dtype_bytes(array->shape.dtype);
  const bool is_real = tensor_dtype_is_float(array->shape.dtype) ||
                       tensor_dtype_is_complex(array->shape.dtype);
  for (int64_t i = 0; i < count && i < VALUES_SHOWN; i++) {
    const char *element = (const char *)array->data + (size_t)i * element_bytes;
    printf(i == 0 ? " " : ", ");
    if (is_real) {
      printf("%.6g", tensor_element_as_double(array->shape.dtype, element));
    } else {
      printf("%lld", (long long)tensor_element_as_int64(array->shape.dtype, element));
    }
  }
  printf(count > VALUES_SHOWN ? ", …\n" : "\n");
}

// Largest difference, relative to the largest expected magnitude.
static pod_status_t compare(const char *name, const tensor_array_t *result,
                            const tensor_array_t *expected, double tolerance) {
  const int64_t count = tensor_shape_elements(&result->shape);
  const tensor_dtype_t dtype = result->shape.dtype;
  const size_t element_bytes = tensor_dtype_bytes(dtype);
  double largest = 0, scale = 0;
  int64_t worst = 0;
  for (int64_t i = 0; i < count; i++) {
    const size_t offset = (size_t)i * element_bytes;
    const double a = tensor_element_as_double(dtype, (const char *)result->data + offset);
    const double b =
        tensor_element_as_double(dtype, (const char *)expected->data + offset);
    const double difference = isnan(a) && isnan(b) ? 0 : fabs(a - b);
    scale = fabs(b) > scale ? fabs(b) : scale;
    if (!(difference <= largest)) {
      largest = difference;
      worst = i;
    }
  }
  const double error = scale > 0 ? largest / scale : largest;
  printf(
      "check %s: largest difference %.3g (%.3g of the largest value) over %lld "
      "elements: %s\n",
      name, largest, error, (long long)count, error <= tolerance ? "ok" : "WRONG");
  if (!(error <= tolerance)) {
    return pod_error(POD_DATA_LOSS,
                     "result %s differs from what was expected at element %lld: "
                     "difference %g of %g, tolerance %g",
                     name, (long long)worst, largest, scale, tolerance);
  }
  return NULL;
}

static pod_status_t use_result(run_t *run, int index, const tensor_array_t *array) {
  const podium_signature_t *signature =
      &podium_executable_info(run->executable)->results[index];
  const binding_t *output = find_binding(&run->outputs, signature->name, index);
  const binding_t *expect = find_binding(&run->expected, signature->name, index);
  if (!run->quiet) {
    pod_arena_t *arena = pod_arena_create();
    printf("%s = %s", signature->name, cli_shape(arena, &signature->shape));
    print_values(array);
    pod_arena_destroy(arena);
  }
  if (output != NULL) {
    POD_TRY(tensor_npy_write(output->value, array));
  }
  if (expect != NULL) {
    tensor_array_t expected = {0};
    POD_TRY(tensor_npy_read(expect->value, &array->shape, &expected));
    const pod_status_t status =
        compare(signature->name, array, &expected, run->tolerance);
    tensor_array_deinit(&expected);
    return status;
  }
  return NULL;
}

static pod_status_t fetch_results(run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  for (int i = 0; i < info->result_count; i++) {
    const tensor_shape_t shape = tensor_of(&info->results[i].shape);
    tensor_array_t array;
    POD_TRY(tensor_array_init(&array, &shape));
    cli_progress_step(run->progress, "fetching results", 0);
    pod_status_t status =
        cli_status_of(podium_fetch(run->results[i], array.data,
                                   (size_t)tensor_shape_bytes(&shape), run->timeout_ms));
    cli_progress_step(run->progress, NULL, 0);
    if (status == NULL) {
      status = use_result(run, i, &array);
    }
    tensor_array_deinit(&array);
    POD_TRY(pod_status_context(status, "result %s", info->results[i].name));
  }
  POD_TRY(check_all_used(&run->outputs, "result", info->result_count, info->results));
  return check_all_used(&run->expected, "result", info->result_count, info->results);
}

static pod_status_t show_profile(run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  const bool wants_events = run->profile != NULL || run->xplane != NULL;
  const podium_profile_options_t options = cli_simulation_options(
      &run->simulation, run->timeout_ms, wants_events ? EVENTS_MAX : 0);
  podium_profile_t *profile;
  cli_progress_step(run->progress, "simulating", 0);
  POD_TRY(cli_status_of(run->time_only
                            ? podium_simulate(run->executable, &options, &profile)
                            : podium_profile(run->execution, &options, &profile)));
  cli_progress_step(run->progress, NULL, 0);
  if (!run->quiet) {
    cli_print_profile(profile);
  }
  pod_status_t status = NULL;
  if (run->profile != NULL) {
    status = cli_write_trace(run->profile, false, info, profile);
  }
  if (status == NULL && run->xplane != NULL) {
    status = cli_write_xplane(run->xplane, info, profile);
  }
  podium_profile_free(profile);
  return status;
}

static pod_status_t execute(run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  run->results = pod_alloc((size_t)info->result_count * sizeof(podium_array_t *));
  const podium_execute_options_t options = {
      .timeout_ms = run->timeout_ms,
      .profile = run->profile != NULL || run->xplane != NULL};
  for (int i = 0; i < run->repeat; i++) {
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
static pod_status_t simulate_program(run_t *run) {
  POD_TRY(prepare(run, true));
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_progress_step(run->progress, NULL, 0);
  if (!run->quiet) {
    cli_print_signatures(info);
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return show_profile(run);
}

static pod_status_t run_program(run_t *run) {
  if (run->time_only) {
    return simulate_program(run);
  }
  POD_TRY(prepare(run, false));
  const podium_program_info_t *info = podium_executable_info(run->executable);
  POD_TRY(put_inputs(run));
  POD_TRY(execute(run));
  cli_progress_step(run->progress, NULL, 0);
  if (!run->quiet) {
    cli_print_signatures(info);
  }
  POD_TRY(fetch_results(run));
  if (!run->quiet) {
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return show_profile(run);
}

static int finish(run_t *run, pod_status_t status) {
  cli_progress_stop(run->progress);
  run->progress = NULL;
  fflush(stdout);
  const int result = status == NULL ? CLI_OK : cli_fail(status);
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
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"time-only", KEY_TIME_ONLY, NULL, 0,
       "Compute no values, start no worker: tell only the time. The same as podium "
       "simulate",
       4},
      {"repeat", KEY_REPEAT, "N", 0, "Execute N times; the last one is shown", 3},
      {"quiet", 'q', NULL, 0, "Print only checks and errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc =
          "Run PROGRAM, StableHLO text as jax.jit(f).lower(...).as_text() prints it (- "
          "for "
          "standard input), and print its results, collectives, memory and profile.\v"
          "Examples:\n  podium run mm.mlir --chip v5e --topology 2x2\n"
          "  podium run mm.mlir -i arg0=x.npy -i arg1=random:7 -o 0=y.npy --profile "
          "trace.json"};
  run_t *run = pod_alloc(sizeof(*run));
  run->repeat = 1;
  run->tolerance = 0.01;
  cli_parse(&argp, argc, argv, run);
  return finish(run, run_program(run));
}

int cli_simulate(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      PROFILE_OPTIONS,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
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
          "  podium simulate step.mlir --slow chip=3:1.5 --slow-link '(0,0)-(1,0):0.5'"};
  run_t *run = pod_alloc(sizeof(*run));
  run->time_only = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, run_program(run));
}

static pod_status_t compile_program(run_t *run) {
  POD_TRY(prepare(run, true));
  cli_progress_step(run->progress, NULL, 0);
  const podium_program_info_t *info = podium_executable_info(run->executable);
  fputs(info->partitioned_text, stdout);
  if (!run->only_text) {
    printf("\n");
    cli_print_signatures(info);
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return NULL;
}

int cli_compile(int argc, char **argv) {
  static const struct argp_option options[] = {
      POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      {"text", KEY_TEXT, NULL, 0, "Print only the partitioned program", 2},
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
  run_t *run = pod_alloc(sizeof(*run));
  cli_parse(&argp, argc, argv, run);
  return finish(run, compile_program(run));
}
