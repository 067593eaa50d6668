// Our server for rpc_bench. Prints its address, then serves until it is killed.
//
// Usage: rpc_bench_server [CERTIFICATE KEY]. With them it speaks TLS, at an address for
// which there is no shortcut.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/rpc/rpc.h"
#include "rpc_bench.pb-c.h"

typedef struct call_t {
  uint64_t bytes;
  Bench__Payload answer;  // Download: with its own data.
  uint64_t left;
} call_t;

static pod_status_t on_start(rpc_call_t *call, void *service, void **out_context) {
  (void)call;
  (void)service;
  *out_context = pod_alloc(sizeof(call_t));
  return NULL;
}

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  call_t *record = context;
  free(record->answer.data.data);
  free(record);
  pod_status_free(status);
}

static void unary_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  rpc_call_reply(call, message);
}

static void upload_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  ((call_t *)context)->bytes += ((const Bench__Payload *)message)->data.len;
}

static void upload_on_half_close(rpc_call_t *call, void *context) {
  Bench__Payload answer = BENCH__PAYLOAD__INIT;
  answer.count = ((call_t *)context)->bytes;
  rpc_call_reply(call, &answer.base);
}

static void download_on_writable(rpc_call_t *call, void *context) {
  call_t *record = context;
  while (record->left > 0 && rpc_call_is_writable(call)) {
    rpc_call_send(call, &record->answer.base);
    record->left--;
  }
  if (record->left == 0) {
    rpc_call_finish(call, NULL);
  }
}

static void download_on_message(rpc_call_t *call, const void *message, void *context) {
  const Bench__Payload *request = message;
  call_t *record = context;
  bench__payload__init(&record->answer);
  record->answer.data.len = request->data.len;
  record->answer.data.data = pod_alloc(request->data.len);
  memcpy(record->answer.data.data, request->data.data, request->data.len);
  record->left = request->count;
  download_on_writable(call, context);
}

#define METHOD(name)                                                    \
  .path = "/bench.Bench/" name, .request = &bench__payload__descriptor, \
  .response = &bench__payload__descriptor

static const rpc_method_t methods[] = {
    {METHOD("Unary"), .events = {.on_message = unary_on_message}},
    {METHOD("Upload"),
     .events = {.on_message = upload_on_message,
                .on_half_close = upload_on_half_close,
                .on_end = on_end},
     .on_start = on_start},
    {METHOD("Download"),
     .events = {.on_message = download_on_message,
                .on_writable = download_on_writable,
                .on_end = on_end},
     .on_start = on_start},
    {0},
};

int main(int argc, char **argv) {
  const bool is_tls = argc == 3;
  rpc_server_options_t options = {0};
  rpc_credentials_t *credentials = NULL;
  if (is_tls) {
    POD_CHECK(rpc_credentials_for_server(argv[1], argv[2], NULL, &credentials) == NULL);
    options.credentials = credentials;
  }
  rpc_loop_t *loop = NULL;
  rpc_server_t *server = NULL;
  char *address = NULL;
  POD_CHECK(rpc_loop_create(&loop) == NULL);
  POD_CHECK(rpc_server_create(loop, &options, &server) == NULL);
  rpc_server_add_service(server, "bench.Bench", methods, NULL);
  POD_CHECK(rpc_server_listen(server, is_tls ? "0.0.0.0:0" : "127.0.0.1:0", &address) ==
            NULL);
  printf("%s%s\n", is_tls ? "127.0.0.2" : "127.0.0.1", strrchr(address, ':'));
  fflush(stdout);
  free(address);
  // The bench ends its servers by SIGTERM; nothing here needs a tidy end.
  rpc_loop_run(loop);
  return 0;
}
