// A coordinator for tests, in the test's process: gives places to real podium-worker
// processes, brings their links together, and lets the test call each of them.
//
// Waiting runs the event loop and has a deadline; what does not come fails the test.
// Threading: the test's thread.

#ifndef TESTS_UNIT_SERVER_WORKER_FAKE_COORDINATOR_H_
#define TESTS_UNIT_SERVER_WORKER_FAKE_COORDINATOR_H_

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/access/attach.h"
#include "common/access/secret.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/chip/torus.h"
#include "server/wire/program.h"
#include "server/wire/types.h"

enum { FAKE_CHIPS_MAX = 16, FAKE_WAIT_S = 60, FAKE_POLL_MS = 1, FAKE_LINKS_MAX = 6 };

typedef struct fake_t fake_t;

typedef struct fake_worker_t {
  fake_t *fake;
  rpc_call_t *call;  // NULL: nobody has the place.
  rpc_channel_t *channel;
  char *address;  // When it was asked for its token.
  int64_t pid;
  uint64_t epoch;
  int heartbeats;
  bool is_listening;
  bool wants_to_leave;
  char *urls[FAKE_LINKS_MAX];
  bool is_up[FAKE_LINKS_MAX];
} fake_worker_t;

struct fake_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  char *address;
  const char *topology, *kind;
  torus_t torus;
  int chip_count;
  fake_worker_t workers[FAKE_CHIPS_MAX];
  pod_status_t refusal;  // Owned; refuses who registers.
  bool asks_for_token;   // Of one worker; else it obeys anybody of our user.
  uint8_t token[ACCESS_SECRET_BYTES], former_token[ACCESS_SECRET_BYTES];
  uint64_t next_epoch;
  // Of a wait.
  rpc_timer_t *poll;
  bool (*is_met)(void *context);
  void *context;
  int64_t deadline_ns;
  bool has_timed_out;
};

// An Attach call.
typedef struct fake_attach_t {
  fake_t *fake;
  fake_worker_t *worker;  // NULL: it has no place.
} fake_attach_t;

// --- Waiting ---

static inline void fake_poll(void *context) {
  fake_t *fake = context;
  if (fake->is_met(fake->context)) {
    rpc_loop_stop(fake->loop);
  } else if (pod_clock_now_ns() > fake->deadline_ns) {
    fake->has_timed_out = true;
    rpc_loop_stop(fake->loop);
  }
}

static inline void fake_wait(fake_t *fake, bool (*is_met)(void *context), void *context) {
  fake->is_met = is_met;
  fake->context = context;
  fake->deadline_ns = pod_clock_now_ns() + FAKE_WAIT_S * INT64_C(1000000000);
  fake->has_timed_out = false;
  rpc_timer_start(fake->poll, 0, FAKE_POLL_MS);
  rpc_loop_run(fake->loop);
  rpc_timer_stop(fake->poll);
  if (fake->has_timed_out) {
    fail_msg("what the test waits for does not come");
  }
}

static inline bool fake_is_flag_set(void *context) {
  return *(const bool *)context;
}

// --- podium.v1.Registry ---

static inline void fake_send(fake_worker_t *worker,
                             Podium__V1__CoordinatorMessage *message) {
  rpc_call_send(worker->call, &message->base);
}

static inline void fake_assign(fake_worker_t *worker) {
  fake_t *fake = worker->fake;
  int32_t topology[TORUS_DIMENSIONS];
  memcpy(topology, fake->torus.size, sizeof(topology));
  Podium__V1__Assignment assignment = PODIUM__V1__ASSIGNMENT__INIT;
  assignment.pod = (char *)"fake";
  assignment.chip = (int32_t)(worker - fake->workers);
  assignment.topology = topology;
  assignment.n_topology = TORUS_DIMENSIONS;
  assignment.chip_kind = (char *)fake->kind;
  assignment.epoch = worker->epoch = ++fake->next_epoch;
  assignment.heartbeat_ms = 20;
  assignment.timeout_ms = 10000;
  Podium__V1__CoordinatorMessage message = PODIUM__V1__COORDINATOR_MESSAGE__INIT;
  message.message_case = PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_ASSIGNMENT;
  message.assignment = &assignment;
  fake_send(worker, &message);
}

