// podium submit: a program and its inputs become a job.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/jobs.h"
#include "client/cli/report.h"
#include "client/cli/run.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"

enum {
  KEY_SLICE = 256,
  KEY_PRIORITY,
  KEY_AFTER,
  KEY_RETRIES,
  KEY_NAME,
  KEY_PROFILE,
  KEY_CAST,
  KEY_VJP,
  KEY_TIMEOUT,
  KEY_KEY,
  PRIORITY_MAX = 1000,
  RETRIES_MAX = 100,
  VJP_ORDER_MAX = 100,
  KEY_BYTES_MAX = 128,
};

// An input, which is made when it is sent.
typedef struct source_t {
  cli_run_t *run;
  int argument;
  tensor_array_t array;  // Empty but while it is sent.
  int64_t done;
  pod_status_t wrong;
} source_t;

typedef struct submit_t {
  cli_run_t run;  // The program, its inputs, and the session that tells what they are.
  cli_jobs_t jobs;
  podium_job_options_t options;
  cli_job_ids_t after;
  source_t *sources;
  podium_job_input_t *inputs;
} submit_t;

static bool parse_number(submit_t *submit, int key, const char *value,
                         struct argp_state *state) {
  int64_t number = 0;
  switch (key) {
    case KEY_PRIORITY:
      if (!cli_read_number(value, -PRIORITY_MAX, PRIORITY_MAX, &number)) {
        argp_error(state, "--priority takes a number from -%d to %d, got '%s'",
                   PRIORITY_MAX, PRIORITY_MAX, value);
      }
      submit->options.priority = (int)number;
      return true;
    case KEY_RETRIES:
      if (!cli_read_number(value, 0, RETRIES_MAX, &number)) {
        argp_error(state, "--retries takes a number from 0 to %d, got '%s'", RETRIES_MAX,
                   value);
      }
      submit->options.retries = (int)number;
      return true;
    case KEY_VJP:
      if (!cli_read_number(value, 1, VJP_ORDER_MAX, &submit->run.vjp_order)) {
        argp_error(state, "--vjp takes a number from 1 to %d, got '%s'", VJP_ORDER_MAX,
                   value);
      }
      return true;
    case KEY_TIMEOUT:
      if (!cli_read_seconds(value, &submit->run.timeout_ms)) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return true;
    default:
      return false;
  }
}

static bool parse_text(submit_t *submit, int key, const char *value,
                       struct argp_state *state) {
  switch (key) {
    case CLI_KEY_JOBS_POD:
      submit->jobs.pod = value;
      return true;
    case KEY_SLICE:
      submit->options.slice = value;
      return true;
    case KEY_NAME:
      submit->options.name = value;
      return true;
    case KEY_KEY:
      if (*value == '\0' || strlen(value) > KEY_BYTES_MAX) {
        argp_error(state, "--key takes 1 to %d bytes", KEY_BYTES_MAX);
      }
      submit->options.submission = value;
      return true;
    default:
      return false;
  }
}

static error_t parse(int key, char *value, struct argp_state *state) {
  submit_t *submit = state->input;
  if (parse_number(submit, key, value, state) || parse_text(submit, key, value, state)) {
    return 0;
  }
  switch (key) {
    case CLI_KEY_SHAPE:
      return cli_shapes_option(&submit->run.shapes, value, state);
    case CLI_KEY_CONSTANT:
      return cli_constant_option(&submit->run.shapes, value, state);
    case 'i':
      return cli_bindings_option(&submit->run.inputs, value, state);
    case KEY_AFTER:
      return cli_job_ids_option(&submit->after, value, state);
    case KEY_PROFILE:
      submit->options.profile = true;
      return 0;
    case KEY_CAST:
      submit->run.casts = true;
      return 0;
    case 'q':
      submit->jobs.is_quiet = submit->run.quiet = true;
      return 0;
    case ARGP_KEY_ARG:
      if (submit->run.program != NULL) {
        argp_error(state, "one program at a time: '%s' and '%s'", submit->run.program,
                   value);
      }
      submit->run.program = value;
      return 0;
    case ARGP_KEY_END:
      if (submit->run.program == NULL) {
        argp_error(state,
                   "a PROGRAM is needed: a file of StableHLO, as text or as bytecode, or "
                   "- for standard input");
      }
      return 0;
    default:
      return cli_given_option(&submit->run.given, key, value, state);
  }
}

// --- What the program takes ---

