// podium result: what a job has computed, to the terminal and to files.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/bindings.h"
#include "client/cli/jobs.h"
#include "client/cli/report.h"
#include "client/cli/report_trace.h"
#include "client/cli/run.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"
#include "common/base/output_file.h"
#include "common/report/report.h"
#include "common/tensor/array.h"

enum {
  KEY_REPORT = 256,
  KEY_TIMEOUT,
  KEY_TRACE,
  GET_TIMEOUT_MS = 60000,
  MAPPED_BYTES_MIN = 64 << 20,
  FOLDER_MODE = 0777
};

typedef struct result_t {
  cli_jobs_t jobs;
  uint64_t id;
  int64_t timeout_ms;
  cli_bindings_t outputs;  // NAME=FILE.npy
  const char *file;        // FILE.npy, of the only result;
  const char *folder;      // or DIR, for all of them.
  const char *report, *trace;
  podium_job_t *job;
} result_t;

static bool ends_with(const char *path, const char *end) {
  const size_t length = strlen(path), end_length = strlen(end);
  return length > end_length && strcmp(path + length - end_length, end) == 0;
}

static bool is_npy(const char *path) {
  return ends_with(path, ".npy") || strncmp(path, "/dev/", 5) == 0;
}

// NAME=FILE.npy as of `podium run`; else a file, or a folder.
static error_t parse_output(result_t *result, const char *value,
                            struct argp_state *state) {
  const char *equals = strchr(value, '=');
  if (equals != NULL && memchr(value, '/', (size_t)(equals - value)) == NULL) {
    return cli_bindings_option(&result->outputs, value, state);
  }
  const char **place = is_npy(value) ? &result->file : &result->folder;
  if (*place != NULL) {
    argp_error(state, "--output: '%s' and '%s'; NAME=FILE.npy says which result", *place,
               value);
    return EINVAL;
  }
  *place = value;
  return 0;
}

static error_t parse(int key, char *value, struct argp_state *state) {
  result_t *result = state->input;
  switch (key) {
    case CLI_KEY_JOBS_POD:
      result->jobs.pod = value;
      return 0;
    case 'o':
      return parse_output(result, value, state);
    case 'q':
      result->jobs.is_quiet = true;
      return 0;
    case KEY_REPORT:
      result->report = value;
      return 0;
    case KEY_TRACE:
      result->trace = value;
      return 0;
    case KEY_TIMEOUT:
      if (!cli_read_seconds(value, &result->timeout_ms)) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return 0;
    case ARGP_KEY_ARG:
      if (result->id != 0 || !cli_job_read_id(value, &result->id)) {
        argp_error(state, "one JOB, by its number, got '%s'", value);
      }
      return 0;
    case ARGP_KEY_END:
      if (result->id == 0) {
        argp_error(state, "a JOB is needed: `podium jobs` lists them");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// --- Before anything is fetched ---

static pod_status_t check_state(const podium_job_t *job) {
  const unsigned long long id = job->id;
  if (job->state == PODIUM_JOB_SUCCEEDED) {
    return NULL;
  }
  if (!podium_job_has_ended(job->state)) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "job %llu is %s, and has no results yet: `podium wait %llu` waits "
                     "until it has ended",
                     id, podium_job_state_name(job->state), id);
  }
  pod_text_t text = {0};
  cli_job_print_end(job, &text);
  const pod_status_t status =
      job->attempts == 0
          ? pod_error(POD_FAILED_PRECONDITION, "job %llu has no results: it %s%s", id,
                      job->state == PODIUM_JOB_CANCELLED ? "was " : "", text.bytes)
          : pod_error(POD_FAILED_PRECONDITION,
                      "job %llu has no results: it %s%s; `podium logs %llu` tells more",
                      id, job->state == PODIUM_JOB_CANCELLED ? "was " : "", text.bytes,
                      id);
  pod_text_deinit(&text);
  return status;
}

// The names in a form that cli_bindings_resolve takes; the caller's.
static podium_signature_t *signatures_of(const podium_job_t *job) {
  podium_signature_t *signatures =
      pod_alloc((size_t)job->result_count * sizeof(*signatures));
  for (int i = 0; i < job->result_count; i++) {
    signatures[i].name = job->results[i].name;
    signatures[i].shape = job->results[i].shape;
  }
  return signatures;
}

static pod_status_t check_report_files(const result_t *result) {
  if ((result->report != NULL || result->trace != NULL) && !result->job->has_report) {
    return pod_error(POD_NOT_FOUND,
                     "job %llu has no report: `podium submit --profile` asks for one",
                     (unsigned long long)result->job->id);
  }
  if (result->report != NULL) {
    POD_TRY(pod_output_file_check(result->report));
  }
  return result->trace == NULL ? NULL : pod_output_file_check(result->trace);
}

static pod_status_t check_outputs(result_t *result) {
  const podium_job_t *job = result->job;
  podium_signature_t *signatures = signatures_of(job);
  const pod_status_t status =
      cli_bindings_resolve(&result->outputs, "result", job->result_count, signatures);
  free(signatures);
  POD_TRY(status);
  for (int i = 0; i < result->outputs.list.count; i++) {
    POD_TRY(pod_output_file_check(result->outputs.list.items[i].value));
  }
  if (result->file != NULL && job->result_count != 1) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "job %llu has %d results, and --output %s is one file: name a folder "
        "for all of them, or NAME=FILE.npy for each",
        (unsigned long long)job->id, job->result_count, result->file);
  }
  if (result->file != NULL) {
    POD_TRY(pod_output_file_check(result->file));
  }
  if (result->folder != NULL && mkdir(result->folder, FOLDER_MODE) != 0 &&
      errno != EEXIST) {
    return pod_error(POD_INVALID_ARGUMENT, "--output %s: %s", result->folder,
                     strerror(errno));
  }
  return check_report_files(result);
}

