// SubmitJob: a module and its inputs go into blobs while they come, the module to the
// compiler, and the job into the store.
//
//   RECEIVING <──> WRITING ──all has come──> COMPILING ──> KEEPING ──> over
//       └────────────┴── error, client gone ──> DROPPING ──> over
//
// While something is written the client is held: it sends no faster than the disk takes.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/tensor/dtype.h"
#include "server/coordinator/compile_work.h"
#include "server/coordinator/services/client_identity.h"
#include "server/coordinator/services/jobs_private.h"
#include "server/wire/types.h"

#define MODULE_BYTES_MAX ((int64_t)256 << 20)
#define MODULE_BYTES_ALL_MAX ((int64_t)1024 << 20)

enum {
  PRIORITY_MAX = 1000,
  NAME_BYTES_MAX = 256,
  FILE_NAME_BYTES_MAX = 1024,
  SUBMISSION_BYTES_MAX = 128,
};

typedef enum submit_state_t {
  SUBMIT_RECEIVING = 0,
  SUBMIT_WRITING,
  SUBMIT_COMPILING,
  SUBMIT_KEEPING,
  SUBMIT_DROPPING,
  SUBMIT_OVER,
  SUBMIT_COUNT
} submit_state_t;

static const pod_state_t states[SUBMIT_COUNT] = {
    [SUBMIT_RECEIVING] = {"receiving", POD_TO(SUBMIT_WRITING) | POD_TO(SUBMIT_COMPILING) |
                                           POD_TO(SUBMIT_DROPPING) | POD_TO(SUBMIT_OVER)},
    [SUBMIT_WRITING] = {"writing", POD_TO(SUBMIT_RECEIVING) | POD_TO(SUBMIT_DROPPING)},
    [SUBMIT_COMPILING] = {"compiling", POD_TO(SUBMIT_KEEPING) | POD_TO(SUBMIT_DROPPING)},
    [SUBMIT_KEEPING] = {"keeping", POD_TO(SUBMIT_OVER) | POD_TO(SUBMIT_DROPPING)},
    [SUBMIT_DROPPING] = {"dropping", POD_TO(SUBMIT_OVER)},
    [SUBMIT_OVER] = {"over", 0}};

typedef struct submit_t {
  request_t request;
  disk_work_t work;
  compile_waiter_t waiter;
  account_t *account;
  bool has_header, is_unwanted, is_compile_counted;
  job_t *job;
  pod_arena_t *arena;
  compile_key_t key;
  char *text;  // Of the module; NULL: the compiler has it.
  // The disk's while WRITING.
  job_store_t *store;
  uint8_t *data;  // What has come, and is not written yet.
  size_t data_bytes;
  size_t blob;        // That is being written: 0: the module, then the inputs.
  size_t held_count;  // Blobs that are committed, and held for this job.
  job_blob_writer_t *writer;
  pod_status_t status;
  bool was_there;
} submit_t;

static submit_t *submit_of(disk_work_t *work) {
  return (submit_t *)(void *)((char *)work - offsetof(submit_t, work));
}

// --- Ends ---

static void drop_text(submit_t *submit) {
  if (submit->text != NULL) {
    submit->request.coordinator->compile_text_bytes -= submit->key.text_bytes;
    free(submit->text);
    submit->text = NULL;
  }
}

static void count_no_more(submit_t *submit) {
  if (submit->is_compile_counted) {
    submit->is_compile_counted = false;
    account_give_back(submit->account, ACCOUNT_COMPILES, 1);
  }
}

static void end_submit(submit_t *submit) {
  count_no_more(submit);
  drop_text(submit);
  account_unuse(submit->account);
  job_destroy(submit->job);
  pod_arena_destroy(submit->arena);
  free(submit->data);
  request_move(&submit->request, SUBMIT_OVER);
  request_end(&submit->request);
}

static job_blob_t *blob_at(const submit_t *submit, size_t index) {
  return index == 0 ? &submit->job->module : &submit->job->inputs[index - 1].data;
}