static pod_status_t connect_run(submit_t *submit) {
  char *address;
  POD_TRY(cli_jobs_address(&submit->jobs, &address));
  const podium_connect_options_t options = {.client_name = "podium submit",
                                            .timeout_ms = 10000,
                                            .do_not_wait = true,
                                            .on_waiting = cli_jobs_note,
                                            .on_waiting_context = &submit->jobs};
  const pod_status_t status =
      cli_status_of(podium_connect(address, &options, &submit->run.session));
  free(address);
  return status;
}

// As many as the program needs, as it is asked for.
static int64_t chips_needed(const cli_run_t *run) {
  return run->given.device_order.count > 0 ? run->given.device_order.count
         : run->given.mesh != NULL         ? cli_given_devices(&run->given)
                                           : cli_chips_of(run->text, run->length);
}

// Compiled for a slice as large as it needs, to know its arguments, and to have its
// diagnostics before anything is sent.
static pod_status_t compile(submit_t *submit) {
  cli_run_t *run = &submit->run;
  char *topology = submit->options.slice != NULL ? pod_strdup(submit->options.slice)
                                                 : cli_topology_for(chips_needed(run));
  podium_compile_options_t options = {.timeout_ms = run->timeout_ms,
                                      .only = true,
                                      .topology = topology,
                                      .argument_type_count = run->shapes.types.count,
                                      .argument_types = run->shapes.types.items};
  cli_given_fill(&run->given, &options);
  cli_progress_step(run->progress, "compiling", 0);
  const pod_status_t status = cli_status_of(podium_compile(
      run->session, run->program, run->text, run->length, &options, &run->executable));
  free(topology);
  return status;
}

static int64_t read_source(void *context, void *buffer, size_t size) {
  source_t *source = context;
  if (buffer == NULL || source->array.data == NULL) {
    tensor_array_deinit(&source->array);
    source->done = 0;
    pod_status_free(source->wrong);
    source->wrong = buffer == NULL ? NULL
                                   : cli_run_make_input(source->run, source->argument,
                                                        &source->array);
    if (buffer == NULL || source->wrong != NULL) {
      return buffer == NULL ? 0 : -1;
    }
  }
  memcpy(buffer, (const char *)source->array.data + source->done, size);
  source->done += (int64_t)size;
  if (source->done == tensor_shape_bytes(&source->array.shape)) {
    tensor_array_deinit(&source->array);
  }
  return (int64_t)size;
}

static void list_inputs(submit_t *submit) {
  const podium_program_info_t *info = podium_executable_info(submit->run.executable);
  const size_t count = (size_t)info->argument_count;
  submit->sources = pod_alloc(count * sizeof(*submit->sources));
  submit->inputs = pod_alloc(count * sizeof(*submit->inputs));
  for (int i = 0; i < info->argument_count; i++) {
    submit->sources[i] = (source_t){.run = &submit->run, .argument = i};
    submit->inputs[i] = (podium_job_input_t){.name = info->arguments[i].name,
                                             .shape = info->arguments[i].shape,
                                             .read = read_source,
                                             .read_context = &submit->sources[i]};
  }
}

// --- Handing it over ---

static const char *name_of(const char *program) {
  const char *slash = strrchr(program, '/');
  return strcmp(program, "-") == 0 ? "stdin" : slash == NULL ? program : slash + 1;
}

// What of an input could not be read says more than that it was not sent.
static pod_status_t explain(submit_t *submit, pod_status_t status) {
  const int count = podium_executable_info(submit->run.executable)->argument_count;
  for (int i = 0; status != NULL && i < count; i++) {
    if (submit->sources[i].wrong != NULL) {
      pod_status_free(status);
      status = submit->sources[i].wrong;
      submit->sources[i].wrong = NULL;
    }
  }
  return status;
}

static void tell(const submit_t *submit, uint64_t id) {
  const unsigned long long number = id;
  cli_print_whole("%llu\n", number);
  if (!submit->jobs.is_quiet && cli_report() == NULL) {
    fflush(stdout);
    fprintf(
        stderr,
        "submitted; `podium wait %llu` waits for it, `podium logs %llu -f` tells what "
        "it does, `podium result %llu -o DIR` fetches its results\n",
        number, number, number);
  }
}

static pod_status_t hand_over(submit_t *submit) {
  cli_run_t *run = &submit->run;
  const podium_program_info_t *info = podium_executable_info(run->executable);
  uint64_t id = 0;
  cli_given_fill_job(&run->given, &submit->options);
  submit->options.timeout_ms = run->timeout_ms;
  submit->options.file_name = run->program;
  submit->options.after = submit->after.items;
  submit->options.after_count = submit->after.count;
  if (submit->options.name == NULL) {
    submit->options.name = name_of(run->program);
  }
  list_inputs(submit);
  submit->jobs.progress = run->progress;
  POD_TRY(cli_jobs_connect(&submit->jobs));
  cli_progress_step(run->progress, "submitting", 0);
  const pod_status_t status = cli_status_of(
      podium_submit(submit->jobs.session, run->text, run->length, info->argument_count,
                    submit->inputs, &submit->options, &id));
  cli_progress_step(run->progress, NULL, 0);
  POD_TRY(explain(submit, status));
  if (cli_report() != NULL) {
    cJSON_AddNumberToObject(cli_report(), "job", (double)id);
  }
  tell(submit, id);
  return NULL;
}

