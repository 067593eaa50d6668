// A struct per call, whose fields say how far it has come; what a call holds is given
// back in one place when it ends, however it ends. Long work is posted to the compute
// thread and comes back by a post.

#include "server/worker/service.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/wire/profile.h"
#include "server/wire/program.h"
#include "server/wire/types.h"
#include "server/worker/host_room.h"

enum {
  FETCH_CHUNK_BYTES = 1 << 20,
  FETCH_CHUNK_BYTES_MIN = 4 << 10,
  FETCH_CHUNK_BYTES_MAX = 4 << 20,
};

typedef struct open_call_t open_call_t;

// An execution that came by a Run, and has not ended.
typedef struct run_t {
  struct run_t *previous, *next;
  open_call_t *stream;
  uint64_t id;
  bool wants_events;
  chip_host_execution_t *execution;
} run_t;

// A program that is being loaded outlives its call if the peer hangs up.
typedef struct load_t {
  open_call_t *call;  // NULL: the peer has gone.
} load_t;

struct open_call_t {
  open_call_t *previous, *next;
  service_t *service;
  rpc_call_t *call;
  bool is_answered;  // A reply or status was given; messages that still come are ignored.
  bool has_header;
  hbm_array_t *array;          // PutShard, FetchShard.
  shard_transfer_t *transfer;  // Its bytes go by shared memory; NULL: by this call.
  int64_t moved_bytes;         // Received or sent of it.
  int64_t chunk_bytes;         // FetchShard.
  uint8_t *bytes;              // LoadProgram.
  size_t size_bytes;           // Announced.
  size_t received_bytes;
  uint64_t session, program;
  load_t *load;
  bool is_run;
  run_t *runs;  // Run.
};

struct service_t {
  bool has_chip;
  service_chip_t chip;
  pod_status_t no_chip_reason;  // Owned; NULL before the first chip.
  open_call_t *calls;
  shard_transfers_t *transfers;  // NULL: there is no other way.
};

service_t *service_create(void) {
  return pod_alloc(sizeof(service_t));
}

void service_set_transfers(service_t *service, shard_transfers_t *transfers) {
  service->transfers = transfers;
}

void service_destroy(service_t *service) {
  if (service != NULL) {
    pod_status_free(service->no_chip_reason);
    free(service);
  }
}

// --- Calls ---

static pod_status_t call_start(rpc_call_t *call, void *context, void **out_context) {
  service_t *service = context;
  if (!service->has_chip) {
    return service->no_chip_reason != NULL
               ? pod_status_copy(service->no_chip_reason)
               : pod_error(POD_UNAVAILABLE, "this worker has no place in a pod yet");
  }
  open_call_t *open = pod_alloc(sizeof(*open));
  *open = (open_call_t){.service = service, .call = call, .next = service->calls};
  if (open->next != NULL) {
    open->next->previous = open;
  }
  service->calls = open;
  *out_context = open;
  return NULL;
}

static void release(open_call_t *open) {
  shard_transfer_cancel(open->transfer);
  open->transfer = NULL;
  hbm_array_release(open->array);
  open->array = NULL;
  free(open->bytes);
  open->bytes = NULL;
}

// Ends the call with an error, or with OK after what was sent.
static void finish(open_call_t *open, pod_status_t status) {
  release(open);
  if (open->is_answered) {
    pod_status_free(status);
    return;
  }
  open->is_answered = true;
  rpc_call_finish(open->call, status);
}

static void reply(open_call_t *open, const ProtobufCMessage *message) {
  release(open);
  if (open->is_answered) {
    return;
  }
  open->is_answered = true;
  rpc_call_reply(open->call, message);
}

// `status`, or the empty reply.
static void answer(open_call_t *open, pod_status_t status,
                   const ProtobufCMessage *message) {
  if (status != NULL) {
    finish(open, status);
  } else {
    reply(open, message);
  }
}

static void remove_run(run_t *run) {
  if (run->previous != NULL) {
    run->previous->next = run->next;
  } else {
    run->stream->runs = run->next;
  }
  if (run->next != NULL) {
    run->next->previous = run->previous;
  }
  free(run);
}

static void call_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  open_call_t *open = context;
  pod_status_free(status);
  release(open);
  if (open->load != NULL) {
    open->load->call = NULL;
  }
  while (open->runs != NULL) {
    run_t *run = open->runs;
    chip_host_execution_cancel(run->execution);
    remove_run(run);
  }
  if (open->previous != NULL) {
    open->previous->next = open->next;
  } else {
    open->service->calls = open->next;
  }
  if (open->next != NULL) {
    open->next->previous = open->previous;
  }
  free(open);
}