static void run_drop(disk_work_t *work) {
  submit_t *submit = submit_of(work);
  if (submit->writer != NULL) {
    job_store_blob_abandon(submit->store, submit->writer);
  }
  for (size_t i = 0; i < submit->held_count; i++) {
    job_store_blob_release(submit->store, blob_at(submit, i));
  }
}

static void drop_done(disk_work_t *work) {
  end_submit(submit_of(work));
}

// Nothing of it stays. Takes `status`; NULL: it has been answered. Nothing of it is on
// its way.
static void drop(submit_t *submit, pod_status_t status) {
  if (status != NULL) {
    request_fail(&submit->request, status);
  }
  if (submit->writer == NULL && submit->held_count == 0 &&
      request_is(&submit->request, SUBMIT_RECEIVING)) {
    end_submit(submit);
    return;
  }
  request_move(&submit->request, SUBMIT_DROPPING);
  submit->work = (disk_work_t){.run = run_drop, .done = drop_done};
  job_disk_do(jobs_of(&submit->request)->disk, &submit->work);
}

// --- The header ---

static pod_status_t check_text(const char *what, const char *text, size_t most) {
  const size_t length = strlen(text);
  if (length > most) {
    return pod_error(POD_INVALID_ARGUMENT, "%s has %zu bytes, at most %zu are possible",
                     what, length, most);
  }
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
      return pod_error(POD_INVALID_ARGUMENT, "%s has a control character at %zu", what,
                       i);
    }
  }
  return NULL;
}

static pod_status_t read_input(const Podium__V1__JobArray *from, job_array_t *to,
                               compiler_argument_type_t *type) {
  POD_TRY(check_text("its name", from->name, NAME_BYTES_MAX));
  POD_TRY(wire_shape_unpack(from->shape, &type->shape));
  type->argument = "";
  to->name = pod_strdup(from->name);
  to->dtype = pod_strdup(tensor_dtype_name(type->shape.dtype));
  to->rank = type->shape.rank;
  memcpy(to->dims, type->shape.dims, (size_t)to->rank * sizeof(to->dims[0]));
  POD_TRY(tensor_shape_check(&type->shape));
  to->data.size_bytes = tensor_shape_bytes(&type->shape);
  return NULL;
}

static pod_status_t read_inputs(submit_t *submit, const Podium__V1__JobHeader *header) {
  if (header->n_inputs > JOB_ARRAYS_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%zu inputs, at most %d are possible",
                     header->n_inputs, (int)JOB_ARRAYS_MAX);
  }
  job_t *job = submit->job;
  job->inputs = pod_alloc((header->n_inputs + 1) * sizeof(*job->inputs));
  compiler_argument_type_t *types =
      pod_arena_array(submit->arena, header->n_inputs + 1, sizeof(*types));
  for (size_t i = 0; i < header->n_inputs; i++) {
    job->input_count++;
    POD_TRY(pod_status_context(read_input(header->inputs[i], &job->inputs[i], &types[i]),
                               "input %zu", i));
  }
  submit->key.argument_type_count = (int64_t)header->n_inputs;
  submit->key.argument_types = types;
  return NULL;
}

static pod_status_t read_after(submit_t *submit, const access_identity_t *caller,
                               const Podium__V1__JobHeader *header) {
  if (header->n_after > JOB_AFTER_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "it comes after %zu jobs, at most %d can be",
                     header->n_after, (int)JOB_AFTER_MAX);
  }
  for (size_t i = 0; i < header->n_after; i++) {
    job_entry_t *before;
    POD_TRY(jobs_enter(jobs_of(&submit->request), caller, header->after[i], &before));
  }
  submit->job->after = pod_alloc((header->n_after + 1) * sizeof(uint64_t));
  submit->job->after_count = header->n_after;
  if (header->n_after > 0) {
    memcpy(submit->job->after, header->after, header->n_after * sizeof(uint64_t));
  }
  return NULL;
}