static inline void fake_challenge(fake_worker_t *worker, const char *address) {
  static uint8_t nonce[ACCESS_NONCE_BYTES];
  free(worker->address);
  worker->address = pod_strdup(address);
  Podium__V1__Challenge challenge = PODIUM__V1__CHALLENGE__INIT;
  challenge.nonce = (ProtobufCBinaryData){sizeof(nonce), nonce};
  Podium__V1__CoordinatorMessage message = PODIUM__V1__COORDINATOR_MESSAGE__INIT;
  message.message_case = PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CHALLENGE;
  message.challenge = &challenge;
  fake_send(worker, &message);
}

// Calls to the worker have this token from now on.
static inline void fake_show_token(fake_worker_t *worker, const uint8_t *token) {
  char text[ACCESS_TOKEN_TEXT_BYTES];
  access_print_hex(token, text);
  const rpc_channel_options_t options = {.bearer_token = text};
  rpc_channel_destroy(worker->channel);
  POD_CHECK(rpc_channel_create(worker->fake->loop, worker->address, &options,
                               &worker->channel) == NULL);
}

static inline void fake_register(fake_attach_t *attach, rpc_call_t *call,
                                 const Podium__V1__Register *request) {
  fake_t *fake = attach->fake;
  if (fake->refusal != NULL) {
    rpc_call_finish(call, pod_status_copy(fake->refusal));
    return;
  }
  fake_worker_t *worker = NULL;
  if (request->coords != NULL) {
    const torus_coords_t coords =
        torus_coords_of(request->coords->at, request->coords->n_at);
    worker = &fake->workers[torus_chip_at(&fake->torus, coords)];
  }
  for (int i = 0; worker == NULL && i < fake->chip_count; i++) {
    worker = fake->workers[i].call == NULL ? &fake->workers[i] : NULL;
  }
  POD_CHECK(worker != NULL && worker->call == NULL);
  rpc_channel_destroy(worker->channel);
  free(worker->address);
  *worker = (fake_worker_t){.fake = fake, .call = call, .pid = request->pid};
  POD_CHECK(rpc_channel_create(fake->loop, request->address, NULL, &worker->channel) ==
            NULL);
  attach->worker = worker;
  if (fake->asks_for_token) {
    fake_challenge(worker, request->address);
  } else {
    fake_assign(worker);
  }
}

// What it shows from now on, in place of what it showed before.
static inline void fake_take_token(fake_worker_t *worker,
                                   const Podium__V1__Proof *proof) {
  fake_t *fake = worker->fake;
  POD_CHECK(proof->call_token.len == sizeof(fake->token));
  memcpy(fake->token, proof->call_token.data, sizeof(fake->token));
  memset(fake->former_token, 0, sizeof(fake->former_token));
  if (proof->former_call_token.len > 0) {
    POD_CHECK(proof->former_call_token.len == sizeof(fake->former_token));
    memcpy(fake->former_token, proof->former_call_token.data, sizeof(fake->former_token));
  }
  fake_show_token(worker, fake->token);
  fake_assign(worker);
}

// Tells `dialler` where the chip in `direction` is.
static inline void fake_dial(fake_worker_t *dialler, int direction, int32_t listener,
                             const char *url) {
  Podium__V1__ConnectLink connect = PODIUM__V1__CONNECT_LINK__INIT;
  connect.direction = direction;
  connect.chip = listener;
  connect.epoch = dialler->fake->workers[listener].epoch;
  connect.url = (char *)url;
  Podium__V1__CoordinatorMessage message = PODIUM__V1__COORDINATOR_MESSAGE__INIT;
  message.message_case = PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CONNECT_LINK;
  message.connect_link = &connect;
  fake_send(dialler, &message);
}

// Tells those who dial, once both ends listen.
static inline void fake_connect(fake_t *fake, int32_t listener) {
  for (int direction = 0; direction < TORUS_LINKS; direction += 2) {
    const int32_t dialler = torus_neighbour(&fake->torus, listener, direction);
    const fake_worker_t *from = &fake->workers[listener];
    if (dialler >= 0 && from->is_listening && fake->workers[dialler].is_listening) {
      fake_dial(&fake->workers[dialler], direction + 1, listener, from->urls[direction]);
    }
  }
}

