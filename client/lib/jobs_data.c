// What goes into jobs, and what comes out of them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/jobs.h"
#include "client/lib/profile.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"

enum { KEY_BYTES = 16, PART_HEAD_BYTES = 4, PART_BYTES_MAX = 64 << 20 };

// --- Submitting ---

typedef struct submit_t {
  const char *text;
  size_t length;
  int input_count;
  const podium_job_input_t *inputs;
  // Of what is under way: -1 is the text, then the inputs.
  int at;
  int64_t sent_bytes;
  uint8_t *chunk;
  pod_status_t wrong;  // A source that gives no more.
  uint64_t id;
} submit_t;

static int64_t bytes_of(const submit_t *submit, int at) {
  return at < 0 ? (int64_t)submit->length : podium_shape_bytes(&submit->inputs[at].shape);
}

// The next bytes of what is under way; NULL when its source gives none.
static const uint8_t *next_bytes(submit_t *submit, size_t wanted, size_t *out_bytes) {
  *out_bytes = wanted;
  if (submit->at < 0) {
    return (const uint8_t *)submit->text + submit->sent_bytes;
  }
  const podium_job_input_t *input = &submit->inputs[submit->at];
  if (input->data != NULL) {
    return (const uint8_t *)input->data + submit->sent_bytes;
  }
  const int64_t got = input->read(input->read_context, submit->chunk, wanted);
  *out_bytes = (size_t)got;
  return got <= 0 || got > (int64_t)wanted ? NULL : submit->chunk;
}

static void send_more(rpc_call_t *call, void *context) {
  submit_t *submit = context;
  while (submit->at < submit->input_count && submit->wrong == NULL &&
         rpc_call_is_writable(call)) {
    const int64_t left = bytes_of(submit, submit->at) - submit->sent_bytes;
    if (left == 0) {
      submit->at++;
      submit->sent_bytes = 0;
      if (submit->at == submit->input_count) {
        rpc_call_half_close(call);
      }
      continue;
    }
    size_t bytes = left < LIB_CHUNK_BYTES ? (size_t)left : LIB_CHUNK_BYTES;
    const uint8_t *data = next_bytes(submit, bytes, &bytes);
    if (data == NULL) {
      submit->wrong =
          pod_error(POD_CANCELLED, "the source of input %d gave up after %lld bytes",
                    submit->at, (long long)submit->sent_bytes);
      rpc_call_cancel(call);
      return;
    }
    Podium__V1__SubmitJobRequest message = PODIUM__V1__SUBMIT_JOB_REQUEST__INIT;
    message.data.data = (uint8_t *)(uintptr_t)data;
    message.data.len = bytes;
    rpc_call_send(call, &message.base);
    submit->sent_bytes += (int64_t)bytes;
  }
}

// From the beginning: the submission's key tells the coordinator that it is the same.
static pod_status_t begin_anew(void *context) {
  submit_t *submit = context;
  for (int i = 0; i < submit->input_count; i++) {
    const podium_job_input_t *input = &submit->inputs[i];
    if (input->data == NULL && input->read != NULL &&
        input->read(input->read_context, NULL, 0) != 0) {
      return pod_error(POD_UNAVAILABLE,
                       "the coordinator was lost while the job was submitted, and input "
                       "%d cannot be read again: submit it again, under the same key",
                       i);
    }
  }
  submit->at = -1;
  submit->sent_bytes = 0;
  return NULL;
}

static bool take_id(void *context, const void *message) {
  submit_t *submit = context;
  submit->id = ((const Podium__V1__SubmitJobResponse *)message)->id;
  return true;
}

static pod_status_t check_inputs(const submit_t *submit) {
  POD_TRY(lib_check_list("inputs", submit->input_count, submit->inputs));
  for (int i = 0; i < submit->input_count; i++) {
    const podium_job_input_t *input = &submit->inputs[i];
    const int64_t bytes = podium_shape_bytes(&input->shape);
    if (bytes < 0) {
      return pod_error(POD_INVALID_ARGUMENT, "the shape of input %d is none", i);
    }
    if (input->data == NULL && input->read == NULL && bytes > 0) {
      return pod_error(POD_INVALID_ARGUMENT, "input %d has neither bytes nor a source",
                       i);
    }
    if (input->data != NULL && input->size != (size_t)bytes) {
      char shape[256];
      podium_shape_print(&input->shape, shape, sizeof(shape));
      return pod_error(POD_INVALID_ARGUMENT,
                       "input %d is %s, of %lld bytes, and %zu were given", i, shape,
                       (long long)bytes, input->size);
    }
  }
  return NULL;
}