// With a slice, or an order of its chips, the program is for as many devices.
static pod_status_t read_slice(submit_t *submit, const char *slice) {
  const torus_t *torus = &submit->request.coordinator->options.torus;
  const job_options_t *options = &submit->job->options;
  if (*slice == '\0' && options->order_count == 0) {
    return NULL;
  }
  slice_wish_t wish;
  torus_slice_t box;
  POD_TRY(
      pod_status_context(slices_wish(torus, slice, (int32_t)options->order_count, &wish),
                         *slice == '\0' ? "--device-order" : "--slice"));
  if (options->order_count > 0 && options->order_count != (size_t)wish.count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "--device-order has %zu chips, the slice %s has %" PRId32,
                     options->order_count, slice, wish.count);
  }
  bool *none = pod_alloc((size_t)torus_chip_count(torus));
  POD_CHECK(slices_find(torus, none, NULL, &wish, &box));
  free(none);
  int64_t *order = pod_arena_array(submit->arena, (size_t)wish.count, sizeof(*order));
  torus_slice_chips(torus, &box, order);
  jobs_order_chips(options, order, (size_t)wish.count);
  submit->key.device_order_count = wish.count;
  submit->key.device_order = order;
  submit->job->device_count = wish.count;
  return NULL;
}

static pod_status_t check_numbers(const Podium__V1__JobHeader *header) {
  if (header->module_bytes < 1 || header->module_bytes > MODULE_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a module has 1 to %" PRId64 " bytes, %" PRId64 " were announced",
                     MODULE_BYTES_MAX, header->module_bytes);
  }
  if (header->priority < -PRIORITY_MAX || header->priority > PRIORITY_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a priority is a number from -%d to %d, not %" PRId32, PRIORITY_MAX,
                     PRIORITY_MAX, header->priority);
  }
  if (header->retries < 0 || header->retries > JOB_RETRIES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a job may be tried again 0 to %d times, not %" PRId32,
                     (int)JOB_RETRIES_MAX, header->retries);
  }
  POD_TRY(check_text("the job's name", header->name, NAME_BYTES_MAX));
  POD_TRY(check_text("the file's name", header->file_name, FILE_NAME_BYTES_MAX));
  return check_text("the submission's key", header->submission, SUBMISSION_BYTES_MAX);
}

// Else everybody would be first.
static pod_status_t check_priority(const Podium__V1__JobHeader *header,
                                   const access_identity_t *caller) {
  if (header->priority <= 0 || access_allows(caller, ACCESS_ADMINISTER)) {
    return NULL;
  }
  return pod_error(POD_PERMISSION_DENIED,
                   "priority %" PRId32
                   " goes before the jobs of others, which takes the role administer; "
                   "below 0 a job steps back behind them",
                   header->priority);
}

static void set_text(char **text, const char *value) {
  free(*text);
  *text = pod_strdup(value);
}

static void take_texts(submit_t *submit, const access_identity_t *caller,
                       const Podium__V1__JobHeader *header) {
  job_t *job = submit->job;
  char traceparent[REQUEST_TRACEPARENT_BYTES];
  request_traceparent(submit->request.client, traceparent);
  set_text(&job->principal, caller->name);
  set_text(&job->file_name, *header->file_name != '\0' ? header->file_name : "module");
  set_text(&job->name, *header->name != '\0' ? header->name : job->file_name);
  set_text(&job->submission, header->submission);
  set_text(&job->slice, header->slice);
  set_text(&job->traceparent, traceparent);
  job->priority = header->priority;
  job->retries = header->retries;
  job->wants_profile = header->profile;
  job->module.size_bytes = header->module_bytes;
}

static pod_status_t take_memory(submit_t *submit) {
  coordinator_t *coordinator = submit->request.coordinator;
  const int64_t size_bytes = submit->key.text_bytes;
  if (coordinator->compile_text_bytes + size_bytes > MODULE_BYTES_ALL_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "modules of %" PRId64 " bytes are being compiled, and %" PRId64
                     " more would be too many: try again later",
                     coordinator->compile_text_bytes, size_bytes);
  }
  submit->text = malloc((size_t)size_bytes + 1);
  if (submit->text == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "no memory for a module of %" PRId64 " bytes", size_bytes);
  }
  coordinator->compile_text_bytes += size_bytes;
  return NULL;
}