static void unary_half_close(rpc_call_t *call, void *context) {
  (void)call;
  open_call_t *open = context;
  if (!open->has_header) {
    finish(open, pod_error(POD_INVALID_ARGUMENT, "the call came without a request"));
  }
}

// True for the first message of a call that is still to be answered.
static bool is_request(open_call_t *open) {
  const bool is_first = !open->has_header;
  open->has_header = true;
  if (!is_first) {
    finish(open, pod_error(POD_INVALID_ARGUMENT, "a unary call came with two requests"));
  }
  return is_first && !open->is_answered;
}

void service_set_chip(service_t *service, const service_chip_t *chip,
                      pod_status_t reason) {
  for (open_call_t *open = service->calls; open != NULL; open = open->next) {
    if (open->array != NULL || open->bytes != NULL || open->is_run) {
      finish(open, pod_status_copy(reason));
    }
  }
  pod_status_free(service->no_chip_reason);
  service->no_chip_reason = reason;
  service->has_chip = chip != NULL;
  if (chip != NULL) {
    service->chip = *chip;
  }
}

static pod_status_t check_chip(const open_call_t *open) {
  const service_t *service = open->service;
  return service->has_chip ? NULL : pod_status_copy(service->no_chip_reason);
}

// --- LoadProgram ---

// The bytes of a program, and what it is unpacked to, which is some times as much.
static pod_status_t check_room(int64_t size_bytes) {
  const int64_t together_bytes = 3 * size_bytes;
  POD_TRY(pod_status_context(host_room_admit(together_bytes), "a program"));
  host_room_release(NULL, together_bytes);
  return NULL;
}

static pod_status_t load_header(open_call_t *open,
                                const Podium__V1__LoadProgramRequest *message) {
  if (message->size_bytes <= 0 || message->size_bytes > WIRE_PROGRAM_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a program of %" PRId64 " bytes; 1 to %" PRId64 " are possible",
                     message->size_bytes, (int64_t)WIRE_PROGRAM_BYTES_MAX);
  }
  open->session = message->session;
  open->program = message->program;
  POD_TRY(check_room(message->size_bytes));
  open->size_bytes = (size_t)message->size_bytes;
  open->bytes = malloc(open->size_bytes);
  if (open->bytes == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "the host has no memory for a program of %zu bytes",
                     open->size_bytes);
  }
  return NULL;
}

static pod_status_t load_data(open_call_t *open, const ProtobufCBinaryData *data) {
  if (data->len > open->size_bytes - open->received_bytes) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "program %" PRIu64 " was announced with %zu bytes, more came",
                     open->program, open->size_bytes);
  }
  if (data->len > 0) {
    memcpy(open->bytes + open->received_bytes, data->data, data->len);
    open->received_bytes += data->len;
  }
  return NULL;
}

static void load_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__LoadProgramRequest *request = message;
  if (open->is_answered) {
    return;
  }
  pod_status_t status = NULL;
  if (!open->has_header) {
    open->has_header = true;
    status = load_header(open, request);
  }
  if (status == NULL) {
    status = load_data(open, &request->data);
  }
  if (status != NULL) {
    finish(open, status);
  }
}

static void load_done(pod_status_t status, void *context) {
  load_t *load = context;
  if (load->call != NULL) {
    load->call->load = NULL;
    const Podium__V1__LoadProgramResponse response =
        PODIUM__V1__LOAD_PROGRAM_RESPONSE__INIT;
    answer(load->call, status, &response.base);
  } else {
    pod_status_free(status);
  }
  free(load);
}

static void load_half_close(rpc_call_t *call, void *context) {
  (void)call;
  open_call_t *open = context;
  if (open->is_answered) {
    return;
  }
  pod_status_t status = check_chip(open);
  if (status == NULL && !open->has_header) {
    status = pod_error(POD_INVALID_ARGUMENT, "the call came without a program");
  } else if (status == NULL && open->received_bytes != open->size_bytes) {
    status = pod_error(POD_DATA_LOSS,
                       "program %" PRIu64 " was announced with %zu bytes, %zu came",
                       open->program, open->size_bytes, open->received_bytes);
  }
  if (status != NULL) {
    finish(open, status);
    return;
  }
  open->load = pod_alloc(sizeof(*open->load));
  open->load->call = open;
  uint8_t *bytes = open->bytes;
  open->bytes = NULL;
  chip_host_load(open->service->chip.host, open->session, open->program, bytes,
                 open->size_bytes, load_done, open->load);
}

