// Feeds bytes to a server's connection, or to a client's with calls open, as a peer would
// send them. The first byte chooses: bit 0 the client's side, bit 1 that the opening
// which every connection starts with is put before the bytes, bit 2 that they arrive in
// small pieces.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/rpc/channel.h"
#include "common/rpc/loop_internal.h"
#include "common/rpc/server.h"
#include "proto/grpc/health/v1/health.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGE_BYTES_MAX = 1 << 20, PIECE_BYTES = 7, LAST_TURNS = 4 };

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
static const uint8_t settings[] = {0, 0, 0, 4, 0, 0, 0, 0, 0};

static rpc_loop_t *loop;  // Kept from input to input.

// --- A service that does a little of everything ---

static void echo(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  if (!rpc_call_is_writable(call)) {
    rpc_call_pause(call);
  }
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

static void drop(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  (void)context;
  pod_status_free(status);
}

static void pause_call(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  (void)context;
  rpc_call_pause(call);
}

static const rpc_method_t methods[] = {
    {.path = "/t/Echo",
     .events = {.on_message = echo,
                .on_half_close = finish,
                .on_writable = resume,
                .on_end = drop}},
    {.path = "/t/Pause", .events = {.on_message = pause_call, .on_end = drop}},
    {0},
};

static void drop_response(const void *response, pod_status_t status, void *context) {
  (void)response;
  (void)context;
  pod_status_free(status);
}

static void start_calls(rpc_channel_t *channel) {
  static const rpc_call_events_t events = {.on_message = echo, .on_end = drop};
  static const rpc_call_options_t options = {.wait_for_ready = true};
  Grpc__Health__V1__HealthCheckRequest request =
      GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
  request.service = (char *)(uintptr_t) "t";
  rpc_call_t *stream = rpc_call_start(channel, "/t/Echo", NULL, &events, NULL, &options);
  rpc_call_send_bytes(stream, "hello", 5);
  for (int i = 0; i < 2; i++) {
    rpc_unary(channel, "/grpc.health.v1.Health/Check", &request.base,
              &grpc__health__v1__health_check_response__descriptor, &options,
              drop_response, NULL);
  }
}

// --- The wire ---

static void turn(int fd) {
  static uint8_t dropped[65536];
  rpc_loop_turn(loop);
  while (recv(fd, dropped, sizeof(dropped), MSG_DONTWAIT) > 0) {
  }
}

static void feed(int fd, const void *data, size_t size, size_t piece) {
  const uint8_t *bytes = data;
  while (size > 0) {
    const ssize_t sent =
        send(fd, bytes, size < piece ? size : piece, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) {
      return;  // The connection is closed, as bad bytes deserve.
    }
    bytes += sent;
    size -= (size_t)sent;
    turn(fd);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  if (loop == NULL) {
    POD_CHECK(rpc_loop_create(&loop) == NULL);
  }
  const bool as_client = (data[0] & 1) != 0;
  const bool opening = (data[0] & 2) != 0;
  const size_t piece = (data[0] & 4) != 0 ? PIECE_BYTES : size;
  rpc_server_t *server = NULL;
  rpc_channel_t *channel = NULL;
  int fds[2];
  POD_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  if (as_client) {
    const rpc_channel_options_t options = {.message_bytes_max = MESSAGE_BYTES_MAX};
    POD_CHECK(rpc_channel_create(loop, "127.0.0.1:1", &options, &channel) == NULL);
    POD_CHECK(rpc_channel_adopt(channel, fds[0]) == NULL);
    start_calls(channel);
  } else {
    const rpc_server_options_t options = {.message_bytes_max = MESSAGE_BYTES_MAX,
                                          .concurrent_streams_max = 16};
    POD_CHECK(rpc_server_create(loop, &options, &server) == NULL);
    rpc_server_add_service(server, "t", methods, NULL);
    POD_CHECK(rpc_server_adopt(server, fds[0]) == NULL);
  }
  if (opening && !as_client) {
    feed(fds[1], preface, sizeof(preface) - 1, sizeof(preface));
  }
  if (opening) {
    feed(fds[1], settings, sizeof(settings), sizeof(settings));
  }
  feed(fds[1], data + 1, size - 1, piece);
  for (int i = 0; i < LAST_TURNS; i++) {
    turn(fds[1]);
  }
  rpc_channel_destroy(channel);
  rpc_server_destroy(server);
  close(fds[1]);
  for (int i = 0; i < LAST_TURNS; i++) {
    rpc_loop_turn(loop);  // Lets libuv close its handles.
  }
  return 0;
}
