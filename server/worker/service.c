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
#include "server/wire/program.h"
#include "server/wire/types.h"
#include "server/worker/host_room.h"
#include "server/worker/service_private.h"

enum {
  FETCH_CHUNK_BYTES = 1 << 20,
  FETCH_CHUNK_BYTES_MIN = 4 << 10,
  FETCH_CHUNK_BYTES_MAX = 4 << 20,
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
void service_finish(open_call_t *open, pod_status_t status) {
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
    service_finish(open, status);
  } else {
    reply(open, message);
  }
}

static void call_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  open_call_t *open = context;
  pod_status_free(status);
  release(open);
  if (open->load != NULL) {
    open->load->call = NULL;
  }
  service_run_end(open);
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
    service_finish(open,
                   pod_error(POD_INVALID_ARGUMENT, "the call came without a request"));
  }
}

// True for the first message of a call that is still to be answered.
static bool is_request(open_call_t *open) {
  const bool is_first = !open->has_header;
  open->has_header = true;
  if (!is_first) {
    service_finish(
        open, pod_error(POD_INVALID_ARGUMENT, "a unary call came with two requests"));
  }
  return is_first && !open->is_answered;
}

void service_set_chip(service_t *service, const service_chip_t *chip,
                      pod_status_t reason) {
  for (open_call_t *open = service->calls; open != NULL; open = open->next) {
    if (open->array != NULL || open->bytes != NULL || open->is_run) {
      service_finish(open, pod_status_copy(reason));
    }
  }
  pod_status_free(service->no_chip_reason);
  service->no_chip_reason = reason;
  service->has_chip = chip != NULL;
  if (chip != NULL) {
    service->chip = *chip;
  }
}

pod_status_t service_check_chip(const open_call_t *open) {
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
    service_finish(open, status);
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
  pod_status_t status = service_check_chip(open);
  if (status == NULL && !open->has_header) {
    status = pod_error(POD_INVALID_ARGUMENT, "the call came without a program");
  } else if (status == NULL && open->received_bytes != open->size_bytes) {
    status = pod_error(POD_DATA_LOSS,
                       "program %" PRIu64 " was announced with %zu bytes, %zu came",
                       open->program, open->size_bytes, open->received_bytes);
  }
  if (status != NULL) {
    service_finish(open, status);
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
    const pod_status_t status = service_check_chip(open);
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
  POD_TRY(service_check_chip(open));
  tensor_shape_t shape;
  POD_TRY(wire_shape_unpack(message->shape, &shape));
  POD_TRY((message->is_host ? hbm_array_create_on_host : hbm_array_create)(
      chip_host_hbm(open->service->chip.host), message->array, message->session, &shape,
      &open->array));
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
    service_finish(open, status);
  }
}

static void put_half_close(rpc_call_t *call, void *context) {
  (void)call;
  open_call_t *open = context;
  if (open->is_answered) {
    return;
  }
  if (!open->has_header) {
    service_finish(open,
                   pod_error(POD_INVALID_ARGUMENT, "the call came without an array"));
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
    service_finish(open, NULL);
  }
}

static void fetch_moved(pod_status_t status, void *context) {
  open_call_t *open = context;
  open->transfer = NULL;
  service_finish(open, status);
}

static void fetch_message(rpc_call_t *call, const void *message, void *context) {
  open_call_t *open = context;
  const Podium__V1__FetchShardRequest *request = message;
  if (!is_request(open)) {
    return;
  }
  hbm_array_t *array;
  pod_status_t status = service_check_chip(open);
  if (status == NULL) {
    status =
        hbm_array_find(chip_host_hbm(open->service->chip.host), request->array, &array);
  }
  if (status != NULL) {
    service_finish(open, status);
    return;
  }
  hbm_array_retain(array);
  open->array = array;
  if (request->token.len > 0) {
    status = begin_transfer(open, &request->token, true, fetch_moved);
    if (status != NULL) {
      service_finish(open, status);
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
    const pod_status_t status = service_check_chip(open);
    for (size_t i = 0; status == NULL && i < request->n_arrays; i++) {
      hbm_array_forget(chip_host_hbm(open->service->chip.host), request->arrays[i]);
    }
    const Podium__V1__FreeArraysResponse response =
        PODIUM__V1__FREE_ARRAYS_RESPONSE__INIT;
    answer(open, status, &response.base);
  }
}

// --- CloseSession, GetStatus ---

// Arrays that are still coming in belong to the session too.
static void end_puts(service_t *service, uint64_t session) {
  for (open_call_t *open = service->calls; open != NULL; open = open->next) {
    if ((open->array != NULL && open->array->session == session) ||
        (open->bytes != NULL && open->session == session)) {
      service_finish(open,
                     pod_error(POD_CANCELLED, "session %" PRIu64 " was closed", session));
    }
  }
}

static void close_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__CloseSessionRequest *request = message;
  if (is_request(open)) {
    const pod_status_t status = service_check_chip(open);
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
  for (int direction = 0; chip->node != NULL && direction < TORUS_LINKS; direction++) {
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
  const pod_status_t status = service_check_chip(open);
  if (status != NULL) {
    service_finish(open, status);
    return;
  }
  const service_chip_t *chip = &open->service->chip;
  const hbm_t *hbm = chip_host_hbm(chip->host);
  pod_text_t device = {0};
  torus_print_device(&device, &chip->torus, chip->process, chip->chip);
  Podium__V1__WorkerStatus response = PODIUM__V1__WORKER_STATUS__INIT;
  response.chip = chip->chip;
  response.device = device.bytes;
  response.hbm_bytes = hbm_capacity_bytes(hbm);
  response.hbm_used_bytes = hbm_used_bytes(hbm);
  response.hbm_peak_bytes = hbm_peak_bytes(hbm);
  response.array_count = hbm_array_count(hbm);
  response.program_count = chip_host_program_count(chip->host);
  response.pid = getpid();
  Podium__V1__LinkStatus links[TORUS_LINKS];
  Podium__V1__LinkStatus *list[TORUS_LINKS];
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
     .events = {.on_message = service_run_message,
                .on_half_close = service_run_half_close,
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