static void unload_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__UnloadProgramRequest *request = message;
  if (is_request(open)) {
    const pod_status_t status = check_chip(open);
    if (status == NULL) {
      chip_host_unload(open->service->chip.host, request->program);
    }
    const Podium__V1__UnloadProgramResponse response =
        PODIUM__V1__UNLOAD_PROGRAM_RESPONSE__INIT;
    answer(open, status, &response.base);
  }
}

// --- PutShard ---

static pod_status_t begin_transfer(open_call_t *open, const ProtobufCBinaryData *token,
                                   bool sends, shard_transfer_done_fn_t done) {
  return shard_transfer_begin(open->service->transfers, token->data, token->len,
                              open->array, sends, done, open, &open->transfer);
}

static void put_moved(pod_status_t status, void *context) {
  open_call_t *open = context;
  open->transfer = NULL;
  if (status == NULL) {
    status = hbm_array_publish(open->array);
  }
  const Podium__V1__PutShardResponse response = PODIUM__V1__PUT_SHARD_RESPONSE__INIT;
  answer(open, status, &response.base);
}

static pod_status_t put_header(open_call_t *open,
                               const Podium__V1__PutShardRequest *message) {
  POD_TRY(check_chip(open));
  tensor_shape_t shape;
  POD_TRY(wire_shape_unpack(message->shape, &shape));
  POD_TRY(hbm_array_create(chip_host_hbm(open->service->chip.host), message->array,
                           message->session, &shape, &open->array));
  return message->token.len == 0
             ? NULL
             : begin_transfer(open, &message->token, false, put_moved);
}

static pod_status_t put_data(open_call_t *open, const ProtobufCBinaryData *data) {
  const int64_t size_bytes =
      open->transfer != NULL ? 0 : tensor_shape_bytes(&open->array->shape);
  if ((int64_t)data->len > size_bytes - open->moved_bytes) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "array %" PRIu64 " has %" PRId64 " bytes, more came",
                     open->array->id, size_bytes);
  }
  if (data->len > 0) {
    const tensor_dtype_t dtype = open->array->shape.dtype;
    uint8_t *there = (uint8_t *)open->array->data + open->moved_bytes;
    memcpy(there, data->data, data->len);
    tensor_elements_normalise(dtype, there, data->len / tensor_dtype_bytes(dtype));
    open->moved_bytes += (int64_t)data->len;
  }
  return NULL;
}

static void put_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__PutShardRequest *request = message;
  if (open->is_answered) {
    return;
  }
  pod_status_t status = NULL;
  if (!open->has_header) {
    open->has_header = true;
    status = put_header(open, request);
  }
  if (status == NULL) {
    status = put_data(open, &request->data);
  }
  if (status != NULL) {
    finish(open, status);
  }
}

static void put_half_close(rpc_call_t *call, void *context) {
  (void)call;
  open_call_t *open = context;
  if (open->is_answered) {
    return;
  }
  if (!open->has_header) {
    finish(open, pod_error(POD_INVALID_ARGUMENT, "the call came without an array"));
    return;
  }
  if (open->transfer != NULL) {
    return;  // It says when all is there.
  }
  const int64_t size_bytes = tensor_shape_bytes(&open->array->shape);
  const pod_status_t status =
      open->moved_bytes == size_bytes
          ? hbm_array_publish(open->array)
          : pod_error(POD_DATA_LOSS,
                      "array %" PRIu64 " has %" PRId64 " bytes, %" PRId64 " came",
                      open->array->id, size_bytes, open->moved_bytes);
  const Podium__V1__PutShardResponse response = PODIUM__V1__PUT_SHARD_RESPONSE__INIT;
  answer(open, status, &response.base);
}

// --- FetchShard ---

// Sends until the connection is full; goes on when it drains.
static void fetch_writable(rpc_call_t *call, void *context) {
  open_call_t *open = context;
  if (open->is_answered || open->array == NULL || open->transfer != NULL) {
    return;
  }
  const int64_t size_bytes = tensor_shape_bytes(&open->array->shape);
  while (open->moved_bytes < size_bytes && rpc_call_is_writable(call)) {
    const int64_t left = size_bytes - open->moved_bytes;
    const int64_t chunk = left < open->chunk_bytes ? left : open->chunk_bytes;
    Podium__V1__FetchShardResponse response = PODIUM__V1__FETCH_SHARD_RESPONSE__INIT;
    response.data.data = (uint8_t *)open->array->data + open->moved_bytes;
    response.data.len = (size_t)chunk;
    rpc_call_send(call, &response.base);
    open->moved_bytes += chunk;
  }
  if (open->moved_bytes == size_bytes) {
    finish(open, NULL);
  }
}