static inline void fake_listening(fake_worker_t *worker,
                                  const Podium__V1__LinksListening *listening) {
  fake_t *fake = worker->fake;
  worker->is_listening = true;
  for (size_t i = 0; i < listening->n_links; i++) {
    const Podium__V1__LinkAddress *link = listening->links[i];
    free(worker->urls[link->direction]);
    worker->urls[link->direction] = pod_strdup(link->urls[0]);
  }
  const int32_t chip = (int32_t)(worker - fake->workers);
  fake_connect(fake, chip);
  for (int direction = 1; direction < TORUS_LINKS; direction += 2) {
    const int32_t neighbour = torus_neighbour(&fake->torus, chip, direction);
    if (neighbour >= 0) {
      fake_connect(fake, neighbour);
    }
  }
}

static inline void fake_on_message(rpc_call_t *call, const void *bytes, void *context) {
  const Podium__V1__WorkerMessage *message = bytes;
  fake_attach_t *attach = context;
  fake_worker_t *worker = attach->worker;
  switch (message->message_case) {
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_REGISTER:
      fake_register(attach, call, message->register_);
      break;
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_PROOF:
      fake_take_token(worker, message->proof);
      break;
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_HEARTBEAT:
      worker->heartbeats++;
      break;
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINKS_LISTENING:
      fake_listening(worker, message->links_listening);
      break;
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINK:
      worker->is_up[message->link->direction] = message->link->up;
      break;
    default:
      break;
  }
}

static inline pod_status_t fake_on_start(rpc_call_t *call, void *service,
                                         void **out_context) {
  (void)call;
  fake_attach_t *attach = pod_alloc(sizeof(*attach));
  attach->fake = service;
  *out_context = attach;
  return NULL;
}

// A worker that leaves is let go at once when it has nothing to finish for us.
static inline void fake_on_half_close(rpc_call_t *call, void *context) {
  fake_attach_t *attach = context;
  if (attach->worker != NULL) {
    attach->worker->wants_to_leave = true;
  }
  rpc_call_finish(call, NULL);
}

static inline void fake_on_end(rpc_call_t *call, pod_status_t status, void *context) {
  pod_status_free(status);
  fake_attach_t *attach = context;
  if (attach->worker != NULL && attach->worker->call == call) {
    attach->worker->call = NULL;
    attach->worker->is_listening = false;
  }
  free(attach);
}

static inline const rpc_method_t *fake_methods(void) {
  static const rpc_method_t methods[] = {
      {.path = "/podium.v1.Registry/Attach",
       .request = &podium__v1__worker_message__descriptor,
       .response = &podium__v1__coordinator_message__descriptor,
       .events = {.on_message = fake_on_message,
                  .on_half_close = fake_on_half_close,
                  .on_end = fake_on_end},
       .on_start = fake_on_start},
      {0},
  };
  return methods;
}

static inline void fake_listen(fake_t *fake, const char *address) {
  POD_CHECK(rpc_server_create(fake->loop, NULL, &fake->server) == NULL);
  rpc_server_add_service(fake->server, "podium.v1.Registry", fake_methods(), fake);
  char *bound = NULL;
  const pod_status_t status = rpc_server_listen(fake->server, address, &bound);
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  free(fake->address);
  fake->address = bound;
}

static inline fake_t *fake_create(const char *topology) {
  fake_t *fake = pod_alloc(sizeof(*fake));
  fake->topology = topology;
  fake->kind = "v5e";
  POD_CHECK(torus_parse(topology, chip_spec_find(fake->kind), &fake->torus, NULL) ==
            NULL);
  fake->chip_count = torus_chip_count(&fake->torus);
  POD_CHECK(rpc_loop_create(&fake->loop) == NULL);
  fake->poll = rpc_timer_create(fake->loop, fake_poll, fake);
  fake_listen(fake, "127.0.0.1:0");
  return fake;
}

