// podium check: runs modules that check their own results (custom_call
// @check.expect_eq and its like) and says which hold.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/arguments.h"
#include "client/cli/cli.h"
#include "client/cli/report.h"
#include "client/cli/shapes.h"
#include "client/cli/streams.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/tensor/array.h"

enum { KEY_POD = 256, KEY_TIMEOUT, KEY_ARGS };

typedef enum verdict_t { PASS = 0, FAIL, UNIMPLEMENTED, VERDICT_COUNT } verdict_t;

static const char *const verdict_names[VERDICT_COUNT] = {"PASS", "FAIL", "UNIMPLEMENTED"};

// Files whose names begin alike, up to the first element type.
typedef struct family_t {
  char *name;
  int counts[VERDICT_COUNT];
} family_t;

typedef struct check_t {
  const char *pod, *chip, *topology;
  int64_t timeout_ms;
  bool quiet;
  int file_count;
  char **files;
  cli_arguments_t arguments;  // For every module that takes some.
  cli_shapes_t shapes;        // For every module that leaves sizes open.
  POD_LIST(family_t) families;
  // The pod that modules run on, and how many chips they want.
  int64_t chips;
  cli_pod_t *local;
  podium_session_t *session;
  cli_progress_t *progress;
  char *step;           // What the progress says: which file it is.
  int done_count;       // Files that were looked at.
  int check_count;      // In the file that is looked at.
  int unchecked_files;  // Files that pass and hold no check.
} check_t;

static error_t parse_option(int key, char *value, struct argp_state *state) {
  check_t *check = state->input;
  pod_status_t status;
  switch (key) {
    case 'c':
      check->chip = value;
      return 0;
    case 't':
      check->topology = value;
      return 0;
    case KEY_POD:
      check->pod = value;
      return 0;
    case KEY_TIMEOUT:
      if (!cli_read_seconds(value, &check->timeout_ms)) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return 0;
    case KEY_ARGS:
      cli_arguments_deinit(&check->arguments);
      status = cli_arguments_parse(value, &check->arguments);
      if (status != NULL) {
        argp_error(state, "%s", pod_status_message(status));
      }
      return 0;
    case CLI_KEY_SHAPE:
      return cli_shapes_option(&check->shapes, value, state);
    case CLI_KEY_CONSTANT:
      return cli_constant_option(&check->shapes, value, state);
    case 'q':
      check->quiet = true;
      return 0;
    case ARGP_KEY_ARGS:
      check->files = state->argv + state->next;
      check->file_count = state->argc - state->next;
      return 0;
    case ARGP_KEY_END:
      if (check->pod != NULL && (check->chip != NULL || check->topology != NULL)) {
        argp_error(state,
                   "--pod, or PODIUM_POD, names a pod, which has its chips: leave out "
                   "--chip and "
                   "--topology");
      }
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "a FILE is needed: StableHLO text with checks in it");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// --- The pod ---

static void leave_pod(check_t *check) {
  podium_close(check->session);
  cli_pod_stop(check->local);
  check->session = NULL;
  check->local = NULL;
}

static pod_status_t start_local_pod(check_t *check, char **out_address) {
  char *topology = check->topology != NULL ? pod_strdup(check->topology)
                                           : cli_topology_for(check->chips);
  const pod_status_t status = cli_pod_start(
      &(cli_pod_options_t){
          .chip = check->chip, .topology = topology, .progress = check->progress},
      &check->local);
  free(topology);
  POD_TRY(status);
  *out_address = pod_strdup(check->local->address);
  return NULL;
}

// On the library's thread, which ends with the session.
static void note_waiting(void *context, const char *for_what) {
  const check_t *check = context;
  cli_progress_note(check->progress, for_what);
}

static pod_status_t enter_pod(check_t *check) {
  char *address = NULL;
  POD_TRY(check->pod != NULL ? cli_pod_address(check->pod, &address)
                             : start_local_pod(check, &address));
  const podium_connect_options_t options = {.client_name = "podium check",
                                            .on_waiting = note_waiting,
                                            .on_waiting_context = check};
  const pod_status_t status =
      cli_status_of(podium_connect(address, &options, &check->session));
  free(address);
  return status != NULL && check->local != NULL ? cli_pod_explain(check->local, status)
                                                : status;
}

// --- One module ---

// What --args says, or random values, the same for an argument's number every time.
static pod_status_t put_argument(check_t *check, podium_executable_t *executable,
                                 int index, podium_array_t **out_array) {
  const podium_shape_t *shape =
      &podium_executable_info(executable)->arguments[index].shape;
  const tensor_shape_t wanted =
      tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
  tensor_array_t random = {0};
  const tensor_array_t *array = &random;
  if (index < check->arguments.count) {
    array = &check->arguments.arrays[index];
    if (!tensor_shape_equal(&array->shape, &wanted)) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "value %d of --args is not of the type that @main takes", index);
    }
  } else {
    char generator[CLI_GENERATOR_SIZE];
    const char *name = podium_executable_info(executable)->arguments[index].name;
    cli_default_generator(&check->shapes, name, index, generator);
    POD_TRY(tensor_array_init(&random, &wanted));
    const pod_status_t status = tensor_fill(generator, &random);
    if (status != NULL) {
      tensor_array_deinit(&random);
      return status;
    }
  }
  const podium_layout_t layout = {.executable = executable, .argument = index};
  const pod_status_t status = cli_status_of(
      podium_put(check->session, &layout, array->data,
                 (size_t)tensor_shape_bytes(&wanted), check->timeout_ms, out_array));
  tensor_array_deinit(&random);
  return status;
}