// Borrows from the options; the lists are in the arena.
static void set_header(pod_arena_t *arena, const submit_t *submit,
                       const podium_job_options_t *options, const char *key,
                       Podium__V1__JobHeader *header) {
  if (options->name != NULL) {
    header->name = (char *)(uintptr_t)options->name;
  }
  if (options->file_name != NULL) {
    header->file_name = (char *)(uintptr_t)options->file_name;
  }
  if (options->slice != NULL) {
    header->slice = (char *)(uintptr_t)options->slice;
  }
  header->module_bytes = (int64_t)submit->length;
  header->priority = options->priority;
  header->n_after = (size_t)options->after_count;
  header->after = (uint64_t *)(uintptr_t)options->after;
  header->retries = options->retries;
  header->profile = options->profile;
  header->submission = (char *)(uintptr_t)key;
  header->n_inputs = (size_t)submit->input_count;
  header->inputs = pod_arena_array(arena, header->n_inputs, sizeof(*header->inputs));
  for (size_t i = 0; i < header->n_inputs; i++) {
    const podium_job_input_t *input = &submit->inputs[i];
    Podium__V1__JobArray *array = pod_arena_alloc(arena, sizeof(*array));
    podium__v1__job_array__init(array);
    if (input->name != NULL) {
      array->name = (char *)(uintptr_t)input->name;
    }
    array->shape = pod_arena_alloc(arena, sizeof(*array->shape));
    lib_shape_message(&input->shape, array->shape);
    header->inputs[i] = array;
  }
}

static char *text_or_none(const char *text) {
  return text == NULL ? (char *)(uintptr_t)protobuf_c_empty_string
                      : (char *)(uintptr_t)text;
}

// How it is compiled; as set_header.
static void set_compiling(pod_arena_t *arena, const podium_job_options_t *options,
                          Podium__V1__JobHeader *header) {
  header->algorithms = text_or_none(options->algorithms);
  header->collectives = text_or_none(options->collectives);
  header->mesh = text_or_none(options->mesh);
  header->propagation = text_or_none(options->propagation);
  header->donate = text_or_none(options->donate);
  header->n_in_shardings = (size_t)options->in_sharding_count;
  header->in_shardings =
      lib_given_shardings(arena, options->in_sharding_count, options->in_shardings);
  header->n_out_shardings = (size_t)options->out_sharding_count;
  header->out_shardings =
      lib_given_shardings(arena, options->out_sharding_count, options->out_shardings);
  header->n_device_order = (size_t)options->device_order_count;
  header->device_order = (int64_t *)(uintptr_t)options->device_order;
}

static pod_status_t check_options(const podium_job_options_t *options) {
  POD_TRY(lib_check_list("jobs to come after", options->after_count, options->after));
  POD_TRY(lib_check_list("chips in order", options->device_order_count,
                         options->device_order));
  POD_TRY(lib_check_given("shardings of arguments", options->in_sharding_count,
                          options->in_shardings));
  return lib_check_given("shardings of results", options->out_sharding_count,
                         options->out_shardings);
}

static void make_key(char key[2 * KEY_BYTES + 1]) {
  uint8_t bytes[KEY_BYTES];
  digest_random(bytes, sizeof(bytes));
  for (size_t i = 0; i < KEY_BYTES; i++) {
    snprintf(key + 2 * i, 3, "%02x", bytes[i]);
  }
}

// What is read at a time of the inputs that have a source.
static size_t chunk_bytes(const submit_t *submit) {
  int64_t most = 0;
  for (int i = 0; i < submit->input_count; i++) {
    const podium_job_input_t *input = &submit->inputs[i];
    const int64_t bytes = input->data == NULL ? podium_shape_bytes(&input->shape) : 0;
    most = bytes > most ? bytes : most;
  }
  return most < LIB_CHUNK_BYTES ? (size_t)most : LIB_CHUNK_BYTES;
}

