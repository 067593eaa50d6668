#include "tests/unit/server/coordinator/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

enum { PUT_MESSAGE_BYTES = 1 << 20 };

// --- Running the loop ---

typedef struct wait_t {
  rpc_loop_t *loop;
  bool (*is_done)(void *context);
  void *context;
  bool is_late;
} wait_t;

static void look(void *context) {
  wait_t *wait = context;
  if (wait->is_done(wait->context)) {
    rpc_loop_stop(wait->loop);
  }
}

static void give_up(void *context) {
  wait_t *wait = context;
  wait->is_late = true;
  rpc_loop_stop(wait->loop);
}

void client_run(rpc_loop_t *loop, bool (*is_done)(void *context), void *context) {
  wait_t wait = {.loop = loop, .is_done = is_done, .context = context};
  rpc_timer_t *looking = rpc_timer_create(loop, look, &wait);
  rpc_timer_t *deadline = rpc_timer_create(loop, give_up, &wait);
  rpc_timer_start(looking, 0, 1);
  rpc_timer_start(deadline, CLIENT_WAIT_MS, 0);
  rpc_loop_run(loop);
  rpc_timer_destroy(looking);
  rpc_timer_destroy(deadline);
  if (wait.is_late) {
    fail_msg("nothing came within %d ms", CLIENT_WAIT_MS);
  }
}

// --- Calls ---

client_t *client_create_with_token(rpc_loop_t *loop, const char *address,
                                   const char *token) {
  client_t *client = pod_alloc(sizeof(*client));
  const rpc_channel_options_t options = {.bearer_token = token};
  client->loop = loop;
  assert_null(rpc_channel_create(loop, address, token == NULL ? NULL : &options,
                                 &client->channel));
  return client;
}

client_t *client_create(rpc_loop_t *loop, const char *address) {
  return client_create_with_token(loop, address, NULL);
}

void client_destroy(client_t *client) {
  if (client == NULL) {
    return;
  }
  rpc_channel_destroy(client->channel);
  if (client->session_call != NULL) {
    client_free(client->session_call);
  }
  free(client);
}

static ProtobufCMessage *copy_message(const ProtobufCMessage *message) {
  const size_t size_bytes = protobuf_c_message_get_packed_size(message);
  uint8_t *bytes = pod_alloc(size_bytes);
  protobuf_c_message_pack(message, bytes);
  ProtobufCMessage *copy =
      protobuf_c_message_unpack(message->descriptor, NULL, size_bytes, bytes);
  free(bytes);
  return copy;
}

static void on_message(rpc_call_t *rpc, const void *data, void *context) {
  (void)rpc;
  client_call_t *call = context;
  const ProtobufCMessage *message = data;
  if (message->descriptor == &podium__v1__fetch_array_response__descriptor) {
    const Podium__V1__FetchArrayResponse *piece = data;
    pod_text_add_bytes(&call->data, piece->data.data, piece->data.len);
  }
  if (call->message_count < CLIENT_MESSAGES_MAX) {
    call->messages[call->message_count] = copy_message(message);
  }
  call->message_count++;
}

static void on_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  client_call_t *call = context;
  call->rpc = NULL;
  call->is_over = true;
  call->status = status;
}

client_call_t *client_start(client_t *client, const char *path,
                            const ProtobufCMessageDescriptor *response,
                            const ProtobufCMessage *request, int64_t timeout_ms) {
  static const rpc_call_events_t events = {.on_message = on_message, .on_end = on_end};
  client_call_t *call = pod_alloc(sizeof(*call));
  call->client = client;
  call->response = response;
  const rpc_call_options_t options = {.timeout_ms = timeout_ms, .wait_for_ready = true};
  call->rpc = rpc_call_start(client->channel, path, response, &events, call, &options);
  if (request != NULL) {
    rpc_call_send(call->rpc, request);
  }
  return call;
}

static bool is_over(void *context) {
  return ((client_call_t *)context)->is_over;
}

