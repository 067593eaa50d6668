// podium check: runs modules that check their own results (custom_call
// @check.expect_eq and its like) and says which hold.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/arguments.h"
#include "client/cli/cli.h"
#include "client/cli/shapes.h"
#include "common/base/check.h"
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
  family_t *families;
  int family_count;
  // The pod that modules run on, and how many chips they want.
  int64_t chips;
  char *folder;
  cli_pod_t *local;
  podium_session_t *session;
} check_t;

static error_t parse_option(int key, char *value, struct argp_state *state) {
  check_t *check = state->input;
  char *end = NULL;
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
      check->timeout_ms = (int64_t)(1000 * strtod(value, &end));
      if (*end != '\0' || check->timeout_ms <= 0) {
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
  if (check->folder != NULL) {
    rmdir(check->folder);
  }
  free(check->folder);
  check->session = NULL;
  check->local = NULL;
  check->folder = NULL;
}

static pod_status_t start_local_pod(check_t *check, char **out_address) {
  char folder[] = "/tmp/podium-check-XXXXXX";
  if (mkdtemp(folder) == NULL) {
    return pod_error(POD_INTERNAL, "no temporary folder under /tmp");
  }
  check->folder = pod_strdup(folder);
  char *topology = check->topology != NULL ? pod_strdup(check->topology)
                                           : cli_topology_for(check->chips);
  const pod_status_t status = cli_pod_start(
      &(cli_pod_options_t){.chip = check->chip, .topology = topology, .folder = folder},
      &check->local);
  free(topology);
  POD_TRY(status);
  *out_address = pod_strdup(check->local->address);
  return NULL;
}

static pod_status_t enter_pod(check_t *check) {
  char *address = NULL;
  POD_TRY(check->pod != NULL ? cli_pod_address(check->pod, &address)
                             : start_local_pod(check, &address));
  const podium_connect_options_t options = {.client_name = "podium check"};
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
    char generator[32];
    int64_t constant;
    const char *name = podium_executable_info(executable)->arguments[index].name;
    if (cli_constant_of(&check->shapes, name, index, &constant)) {
      snprintf(generator, sizeof(generator), "const:%lld", (long long)constant);
    } else {
      snprintf(generator, sizeof(generator), "random:%d", index);
    }
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

// Modules that want another number of chips get another local pod.
static pod_status_t fit_pod(check_t *check, const char *text) {
  const int64_t chips = cli_chips_for(text);
  const bool is_ours = check->pod == NULL && check->topology == NULL;
  if (check->session != NULL && is_ours && chips != check->chips) {
    leave_pod(check);
  }
  check->chips = chips;
  return check->session == NULL ? enter_pod(check) : NULL;
}

static pod_status_t check_module(check_t *check, const char *path, const char *text,
                                 size_t length) {
  POD_TRY(fit_pod(check, text));
  const bool is_open = cli_has_open_sizes(text);
  const podium_compile_options_t options = {
      .timeout_ms = check->timeout_ms,
      .argument_type_count = is_open ? check->shapes.count : 0,
      .argument_types = check->shapes.types};
  podium_executable_t *executable = NULL;
  POD_TRY(cli_status_of(
      podium_compile(check->session, path, text, length, &options, &executable)));
  const pod_status_t status = execute(check, executable);
  podium_executable_free(executable);
  return status;
}

// Nothing but white space and comments.
static bool is_blank(const char *text) {
  for (;;) {
    text += strspn(text, " \t\r\n");
    if (strncmp(text, "//", 2) != 0) {
      return *text == '\0';
    }
    text += strcspn(text, "\n");
  }
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
    if (!is_blank(part.bytes)) {
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
  while (i < check->family_count && strcmp(check->families[i].name, name) != 0) {
    i++;
  }
  if (i == check->family_count) {
    check->families = pod_grow(check->families, (size_t)(i + 1), sizeof(family_t));
    check->families[check->family_count++] = (family_t){.name = pod_strdup(name)};
  }
  check->families[i].counts[verdict]++;
  free(name);
}

// A pod that a module has brought down is replaced for the next one.
static pod_status_t check_file(check_t *check, const char *path) {
  char *text;
  size_t length;
  POD_TRY(cli_read_file(path, &text, &length));
  const pod_status_t status = check_text(check, path, text);
  free(text);
  if (status != NULL && check->pod == NULL &&
      (pod_status_code(status) == POD_UNAVAILABLE ||
       pod_status_code(status) == POD_DEADLINE_EXCEEDED)) {
    leave_pod(check);
  }
  return status;
}

static void check_and_report(check_t *check, const char *path) {
  const pod_status_t status = check_file(check, path);
  const verdict_t verdict = status == NULL                                 ? PASS
                            : pod_status_code(status) == POD_UNIMPLEMENTED ? UNIMPLEMENTED
                                                                           : FAIL;
  count(check, path, verdict);
  if (verdict != PASS || !check->quiet) {
    printf("%-13s %s", verdict_names[verdict], path);
    if (status != NULL) {
      // One line per file: of a diagnostic the first.
      const char *message = pod_status_message(status);
      printf(": %.*s", (int)strcspn(message, "\n"), message);
    }
    printf("\n");
    fflush(stdout);
  }
  pod_status_free(status);
}

static int compare_families(const void *a, const void *b) {
  return strcmp(((const family_t *)a)->name, ((const family_t *)b)->name);
}

static int summarize(check_t *check) {
  int totals[VERDICT_COUNT] = {0};
  qsort(check->families, (size_t)check->family_count, sizeof(family_t), compare_families);
  printf("\n%-40s %6s %6s %6s\n", "family", "passed", "of", "unimpl");
  for (int i = 0; i < check->family_count; i++) {
    const family_t *family = &check->families[i];
    int sum = 0;
    for (int v = 0; v < VERDICT_COUNT; v++) {
      sum += family->counts[v];
      totals[v] += family->counts[v];
    }
    printf("%-40s %6d %6d %6d%s\n", family->name, family->counts[PASS], sum,
           family->counts[UNIMPLEMENTED], family->counts[PASS] == sum ? "" : "  *");
  }
  const int all = totals[PASS] + totals[FAIL] + totals[UNIMPLEMENTED];
  printf("%-40s %6d %6d %6d\n", "all", totals[PASS], all, totals[UNIMPLEMENTED]);
  return totals[PASS] == all ? CLI_OK : CLI_FAILED;
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
      {"chip", 'c', "KIND", 0, "v2, v3, v4, v5e, v5p, v6e or v7x (v5e)", 1},
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
  check_t check = {.chip = "v5e", .timeout_ms = 60000};
  cli_parse(&argp, argc, argv, &check);
  add_shapes(&check);
  for (int i = 0; i < check.file_count; i++) {
    check_and_report(&check, check.files[i]);
  }
  const int result = summarize(&check);
  leave_pod(&check);
  for (int i = 0; i < check.family_count; i++) {
    free(check.families[i].name);
  }
  free(check.families);
  cli_arguments_deinit(&check.arguments);
  cli_shapes_deinit(&check.shapes);
  return result;
}
