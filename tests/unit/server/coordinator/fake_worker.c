#include "tests/unit/server/coordinator/fake_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"
#include "proto/podium/v1/worker.pb-c.h"

// A call that is being served.
struct fake_call_t {
  fake_call_t *previous, *next;
  fake_worker_t *worker;
  rpc_call_t *rpc;
  uint64_t array, session;
  uint8_t *data;
  size_t size_bytes;
  bool has_header, is_put, is_run;
  uint64_t hanging[64];  // Of a Run: executions that are not answered.
  int hanging_count;
};

static pod_status_t on_start(rpc_call_t *rpc, void *service, void **out_context) {
  fake_worker_t *worker = service;
  fake_call_t *call = pod_alloc(sizeof(*call));
  call->worker = worker;
  call->rpc = rpc;
  call->next = worker->calls;
  if (call->next != NULL) {
    call->next->previous = call;
  }
  worker->calls = call;
  *out_context = call;
  return NULL;
}

static void on_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  fake_call_t *call = context;
  fake_worker_t *worker = call->worker;
  worker->executing_count -= call->hanging_count;
  pod_status_free(status);
  if (call->previous != NULL) {
    call->previous->next = call->next;
  } else {
    worker->calls = call->next;
  }
  if (call->next != NULL) {
    call->next->previous = call->previous;
  }
  free(call->data);
  free(call);
}

static void append(fake_call_t *call, const ProtobufCBinaryData *data) {
  if (data->len > 0) {
    call->data = pod_grow(call->data, call->size_bytes + data->len, 1);
    memcpy(call->data + call->size_bytes, data->data, data->len);
    call->size_bytes += data->len;
  }
}

// --- Arrays ---

// Takes `data`.
static void keep_array(fake_worker_t *worker, uint64_t id, uint64_t session,
                       uint8_t *data, size_t size_bytes) {
  POD_CHECK(worker->array_count < FAKE_ARRAYS_MAX);
  worker->arrays[worker->array_count++] = (fake_array_t){
      .id = id, .session = session, .data = data, .size_bytes = size_bytes};
}

const fake_array_t *fake_worker_array(const fake_worker_t *worker, uint64_t id) {
  for (int i = 0; i < worker->array_count; i++) {
    if (worker->arrays[i].id == id) {
      return &worker->arrays[i];
    }
  }
  return NULL;
}

static void remove_arrays(fake_worker_t *worker, uint64_t id, uint64_t session) {
  int kept = 0;
  for (int i = 0; i < worker->array_count; i++) {
    fake_array_t *array = &worker->arrays[i];
    if (array->id == id || array->session == session) {
      free(array->data);
    } else {
      worker->arrays[kept++] = *array;
    }
  }
  worker->array_count = kept;
}

// --- podium.v1.Worker ---

static void load_message(rpc_call_t *rpc, const void *data, void *context) {
  (void)rpc;
  const Podium__V1__LoadProgramRequest *message = data;
  append(context, &message->data);
}

static void load_half_close(rpc_call_t *rpc, void *context) {
  fake_call_t *call = context;
  call->worker->load_count++;
  call->worker->program_bytes = call->size_bytes;
  const Podium__V1__LoadProgramResponse response =
      PODIUM__V1__LOAD_PROGRAM_RESPONSE__INIT;
  rpc_call_reply(rpc, &response.base);
}

static void put_message(rpc_call_t *rpc, const void *data, void *context) {
  fake_call_t *call = context;
  const Podium__V1__PutShardRequest *message = data;
  if (!call->has_header) {
    call->has_header = true;
    call->is_put = true;
    call->array = message->array;
    call->session = message->session;
    if (call->worker->mode == FAKE_EXHAUSTED) {
      rpc_call_finish(rpc, pod_error(POD_RESOURCE_EXHAUSTED, "it does not fit the HBM"));
      return;
    }
    if (call->worker->reads_no_puts) {
      rpc_call_pause(rpc);
    }
  }
  call->worker->put_bytes += message->data.len;
  append(call, &message->token);  // One that comes by shared memory has its token here.
  append(call, &message->data);
}

