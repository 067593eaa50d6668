// Connects, compiles for the chips of the slice, puts the inputs, executes, brings the
// results into blobs.

#include "server/jobs/runner/runner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/lib/podium.h"
#include "client/lib/profile.h"
#include "client/profile/report.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/tensor/dtype.h"
#include "server/jobs/blobs.h"

enum { CONNECT_MS = 30000, PIECE_BYTES = 4 << 20, EVENTS_MAX = 1 << 17 };

typedef struct attempt_t {
  const runner_t *runner;
  job_blobs_t *blobs;
  podium_session_t *session;
  podium_executable_t *executable;
  podium_execution_t *execution;
  int input_count, result_count;
  podium_array_t **inputs, **results;
  int64_t step_ns;  // When the last step began.
} attempt_t;

// Takes `status`.
static pod_status_t status_of(podium_status_t *status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t made = pod_error((pod_code_t)podium_status_code(status), "%s",
                                      podium_status_message(status));
  podium_status_free(status);
  return made;
}

static void tell_progress(const runner_t *runner, const char *text) {
  runner->tell(runner->context,
               &(job_told_t){.word = JOB_WORD_PROGRESS, .text = (char *)(uintptr_t)text});
}

static void step(attempt_t *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void step(attempt_t *attempt, const char *format, ...) {
  pod_text_t text = {0};
  va_list args;
  va_start(args, format);
  pod_text_vprintf(&text, format, args);
  va_end(args);
  tell_progress(attempt->runner, text.bytes);
  pod_log(POD_LOG_INFO, "%s", text.bytes);
  pod_text_deinit(&text);
  attempt->step_ns = pod_clock_now_ns();
}

static double seconds_since(const attempt_t *attempt) {
  return (double)(pod_clock_now_ns() - attempt->step_ns) / 1e9;
}

// --- Connecting and compiling ---

static void on_waiting(void *context, const char *for_what) {
  const runner_t *runner = context;
  pod_text_t text = {0};
  if (*for_what != '\0') {
    pod_text_printf(&text, "waiting %s", for_what);
    pod_log(POD_LOG_INFO, "%s", text.bytes);
  }
  tell_progress(runner, *for_what != '\0' ? text.bytes : "running");
  pod_text_deinit(&text);
}

static pod_status_t connect_pod(attempt_t *attempt) {
  const job_orders_t *orders = attempt->runner->orders;
  pod_text_t name = {0};
  pod_text_printf(&name, "job %" PRIu64, orders->id);
  const podium_connect_options_t options = {
      .timeout_ms = CONNECT_MS,
      .client_name = name.bytes,
      .do_not_wait = true,  // Of the pod it needs its slice only.
      .on_waiting = on_waiting,
      .on_waiting_context = (void *)(uintptr_t)attempt->runner};
  const pod_status_t status =
      status_of(podium_connect(orders->address, &options, &attempt->session));
  pod_text_deinit(&name);
  return status;
}

// Bytes of a blob, read only and checked; unmap_blob.
static pod_status_t map_blob(const attempt_t *attempt, const job_blob_t *blob,
                             void **out_bytes) {
  int fd;
  *out_bytes = NULL;
  POD_TRY(job_blob_open(attempt->blobs, blob, &fd));
  pod_status_t status = job_blob_check(fd, blob);
  if (status == NULL && blob->size_bytes > 0) {
    void *bytes = mmap(NULL, (size_t)blob->size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
      status = pod_error(POD_RESOURCE_EXHAUSTED, "no memory to map %" PRId64 " bytes",
                         blob->size_bytes);
    } else {
      *out_bytes = bytes;
    }
  }
  close(fd);
  return status;
}

static void unmap_blob(const job_blob_t *blob, void *bytes) {
  if (bytes != NULL) {
    munmap(bytes, (size_t)blob->size_bytes);
  }
}

static pod_status_t shape_of(const job_array_t *array, podium_shape_t *out_shape) {
  const tensor_dtype_t dtype = tensor_dtype_parse(array->dtype, strlen(array->dtype));
  if (dtype == TENSOR_INVALID || array->rank > PODIUM_RANK_MAX) {
    return pod_error(POD_INTERNAL, "the array %s has no type that there is", array->name);
  }
  *out_shape = (podium_shape_t){.dtype = (podium_dtype_t)dtype, .rank = array->rank};
  memcpy(out_shape->dims, array->dims, (size_t)array->rank * sizeof(array->dims[0]));
  return NULL;
}

// Borrows the texts.
static podium_given_sharding_t *given_list(const job_sharding_t *from, size_t count) {
  podium_given_sharding_t *list = pod_alloc((count + 1) * sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    list[i] = (podium_given_sharding_t){from[i].name, from[i].spec};
  }
  return list;
}

static pod_status_t compile_text(attempt_t *attempt, const char *text) {
  const job_orders_t *orders = attempt->runner->orders;
  podium_argument_type_t *types = pod_alloc((orders->input_count + 1) * sizeof(*types));
  pod_status_t status = NULL;
  for (size_t i = 0; i < orders->input_count && status == NULL; i++) {
    status = shape_of(&orders->inputs[i], &types[i].shape);
  }
  const job_options_t *asked = &orders->options;
  podium_given_sharding_t *in = given_list(asked->in_shardings, asked->in_count);
  podium_given_sharding_t *out = given_list(asked->out_shardings, asked->out_count);
  if (status == NULL) {
    const podium_compile_options_t options = {
        .argument_type_count = (int)orders->input_count,
        .argument_types = types,
        .device_order_count = (int)orders->chip_count,
        .device_order = orders->chips,
        .algorithms = asked->algorithms,
        .collectives = asked->collectives,
        .mesh = asked->mesh,
        .propagation = asked->propagation,
        .donate = asked->donate,
        .in_sharding_count = (int)asked->in_count,
        .in_shardings = in,
        .out_sharding_count = (int)asked->out_count,
        .out_shardings = out};
    status = status_of(podium_compile(attempt->session, orders->file_name, text,
                                      (size_t)orders->module.size_bytes, &options,
                                      &attempt->executable));
  }
  free(types);
  free(in);
  free(out);
  return status;
}

static pod_status_t compile(attempt_t *attempt) {
  const job_orders_t *orders = attempt->runner->orders;
  step(attempt, "compiling");
  void *text;
  POD_TRY(pod_status_context(map_blob(attempt, &orders->module, &text), "the module"));
  const pod_status_t status = compile_text(attempt, text == NULL ? "" : text);
  unmap_blob(&orders->module, text);
  POD_TRY(status);
  const podium_program_info_t *info = podium_executable_info(attempt->executable);
  pod_log(POD_LOG_INFO, "compiled %s for %d chips in %.3f s%s", info->name,
          info->device_count, seconds_since(attempt),
          info->cached ? ", known before" : "");
  for (int i = 0; i < info->note_count; i++) {
    pod_log(POD_LOG_INFO, "note: %s", info->notes[i]);
  }
  if ((size_t)info->argument_count != orders->input_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the program has %d arguments, the job %zu inputs",
                     info->argument_count, orders->input_count);
  }
  return NULL;
}