static pod_status_t submit_program(submit_t *submit) {
  cli_run_t *run = &submit->run;
  run->progress = submit->jobs.progress = cli_progress_start(submit->jobs.is_quiet);
  POD_TRY(cli_read_program(run->program, (int)run->vjp_order, &run->text, &run->length));
  POD_TRY(cli_run_check_files(run));
  POD_TRY(cli_run_find_shapes(run));
  POD_TRY(connect_run(submit));
  POD_TRY(compile(submit));
  POD_TRY(cli_run_check_arrays(run));
  return hand_over(submit);
}

static void release(submit_t *submit) {
  cli_run_t *run = &submit->run;
  const int count = run->executable == NULL || submit->sources == NULL
                        ? 0
                        : podium_executable_info(run->executable)->argument_count;
  podium_close(submit->jobs.session);
  for (int i = 0; i < count; i++) {
    tensor_array_deinit(&submit->sources[i].array);
    pod_status_free(submit->sources[i].wrong);
  }
  podium_close(run->session);
  cli_progress_stop(run->progress);
  cli_shapes_deinit(&run->shapes);
  cli_bindings_deinit(&run->inputs);
  cli_given_deinit(&run->given);
  free(run->text);
  free(submit->sources);
  free(submit->inputs);
  free(submit);
}

int cli_submit(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_JOBS_POD_OPTION,
      {"slice", KEY_SLICE, "SIZES", 0,
       "2x2: run on a box of so many chips, wherever there is one (as many as the "
       "program has partitions)",
       1},
      {"input", 'i', "NAME=VALUE", 0,
       "An argument, by name or number: FILE.npy, random:SEED, ones, zeros, iota or "
       "const:VALUE. Without one an argument is random:ITS NUMBER",
       2},
      CLI_SHAPE_OPTIONS,
      {"device-order", CLI_KEY_DEVICE_ORDER, "CHIPS", 0,
       "The chips of the slice that run the program, one for each of its devices, by "
       "their places in it: 0,1,3,2 makes a ring of 2x2. Values stay the same",
       1},
      CLI_COLLECTIVES_OPTIONS,
      CLI_GIVEN_OPTIONS,
      {"cast", KEY_CAST, NULL, 0,
       "Convert files of another dtype than the argument has, such as f32 for bf16", 2},
      {"vjp", KEY_VJP, "ORDER", 0,
       "Of a file that jax.export's serialize(vjp_order=…) wrote, the vjp of that order "
       "instead of the function",
       2},
      {"name", KEY_NAME, "NAME", 0, "What the job is called (as the file)", 3},
      {"priority", KEY_PRIORITY, "N", 0, "Higher first (0); above 0 for who administers",
       3},
      {"after", KEY_AFTER, "JOB", 0,
       "Only when this job has succeeded; may be given several times", 3},
      {"retries", KEY_RETRIES, "N", 0,
       "How often it runs again when chips are lost under it (0)", 3},
      {"profile", KEY_PROFILE, NULL, 0, "Keep a profile and a report", 3},
      {"key", KEY_KEY, "TEXT", 0,
       "The same text submits the same job, once: for scripts that try again", 3},
      {"timeout", KEY_TIMEOUT, "SECONDS", 0, "Give up after so long (no limit)", 3},
      {"quiet", 'q', NULL, 0, "Print only the job's number", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "PROGRAM",
      .doc =
          "Hand PROGRAM and its inputs to a pod as a job, and print the job's number. "
          "What "
          "is submitted is kept by the coordinator, also when that is started anew, and "
          "runs when chips are free.\v"
          "Examples:\n  podium submit mm.mlir -i arg0=x.npy --slice 2x2\n"
          "  podium wait $(podium submit mm.mlir --after 7 --quiet)"};
  submit_t *submit = pod_alloc(sizeof(*submit));
  submit->run.inputs.option = "input";
  submit->run.outputs.option = "output";
  submit->run.expected.option = "expect";
  cli_parse(&argp, argc, argv, submit);
  const pod_status_t status = submit_program(submit);
  const int result = status == NULL ? CLI_OK : cli_fail(status);
  release(submit);
  return result;
}