static void put_half_close(rpc_call_t *rpc, void *context) {
  fake_call_t *call = context;
  keep_array(call->worker, call->array, call->session, call->data, call->size_bytes);
  call->data = NULL;
  const Podium__V1__PutShardResponse response = PODIUM__V1__PUT_SHARD_RESPONSE__INIT;
  rpc_call_reply(rpc, &response.base);
}

static void fetch_message(rpc_call_t *rpc, const void *data, void *context) {
  const fake_call_t *call = context;
  const Podium__V1__FetchShardRequest *message = data;
  const fake_array_t *array = fake_worker_array(call->worker, message->array);
  if (array == NULL) {
    rpc_call_finish(rpc, pod_error(POD_NOT_FOUND, "no such array"));
    return;
  }
  const size_t chunk = (size_t)message->chunk_bytes;
  for (size_t at = 0; at < array->size_bytes; at += chunk) {
    const size_t left = array->size_bytes - at;
    Podium__V1__FetchShardResponse piece = PODIUM__V1__FETCH_SHARD_RESPONSE__INIT;
    piece.data.data = array->data + at;
    piece.data.len = left < chunk ? left : chunk;
    rpc_call_send(rpc, &piece.base);
  }
  rpc_call_finish(rpc, NULL);
}

static void free_message(rpc_call_t *rpc, const void *data, void *context) {
  fake_call_t *call = context;
  const Podium__V1__FreeArraysRequest *message = data;
  if (call->worker->is_deaf) {
    return;
  }
  call->worker->free_call_count++;
  for (size_t i = 0; i < message->n_arrays; i++) {
    remove_arrays(call->worker, message->arrays[i], UINT64_MAX);
  }
  const Podium__V1__FreeArraysResponse response = PODIUM__V1__FREE_ARRAYS_RESPONSE__INIT;
  rpc_call_reply(rpc, &response.base);
}

static void unload_message(rpc_call_t *rpc, const void *data, void *context) {
  (void)data;
  ((fake_call_t *)context)->worker->unload_count++;
  const Podium__V1__UnloadProgramResponse response =
      PODIUM__V1__UNLOAD_PROGRAM_RESPONSE__INIT;
  rpc_call_reply(rpc, &response.base);
}

static void close_message(rpc_call_t *rpc, const void *data, void *context) {
  const fake_call_t *call = context;
  const Podium__V1__CloseSessionRequest *message = data;
  if (call->worker->is_deaf) {
    return;
  }
  call->worker->close_count++;
  remove_arrays(call->worker, UINT64_MAX, message->session);
  const Podium__V1__CloseSessionResponse response =
      PODIUM__V1__CLOSE_SESSION_RESPONSE__INIT;
  rpc_call_reply(rpc, &response.base);
}

static void send_end(const fake_call_t *call, uint64_t execution, pod_code_t code,
                     const char *message) {
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = execution;
  response.has_ended = true;
  response.code = (int32_t)code;
  response.message = (char *)(uintptr_t)message;
  rpc_call_send(call->rpc, &response.base);
}

static void execute(fake_call_t *call, const Podium__V1__WorkerExecuteRequest *message) {
  fake_worker_t *worker = call->worker;
  worker->executed[worker->execute_count++ % 64] = message->execution;
  switch (worker->mode) {
    case FAKE_HANG:
      POD_CHECK(call->hanging_count < 64);
      call->hanging[call->hanging_count++] = message->execution;
      worker->executing_count++;
      return;
    case FAKE_LACKING:
      POD_CHECK(call->hanging_count < 64);
      call->hanging[call->hanging_count++] = message->execution;
      if (++worker->lacking_count % 2 == 0) {
        Podium__V1__RunResponse lacking = PODIUM__V1__RUN_RESPONSE__INIT;
        lacking.execution = call->hanging[call->hanging_count - 2];
        lacking.lacks_room = true;
        rpc_call_send(call->rpc, &lacking.base);
      }
      return;
    case FAKE_TOUCH:
      send_end(call, message->execution, POD_UNAVAILABLE, "a link is broken");
      return;
    case FAKE_EXHAUSTED:
      send_end(call, message->execution, POD_RESOURCE_EXHAUSTED,
               "it does not fit the HBM");
      return;
    case FAKE_WELL:
      break;
  }
  const fake_array_t *argument = fake_worker_array(worker, message->arguments[0]);
  if (argument == NULL) {
    send_end(call, message->execution, POD_NOT_FOUND, "no such array");
    return;
  }
  worker->argument_byte = argument->data[0];
  uint8_t *copy = pod_alloc(argument->size_bytes);
  memcpy(copy, argument->data, argument->size_bytes);
  keep_array(worker, message->results[0], message->session, copy, argument->size_bytes);
  Podium__V1__HostProfile profile = PODIUM__V1__HOST_PROFILE__INIT;
  profile.chip = worker->chip;
  profile.host_ns = 1000 + worker->chip;
  Podium__V1__WorkerExecuteResponse part = PODIUM__V1__WORKER_EXECUTE_RESPONSE__INIT;
  part.profile = &profile;
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = message->execution;
  response.part = &part;
  rpc_call_send(call->rpc, &response.base);
  send_end(call, message->execution, POD_OK, "");
}

