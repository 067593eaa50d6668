// A conversation with a server, from after the greeting on: the input chooses what the
// client sends, and what the handlers do meanwhile. Every handler that was started must
// be told of its end exactly once.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/rpc/loop_internal.h"
#include "common/rpc/server.h"
#include "grpc_peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LAST_TURNS = 4, OPEN_MAX = 64 };

static rpc_loop_t *loop;  // Kept from input to input.

// --- The handlers ---

static rpc_call_t *open_calls[OPEN_MAX];
static size_t open_count;
static uint64_t started, ended;

static pod_status_t start(rpc_call_t *call, void *service, void **out_context) {
  (void)service;
  (void)out_context;
  if (open_count == OPEN_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "enough");
  }
  open_calls[open_count++] = call;
  started++;
  return NULL;
}

static void end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)context;
  size_t at = 0;
  while (at < open_count && open_calls[at] != call) {
    at++;
  }
  POD_CHECK(at < open_count);  // Told of its end twice, or never started.
  open_calls[at] = open_calls[--open_count];
  ended++;
  pod_status_free(status);
}

static void echo(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  if (!rpc_call_is_writable(call)) {
    rpc_call_pause(call);
  }
}

static void answer(rpc_call_t *call, const void *message, void *context) {
  echo(call, message, context);
  rpc_call_finish(call, NULL);
}

static void hold(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  (void)context;
  rpc_call_pause(call);
}

static void resume(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_resume(call);
}

static void finish(rpc_call_t *call, void *context) {
  (void)context;
  const rpc_metadata_t *metadata = rpc_call_peer_metadata(call, "say", false);
  if (metadata != NULL) {
    rpc_call_add_metadata(call, metadata, true);
  }
  rpc_call_finish(call, NULL);
}

static const rpc_method_t methods[] = {
    {.path = "/t/One",
     .events = {.on_message = answer, .on_end = end},
     .one_request = true,
     .on_start = start},
    {.path = "/t/Echo",
     .events = {.on_message = echo,
                .on_half_close = finish,
                .on_writable = resume,
                .on_end = end},
     .on_start = start},
    {.path = "/t/Hold", .events = {.on_message = hold, .on_end = end}, .on_start = start},
    {0},
};

// What a handler does by itself.
static void act_as_handler(peer_t *peer) {
  static uint8_t bytes[100000];
  const uint8_t what = peer_byte(peer);
  if (open_count == 0) {
    return;
  }
  rpc_call_t *call = open_calls[what / 8 % open_count];
  switch (what % 8) {
    case 0:
      rpc_call_pause(call);
      break;
    case 1:
    case 2:
      rpc_call_resume(call);
      break;
    case 3:
      rpc_call_send_bytes(call, bytes, peer_short(peer));
      break;
    case 4:
      rpc_call_send_bytes(call, bytes, sizeof(bytes));
      break;
    case 5:
      rpc_call_finish(call, NULL);
      break;
    case 6:
      rpc_call_finish(call, pod_error(POD_ABORTED, "the handler gives up: \xc3\xa9 %%"));
      break;
    default:
      rpc_call_keep_connection(call);
      break;
  }
  peer_turn(peer);
}

// --- The client ---