static inline void fake_destroy(fake_t *fake) {
  for (int i = 0; i < FAKE_CHIPS_MAX; i++) {
    rpc_channel_destroy(fake->workers[i].channel);
    free(fake->workers[i].address);
    for (int direction = 0; direction < FAKE_LINKS_MAX; direction++) {
      free(fake->workers[i].urls[direction]);
    }
  }
  rpc_server_destroy(fake->server);
  rpc_timer_destroy(fake->poll);
  rpc_loop_destroy(fake->loop);
  pod_status_free(fake->refusal);
  free(fake->address);
  free(fake);
}

// --- Processes ---

// Starts a worker; its standard error goes to `log` (a file descriptor), or where the
// test's goes when that is -1. `argument` may be NULL.
static inline pid_t fake_spawn(const fake_t *fake, const char *argument, int log) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  POD_CHECK(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(127);
    }
    if (log >= 0) {
      dup2(log, STDERR_FILENO);
    }
    execl(WORKER_BINARY, "podium-worker", "--coordinator", fake->address, "--log-level",
          log >= 0 ? "info" : "error", argument, (char *)NULL);
    _exit(127);
  }
  return pid;
}

typedef struct fake_process_t {
  pid_t pid;
  int status;
} fake_process_t;

static inline bool fake_is_reaped(void *context) {
  fake_process_t *process = context;
  return waitpid(process->pid, &process->status, WNOHANG) == process->pid;
}

// Waits for the end of a worker; returns its status as waitpid does.
static inline int fake_reap(fake_t *fake, pid_t pid) {
  fake_process_t process = {.pid = pid};
  fake_wait(fake, fake_is_reaped, &process);
  return process.status;
}

static inline bool fake_is_ready(void *context) {
  const fake_t *fake = context;
  for (int32_t chip = 0; chip < fake->chip_count; chip++) {
    const fake_worker_t *worker = &fake->workers[chip];
    if (worker->call == NULL) {
      return false;
    }
    for (int direction = 0; direction < TORUS_LINKS; direction++) {
      if (torus_neighbour(&fake->torus, chip, direction) >= 0 &&
          !worker->is_up[direction]) {
        return false;
      }
    }
  }
  return true;
}

// A worker per chip, all links up.
static inline void fake_start_pod(fake_t *fake, pid_t *pids) {
  for (int i = 0; i < fake->chip_count; i++) {
    pids[i] = fake_spawn(fake, NULL, -1);
  }
  fake_wait(fake, fake_is_ready, fake);
  for (int i = 0; i < fake->chip_count; i++) {
    pids[i] = (pid_t)fake->workers[i].pid;
  }
}