static void cancel(fake_call_t *call, uint64_t execution) {
  for (int i = 0; i < call->hanging_count; i++) {
    if (call->hanging[i] == execution) {
      call->hanging[i] = call->hanging[--call->hanging_count];
      call->worker->executing_count--;
      call->worker->cancelled_count++;
      send_end(call, execution, POD_CANCELLED, "cancelled");
      return;
    }
  }
}

static void stand_still(const fake_call_t *call, uint64_t execution) {
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = execution;
  response.has_paused = true;
  rpc_call_send(call->rpc, &response.base);
}

static void run_message(rpc_call_t *rpc, const void *data, void *context) {
  (void)rpc;
  fake_call_t *call = context;
  const Podium__V1__RunRequest *message = data;
  call->is_run = true;
  switch (message->what_case) {
    case PODIUM__V1__RUN_REQUEST__WHAT_EXECUTE:
      execute(call, message->execute);
      return;
    case PODIUM__V1__RUN_REQUEST__WHAT_CANCEL:
      cancel(call, message->cancel);
      return;
    case PODIUM__V1__RUN_REQUEST__WHAT_PAUSE:
      stand_still(call, message->pause);
      return;
    case PODIUM__V1__RUN_REQUEST__WHAT_RESUME:
      send_end(call, message->resume, POD_OK, "");
      return;
    case PODIUM__V1__RUN_REQUEST__WHAT_FREE:
      for (size_t i = 0; i < message->free->n_arrays && !call->worker->is_deaf; i++) {
        remove_arrays(call->worker, message->free->arrays[i], UINT64_MAX);
      }
      return;
    default:
      return;
  }
}

#define METHOD(name, message, half_close, lower)             \
  {                                                          \
    .path = "/podium.v1.Worker/" name,                       \
    .request = &podium__v1__##lower##_request__descriptor,   \
    .response = &podium__v1__##lower##_response__descriptor, \
    .events = {.on_message = (message),                      \
               .on_half_close = (half_close),                \
               .on_end = on_end},                            \
    .on_start = on_start                                     \
  }

static const rpc_method_t methods[] = {
    METHOD("LoadProgram", load_message, load_half_close, load_program),
    METHOD("UnloadProgram", unload_message, NULL, unload_program),
    METHOD("PutShard", put_message, put_half_close, put_shard),
    METHOD("FetchShard", fetch_message, NULL, fetch_shard),
    METHOD("FreeArrays", free_message, NULL, free_arrays),
    METHOD("Run", run_message, NULL, run),
    METHOD("CloseSession", close_message, NULL, close_session),
    {0},
};

// --- Attaching ---

static void send(fake_worker_t *worker, Podium__V1__WorkerMessage__MessageCase which,
                 void *part) {
  if (worker->attach == NULL) {
    return;
  }
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = which;
  message.register_ = part;
  rpc_call_send(worker->attach, &message.base);
}

static void send_heartbeat(void *context) {
  fake_worker_t *worker = context;
  if (worker->is_silent) {
    return;
  }
  Podium__V1__Heartbeat heartbeat = PODIUM__V1__HEARTBEAT__INIT;
  heartbeat.hbm_used_bytes = 7;
  send(worker, PODIUM__V1__WORKER_MESSAGE__MESSAGE_HEARTBEAT, &heartbeat);
}