static const peer_field_t paths[] = {
    PEER_FIELD("\4\6/t/One"),
    PEER_FIELD("\4\7/t/Echo"),
    PEER_FIELD("\4\7/t/Hold"),
    PEER_FIELD("\4\34/grpc.health.v1.Health/Check"),
    PEER_FIELD("\4\34/grpc.health.v1.Health/Watch"),
    PEER_FIELD("\4\70/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
    PEER_FIELD("\4\6/t/Two"),
    PEER_FIELD("\4\0"),
};

static const peer_field_t others[] = {
    PEER_FIELD("\202"),          // :method GET.
    PEER_FIELD("\204"),          // :path /.
    PEER_FIELD("\210"),          // :status 200.
    PEER_FIELD("\0\5:what\1x"),  //
    PEER_FIELD("\20\14grpc-timeout\2"
               "9n"),  //
    PEER_FIELD("\20\14grpc-timeout\3"
               "50S"),  //
    PEER_FIELD("\20\14grpc-timeout\3"
               "xyz"),                              //
    PEER_FIELD("\0\15grpc-encoding\4gzip"),         //
    PEER_FIELD("\100\3say\5hello"),                 // Into the table.
    PEER_FIELD("\276"),                             // The newest of the table.
    PEER_FIELD("\0\7say-bin\4AAEC"),                //
    PEER_FIELD("\0\7say-bin\4!!!!"),                //
    PEER_FIELD("\40"),                              // A table of no size.
    PEER_FIELD("\17\20\11text/html"),               // Another content type.
    PEER_FIELD("\0\15authorization\12Bearer abc"),  //
    PEER_FIELD("\0\2te\4gzip"),                     //
    PEER_FIELD("\17\15\1"
               "6"),  // content-length.
};

static void begin_call(peer_t *peer, uint32_t stream) {
  const peer_field_t usual[] = {PEER_FIELD("\203"),
                                PEER_FIELD("\206"),
                                paths[peer_byte(peer) % 8],
                                PEER_FIELD("\1\1a"),
                                PEER_FIELD("\0\2te\10trailers"),
                                PEER_FIELD("\17\20\20application/grpc")};
  peer_say_headers(peer, stream, usual, sizeof(usual) / sizeof(usual[0]), others,
                   sizeof(others) / sizeof(others[0]));
}

static void act(peer_t *peer, rpc_server_t *server) {
  const uint8_t what = peer_byte(peer);
  const uint32_t last = peer->streams == 0 ? 1 : 2 * peer->streams - 1;
  const uint32_t stream = what >= 0xc0                     ? (uint32_t)(what - 0xc0)
                          : what / 16 % 4 == 3 && last > 2 ? last - 2
                                                           : last;
  switch (what % 8) {
    case 0:
    case 1:
      begin_call(peer, 2 * peer->streams++ + 1);
      return;
    case 2:
      begin_call(peer, stream);
      return;
    case 3:
      act_as_handler(peer);
      return;
    case 4:
      if (what == 0x44) {
        rpc_server_shutdown(server, 1, NULL, NULL);
      } else {
        rpc_server_set_serving(server, "t", what % 16 == 4);
      }
      peer_turn(peer);
      return;
    default:
      peer_act(peer, stream);
      return;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  if (loop == NULL) {
    POD_CHECK(rpc_loop_create(&loop) == NULL);
  }
  // Alarms are due after a nap.
  const rpc_server_options_t options = {.message_bytes_max = 20000,
                                        .concurrent_streams_max = 8,
                                        .handshake_timeout_ms = 50,
                                        .headers_timeout_ms = 1,
                                        .keepalive_ms = 1,
                                        .keepalive_timeout_ms = 1,
                                        .idle_timeout_ms = 2};
  rpc_server_t *server = NULL;
  int fds[2];
  started = ended = 0;
  POD_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  POD_CHECK(rpc_server_create(loop, &options, &server) == NULL);
  rpc_server_add_service(server, "t", methods, NULL);
  POD_CHECK(rpc_server_adopt(server, fds[0]) == NULL);
  peer_t peer = {
      .data = data, .size = size, .loop = loop, .fd = fds[1], .is_client = true};
  peer_say(&peer, greeting, sizeof(greeting) - 1);
  while (peer.size > 0) {
    act(&peer, server);
  }
  for (int i = 0; i < LAST_TURNS; i++) {
    peer_turn(&peer);
  }
  rpc_server_destroy(server);
  POD_CHECK(open_count == 0 && started == ended);
  close(fds[1]);
  for (int i = 0; i < LAST_TURNS; i++) {
    rpc_loop_turn(loop);  // Lets libuv close its handles.
  }
  return 0;
}