static pod_status_t read_header(submit_t *submit, const Podium__V1__JobHeader *header) {
  const coordinator_options_t *options = &submit->request.coordinator->options;
  access_identity_t caller;
  POD_TRY(jobs_identify(&submit->request, &caller));
  POD_TRY(check_numbers(header));
  POD_TRY(check_priority(header, &caller));
  submit->has_header = true;
  char *identity = client_identity(submit->request.client, caller.name);
  submit->account = account_find(submit->request.coordinator->accounts, identity);
  free(identity);
  take_texts(submit, &caller, header);
  submit->key.spec = options->spec;
  submit->key.torus = options->torus;
  submit->key.text_bytes = header->module_bytes;
  submit->key.file_name = submit->job->file_name;
  POD_TRY(jobs_read_options(header, &submit->job->options));
  jobs_compile_with(submit->arena, &submit->job->options, &submit->key);
  POD_TRY(read_inputs(submit, header));
  POD_TRY(read_after(submit, &caller, header));
  POD_TRY(read_slice(submit, header->slice));
  return take_memory(submit);
}

// --- WRITING, on the disk's thread ---

static pod_status_t open_next(submit_t *submit) {
  return submit->writer != NULL ? NULL
                                : job_store_blob_create(submit->store, &submit->writer);
}

// Blobs one after the other; empty ones need no data.
static pod_status_t feed(submit_t *submit) {
  size_t at = 0;
  while (submit->blob <= submit->job->input_count) {
    job_blob_t *blob = blob_at(submit, submit->blob);
    POD_TRY(open_next(submit));
    const int64_t written = job_blob_written(submit->writer);
    const int64_t wanted = blob->size_bytes - written;
    const size_t left = submit->data_bytes - at;
    const size_t size = (int64_t)left < wanted ? left : (size_t)wanted;
    if (size > 0) {
      if (submit->blob == 0) {
        memcpy(submit->text + written, submit->data + at, size);
      }
      POD_TRY(
          job_store_blob_append(submit->store, submit->writer, submit->data + at, size));
      at += size;
    }
    if ((int64_t)size < wanted) {
      break;
    }
    job_blob_writer_t *writer = submit->writer;
    submit->writer = NULL;
    POD_TRY(job_store_blob_commit(submit->store, writer, blob));
    submit->held_count = ++submit->blob;
  }
  return at == submit->data_bytes
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "more bytes came than the module and its %zu inputs have",
                         submit->job->input_count);
}

static void run_feed(disk_work_t *work) {
  submit_t *submit = submit_of(work);
  submit->status = feed(submit);
}

static void feed_done(disk_work_t *work);

static pod_status_t first_look(submit_t *submit) {
  const job_t *job = submit->job;
  uint64_t id;
  pod_status_t status =
      *job->submission == '\0'
          ? pod_error(POD_NOT_FOUND, "no key")
          : job_store_find(submit->store, job->principal, job->submission, &id);
  submit->was_there = status == NULL;
  if (submit->was_there) {
    submit->job->id = id;
    return NULL;
  }
  if (pod_status_code(status) != POD_NOT_FOUND) {
    return status;
  }
  pod_status_free(status);
  int64_t size_bytes = job->module.size_bytes;
  for (size_t i = 0; i < job->input_count; i++) {
    if (job->inputs[i].data.size_bytes > INT64_MAX - size_bytes) {
      return pod_error(POD_RESOURCE_EXHAUSTED, "the inputs are larger than all disks");
    }
    size_bytes += job->inputs[i].data.size_bytes;
  }
  return job_store_may_submit(submit->store, job->principal, size_bytes);
}

static void run_first_look(disk_work_t *work) {
  submit_t *submit = submit_of(work);
  submit->status = first_look(submit);
}

static void write(submit_t *submit, void (*run)(disk_work_t *work)) {
  rpc_call_pause(submit->request.client);
  request_move(&submit->request, SUBMIT_WRITING);
  submit->work = (disk_work_t){.run = run, .done = feed_done};
  job_disk_do(jobs_of(&submit->request)->disk, &submit->work);
}