void fake_worker_report_link(fake_worker_t *worker, int direction, int32_t neighbour,
                             bool up) {
  Podium__V1__LinkStatus link = PODIUM__V1__LINK_STATUS__INIT;
  link.direction = direction;
  link.neighbour = neighbour;
  link.up = up;
  send(worker, PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINK, &link);
}

// Chip c of a 2x2 is at (c & 1, c >> 1).
void fake_worker_report_links(fake_worker_t *worker) {
  fake_worker_report_link(worker, worker->chip & 1, worker->chip ^ 1, true);
  fake_worker_report_link(worker, 2 + (worker->chip >> 1), worker->chip ^ 2, true);
}

static void send_listening(fake_worker_t *worker) {
  Podium__V1__LinkAddress links[2];
  Podium__V1__LinkAddress *list[2];
  char texts[2][64];
  char *urls[2] = {texts[0], texts[1]};
  size_t count = 0;
  for (int direction = 0; direction < 4; direction += 2) {
    if ((worker->chip >> (direction / 2) & 1) != 0) {
      continue;
    }
    snprintf(texts[count], sizeof(texts[count]), "tcp://chip%d:%d", worker->chip,
             direction);
    podium__v1__link_address__init(&links[count]);
    links[count].direction = direction;
    links[count].urls = &urls[count];
    links[count].n_urls = 1;
    list[count] = &links[count];
    count++;
  }
  Podium__V1__LinksListening listening = PODIUM__V1__LINKS_LISTENING__INIT;
  listening.links = list;
  listening.n_links = count;
  send(worker, PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINKS_LISTENING, &listening);
}

static void send_proof(fake_worker_t *worker) {
  Podium__V1__Proof proof = PODIUM__V1__PROOF__INIT;
  proof.call_token =
      (ProtobufCBinaryData){sizeof(worker->call_token), worker->call_token};
  send(worker, PODIUM__V1__WORKER_MESSAGE__MESSAGE_PROOF, &proof);
}

static void attach_message(rpc_call_t *rpc, const void *data, void *context) {
  fake_worker_t *worker = context;
  const Podium__V1__CoordinatorMessage *message = data;
  if (rpc != worker->attach) {
    return;
  }
  switch (message->message_case) {
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CHALLENGE:
      send_proof(worker);
      return;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_ASSIGNMENT:
      worker->chip = message->assignment->chip;
      worker->epoch = message->assignment->epoch;
      send_listening(worker);
      rpc_timer_start(worker->heartbeat, (uint64_t)message->assignment->heartbeat_ms,
                      (uint64_t)message->assignment->heartbeat_ms);
      return;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CONNECT_LINK:
      worker->dial_count++;
      return;
    default:
      return;
  }
}

static void attach_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  fake_worker_t *worker = context;
  if (rpc != worker->attach) {
    pod_status_free(status);
    return;
  }
  worker->attach = NULL;
  worker->refused_code = pod_status_code(status);
  snprintf(worker->refused, sizeof(worker->refused), "%s", pod_status_message(status));
  pod_status_free(status);
}

static void attach(fake_worker_t *worker, int32_t wanted) {
  static const rpc_call_events_t events = {.on_message = attach_message,
                                           .on_end = attach_end};
  const rpc_call_options_t options = {.wait_for_ready = true};
  worker->attach = rpc_call_start(worker->channel, "/podium.v1.Registry/Attach",
                                  &podium__v1__coordinator_message__descriptor, &events,
                                  worker, &options);
  Podium__V1__Register message = PODIUM__V1__REGISTER__INIT;
  Podium__V1__Coords coords = PODIUM__V1__COORDS__INIT;
  uint8_t nonce[32];
  digest_random(nonce, sizeof(nonce));
  message.nonce = (ProtobufCBinaryData){sizeof(nonce), nonce};
  int32_t at[] = {wanted & 1, wanted >> 1 & 1};
  coords.at = at;
  coords.n_at = 2;
  message.coords = wanted < 0 ? NULL : &coords;
  message.address = worker->address;
  message.host = (char *)(uintptr_t)worker->host;
  Podium__V1__HostPlace host_place = PODIUM__V1__HOST_PLACE__INIT;
  host_place.chips = 4;
  host_place.index = worker->host_index;
  message.host_place = worker->host_index < 0 ? NULL : &host_place;
  message.transfer_socket = (char *)(uintptr_t) "/here/transfer";
  message.pid = 4711;
  send(worker, PODIUM__V1__WORKER_MESSAGE__MESSAGE_REGISTER, &message);
}