// --- Inputs ---

static pod_status_t put_input(attempt_t *attempt, int index) {
  const job_array_t *input = &attempt->runner->orders->inputs[index];
  void *bytes;
  POD_TRY(map_blob(attempt, &input->data, &bytes));
  const podium_layout_t layout = {.executable = attempt->executable, .argument = index};
  const pod_status_t status =
      status_of(podium_put(attempt->session, &layout, bytes == NULL ? "" : bytes,
                           (size_t)input->data.size_bytes, 0, &attempt->inputs[index]));
  unmap_blob(&input->data, bytes);
  return status;
}

static pod_status_t put_inputs(attempt_t *attempt) {
  const size_t count = attempt->runner->orders->input_count;
  attempt->inputs = pod_alloc((count + 1) * sizeof(podium_array_t *));
  int64_t size_bytes = 0;
  for (size_t i = 0; i < count; i++) {
    size_bytes += attempt->runner->orders->inputs[i].data.size_bytes;
  }
  step(attempt, "bringing %zu inputs to the chips, %" PRId64 " bytes", count, size_bytes);
  for (size_t i = 0; i < count; i++) {
    POD_TRY(pod_status_context(put_input(attempt, (int)i), "input %zu", i));
    attempt->input_count++;
  }
  pod_log(POD_LOG_INFO, "inputs are there after %.3f s", seconds_since(attempt));
  return NULL;
}