static pod_status_t put_arguments(check_t *check, podium_executable_t *executable,
                                  podium_array_t **arguments) {
  const int count = podium_executable_info(executable)->argument_count;
  if (count > 0 && check->arguments.count > 0 && check->arguments.count != count) {
    return pod_error(POD_INVALID_ARGUMENT, "@main takes %d arguments, --args has %d",
                     count, check->arguments.count);
  }
  for (int i = 0; i < count; i++) {
    POD_TRY(put_argument(check, executable, i, &arguments[i]));
  }
  return NULL;
}

static pod_status_t execute(check_t *check, podium_executable_t *executable) {
  const podium_program_info_t *info = podium_executable_info(executable);
  podium_array_t **arguments =
      pod_alloc((size_t)info->argument_count * sizeof(podium_array_t *));
  podium_array_t **results =
      pod_alloc((size_t)info->result_count * sizeof(podium_array_t *));
  const podium_execute_options_t options = {.timeout_ms = check->timeout_ms};
  pod_status_t status = put_arguments(check, executable, arguments);
  if (status == NULL) {
    status = cli_status_of(podium_execute(executable, info->argument_count, arguments,
                                          &options, results, NULL));
  }
  for (int i = 0; i < info->argument_count; i++) {
    podium_array_free(arguments[i]);
  }
  for (int i = 0; i < info->result_count; i++) {
    podium_array_free(results[i]);
  }
  free(arguments);
  free(results);
  return status;
}

// The checks that a module holds, as the compiler sees them.
static int checks_in(const podium_program_info_t *info) {
  static const char prefix[] = "expect_";
  int count = 0;
  for (int i = 0; i < info->instruction_count; i++) {
    count += strncmp(info->instructions[i].op, prefix, strlen(prefix)) == 0;
  }
  return count;
}

// Modules that want another number of chips get another local pod.
static pod_status_t fit_pod(check_t *check, const char *text, size_t length) {
  const int64_t chips = cli_chips_of(text, length);
  const bool is_ours = check->pod == NULL && check->topology == NULL;
  if (check->session != NULL && is_ours && chips != check->chips) {
    leave_pod(check);
  }
  check->chips = chips;
  return check->session == NULL ? enter_pod(check) : NULL;
}

static pod_status_t check_module(check_t *check, const char *path, const char *text,
                                 size_t length) {
  POD_TRY(fit_pod(check, text, length));
  const bool is_open = cli_has_open_sizes(text, length);
  const podium_compile_options_t options = {
      .timeout_ms = check->timeout_ms,
      .argument_type_count = is_open ? check->shapes.types.count : 0,
      .argument_types = check->shapes.types.items};
  podium_executable_t *executable = NULL;
  POD_TRY(cli_status_of(
      podium_compile(check->session, path, text, length, &options, &executable)));
  check->check_count += checks_in(podium_executable_info(executable));
  const pod_status_t status = execute(check, executable);
  podium_executable_free(executable);
  return status;
}

// The modules of a file, which lines of `// -----` separate. Each is sent behind as many
// empty lines as stand before it, so that diagnostics name the lines of the file.
static pod_status_t check_text(check_t *check, const char *path, const char *text) {
  static const char separator[] = "// -----";
  pod_text_t part = {0};
  pod_status_t status = NULL;
  for (const char *at = text; at != NULL && status == NULL;) {
    const char *end = strstr(at == text ? at : at + strlen(separator), separator);
    const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
    pod_text_add_bytes(&part, at, length);
    if (!cli_is_blank(part.bytes)) {
      status = check_module(check, path, part.bytes, part.length);
    }
    pod_text_clear(&part);
    for (const char *c = text; end != NULL && c < end; c++) {
      if (*c == '\n') {
        pod_text_add(&part, "\n");
      }
    }
    at = end;
  }
  pod_text_deinit(&part);
  return status;
}