static void reply(submit_t *submit, const job_entry_t *entry) {
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__SubmitJobResponse response = PODIUM__V1__SUBMIT_JOB_RESPONSE__INIT;
  response.id = entry->job->id;
  response.known = submit->was_there;
  response.job = jobs_describe(arena, entry);
  request_reply(&submit->request, &response.base);
  pod_arena_destroy(arena);
}

static pod_status_t take_status(submit_t *submit) {
  pod_status_t status = submit->status;
  submit->status = NULL;
  if (status == NULL && submit->is_unwanted) {
    status = pod_error(POD_CANCELLED, "the caller has gone");
  }
  return status;
}

static void answer_known(submit_t *submit) {
  const job_entry_t *entry = jobs_find(jobs_of(&submit->request), submit->job->id);
  if (entry == NULL) {  // It is being removed, or comes with another call.
    drop(submit, pod_error(POD_UNAVAILABLE,
                           "a job of this submission is coming or going: try again"));
    return;
  }
  reply(submit, entry);
  drop(submit, NULL);
}

static void feed_done(disk_work_t *work) {
  submit_t *submit = submit_of(work);
  free(submit->data);
  submit->data = NULL;
  submit->data_bytes = 0;
  const pod_status_t status = take_status(submit);
  if (status != NULL) {
    drop(submit, status);
  } else if (submit->was_there) {
    answer_known(submit);
  } else {
    request_move(&submit->request, SUBMIT_RECEIVING);
    rpc_call_resume(submit->request.client);
  }
}

// --- RECEIVING ---

static void on_message(request_t *request, const void *data) {
  submit_t *submit = (submit_t *)request;
  const Podium__V1__SubmitJobRequest *message = data;
  if (!submit->has_header) {
    const pod_status_t status =
        message->header == NULL
            ? pod_error(POD_INVALID_ARGUMENT, "SubmitJob begins with a header")
            : read_header(submit, message->header);
    if (status != NULL) {
      drop(submit, status);
    } else {
      submit->store = jobs_of(request)->store;
      write(submit, run_first_look);
    }
    return;
  }
  if (message->data.len > 0) {
    submit->data = pod_alloc(message->data.len);
    submit->data_bytes = message->data.len;
    memcpy(submit->data, message->data.data, message->data.len);
    write(submit, run_feed);
  }
}

// --- KEEPING ---

static void run_keep(disk_work_t *work) {
  submit_t *submit = submit_of(work);
  submit->status = job_store_submit(submit->store, submit->job, &submit->was_there);
  submit->held_count = 0;  // They are the store's from now on, or gone.
}

static void keep_done(disk_work_t *work) {
  submit_t *submit = submit_of(work);
  pod_status_t status = submit->status;
  submit->status = NULL;
  if (status != NULL) {
    drop(submit, status);
    return;
  }
  if (submit->was_there) {
    answer_known(submit);
    return;
  }
  // Also when the caller has gone: it is kept, and he finds it by his key.
  job_entry_t *entry = jobs_add(jobs_of(&submit->request), submit->job);
  submit->job = NULL;
  jobs_log(entry, "job_submit", "is submitted");
  reply(submit, entry);
  end_submit(submit);
}

static pod_status_t check_program(submit_t *submit, const compiled_t *compiled) {
  const chip_program_t *program = compiled->result->program;
  job_t *job = submit->job;
  if ((size_t)program->argument_count != job->input_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s takes %" PRId32 " arguments, the job has %zu inputs",
                     program->name, program->argument_count, job->input_count);
  }
  for (size_t i = 0; i < job->input_count; i++) {
    const tensor_shape_t *wanted = &program->arguments[i].shape;
    if (!tensor_shape_equal(wanted, &submit->key.argument_types[i].shape)) {
      pod_text_t is = {0}, has = {0};
      tensor_shape_print(&is, wanted);
      tensor_shape_print(&has, &submit->key.argument_types[i].shape);
      const pod_status_t status =
          pod_error(POD_INVALID_ARGUMENT, "argument %s of %s is %s, input %zu is %s",
                    program->arguments[i].name, program->name, is.bytes, i, has.bytes);
      pod_text_deinit(&is);
      pod_text_deinit(&has);
      return status;
    }
  }
  if (*job->slice == '\0' && job->options.order_count == 0) {
    const int64_t declared = compiled->result->declared_device_count;
    job->device_count = declared > 0 ? (int32_t)declared : 1;
  }
  slice_wish_t wish;
  return slices_wish(&submit->request.coordinator->options.torus, job->slice,
                     job->device_count, &wish);
}