static void fetch_moved(pod_status_t status, void *context) {
  open_call_t *open = context;
  open->transfer = NULL;
  finish(open, status);
}

static void fetch_message(rpc_call_t *call, const void *message, void *context) {
  open_call_t *open = context;
  const Podium__V1__FetchShardRequest *request = message;
  if (!is_request(open)) {
    return;
  }
  hbm_array_t *array;
  pod_status_t status = check_chip(open);
  if (status == NULL) {
    status =
        hbm_array_find(chip_host_hbm(open->service->chip.host), request->array, &array);
  }
  if (status != NULL) {
    finish(open, status);
    return;
  }
  hbm_array_retain(array);
  open->array = array;
  if (request->token.len > 0) {
    status = begin_transfer(open, &request->token, true, fetch_moved);
    if (status != NULL) {
      finish(open, status);
    }
    return;
  }
  open->chunk_bytes =
      request->chunk_bytes == 0 ? FETCH_CHUNK_BYTES : request->chunk_bytes;
  if (open->chunk_bytes < FETCH_CHUNK_BYTES_MIN) {
    open->chunk_bytes = FETCH_CHUNK_BYTES_MIN;
  } else if (open->chunk_bytes > FETCH_CHUNK_BYTES_MAX) {
    open->chunk_bytes = FETCH_CHUNK_BYTES_MAX;
  }
  fetch_writable(call, open);
}

static void free_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__FreeArraysRequest *request = message;
  if (is_request(open)) {
    const pod_status_t status = check_chip(open);
    for (size_t i = 0; status == NULL && i < request->n_arrays; i++) {
      hbm_array_forget(chip_host_hbm(open->service->chip.host), request->arrays[i]);
    }
    const Podium__V1__FreeArraysResponse response =
        PODIUM__V1__FREE_ARRAYS_RESPONSE__INIT;
    answer(open, status, &response.base);
  }
}

// --- Run ---

// Borrows from the request.
static chip_host_execute_t execute_of(const Podium__V1__WorkerExecuteRequest *request) {
  return (chip_host_execute_t){
      .session = request->session,
      .program = request->program,
      .execution = request->execution,
      .arguments = request->arguments,
      .argument_count = request->n_arguments,
      .results = request->results,
      .result_count = request->n_results,
      .kept = request->kept,
      .kept_count = request->n_kept,
  };
}

// Takes `status`.
static void send_end(const open_call_t *open, uint64_t execution, pod_status_t status) {
  if (open->is_answered) {
    pod_status_free(status);
    return;
  }
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = execution;
  response.has_ended = true;
  if (status != NULL) {
    response.code = (int32_t)pod_status_code(status);
    response.message = (char *)(uintptr_t)pod_status_message(status);
  }
  rpc_call_send(open->call, &response.base);
  pod_status_free(status);
}

// The profile's parts; the last one says that it has ended.
static void send_parts(const run_t *run, const chip_profile_t *profile) {
  pod_arena_t *arena = pod_arena_create();
  size_t count;
  Podium__V1__WorkerExecuteResponse **pieces =
      wire_profile_pack(arena, profile, run->wants_events, &count);
  for (size_t i = 0; i < count && !run->stream->is_answered; i++) {
    Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
    response.execution = run->id;
    response.part = pieces[i];
    response.has_ended = i + 1 == count;
    rpc_call_send(run->stream->call, &response.base);
  }
  pod_arena_destroy(arena);
}

// There is one part at least.
static void run_done(const chip_profile_t *profile, pod_status_t status, void *context) {
  run_t *run = context;
  if (status == NULL) {
    send_parts(run, profile);
  } else {
    send_end(run->stream, run->id, status);
  }
  remove_run(run);
}

static void run_consumed(void *context) {
  const run_t *run = context;
  Podium__V1__WorkerExecuteResponse part = PODIUM__V1__WORKER_EXECUTE_RESPONSE__INIT;
  part.consumed = true;
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = run->id;
  response.part = &part;
  if (!run->stream->is_answered) {
    rpc_call_send(run->stream->call, &response.base);
  }
}

