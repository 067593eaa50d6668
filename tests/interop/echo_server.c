// Our end of the interop tests: serves interop.Echo with common/rpc. Prints its address;
// ends in order at SIGTERM.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/rpc/rpc.h"
#include "echo.pb-c.h"

enum { GRACE_MS = 10000 };

typedef struct daemon_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  uint64_t begun_count, hung_count;
  pod_code_t hung_code;
} daemon_t;

typedef struct call_t {
  daemon_t *daemon;
  uint64_t bytes, left;
  Interop__Payload answer;  // Produce: with data of its own.
} call_t;

static pod_status_t on_start(rpc_call_t *call, void *service, void **out_context) {
  (void)call;
  call_t *record = pod_alloc(sizeof(*record));
  record->daemon = service;
  interop__payload__init(&record->answer);
  *out_context = record;
  return NULL;
}

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  call_t *record = context;
  free(record->answer.data.data);
  free(record);
  pod_status_free(status);
}

static void give_back(rpc_call_t *call, const char *key, const char *new_key,
                      bool trailing) {
  const rpc_metadata_t *asked = rpc_call_peer_metadata(call, key, false);
  if (asked != NULL) {
    const rpc_metadata_t metadata = {new_key, asked->value, asked->size_bytes};
    rpc_call_add_metadata(call, &metadata, trailing);
  }
}

static void unary_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  give_back(call, "x-say", "x-said", false);
  give_back(call, "x-say-bin", "x-said-bin", true);
  rpc_call_reply(call, message);
}

static void collect_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  ((call_t *)context)->bytes += ((const Interop__Payload *)message)->data.len;
}

static void collect_on_half_close(rpc_call_t *call, void *context) {
  Interop__Payload answer = INTEROP__PAYLOAD__INIT;
  answer.count = ((call_t *)context)->bytes;
  rpc_call_reply(call, &answer.base);
}

static void produce_on_writable(rpc_call_t *call, void *context) {
  call_t *record = context;
  while (record->left > 0 && rpc_call_is_writable(call)) {
    record->answer.count = record->left--;
    rpc_call_send(call, &record->answer.base);
  }
  if (record->left == 0) {
    rpc_call_finish(call, NULL);
  }
}

static void produce_on_message(rpc_call_t *call, const void *message, void *context) {
  const Interop__Payload *request = message;
  call_t *record = context;
  record->left = request->count;
  record->answer.data.len = request->data.len;
  record->answer.data.data = pod_alloc(request->data.len);
  if (request->data.len > 0) {
    memcpy(record->answer.data.data, request->data.data, request->data.len);
  }
  produce_on_writable(call, context);
}

static void chat_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  rpc_call_send(call, message);
  if (!rpc_call_is_writable(call)) {
    rpc_call_pause(call);
  }
}

static void chat_on_writable(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_resume(call);
}

static void chat_on_half_close(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_finish(call, NULL);
}

static void fail_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const Interop__Payload *request = message;
  rpc_call_finish(call, pod_error((pod_code_t)request->code, "%s", request->text));
}

static pod_status_t hang_on_start(rpc_call_t *call, void *service, void **out_context) {
  (void)call;
  daemon_t *daemon = service;
  daemon->begun_count++;
  *out_context = daemon;
  return NULL;
}

static void hang_on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  daemon_t *daemon = context;
  daemon->hung_count++;
  daemon->hung_code = pod_status_code(status);
  pod_status_free(status);
}

static void hung_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  const daemon_t *daemon = context;
  Interop__Payload answer = INTEROP__PAYLOAD__INIT;
  answer.begun = daemon->begun_count;
  answer.count = daemon->hung_count;
  answer.code = (int32_t)daemon->hung_code;
  rpc_call_reply(call, &answer.base);
}

#define METHOD(name)                                                       \
  .path = "/interop.Echo/" name, .request = &interop__payload__descriptor, \
  .response = &interop__payload__descriptor

static const rpc_method_t methods[] = {
    {METHOD("Unary"), .events = {.on_message = unary_on_message}},
    {METHOD("Collect"),
     .events = {.on_message = collect_on_message,
                .on_half_close = collect_on_half_close,
                .on_end = on_end},
     .on_start = on_start},
    {METHOD("Produce"),
     .events = {.on_message = produce_on_message,
                .on_writable = produce_on_writable,
                .on_end = on_end},
     .on_start = on_start},
    {METHOD("Chat"), .events = {.on_message = chat_on_message,
                                .on_writable = chat_on_writable,
                                .on_half_close = chat_on_half_close}},
    {METHOD("Fail"), .events = {.on_message = fail_on_message}},
    {METHOD("Hang"), .events = {.on_end = hang_on_end}, .on_start = hang_on_start},
    {METHOD("Hung"), .events = {.on_message = hung_on_message}},
    {0},
};

static void stop(void *context) {
  rpc_loop_stop(((daemon_t *)context)->loop);
}

static void shut_down(void *context) {
  daemon_t *daemon = context;
  rpc_server_shutdown(daemon->server, GRACE_MS, stop, daemon);
}

int main(void) {
  daemon_t daemon = {0};
  rpc_signal_t *terminate = NULL;
  char *address = NULL;
  POD_CHECK(rpc_loop_create(&daemon.loop) == NULL);
  POD_CHECK(rpc_server_create(daemon.loop, NULL, &daemon.server) == NULL);
  rpc_server_add_service(daemon.server, "interop.Echo", methods, &daemon);
  POD_CHECK(rpc_server_listen(daemon.server, "127.0.0.1:0", &address) == NULL);
  POD_CHECK(rpc_signal_create(daemon.loop, SIGTERM, shut_down, &daemon, &terminate) ==
            NULL);
  printf("%s\n", address);
  fflush(stdout);
  free(address);
  rpc_loop_run(daemon.loop);
  rpc_signal_destroy(terminate);
  rpc_server_destroy(daemon.server);
  rpc_loop_destroy(daemon.loop);
  return 0;
}