// --- Results ---

// Names come from the program; what would lead out of the folder is left out.
static char *path_in(const char *folder, const char *name, int index) {
  pod_text_t path = {0};
  const bool is_plain = *name != '\0' && *name != '.' && strchr(name, '/') == NULL;
  pod_text_printf(&path, "%s/", folder);
  if (is_plain) {
    pod_text_printf(&path, "%s.npy", name);
  } else {
    pod_text_printf(&path, "result%d.npy", index);
  }
  return pod_text_take(&path);
}

// Where a result goes; NULL: nowhere. Returns owned.
static char *path_of(result_t *result, int index) {
  const char *named = cli_bindings_value(&result->outputs, index);
  if (named == NULL && result->file == NULL && result->folder != NULL) {
    return path_in(result->folder, result->job->results[index].name, index);
  }
  const char *path = named != NULL ? named : result->file;
  return path == NULL ? NULL : pod_strdup(path);
}

static pod_status_t fetch_into(result_t *result, int index, const tensor_array_t *array,
                               const char *path) {
  const podium_job_array_t *about = &result->job->results[index];
  cli_progress_step(result->jobs.progress, "fetching results", 0);
  const pod_status_t status = cli_status_of(podium_job_fetch_result(
      result->jobs.session, result->id, index, array->data,
      (size_t)tensor_shape_bytes(&array->shape), result->timeout_ms));
  cli_progress_step(result->jobs.progress, NULL, 0);
  if (status == NULL) {
    cli_result_report(about->name, array, path);
    if (!result->jobs.is_quiet) {
      cli_result_print(about->name, &about->shape, array);
    }
    fflush(stdout);  // The file may be /dev/stdout.
  }
  return status;
}

// A file's bytes in memory, which need not have room for them: what has come goes to the
// disk as the system likes.
static pod_status_t map(const pod_output_file_t *file, size_t size, char **out_bytes) {
  const int descriptor = pod_output_file_descriptor(file);
  char path[64];
  (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
  // A page for which there is no room on the disk would be a signal.
  const int error = posix_fallocate(descriptor, 0, (off_t)size);
  const int both = error != 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (both < 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no room for %zu bytes: %s", size,
                     strerror(error != 0 ? error : errno));
  }
  void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, both, 0);
  (void)close(both);
  if (bytes == MAP_FAILED) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%zu bytes cannot be mapped: %s", size,
                     strerror(errno));
  }
  *out_bytes = bytes;
  return NULL;
}

static pod_status_t fetch_mapped(result_t *result, int index, const tensor_shape_t *shape,
                                 const char *path, const pod_output_file_t *file) {
  pod_text_t header = {0};
  tensor_npy_print_header(&header, shape);
  const size_t size = header.length + (size_t)tensor_shape_bytes(shape);
  char *bytes = NULL;
  pod_status_t status = map(file, size, &bytes);
  if (status == NULL) {
    memcpy(bytes, header.bytes, header.length);
    const tensor_array_t array = {.shape = *shape, .data = bytes + header.length};
    status = fetch_into(result, index, &array, path);
    (void)munmap(bytes, size);
  }
  pod_text_deinit(&header);
  return status;
}