static inline void fake_stop_pod(fake_t *fake, const pid_t *pids) {
  for (int i = 0; i < fake->chip_count; i++) {
    kill(pids[i], SIGTERM);
  }
  for (int i = 0; i < fake->chip_count; i++) {
    const int status = fake_reap(fake, pids[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

// --- Calls to a worker ---

// A call of any kind. Zero it, or fake_call_begin.
typedef struct fake_call_t {
  rpc_call_t *call;
  bool is_done;
  pod_status_t status;                          // Owned by the test once done.
  pod_status_t run_status;                      // An execution's, until the call ends.
  int pauses, lacks;                            // How often it has said so.
  pod_text_t data;                              // FetchShard's.
  Podium__V1__WorkerExecuteResponse *executed;  // The first piece. Owned.
  pod_text_t trace;                             // Packed: all pieces' traces.
  Podium__V1__WorkerStatus *worker_status;      // Owned.
} fake_call_t;

// Ends the stream with the execution.
static inline void fake_run_message(fake_call_t *call,
                                    const Podium__V1__RunResponse *response) {
  if (response->part != NULL && call->executed == NULL) {
    const ProtobufCMessage *part = &response->part->base;
    const size_t size = protobuf_c_message_get_packed_size(part);
    uint8_t *packed = malloc(size + 1);
    protobuf_c_message_pack(part, packed);
    call->executed = podium__v1__worker_execute_response__unpack(NULL, size, packed);
    free(packed);
  }
  if (response->part != NULL && response->part->trace != NULL) {
    const ProtobufCMessage *trace = &response->part->trace->base;
    uint8_t *packed = malloc(protobuf_c_message_get_packed_size(trace) + 1);
    pod_text_add_bytes(&call->trace, (const char *)packed,
                       protobuf_c_message_pack(trace, packed));
    free(packed);
  }
  call->pauses += response->has_paused;
  call->lacks += response->lacks_room;
  if (response->has_ended) {
    if (response->code != 0) {
      call->run_status = pod_error_text(__FILE__, __LINE__, (pod_code_t)response->code,
                                        response->message);
    }
    rpc_call_half_close(call->call);
  }
}

static inline void fake_call_message(rpc_call_t *rpc, const void *bytes, void *context) {
  (void)rpc;
  fake_call_t *call = context;
  const ProtobufCMessage *message = bytes;
  if (message->descriptor == &podium__v1__fetch_shard_response__descriptor) {
    const Podium__V1__FetchShardResponse *piece = bytes;
    pod_text_add_bytes(&call->data, piece->data.data, piece->data.len);
    return;
  }
  if (message->descriptor == &podium__v1__run_response__descriptor) {
    fake_run_message(call, bytes);
    return;
  }
  const size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t *packed = malloc(size + 1);
  protobuf_c_message_pack(message, packed);
  if (message->descriptor == &podium__v1__worker_status__descriptor) {
    call->worker_status = podium__v1__worker_status__unpack(NULL, size, packed);
  }
  free(packed);
}

static inline void fake_call_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  fake_call_t *call = context;
  call->call = NULL;
  if (status == NULL) {
    call->status = call->run_status;
  } else {
    call->status = status;
    pod_status_free(call->run_status);
  }
  call->run_status = NULL;
  call->is_done = true;
}

static inline void fake_call_begin(fake_t *fake, int32_t chip, const char *path,
                                   const ProtobufCMessageDescriptor *response,
                                   fake_call_t *call) {
  static const rpc_call_events_t events = {.on_message = fake_call_message,
                                           .on_end = fake_call_end};
  *call = (fake_call_t){0};
  const rpc_call_options_t options = {.wait_for_ready = true,
                                      .timeout_ms = FAKE_WAIT_S * 1000};
  call->call = rpc_call_start(fake->workers[chip].channel, path, response, &events, call,
                              &options);
}

static inline pod_status_t fake_call_finish(fake_t *fake, fake_call_t *call) {
  fake_wait(fake, fake_is_flag_set, &call->is_done);
  const pod_status_t status = call->status;
  call->status = NULL;
  return status;
}

static inline void fake_call_deinit(fake_call_t *call) {
  pod_status_free(call->status);
  pod_text_deinit(&call->data);
  pod_text_deinit(&call->trace);
  if (call->executed != NULL) {
    podium__v1__worker_execute_response__free_unpacked(call->executed, NULL);
  }
  if (call->worker_status != NULL) {
    podium__v1__worker_status__free_unpacked(call->worker_status, NULL);
  }
}

#define FAKE_PATH(method) "/podium.v1.Worker/" method

// Sends `size_bytes` in pieces; announces `shape`.
static inline pod_status_t fake_put(fake_t *fake, int32_t chip, uint64_t session,
                                    uint64_t array, const tensor_shape_t *shape,
                                    const void *data, size_t size_bytes) {
  enum { PIECE = 100000 };
  pod_arena_t *arena = pod_arena_create();
  fake_call_t call;
  fake_call_begin(fake, chip, FAKE_PATH("PutShard"),
                  &podium__v1__put_shard_response__descriptor, &call);
  Podium__V1__PutShardRequest request = PODIUM__V1__PUT_SHARD_REQUEST__INIT;
  request.session = session;
  request.array = array;
  request.shape = wire_shape_pack(arena, shape);
  rpc_call_send(call.call, &request.base);
  for (size_t at = 0; at < size_bytes; at += PIECE) {
    podium__v1__put_shard_request__init(&request);
    request.data.data = (uint8_t *)data + at;
    request.data.len = size_bytes - at < PIECE ? size_bytes - at : PIECE;
    rpc_call_send(call.call, &request.base);
  }
  rpc_call_half_close(call.call);
  pod_arena_destroy(arena);
  const pod_status_t status = fake_call_finish(fake, &call);
  fake_call_deinit(&call);
  return status;
}

// Returns the bytes in `call->data`.
static inline pod_status_t fake_fetch(fake_t *fake, int32_t chip, uint64_t array,
                                      fake_call_t *call) {
  fake_call_begin(fake, chip, FAKE_PATH("FetchShard"),
                  &podium__v1__fetch_shard_response__descriptor, call);
  Podium__V1__FetchShardRequest request = PODIUM__V1__FETCH_SHARD_REQUEST__INIT;
  request.array = array;
  request.chunk_bytes = 5000;
  rpc_call_send(call->call, &request.base);
  rpc_call_half_close(call->call);
  return fake_call_finish(fake, call);
}

static inline pod_status_t fake_load_bytes(fake_t *fake, int32_t chip, uint64_t session,
                                           uint64_t program, int64_t announced,
                                           const uint8_t *bytes, size_t size_bytes) {
  fake_call_t call;
  fake_call_begin(fake, chip, FAKE_PATH("LoadProgram"),
                  &podium__v1__load_program_response__descriptor, &call);
  Podium__V1__LoadProgramRequest request = PODIUM__V1__LOAD_PROGRAM_REQUEST__INIT;
  request.session = session;
  request.program = program;
  request.size_bytes = announced;
  request.data.data = (uint8_t *)bytes;
  request.data.len = size_bytes / 2;
  rpc_call_send(call.call, &request.base);
  podium__v1__load_program_request__init(&request);
  request.data.data = (uint8_t *)bytes + size_bytes / 2;
  request.data.len = size_bytes - size_bytes / 2;
  rpc_call_send(call.call, &request.base);
  rpc_call_half_close(call.call);
  const pod_status_t status = fake_call_finish(fake, &call);
  fake_call_deinit(&call);
  return status;
}

// Takes `program`.
static inline pod_status_t fake_load(fake_t *fake, int32_t chip, uint64_t session,
                                     uint64_t id, chip_program_t *program) {
  uint8_t *bytes;
  size_t size;
  POD_CHECK(wire_program_pack(program, &bytes, &size) == NULL);
  chip_program_destroy(program);
  const pod_status_t status =
      fake_load_bytes(fake, chip, session, id, (int64_t)size, bytes, size);
  free(bytes);
  return status;
}

// Sends an execution to a stream of its own, which ends with it.
static inline void fake_run(const fake_call_t *call,
                            Podium__V1__WorkerExecuteRequest *request) {
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_EXECUTE;
  message.execute = request;
  rpc_call_send(call->call, &message.base);
}

static inline void fake_pause(const fake_call_t *call, uint64_t execution) {
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_PAUSE;
  message.pause = execution;
  if (call->call != NULL) {
    rpc_call_send(call->call, &message.base);
  }
}

static inline void fake_resume(const fake_call_t *call, uint64_t execution) {
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_RESUME;
  message.resume = execution;
  if (call->call != NULL) {
    rpc_call_send(call->call, &message.base);
  }
}

// Starts an execution of one argument and one result.
static inline void fake_execute(fake_t *fake, int32_t chip, uint64_t session,
                                uint64_t program, uint64_t execution, uint64_t argument,
                                uint64_t result, fake_call_t *call) {
  fake_call_begin(fake, chip, FAKE_PATH("Run"), &podium__v1__run_response__descriptor,
                  call);
  Podium__V1__WorkerExecuteRequest request = PODIUM__V1__WORKER_EXECUTE_REQUEST__INIT;
  request.session = session;
  request.program = program;
  request.execution = execution;
  request.arguments = &argument;
  request.n_arguments = 1;
  request.results = &result;
  request.n_results = 1;
  request.profile = true;
  fake_run(call, &request);
}

static inline pod_status_t fake_unary(fake_t *fake, int32_t chip, const char *path,
                                      const ProtobufCMessage *request,
                                      const ProtobufCMessageDescriptor *response,
                                      fake_call_t *call) {
  fake_call_begin(fake, chip, path, response, call);
  rpc_call_send(call->call, request);
  rpc_call_half_close(call->call);
  return fake_call_finish(fake, call);
}

#endif  // TESTS_UNIT_SERVER_WORKER_FAKE_COORDINATOR_H_