// As worker.c does it.
static pod_status_t authorize(rpc_call_t *call, const char *path, void *context) {
  (void)path;
  fake_worker_t *worker = context;
  char expected[128] = "Bearer ";
  for (size_t i = 0; i < sizeof(worker->call_token); i++) {
    snprintf(expected + strlen(expected), 3, "%02x", worker->call_token[i]);
  }
  const rpc_metadata_t *shown = rpc_call_peer_metadata(call, "authorization", false);
  if (shown != NULL && shown->size_bytes == strlen(expected) &&
      memcmp(shown->value, expected, shown->size_bytes) == 0) {
    return NULL;
  }
  worker->refused_call_count++;
  return pod_error(POD_UNAUTHENTICATED, "who are you?");
}

void fake_worker_attach_again(fake_worker_t *worker, int32_t wanted, bool is_same) {
  worker->call_token[0] ^= is_same ? 0 : 1;
  worker->chip = -1;
  attach(worker, wanted);
}

static fake_worker_t *start(rpc_loop_t *loop, const char *coordinator, int32_t wanted,
                            const char *host, int32_t host_index) {
  fake_worker_t *worker = pod_alloc(sizeof(*worker));
  worker->loop = loop;
  worker->chip = -1;
  worker->host = host;
  worker->host_index = host_index;
  worker->heartbeat = rpc_timer_create(loop, send_heartbeat, worker);
  pod_status_t status = rpc_server_create(loop, NULL, &worker->server);
  POD_CHECK(status == NULL);
  rpc_server_add_service(worker->server, "podium.v1.Worker", methods, worker);
  digest_random(worker->call_token, sizeof(worker->call_token));
  rpc_server_set_authorizer(worker->server, authorize, worker);
  status = rpc_server_listen(worker->server, "127.0.0.1:0", &worker->address);
  POD_CHECK(status == NULL);
  status = rpc_channel_create(loop, coordinator, NULL, &worker->channel);
  POD_CHECK(status == NULL);
  attach(worker, wanted);
  return worker;
}

fake_worker_t *fake_worker_start(rpc_loop_t *loop, const char *coordinator,
                                 int32_t wanted) {
  return start(loop, coordinator, wanted, "here", -1);
}

fake_worker_t *fake_worker_start_on_host(rpc_loop_t *loop, const char *coordinator,
                                         const char *host, int32_t index) {
  return start(loop, coordinator, -1, host, index);
}

void fake_worker_cut(fake_worker_t *worker) {
  char *address = NULL;
  rpc_server_destroy(worker->server);
  pod_status_t status = rpc_server_create(worker->loop, NULL, &worker->server);
  POD_CHECK(status == NULL);
  rpc_server_add_service(worker->server, "podium.v1.Worker", methods, worker);
  rpc_server_set_authorizer(worker->server, authorize, worker);
  status = rpc_server_listen(worker->server, worker->address, &address);
  POD_CHECK(status == NULL);
  free(address);
}

void fake_worker_kill(fake_worker_t *worker) {
  if (worker == NULL) {
    return;
  }
  rpc_channel_destroy(worker->channel);
  rpc_server_destroy(worker->server);
  rpc_timer_destroy(worker->heartbeat);
  for (int i = 0; i < worker->array_count; i++) {
    free(worker->arrays[i].data);
  }
  free(worker->address);
  free(worker);
}

void fake_worker_leave(fake_worker_t *worker) {
  rpc_call_half_close(worker->attach);
}

void fake_worker_read_puts(fake_worker_t *worker) {
  worker->reads_no_puts = false;
  for (fake_call_t *call = worker->calls; call != NULL; call = call->next) {
    if (call->is_put) {
      rpc_call_resume(call->rpc);
    }
  }
}