static bool is_regular(const pod_output_file_t *file) {
  struct stat info;
  return fstat(pod_output_file_descriptor(file), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_size == 0;
}

// What is large goes to its file as it comes. *out_is_done is false for what cannot.
static pod_status_t fetch_large(result_t *result, int index, const tensor_shape_t *shape,
                                const char *path, bool *out_is_done) {
  pod_output_file_t *file;
  POD_TRY(pod_output_file_open(path, &file));
  *out_is_done = is_regular(file);
  if (!*out_is_done) {
    return pod_output_file_close(file, NULL);
  }
  return pod_output_file_close(file, fetch_mapped(result, index, shape, path, file));
}

static pod_status_t fetch_whole(result_t *result, int index, const tensor_shape_t *shape,
                                const char *path) {
  tensor_array_t array = {0};
  POD_TRY(tensor_array_init(&array, shape));
  pod_status_t status = fetch_into(result, index, &array, path);
  if (status == NULL && path != NULL) {
    status = tensor_npy_write(path, &array);
  }
  tensor_array_deinit(&array);
  return status;
}

static pod_status_t fetch_one(result_t *result, int index) {
  const podium_job_array_t *about = &result->job->results[index];
  const tensor_shape_t shape = tensor_shape_make((tensor_dtype_t)about->shape.dtype,
                                                 about->shape.rank, about->shape.dims);
  char *path = path_of(result, index);
  bool is_done = false;
  pod_status_t status = NULL;
  if (path != NULL && strncmp(path, "/dev/", 5) != 0 &&
      tensor_shape_bytes(&shape) >= MAPPED_BYTES_MIN) {
    status = fetch_large(result, index, &shape, path, &is_done);
  }
  if (status == NULL && !is_done) {
    status = fetch_whole(result, index, &shape, path);
  }
  free(path);
  return pod_status_context(status, "result %s", about->name);
}

// --- The report ---

static bool write_report(void *context, const void *bytes, size_t size) {
  pod_text_add_bytes(context, bytes, size);
  return true;
}

static pod_status_t write_page(const result_t *result, const pod_text_t *text) {
  pod_text_t page = {0};
  const bool is_json = ends_with(result->report, ".json");
  pod_status_t status =
      is_json ? NULL : report_write_html(text->bytes, text->length, &page);
  const pod_text_t *written = is_json ? text : &page;
  pod_output_file_t *file = NULL;
  if (status == NULL) {
    status = pod_output_file_open(result->report, &file);
  }
  if (status == NULL) {
    status = pod_output_file_close(
        file, pod_output_file_write(file, written->bytes, written->length));
  }
  pod_text_deinit(&page);
  return pod_status_context(status, "--report");
}

static pod_status_t fetch_report(result_t *result) {
  pod_text_t text = {0};
  pod_status_t status = pod_status_context(
      cli_status_of(podium_job_fetch_report(result->jobs.session, result->id,
                                            write_report, &text, result->timeout_ms)),
      "its report");
  if (status == NULL && result->report != NULL) {
    status = write_page(result, &text);
  }
  if (status == NULL && result->trace != NULL) {
    status = pod_status_context(
        cli_write_report_trace(result->trace, text.bytes, text.length), "--trace");
  }
  pod_text_deinit(&text);
  return status;
}

static pod_status_t run(result_t *result) {
  POD_TRY(cli_jobs_connect(&result->jobs));
  POD_TRY(cli_status_of(
      podium_job_get(result->jobs.session, result->id, GET_TIMEOUT_MS, &result->job)));
  if (cli_report() != NULL) {
    cJSON_AddItemToObject(cli_report(), "job", cli_job_report(result->job));
  }
  POD_TRY(check_state(result->job));
  POD_TRY(check_outputs(result));
  for (int i = 0; i < result->job->result_count; i++) {
    POD_TRY(fetch_one(result, i));
  }
  return result->report == NULL && result->trace == NULL ? NULL : fetch_report(result);
}

int cli_result(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_JOBS_POD_OPTION,
      {"output", 'o', "PLACE", 0,
       "NAME=FILE.npy writes one result, by name or number; FILE.npy the only one; DIR "
       "all of them, NAME.npy each",
       2},
      {"report", KEY_REPORT, "FILE.html", 0,
       "Write the report of a job that was submitted with --profile, as one page; "
       "FILE.json: what it is drawn from",
       2},
      {"trace", KEY_TRACE, "FILE.json", 0,
       "Write the timeline of such a job as a trace for https://ui.perfetto.dev", 2},
      {"timeout", KEY_TIMEOUT, "SECONDS", 0, "Give up after so long (no limit)", 3},
      {"quiet", 'q', NULL, 0, "Print only errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "JOB",
      .doc =
          "Print the results of a job that has succeeded, and write them to files.\v"
          "Examples:\n  podium result 7\n  podium result 7 -o out.npy\n"
          "  podium result 7 -o results/"};
  result_t result = {.outputs.option = "output"};
  cli_parse(&argp, argc, argv, &result);
  const pod_status_t status = run(&result);
  podium_job_free(result.job);
  cli_jobs_close(&result.jobs);
  cli_bindings_deinit(&result.outputs);
  return status == NULL ? CLI_OK : cli_fail(status);
}