pod_status_t client_wait(client_call_t *call) {
  client_run(call->client->loop, is_over, call);
  return call->status;
}

typedef struct messages_t {
  client_call_t *call;
  int count;
} messages_t;

static bool has_messages(void *context) {
  const messages_t *messages = context;
  return messages->call->is_over || messages->call->message_count >= messages->count;
}

void client_wait_messages(client_call_t *call, int count) {
  client_run(call->client->loop, has_messages, &(messages_t){call, count});
}

void client_free(client_call_t *call) {
  for (int i = 0; i < call->message_count && i < CLIENT_MESSAGES_MAX; i++) {
    protobuf_c_message_free_unpacked(call->messages[i], NULL);
  }
  pod_text_deinit(&call->data);
  pod_status_free(call->status);
  free(call);
}

static pod_status_t take_status(client_call_t *call) {
  const pod_status_t status = client_wait(call);
  call->status = NULL;
  return status;
}

// The only message of a call that has gone well; frees the call.
static pod_status_t take_response(client_call_t *call, void *out_response) {
  const pod_status_t status = take_status(call);
  ProtobufCMessage *response = NULL;
  if (status == NULL) {
    assert_int_equal(call->message_count, 1);
    response = call->messages[0];
    call->message_count = 0;
  }
  memcpy(out_response, &response, sizeof(response));
  client_free(call);
  return status;
}

pod_status_t client_unary(client_t *client, const char *path,
                          const ProtobufCMessage *request,
                          const ProtobufCMessageDescriptor *response, int64_t timeout_ms,
                          void *out_response) {
  client_call_t *call = client_start(client, path, response, request, timeout_ms);
  rpc_call_half_close(call->rpc);
  return take_response(call, out_response);
}

// --- podium.v1.Podium ---

void client_open(client_t *client, bool wait_for_pod) {
  client_open_from(client, "", wait_for_pod);
}

void client_open_from(client_t *client, const char *host, bool wait_for_pod) {
  Podium__V1__OpenSessionRequest request = PODIUM__V1__OPEN_SESSION_REQUEST__INIT;
  request.client = (char *)(uintptr_t) "test";
  request.wait_for_pod = wait_for_pod;
  request.host = (char *)(uintptr_t)host;
  client->session_call =
      client_start(client, "/podium.v1.Podium/OpenSession",
                   &podium__v1__session_event__descriptor, &request.base, 0);
  rpc_call_half_close(client->session_call->rpc);
  client_wait_messages(client->session_call, 1);
  if (client->session_call->is_over) {
    fail_msg("no session: %s", pod_status_message(client->session_call->status));
  }
  const void *message = client->session_call->messages[0];
  const ProtobufCBinaryData *session =
      &((const Podium__V1__SessionEvent *)message)->session;
  assert_int_equal(session->len, sizeof(client->handle));
  memcpy(client->handle, session->data, session->len);
  client->session = (ProtobufCBinaryData){.len = session->len, .data = client->handle};
}

void client_close(client_t *client) {
  if (client->session_call->rpc != NULL) {
    rpc_call_cancel(client->session_call->rpc);
  }
  client_wait(client->session_call);
  client_free(client->session_call);
  client->session_call = NULL;
}