static pod_status_t submit_job(podium_session_t *session, submit_t *submit,
                               const podium_job_options_t *options) {
  char key[2 * KEY_BYTES + 1];
  make_key(key);
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__JobHeader header = PODIUM__V1__JOB_HEADER__INIT;
  set_header(arena, submit, options,
             options->submission != NULL ? options->submission : key, &header);
  set_compiling(arena, options, &header);
  Podium__V1__SubmitJobRequest request = PODIUM__V1__SUBMIT_JOB_REQUEST__INIT;
  request.header = &header;
  lib_job_call_t call = {.session = session,
                         .path = "/podium.v1.Jobs/SubmitJob",
                         .request = &request.base,
                         .response = &podium__v1__submit_job_response__descriptor,
                         .take = take_id,
                         .send = send_more,
                         .again = begin_anew,
                         .context = submit};
  submit->chunk = pod_alloc(chunk_bytes(submit));
  pod_status_t status = lib_job_call(&call, lib_deadline_in(options->timeout_ms));
  if (submit->wrong != NULL) {
    pod_status_free(status);
    status = submit->wrong;
  } else if (status == NULL && submit->id == 0) {
    status = pod_error(POD_INTERNAL, "the coordinator ended SubmitJob without a job");
  }
  free(submit->chunk);
  pod_arena_destroy(arena);
  return status;
}

podium_status_t *podium_submit(podium_session_t *session, const char *text, size_t length,
                               int input_count, const podium_job_input_t *inputs,
                               const podium_job_options_t *given, uint64_t *out_id) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(out_id);
  if (length > 0) {
    LIB_REQUIRE(text);
  }
  const podium_job_options_t *options = LIB_OPTIONS(podium_job_options_t, given);
  submit_t submit = {.text = text,
                     .length = length,
                     .input_count = input_count,
                     .inputs = inputs,
                     .at = -1};
  pod_status_t status = check_inputs(&submit);
  if (status == NULL) {
    status = check_options(options);
  }
  if (status == NULL) {
    status = submit_job(session, &submit, options);
  }
  if (status == NULL) {
    *out_id = submit.id;
  }
  return lib_status(status);
}

// --- Logs ---

typedef struct log_t {
  podium_write_fn_t write;
  void *context;
  int64_t passed_bytes;  // In this attempt,
  int64_t told_bytes;    // and in all: what comes again is not told again.
} log_t;

static bool take_log(void *context, const void *message) {
  log_t *log = context;
  const ProtobufCBinaryData *data = &((const Podium__V1__JobLog *)message)->data;
  const int64_t known = log->told_bytes - log->passed_bytes;
  const size_t skipped = known <= 0                   ? 0
                         : known < (int64_t)data->len ? (size_t)known
                                                      : data->len;
  log->passed_bytes += (int64_t)data->len;
  if (skipped == data->len) {
    return true;
  }
  log->told_bytes = log->passed_bytes;
  return log->write(log->context, data->data + skipped, data->len - skipped);
}

static pod_status_t log_again(void *context) {
  ((log_t *)context)->passed_bytes = 0;
  return NULL;
}

podium_status_t *podium_job_log(podium_session_t *session, uint64_t id, bool follow,
                                podium_write_fn_t write, void *context,
                                int64_t timeout_ms) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(write);
  Podium__V1__ReadJobLogRequest request = PODIUM__V1__READ_JOB_LOG_REQUEST__INIT;
  request.id = id;
  request.follow = follow;
  log_t log = {.write = write, .context = context};
  lib_job_call_t call = {.session = session,
                         .path = "/podium.v1.Jobs/ReadJobLog",
                         .request = &request.base,
                         .response = &podium__v1__job_log__descriptor,
                         .take = take_log,
                         .again = log_again,
                         .context = &log};
  return lib_status(lib_job_call(&call, lib_deadline_in(timeout_ms)));
}

// --- Results ---

typedef struct fetch_t {
  Podium__V1__FetchResultRequest request;
  uint8_t *data;  // Of `size` bytes; or
  size_t size;
  podium_write_fn_t write;
  void *context;
  int64_t got_bytes, whole_bytes;  // -1: nobody has said how many.
  bool is_over;
} fetch_t;

static bool take_bytes(void *context, const void *message) {
  fetch_t *fetch = context;
  const Podium__V1__FetchResultResponse *response = message;
  if (fetch->whole_bytes < 0) {
    fetch->whole_bytes = response->size_bytes;
  }
  const size_t bytes = response->data.len;
  if (fetch->write == NULL && bytes > fetch->size - (size_t)fetch->got_bytes) {
    fetch->is_over = true;
    return false;
  }
  fetch->got_bytes += (int64_t)bytes;
  if (bytes == 0) {
    return true;
  }
  if (fetch->write != NULL) {
    return fetch->write(fetch->context, response->data.data, bytes);
  }
  memcpy(fetch->data + fetch->got_bytes - (int64_t)bytes, response->data.data, bytes);
  return true;
}

static pod_status_t fetch_on(void *context) {
  fetch_t *fetch = context;
  fetch->request.offset = fetch->got_bytes;
  return NULL;
}