static void free_inputs(attempt_t *attempt) {
  for (int i = 0; i < attempt->input_count; i++) {
    podium_array_free(attempt->inputs[i]);
  }
  attempt->input_count = 0;
}

// --- Running ---

static pod_status_t execute(attempt_t *attempt) {
  const podium_program_info_t *info = podium_executable_info(attempt->executable);
  attempt->results =
      pod_alloc(((size_t)info->result_count + 1) * sizeof(podium_array_t *));
  step(attempt, "running");
  POD_TRY(status_of(podium_execute(
      attempt->executable, attempt->input_count, attempt->inputs,
      &(podium_execute_options_t){.profile = attempt->runner->orders->wants_profile},
      attempt->results, &attempt->execution)));
  attempt->result_count = info->result_count;
  pod_log(POD_LOG_INFO, "ran for %.3f s, %.6f s of them on the slowest chip's host",
          seconds_since(attempt),
          (double)podium_execution_host_ns(attempt->execution) / 1e9);
  free_inputs(attempt);
  return NULL;
}

// --- Results ---

static pod_status_t write_blob(attempt_t *attempt, const void *data, size_t size_bytes,
                               job_blob_t *out_blob) {
  job_blob_writer_t *writer;
  POD_TRY(job_blob_create(attempt->blobs, &writer));
  for (size_t at = 0; at < size_bytes; at += PIECE_BYTES) {
    const size_t left = size_bytes - at;
    const pod_status_t status = job_blob_append(writer, (const char *)data + at,
                                                left < PIECE_BYTES ? left : PIECE_BYTES);
    if (status != NULL) {
      job_blob_abandon(writer);
      return status;
    }
  }
  return job_blob_commit(writer, out_blob);
}

static pod_status_t fetch(podium_array_t *array, void **out_bytes, size_t *out_size) {
  const int64_t size_bytes = podium_shape_bytes(podium_array_shape(array));
  const size_t mapped = size_bytes > 0 ? (size_t)size_bytes : 1;
  void *bytes =
      mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "no memory for a result of %" PRId64 " bytes", size_bytes);
  }
  const pod_status_t status =
      status_of(podium_fetch(array, bytes, (size_t)size_bytes, 0));
  if (status != NULL) {
    munmap(bytes, mapped);
    return status;
  }
  *out_bytes = bytes;
  *out_size = (size_t)size_bytes;
  return NULL;
}

static pod_status_t keep_result(attempt_t *attempt, int index) {
  const podium_program_info_t *info = podium_executable_info(attempt->executable);
  const podium_shape_t *shape = podium_array_shape(attempt->results[index]);
  job_told_t told = {.word = JOB_WORD_RESULT,
                     .array = {.name = (char *)(uintptr_t)info->results[index].name,
                               .dtype = (char *)(uintptr_t)tensor_dtype_name(
                                   (tensor_dtype_t)shape->dtype),
                               .rank = shape->rank}};
  memcpy(told.array.dims, shape->dims, sizeof(told.array.dims));
  void *bytes = NULL;
  size_t size_bytes = 0;
  POD_TRY(fetch(attempt->results[index], &bytes, &size_bytes));
  const pod_status_t status = write_blob(attempt, bytes, size_bytes, &told.array.data);
  munmap(bytes, size_bytes > 0 ? size_bytes : 1);
  if (status == NULL) {
    podium_array_free(attempt->results[index]);
    attempt->results[index] = NULL;
    attempt->runner->tell(attempt->runner->context, &told);
  }
  return status;
}