client_call_t *client_start_compile(client_t *client, const char *text, bool only) {
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = client->session;
  request.file_name = (char *)(uintptr_t) "test.mlir";
  request.size_bytes = (int64_t)strlen(text);
  request.only = only;
  client_call_t *call =
      client_start(client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  Podium__V1__CompileRequest piece = PODIUM__V1__COMPILE_REQUEST__INIT;
  piece.text.data = (uint8_t *)(uintptr_t)text;
  piece.text.len = strlen(text);
  rpc_call_send(call->rpc, &piece.base);
  rpc_call_half_close(call->rpc);
  return call;
}

pod_status_t client_compile(client_t *client, const char *text, bool only,
                            Podium__V1__CompileResponse **out_response) {
  return take_response(client_start_compile(client, text, only), out_response);
}

static bool may_write(void *context) {
  const client_call_t *call = context;
  return call->is_over || rpc_call_is_writable(call->rpc);
}

pod_status_t client_put(client_t *client, const Podium__V1__PutArrayRequest *header,
                        const void *data, size_t size_bytes, uint64_t *out_array) {
  Podium__V1__PutArrayRequest first = *header;
  first.session = client->session;
  client_call_t *call =
      client_start(client, "/podium.v1.Podium/PutArray",
                   &podium__v1__put_array_response__descriptor, &first.base, 0);
  for (size_t at = 0; at < size_bytes && !call->is_over;) {
    const size_t left = size_bytes - at;
    Podium__V1__PutArrayRequest piece = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
    piece.data.data = (uint8_t *)(uintptr_t)data + at;
    piece.data.len = left < PUT_MESSAGE_BYTES ? left : PUT_MESSAGE_BYTES;
    rpc_call_send(call->rpc, &piece.base);
    at += piece.data.len;
    client_run(client->loop, may_write, call);
  }
  if (!call->is_over) {
    rpc_call_half_close(call->rpc);
  }
  Podium__V1__PutArrayResponse *response;
  const pod_status_t status = take_response(call, &response);
  if (status == NULL) {
    *out_array = response->array;
    podium__v1__put_array_response__free_unpacked(response, NULL);
  }
  return status;
}

client_call_t *client_start_execute(client_t *client, uint64_t executable,
                                    uint64_t argument, int64_t timeout_ms) {
  Podium__V1__ExecuteRequest request = PODIUM__V1__EXECUTE_REQUEST__INIT;
  request.session = client->session;
  request.executable = executable;
  request.arguments = &argument;
  request.n_arguments = 1;
  client_call_t *call =
      client_start(client, "/podium.v1.Podium/Execute",
                   &podium__v1__execute_response__descriptor, &request.base, timeout_ms);
  rpc_call_half_close(call->rpc);
  return call;
}

pod_status_t client_execute(client_t *client, uint64_t executable, uint64_t argument,
                            uint64_t *out_result) {
  Podium__V1__ExecuteResponse *response;
  const pod_status_t status =
      take_response(client_start_execute(client, executable, argument, 0), &response);
  if (status == NULL) {
    assert_int_equal(response->n_results, 1);
    *out_result = response->results[0];
    podium__v1__execute_response__free_unpacked(response, NULL);
  }
  return status;
}

pod_status_t client_fetch(client_t *client, uint64_t array, pod_text_t *out_data) {
  Podium__V1__FetchArrayRequest request = PODIUM__V1__FETCH_ARRAY_REQUEST__INIT;
  request.session = client->session;
  request.array = array;
  client_call_t *call =
      client_start(client, "/podium.v1.Podium/FetchArray",
                   &podium__v1__fetch_array_response__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  const pod_status_t status = take_status(call);
  pod_text_add_bytes(out_data, call->data.bytes, call->data.length);
  client_free(call);
  return status;
}

pod_status_t client_free_array(client_t *client, uint64_t array) {
  Podium__V1__FreeHandlesRequest request = PODIUM__V1__FREE_HANDLES_REQUEST__INIT;
  request.session = client->session;
  request.arrays = &array;
  request.n_arrays = 1;
  Podium__V1__FreeHandlesResponse *response;
  const pod_status_t status =
      client_unary(client, "/podium.v1.Podium/FreeHandles", &request.base,
                   &podium__v1__free_handles_response__descriptor, 0, &response);
  if (status == NULL) {
    podium__v1__free_handles_response__free_unpacked(response, NULL);
  }
  return status;
}

Podium__V1__Pod *client_pod(client_t *client) {
  Podium__V1__GetPodRequest request = PODIUM__V1__GET_POD_REQUEST__INIT;
  Podium__V1__Pod *pod;
  assert_null(client_unary(client, "/podium.v1.Podium/GetPod", &request.base,
                           &podium__v1__pod__descriptor, 0, &pod));
  return pod;
}
