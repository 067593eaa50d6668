// A conversation with a channel, from after the server's SETTINGS on: the input chooses
// what the server sends, and what the callers do meanwhile. Every call must be told of
// its end exactly once.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/rpc/channel.h"
#include "common/rpc/loop_internal.h"
#include "grpc_peer.h"
#include "proto/grpc/health/v1/health.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LAST_TURNS = 4, OPEN_MAX = 32, CALLS_MAX = 200 };

static rpc_loop_t *loop;  // Kept from input to input.

// --- The callers ---

static rpc_call_t *open_calls[OPEN_MAX];
static size_t open_count;
static uint64_t started, ended;

static void end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)context;
  size_t at = 0;
  while (at < open_count && open_calls[at] != call) {
    at++;
  }
  POD_CHECK(at < open_count);
  open_calls[at] = open_calls[--open_count];
  ended++;
  pod_status_free(status);
}

static void end_unary(const void *response, pod_status_t status, void *context) {
  (void)context;
  POD_CHECK((response != NULL) == (status == NULL));
  ended++;
  pod_status_free(status);
}

static void note_headers(rpc_call_t *call, void *context) {
  (void)context;
  (void)rpc_call_peer_metadata(call, "say", false);
}

static void note_message(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  if (bytes->size_bytes == 1) {
    rpc_call_pause(call);
  }
}

static void start_call(rpc_channel_t *channel, peer_t *peer) {
  static const rpc_call_events_t events = {
      .on_headers = note_headers, .on_message = note_message, .on_end = end};
  const uint8_t how = peer_byte(peer);
  const rpc_call_options_t options = {.wait_for_ready = how % 2 == 0,
                                      .timeout_ms = how % 16 == 1 ? 1 : 0};
  if (started == CALLS_MAX) {
    return;
  }
  if (how / 2 % 4 == 0) {
    Grpc__Health__V1__HealthCheckRequest request =
        GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
    started++;
    rpc_unary(channel, "/grpc.health.v1.Health/Check", &request.base,
              &grpc__health__v1__health_check_response__descriptor, &options, end_unary,
              NULL);
  } else if (open_count < OPEN_MAX) {
    started++;
    open_calls[open_count++] =
        rpc_call_start(channel, "/t/Echo", NULL, &events, NULL, &options);
  }
}

static void act_as_caller(rpc_channel_t *channel, peer_t *peer) {
  static uint8_t bytes[100000];
  const uint8_t what = peer_byte(peer);
  if (open_count == 0 || what % 8 == 0) {
    start_call(channel, peer);
    peer_turn(peer);
    return;
  }
  rpc_call_t *call = open_calls[what / 8 % open_count];
  switch (what % 8) {
    case 1:
      rpc_call_send_bytes(call, bytes, peer_short(peer));
      break;
    case 2:
      rpc_call_send_bytes(call, bytes, sizeof(bytes));
      break;
    case 3:
      rpc_call_half_close(call);
      break;
    case 4:
      rpc_call_cancel(call);
      break;
    case 5:
      rpc_call_pause(call);
      break;
    default:
      rpc_call_resume(call);
      break;
  }
  peer_turn(peer);
}

// --- The server ---

static const peer_field_t others[] = {
    PEER_FIELD("\211"),  // :status 204.
    PEER_FIELD("\10\3"
               "100"),           // :status 100.
    PEER_FIELD("\215"),          // :status 404.
    PEER_FIELD("\0\5:what\1x"),  //
    PEER_FIELD("\0\13grpc-status\1"
               "0"),  //
    PEER_FIELD("\0\13grpc-status\2"
               "14"),  //
    PEER_FIELD("\0\13grpc-status\3"
               "abc"),                       //
    PEER_FIELD("\0\14grpc-message\5a%20b"),  //
    PEER_FIELD("\0\14grpc-message\5%zz%2"),  //
    PEER_FIELD("\0\15grpc-encoding\4gzip"),  //
    PEER_FIELD("\100\3say\5hello"),          // Into the table.
    PEER_FIELD("\276"),                      // The newest of the table.
    PEER_FIELD("\0\7say-bin\4!!!!"),         //
    PEER_FIELD("\17\20\11text/html"),        // Another content type.
};

static void respond(peer_t *peer, uint32_t stream) {
  static const peer_field_t usual[] = {PEER_FIELD("\210"),
                                       PEER_FIELD("\17\20\20application/grpc")};
  peer_say_headers(peer, stream, usual, 2, others, sizeof(others) / sizeof(others[0]));
}

static void end_response(peer_t *peer, uint32_t stream) {
  static const peer_field_t usual[] = {
      PEER_FIELD("\0\13grpc-status\1"
                 "0")};
  peer_say_headers(peer, stream, usual, 1, others, sizeof(others) / sizeof(others[0]));
}

static void act(peer_t *peer, rpc_channel_t *channel) {
  const uint8_t what = peer_byte(peer);
  const uint32_t last = started == 0 ? 1 : (uint32_t)(2 * started - 1);
  const uint32_t stream = what >= 0xc0                     ? (uint32_t)(what - 0xc0)
                          : what / 16 % 4 == 3 && last > 2 ? last - 2
                                                           : last;
  switch (what % 8) {
    case 0:
      respond(peer, stream);
      return;
    case 1:
      end_response(peer, stream);
      return;
    case 2:
    case 3:
      act_as_caller(channel, peer);
      return;
    default:
      peer_act(peer, stream);
      return;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (loop == NULL) {
    POD_CHECK(rpc_loop_create(&loop) == NULL);
  }
  const rpc_channel_options_t options = {
      .message_bytes_max = 20000, .keepalive_ms = 1, .keepalive_timeout_ms = 1};
  rpc_channel_t *channel = NULL;
  int fds[2];
  started = ended = 0;
  POD_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  POD_CHECK(rpc_channel_create(loop, "unix:/nobody/listens", &options, &channel) == NULL);
  POD_CHECK(rpc_channel_adopt(channel, fds[0]) == NULL);
  peer_t peer = {.data = data, .size = size, .loop = loop, .fd = fds[1]};
  peer_say(&peer, "\0\0\0\4\0\0\0\0\0", 9);
  start_call(channel, &peer);
  while (peer.size > 0) {
    act(&peer, channel);
  }
  for (int i = 0; i < LAST_TURNS; i++) {
    peer_turn(&peer);
  }
  rpc_channel_destroy(channel);
  POD_CHECK(open_count == 0 && started == ended);
  close(fds[1]);
  for (int i = 0; i < LAST_TURNS; i++) {
    rpc_loop_turn(loop);  // Lets libuv close its handles.
  }
  return 0;
}