// host_ask_fn_t
static void run_ask(const host_piece_t *piece, void *context) {
  const run_t *run = context;
  if (run->stream->is_answered) {
    return;
  }
  const executor_transfer_t *transfer = piece->transfer;
  Podium__V1__HostTransfer message = PODIUM__V1__HOST_TRANSFER__INIT;
  message.channel = transfer->channel;
  message.is_receive = transfer->is_receive;
  message.is_shared = transfer->is_shared;
  message.size_bytes = transfer->size_bytes;
  message.offset = piece->offset;
  message.piece_bytes = piece->size_bytes;
  if (!transfer->is_receive) {
    message.data.data = transfer->data + piece->offset;
    message.data.len = (size_t)piece->size_bytes;
  }
  Podium__V1__WorkerExecuteResponse part = PODIUM__V1__WORKER_EXECUTE_RESPONSE__INIT;
  part.host_transfer = &message;
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = run->id;
  response.part = &part;
  rpc_call_send(run->stream->call, &response.base);
}

static void run_execute(open_call_t *open,
                        const Podium__V1__WorkerExecuteRequest *request) {
  chip_host_execute_t execute = execute_of(request);
  execute.consumed = run_consumed;
  execute.ask = run_ask;
  run_t *run = pod_alloc(sizeof(*run));
  *run = (run_t){.stream = open,
                 .id = request->execution,
                 .wants_events = request->profile,
                 .next = open->runs};
  const pod_status_t status = chip_host_execute(open->service->chip.host, &execute,
                                                run_done, run, &run->execution);
  if (status != NULL) {
    free(run);
    send_end(open, request->execution, status);
    return;
  }
  if (run->next != NULL) {
    run->next->previous = run;
  }
  open->runs = run;
}

static run_t *find_run(const open_call_t *open, uint64_t execution) {
  run_t *run = open->runs;
  while (run != NULL && run->id != execution) {
    run = run->next;
  }
  return run;
}

static void run_answer(const open_call_t *open, const Podium__V1__HostAnswer *answer) {
  const run_t *run = find_run(open, answer->execution);
  if (run == NULL) {
    return;
  }
  pod_status_t status = NULL;
  if (answer->code != 0) {
    const bool is_known = answer->code > 0 && answer->code < POD_CODE_COUNT;
    status = pod_error_text(__FILE__, __LINE__,
                            is_known ? (pod_code_t)answer->code : POD_UNKNOWN,
                            answer->message);
  }
  chip_host_execution_answer(run->execution, answer->data.data, answer->data.len, status);
}

static void run_cancel(open_call_t *open, uint64_t execution) {
  run_t *run = find_run(open, execution);
  if (run != NULL) {
    chip_host_execution_cancel(run->execution);
    send_end(open, execution, pod_error(POD_CANCELLED, "the execution was cancelled"));
    remove_run(run);
  }
}

static void run_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__RunRequest *request = message;
  if (open->is_answered) {
    return;
  }
  open->is_run = true;
  const pod_status_t status = check_chip(open);
  if (status != NULL) {
    finish(open, status);
    return;
  }
  switch (request->what_case) {
    case PODIUM__V1__RUN_REQUEST__WHAT_EXECUTE:
      run_execute(open, request->execute);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_CANCEL:
      run_cancel(open, request->cancel);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_FREE:
      chip_host_free_arrays(open->service->chip.host, request->free->arrays,
                            request->free->n_arrays);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_HOST_ANSWER:
      run_answer(open, request->host_answer);
      break;
    default:
      break;
  }
}

static void run_half_close(rpc_call_t *call, void *context) {
  (void)call;
  finish(context, NULL);
}

// --- CloseSession, GetStatus ---

// Arrays that are still coming in belong to the session too.
static void end_puts(service_t *service, uint64_t session) {
  for (open_call_t *open = service->calls; open != NULL; open = open->next) {
    if ((open->array != NULL && open->array->session == session) ||
        (open->bytes != NULL && open->session == session)) {
      finish(open, pod_error(POD_CANCELLED, "session %" PRIu64 " was closed", session));
    }
  }
}

static void close_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__CloseSessionRequest *request = message;
  if (is_request(open)) {
    const pod_status_t status = check_chip(open);
    if (status == NULL) {
      end_puts(open->service, request->session);
      chip_host_close_session(open->service->chip.host, request->session);
    }
    const Podium__V1__CloseSessionResponse response =
        PODIUM__V1__CLOSE_SESSION_RESPONSE__INIT;
    answer(open, status, &response.base);
  }
}