// --- All files ---

// "scatter_add" of "data/scatter_add_float32_2_3.mlir".
static char *family_name(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *start = slash == NULL ? path : slash + 1;
  const char *end = start + strcspn(start, ".");
  static const char *const dtypes[] = {"bool", "int",    "uint",   "float",
                                       "bf",   "bfloat", "complex"};
  for (const char *at = strchr(start, '_'); at != NULL && at < end;
       at = strchr(at + 1, '_')) {
    for (size_t i = 0; i < POD_COUNT_OF(dtypes); i++) {
      const size_t length = strlen(dtypes[i]);
      const bool is_dtype = strncmp(at + 1, dtypes[i], length) == 0 &&
                            (i == 0 || (at[1 + length] >= '0' && at[1 + length] <= '9'));
      end = is_dtype && at < end ? at : end;
    }
  }
  pod_text_t text = {0};
  pod_text_add_bytes(&text, start, (size_t)(end - start));
  return pod_text_take(&text);
}

static void count(check_t *check, const char *path, verdict_t verdict) {
  char *name = family_name(path);
  int i = 0;
  while (i < check->families.count && strcmp(check->families.items[i].name, name) != 0) {
    i++;
  }
  if (i == check->families.count) {
    *pod_list_add(&check->families) = (family_t){.name = pod_strdup(name)};
  }
  check->families.items[i].counts[verdict]++;
  free(name);
}

// A pod that a module has brought down is replaced for the next one.
static pod_status_t check_file(check_t *check, const char *path) {
  char *text;
  size_t length;
  POD_TRY(cli_read_program(path, 0, &text, &length));
  // An artifact is one module; a NUL stands in it somewhere, and in no text.
  const pod_status_t status = strlen(text) < length
                                  ? check_module(check, path, text, length)
                                  : check_text(check, path, text);
  free(text);
  if (status != NULL && check->pod == NULL &&
      (pod_status_code(status) == POD_UNAVAILABLE ||
       pod_status_code(status) == POD_DEADLINE_EXCEEDED)) {
    leave_pod(check);
  }
  return status;
}

static void report_file(const check_t *check, const char *path, verdict_t verdict,
                        pod_status_t status) {
  if (cli_report() == NULL) {
    return;
  }
  cJSON *file = cJSON_CreateObject();
  cJSON_AddStringToObject(file, "path", path);
  cJSON_AddStringToObject(file, "verdict", verdict_names[verdict]);
  cJSON_AddNumberToObject(file, "checks", check->check_count);
  if (status == NULL) {
    cJSON_AddNullToObject(file, "message");
  } else {
    cJSON_AddStringToObject(file, "message", pod_status_message(status));
  }
  cJSON_AddItemToArray(cJSON_GetObjectItem(cli_report(), "files"), file);
}

static void print_file(const check_t *check, const char *path, verdict_t verdict,
                       pod_status_t status) {
  cli_print_whole("%-13s %s", verdict_names[verdict], path);
  if (status != NULL) {
    // One line per file: of a diagnostic the first.
    const char *message = pod_status_message(status);
    cli_print_whole(": %.*s", (int)strcspn(message, "\n"), message);
  } else if (check->check_count == 0) {
    cli_print_whole(": it runs, and has no checks");
  }
  cli_print_whole("\n");
}

static void begin_file(check_t *check, const char *path) {
  pod_text_t step = {0};
  pod_text_printf(&step, "checking %s, %d of %d", path, check->done_count + 1,
                  check->file_count);
  char *before = check->step;
  check->step = pod_text_take(&step);
  cli_progress_step(check->progress, check->step, 0);
  free(before);
}

static void check_and_report(check_t *check, const char *path) {
  check->check_count = 0;
  begin_file(check, path);
  const pod_status_t status = check_file(check, path);
  check->done_count++;
  cli_progress_step(check->progress, NULL, 0);
  const verdict_t verdict = status == NULL                                 ? PASS
                            : pod_status_code(status) == POD_UNIMPLEMENTED ? UNIMPLEMENTED
                                                                           : FAIL;
  count(check, path, verdict);
  check->unchecked_files += verdict == PASS && check->check_count == 0;
  if (verdict != PASS || !check->quiet) {
    print_file(check, path, verdict, status);
  }
  report_file(check, path, verdict, status);
  pod_status_free(status);
}