static pod_status_t keep_results(attempt_t *attempt) {
  for (int i = 0; i < attempt->result_count; i++) {
    step(attempt, "keeping result %d of %d", i + 1, attempt->result_count);
    POD_TRY(pod_status_context(keep_result(attempt, i), "result %d", i));
  }
  return NULL;
}

// --- The profile ---

typedef struct profile_text_t {
  pod_text_t bytes;
} profile_text_t;

static void add_part(void *context, const void *packed, size_t size_bytes) {
  profile_text_t *text = context;
  const uint32_t length = (uint32_t)size_bytes;
  const uint8_t prefix[4] = {(uint8_t)length, (uint8_t)(length >> 8),
                             (uint8_t)(length >> 16), (uint8_t)(length >> 24)};
  pod_text_add_bytes(&text->bytes, prefix, sizeof(prefix));
  pod_text_add_bytes(&text->bytes, packed, size_bytes);
}

// What people open: common/report.
static pod_status_t keep_report(attempt_t *attempt) {
  const podium_profile_options_t options = {.events_max = PROFILE_REPORT_EVENTS};
  podium_profile_t *profile;
  POD_TRY(status_of(podium_profile(attempt->execution, &options, &profile)));
  pod_text_t json = {0};
  profile_report_json(
      &(profile_report_t){.made_by = "job",
                          .file = attempt->runner->orders->file_name,
                          .info = podium_executable_info(attempt->executable),
                          .profile = profile},
      &json);
  podium_profile_free(profile);
  job_told_t told = {.word = JOB_WORD_REPORT};
  const pod_status_t status = write_blob(attempt, json.bytes, json.length, &told.blob);
  pod_text_deinit(&json);
  if (status == NULL) {
    attempt->runner->tell(attempt->runner->context, &told);
  }
  return status;
}

static pod_status_t keep_profile(attempt_t *attempt) {
  profile_text_t text = {0};
  const podium_profile_options_t options = {.events_max = EVENTS_MAX};
  pod_status_t status =
      status_of(lib_profile_parts(attempt->execution, &options, add_part, &text));
  job_told_t told = {.word = JOB_WORD_PROFILE};
  if (status == NULL) {
    status = write_blob(attempt, text.bytes.bytes, text.bytes.length, &told.blob);
  }
  pod_text_deinit(&text.bytes);
  if (status == NULL) {
    attempt->runner->tell(attempt->runner->context, &told);
  }
  return status;
}

// --- The whole ---

static pod_status_t run(attempt_t *attempt) {
  POD_TRY(connect_pod(attempt));
  POD_TRY(compile(attempt));
  POD_TRY(put_inputs(attempt));
  POD_TRY(execute(attempt));
  POD_TRY(keep_results(attempt));
  if (attempt->runner->orders->wants_profile) {
    step(attempt, "making the profile");
    POD_TRY(pod_status_context(keep_profile(attempt), "the profile"));
    POD_TRY(pod_status_context(keep_report(attempt), "the report"));
  }
  return job_blobs_sync(attempt->blobs);
}

static void release(attempt_t *attempt) {
  free_inputs(attempt);
  for (int i = 0; i < attempt->result_count; i++) {
    podium_array_free(attempt->results[i]);
  }
  podium_execution_free(attempt->execution);
  podium_executable_free(attempt->executable);
  podium_close(attempt->session);
  job_blobs_close(attempt->blobs);
  free(attempt->inputs);
  free(attempt->results);
}

pod_status_t runner_run(const runner_t *runner) {
  attempt_t attempt = {.runner = runner, .step_ns = pod_clock_now_ns()};
  pod_status_t status = job_blobs_open(runner->orders->folder, &attempt.blobs);
  if (status == NULL) {
    status = run(&attempt);
  }
  release(&attempt);
  return status;
}