static void compiled(compile_waiter_t *waiter, pod_status_t status, compiled_t *what) {
  submit_t *submit = (submit_t *)(void *)((char *)waiter - offsetof(submit_t, waiter));
  count_no_more(submit);
  if (status == NULL) {
    status = check_program(submit, what);
  }
  if (status != NULL) {
    drop(submit, status);
    return;
  }
  request_move(&submit->request, SUBMIT_KEEPING);
  submit->work = (disk_work_t){.run = run_keep, .done = keep_done};
  job_disk_do(jobs_of(&submit->request)->disk, &submit->work);
}

// --- COMPILING ---

static pod_status_t start_compile(submit_t *submit) {
  coordinator_t *coordinator = submit->request.coordinator;
  submit->text[submit->key.text_bytes] = '\0';
  memcpy(submit->key.digest, submit->job->module.digest, sizeof(submit->key.digest));
  POD_TRY(account_take(submit->account, ACCOUNT_COMPILES, 1));
  submit->is_compile_counted = true;
  POD_TRY(compile_work_start(coordinator, &submit->key, submit->text, true,
                             submit->account, &submit->waiter));
  submit->text = NULL;
  return NULL;
}

static void find_or_compile(submit_t *submit) {
  coordinator_t *coordinator = submit->request.coordinator;
  request_move(&submit->request, SUBMIT_COMPILING);
  submit->waiter.done = compiled;
  memcpy(submit->key.digest, submit->job->module.digest, sizeof(submit->key.digest));
  compiled_t *known =
      compiled_use(compile_cache_find(coordinator->compile_cache, &submit->key, true));
  if (known != NULL) {
    compiled(&submit->waiter, NULL, known);
    compiled_unuse(known);
    return;
  }
  if (!compile_work_join(coordinator, &submit->key, true, &submit->waiter)) {
    const pod_status_t status = start_compile(submit);
    if (status != NULL) {
      drop(submit, status);
    }
  }
}

static void on_half_close(request_t *request) {
  submit_t *submit = (submit_t *)request;
  if (!submit->has_header) {
    drop(submit, pod_error(POD_INVALID_ARGUMENT, "SubmitJob without a header"));
  } else if (submit->blob <= submit->job->input_count) {
    const bool is_module = submit->blob == 0;
    drop(submit, pod_error(POD_INVALID_ARGUMENT, "the bytes end within %s %zu",
                           is_module ? "the module," : "input",
                           is_module ? (size_t)0 : submit->blob - 1));
  } else {
    find_or_compile(submit);
  }
}

static void on_start(request_t *request) {
  submit_t *submit = (submit_t *)request;
  submit->arena = pod_arena_create();
  submit->job = job_create();
}

static void stop(request_t *request, pod_status_t status) {
  submit_t *submit = (submit_t *)request;
  switch ((submit_state_t)pod_state_of(&request->machine)) {
    case SUBMIT_RECEIVING:
      drop(submit, status);
      return;
    case SUBMIT_COMPILING:
      compile_work_leave(&submit->waiter);
      drop(submit, status);
      return;
    case SUBMIT_WRITING:
    case SUBMIT_KEEPING:
    case SUBMIT_DROPPING:
      submit->is_unwanted = true;
      request_fail(request, status);
      return;
    default:
      pod_status_free(status);
      return;
  }
}

static const request_kind_t kind = {.name = "SubmitJob",
                                    .size_bytes = sizeof(submit_t),
                                    .states = states,
                                    .state_count = SUBMIT_COUNT,
                                    .on_start = on_start,
                                    .on_message = on_message,
                                    .on_half_close = on_half_close,
                                    .stop = stop};

pod_status_t jobs_start_submit(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}