static int compare_families(const void *a, const void *b) {
  return strcmp(((const family_t *)a)->name, ((const family_t *)b)->name);
}

static void report_family(cJSON *families, const char *name, const family_t *family,
                          int sum) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", name);
  cJSON_AddNumberToObject(object, "passed", family->counts[PASS]);
  cJSON_AddNumberToObject(object, "of", sum);
  cJSON_AddNumberToObject(object, "unimplemented", family->counts[UNIMPLEMENTED]);
  cJSON_AddItemToArray(families, object);
}

static int print_family(cJSON *families, const char *name, const family_t *family,
                        bool has_mark) {
  int sum = 0;
  for (int v = 0; v < VERDICT_COUNT; v++) {
    sum += family->counts[v];
  }
  cli_print("%-40s %6d %6d %6d%s\n", name, family->counts[PASS], sum,
            family->counts[UNIMPLEMENTED],
            has_mark && family->counts[PASS] != sum ? "  *" : "");
  if (families != NULL) {
    report_family(families, name, family, sum);
  }
  return sum;
}

static int summarize(check_t *check) {
  family_t all = {0};
  cJSON *families =
      cli_report() == NULL ? NULL : cJSON_AddArrayToObject(cli_report(), "families");
  qsort(check->families.items, (size_t)check->families.count, sizeof(family_t),
        compare_families);
  cli_print("\n%-40s %6s %6s %6s\n", "family", "passed", "of", "unimpl");
  for (int i = 0; i < check->families.count; i++) {
    const family_t *family = &check->families.items[i];
    print_family(families, family->name, family, true);
    for (int v = 0; v < VERDICT_COUNT; v++) {
      all.counts[v] += family->counts[v];
    }
  }
  const int sum = print_family(families, "all", &all, false);
  if (check->unchecked_files > 0) {
    cli_print("%d file%s without checks: nothing was compared there\n",
              check->unchecked_files, check->unchecked_files == 1 ? "" : "s");
  }
  return all.counts[PASS] == sum ? CLI_OK : CLI_FAILED;
}

// Where a module leaves sizes open, they are those of --args.
static void add_shapes(check_t *check) {
  for (int i = 0; i < check->arguments.count; i++) {
    char number[16];
    snprintf(number, sizeof(number), "%d", i);
    cli_shapes_add(&check->shapes, number, strlen(number),
                   &check->arguments.arrays[i].shape);
  }
}

int cli_check(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"chip", 'c', "KIND|FILE", 0,
       "A kind that `podium chips` lists, or a file that describes one (v5e)", 1},
      {"topology", 't', "SIZES", 0,
       "The pod's chips, all of which run each module (as many as it has cells)", 1},
      {"pod", KEY_POD, "POD", 0,
       "Use this pod: HOST:PORT of its coordinator, or the name given to `podium up`. "
       "Without it a local pod is started and stopped",
       1},
      {"timeout", KEY_TIMEOUT, "SECONDS", 0, "For each module (60)", 2},
      {"args", KEY_ARGS, "LIST", 0,
       "What @main takes, '[dense<1> : tensor<2xi32>, ...]'. Without it arguments are "
       "random, the same every time",
       2},
      CLI_SHAPE_OPTIONS,
      {"quiet", 'q', NULL, 0, "Only the files that do not pass, and the summary", 2},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_option,
      .args_doc = "FILE...",
      .doc =
          "Run modules that check their own results, by check.expect_eq, "
          "check.expect_close (3 ULP) and check.expect_almost_eq (0.001) or custom calls "
          "of these names; results are not looked at. A FILE may hold several modules "
          "with `// -----` between them. The exit status is 1 when a check does not "
          "hold.\v"
          "Example:\n  podium check tests/*.mlir"};
  check_t check = {.timeout_ms = 60000, .pod = cli_pod_default()};
  cli_parse(&argp, argc, argv, &check);
  add_shapes(&check);
  if (cli_report() != NULL) {
    cJSON_AddArrayToObject(cli_report(), "files");
  }
  check.progress = cli_progress_start(check.quiet);
  for (int i = 0; i < check.file_count && !cli_output_is_lost(); i++) {
    check_and_report(&check, check.files[i]);
  }
  const int result = summarize(&check);
  leave_pod(&check);
  cli_progress_stop(check.progress);  // Behind the session, whose thread notes waits.
  free(check.step);
  for (int i = 0; i < check.families.count; i++) {
    free(check.families.items[i].name);
  }
  pod_list_deinit(&check.families);
  cli_arguments_deinit(&check.arguments);
  cli_shapes_deinit(&check.shapes);
  return result;
}