static pod_status_t fetch(podium_session_t *session, fetch_t *fetch, int64_t timeout_ms) {
  fetch->whole_bytes = -1;
  lib_job_call_t call = {.session = session,
                         .path = "/podium.v1.Jobs/FetchResult",
                         .request = &fetch->request.base,
                         .response = &podium__v1__fetch_result_response__descriptor,
                         .take = take_bytes,
                         .again = fetch_on,
                         .context = fetch};
  POD_TRY(lib_job_call(&call, lib_deadline_in(timeout_ms)));
  if (fetch->is_over || (!call.is_enough && fetch->whole_bytes != fetch->got_bytes) ||
      (fetch->write == NULL && fetch->got_bytes != (int64_t)fetch->size)) {
    return pod_error(POD_DATA_LOSS,
                     "%lld bytes came%s of %lld that there are; the buffer has %zu",
                     (long long)fetch->got_bytes, fetch->is_over ? ", and more," : "",
                     (long long)fetch->whole_bytes, fetch->size);
  }
  return NULL;
}

podium_status_t *podium_job_fetch_result(podium_session_t *session, uint64_t id,
                                         int index, void *data, size_t size,
                                         int64_t timeout_ms) {
  LIB_REQUIRE(session);
  if (size > 0) {
    LIB_REQUIRE(data);
  }
  fetch_t call = {
      .request = PODIUM__V1__FETCH_RESULT_REQUEST__INIT, .data = data, .size = size};
  call.request.id = id;
  call.request.what_case = PODIUM__V1__FETCH_RESULT_REQUEST__WHAT_INDEX;
  call.request.index = index;
  return lib_status(fetch(session, &call, timeout_ms));
}

podium_status_t *podium_job_fetch_report(podium_session_t *session, uint64_t id,
                                         podium_write_fn_t write, void *context,
                                         int64_t timeout_ms) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(write);
  fetch_t call = {.request = PODIUM__V1__FETCH_RESULT_REQUEST__INIT,
                  .write = write,
                  .context = context};
  call.request.id = id;
  call.request.what_case = PODIUM__V1__FETCH_RESULT_REQUEST__WHAT_REPORT;
  call.request.report = true;
  return lib_status(fetch(session, &call, timeout_ms));
}

// --- Profiles ---

static bool add_text(void *context, const void *bytes, size_t size) {
  pod_text_add_bytes(context, bytes, size);
  return true;
}

static pod_status_t add_part(lib_profile_builder_t *builder, const uint8_t *bytes,
                             size_t size) {
  Podium__V1__ProfilePart *part = podium__v1__profile_part__unpack(NULL, size, bytes);
  if (part == NULL) {
    return pod_error(POD_DATA_LOSS, "a part of the profile of %zu bytes is none", size);
  }
  const pod_status_t status = lib_profile_add(builder, part);
  podium__v1__profile_part__free_unpacked(part, NULL);
  return status;
}

static pod_status_t add_parts(lib_profile_builder_t *builder, const pod_text_t *text) {
  const uint8_t *bytes = (const uint8_t *)text->bytes;
  for (size_t at = 0; at < text->length;) {
    uint32_t size = PART_BYTES_MAX + 1;
    if (text->length - at >= PART_HEAD_BYTES) {
      size = (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8 |
             (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
      at += PART_HEAD_BYTES;
    }
    if (size > PART_BYTES_MAX || size > text->length - at) {
      return pod_error(POD_DATA_LOSS, "the profile of %zu bytes is cut at %zu",
                       text->length, at);
    }
    POD_TRY(add_part(builder, bytes + at, size));
    at += size;
  }
  return NULL;
}

podium_status_t *podium_job_fetch_profile(podium_session_t *session, uint64_t id,
                                          int64_t timeout_ms,
                                          podium_profile_t **out_profile) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(out_profile);
  pod_text_t text = {0};
  fetch_t call = {.request = PODIUM__V1__FETCH_RESULT_REQUEST__INIT,
                  .write = add_text,
                  .context = &text};
  call.request.id = id;
  call.request.what_case = PODIUM__V1__FETCH_RESULT_REQUEST__WHAT_PROFILE;
  call.request.profile = true;
  lib_profile_builder_t builder = {.arena = pod_arena_create()};
  pod_status_t status = fetch(session, &call, timeout_ms);
  if (status == NULL) {
    status = add_parts(&builder, &text);
  }
  if (status == NULL) {
    status = lib_profile_give(&builder, out_profile);
  }
  if (status != NULL) {
    pod_arena_destroy(builder.arena);
  }
  pod_text_deinit(&text);
  return lib_status(status);
}