static void add_links(const service_chip_t *chip, Podium__V1__WorkerStatus *response,
                      Podium__V1__LinkStatus *links, Podium__V1__LinkStatus **list) {
  response->links = list;
  for (int direction = 0; chip->node != NULL && direction < TORUS_DIRECTIONS;
       direction++) {
    const ici_link_state_t state = ici_node_link_state(chip->node, direction);
    if (state == ICI_LINK_ABSENT) {
      continue;
    }
    Podium__V1__LinkStatus *link = &links[response->n_links];
    podium__v1__link_status__init(link);
    link->direction = direction;
    link->neighbour = torus_neighbour(&chip->torus, chip->chip, direction);
    link->up = state == ICI_LINK_UP;
    const char *url = ici_node_ipc_url(chip->node, direction);
    if (url == NULL) {
      url = ici_node_tcp_url(chip->node, direction);
    }
    link->url = url == NULL ? (char *)"" : (char *)url;
    list[response->n_links++] = link;
  }
}

static void status_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  (void)message;
  open_call_t *open = context;
  if (!is_request(open)) {
    return;
  }
  const pod_status_t status = check_chip(open);
  if (status != NULL) {
    finish(open, status);
    return;
  }
  const service_chip_t *chip = &open->service->chip;
  const hbm_t *hbm = chip_host_hbm(chip->host);
  pod_text_t device = {0};
  torus_print_device(&device, &chip->torus, chip->spec, chip->chip);
  Podium__V1__WorkerStatus response = PODIUM__V1__WORKER_STATUS__INIT;
  response.chip = chip->chip;
  response.device = device.bytes;
  response.hbm_bytes = hbm_capacity_bytes(hbm);
  response.hbm_used_bytes = hbm_used_bytes(hbm);
  response.hbm_peak_bytes = hbm_peak_bytes(hbm);
  response.array_count = hbm_array_count(hbm);
  response.program_count = chip_host_program_count(chip->host);
  response.pid = getpid();
  Podium__V1__LinkStatus links[TORUS_DIRECTIONS];
  Podium__V1__LinkStatus *list[TORUS_DIRECTIONS];
  add_links(chip, &response, links, list);
  reply(open, &response.base);
  pod_text_deinit(&device);
}

// --- The table ---

#define UNARY(on_request) \
  { .on_message = on_request, .on_half_close = unary_half_close, .on_end = call_end }

static const rpc_method_t methods[] = {
    {.path = "/" SERVICE_NAME "/LoadProgram",
     .request = &podium__v1__load_program_request__descriptor,
     .response = &podium__v1__load_program_response__descriptor,
     .events = {.on_message = load_message,
                .on_half_close = load_half_close,
                .on_end = call_end},
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/UnloadProgram",
     .request = &podium__v1__unload_program_request__descriptor,
     .response = &podium__v1__unload_program_response__descriptor,
     .events = UNARY(unload_message),
     .one_request = true,
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/PutShard",
     .request = &podium__v1__put_shard_request__descriptor,
     .response = &podium__v1__put_shard_response__descriptor,
     .events = {.on_message = put_message,
                .on_half_close = put_half_close,
                .on_end = call_end},
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/FetchShard",
     .request = &podium__v1__fetch_shard_request__descriptor,
     .response = &podium__v1__fetch_shard_response__descriptor,
     .events = {.on_message = fetch_message,
                .on_half_close = unary_half_close,
                .on_writable = fetch_writable,
                .on_end = call_end},
     .one_request = true,
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/FreeArrays",
     .request = &podium__v1__free_arrays_request__descriptor,
     .response = &podium__v1__free_arrays_response__descriptor,
     .events = UNARY(free_message),
     .one_request = true,
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/Run",
     .request = &podium__v1__run_request__descriptor,
     .response = &podium__v1__run_response__descriptor,
     .events = {.on_message = run_message,
                .on_half_close = run_half_close,
                .on_end = call_end},
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/CloseSession",
     .request = &podium__v1__close_session_request__descriptor,
     .response = &podium__v1__close_session_response__descriptor,
     .events = UNARY(close_message),
     .one_request = true,
     .on_start = call_start},
    {.path = "/" SERVICE_NAME "/GetStatus",
     .request = &podium__v1__get_status_request__descriptor,
     .response = &podium__v1__worker_status__descriptor,
     .events = UNARY(status_message),
     .one_request = true,
     .on_start = call_start},
    {0},
};

const rpc_method_t *service_methods(void) {
  return methods;
}
