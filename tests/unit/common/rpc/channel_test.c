// Connecting, reconnecting, giving up, and the end of channels and servers.

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/rpc/address.h"
#include "common/rpc/loop_internal.h"
#include "proto/grpc/health/v1/health.pb-c.h"
#include "world.h"

// A listening socket that nobody serves; returns its address in `out_address`.
static int listen_silently(char out_address[128]) {
  rpc_address_t address;
  int fd = -1;
  assert_null(rpc_address_resolve("127.0.0.1:0", &address));
  assert_null(rpc_address_listen(&address, &fd));
  address.size_bytes = sizeof(address.socket);
  assert_int_equal(
      getsockname(fd, (struct sockaddr *)&address.socket, &address.size_bytes), 0);
  char *text = rpc_address_format(&address);
  snprintf(out_address, 128, "%s", text);
  free(text);
  return fd;
}

// A port that is taken and refuses connections.
static int bind_deaf(char out_address[128]) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(address);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
  snprintf(out_address, 128, "127.0.0.1:%u", ntohs(address.sin_port));
  return fd;
}

static void socket_path(char out_address[64]) {
  snprintf(out_address, 64, "unix:/tmp/podium-channel-test-%d", (int)getpid());
}

static void note_state(rpc_channel_t *channel, rpc_channel_state_t state,
                       pod_status_t why, void *context) {
  (void)channel;
  (void)why;
  world_t *world = context;
  if (world->state_count < 64) {
    world->states[world->state_count++] = state;
  }
  world_wake(world);
}

static void use_address(world_t *world, const char *address,
                        uint32_t connect_timeout_ms) {
  rpc_channel_destroy(world->channel);
  const rpc_channel_options_t options = {
      .on_state = note_state, .context = world, .connect_timeout_ms = connect_timeout_ms};
  assert_null(rpc_channel_create(world->loop, address, &options, &world->channel));
}

static void close_server(world_t *world) {
  rpc_server_destroy(world->server);
  world->server = NULL;
}

static void open_server(world_t *world, const char *address) {
  char *bound = NULL;
  assert_null(rpc_server_create(world->loop, NULL, &world->server));
  rpc_server_add_service(world->server, "test", world_methods, world);
  assert_null(rpc_server_listen(world->server, address, &bound));
  free(bound);
}

static void test_the_states_of_a_channel_are_told_in_order(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  assert_int_equal(rpc_channel_state(world.channel), RPC_CHANNEL_IDLE);
  call_start(&caller, &world, "/test/Unary", NULL);
  assert_int_equal(world.state_count, 0);
  call_say(&caller, "x");
  call_finish(&caller);
  assert_int_equal(rpc_channel_state(world.channel), RPC_CHANNEL_READY);
  assert_int_equal(world.state_count, 2);
  assert_int_equal(world.states[0], RPC_CHANNEL_CONNECTING);
  assert_int_equal(world.states[1], RPC_CHANNEL_READY);
  world_stop(&world);
}

static bool is_ready(const void *context) {
  return rpc_channel_state(((const world_t *)context)->channel) == RPC_CHANNEL_READY;
}

static bool is_idle(const void *context) {
  return rpc_channel_state(((const world_t *)context)->channel) == RPC_CHANNEL_IDLE;
}

static void test_a_channel_connects_without_a_call_and_hears_of_the_loss(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  rpc_channel_connect(world.channel);
  rpc_channel_connect(world.channel);
  world_run_until(&world, is_ready, &world);
  close_server(&world);
  world_run_until(&world, is_idle, &world);
  world_stop(&world);
}

static void test_a_call_to_nobody_is_unavailable_with_the_address(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  char address[128];
  world_start(&world, NULL, NULL, NULL);
  const int fd = bind_deaf(address);
  use_address(&world, address, 0);
  call_start(&caller, &world, "/test/Unary", NULL);
  call_say(&caller, "x");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  assert_non_null(strstr(caller.message, address));
  assert_int_equal(rpc_channel_state(world.channel), RPC_CHANNEL_FAILED);
  // While the channel waits to try again, a call that does not want to wait fails at
  // once.
  call_start(&caller, &world, "/test/Unary", NULL);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  close(fd);
  world_stop(&world);
}

static void test_a_call_to_a_silent_server_is_unavailable_in_time(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  char address[128];
  world_start(&world, NULL, NULL, NULL);
  const int fd = listen_silently(address);
  use_address(&world, address, 50);
  call_start(&caller, &world, "/test/Unary", NULL);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  assert_non_null(strstr(caller.message, address));
  const rpc_call_options_t options = {.timeout_ms = 30, .wait_for_ready = true};
  call_start(&caller, &world, "/test/Unary", &options);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_DEADLINE_EXCEEDED);
  close(fd);
  world_stop(&world);
}

typedef struct {
  world_t *world;
  int listener;
  rpc_timer_t *timer;
} stranger_t;

static void answer_strangely(void *context) {
  stranger_t *stranger = context;
  const int fd = accept4(stranger->listener, NULL, NULL, SOCK_NONBLOCK);
  if (fd >= 0) {
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
    close(fd);
  }
}

static void test_a_call_to_a_server_of_another_protocol_is_unavailable(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  char address[128];
  world_start(&world, NULL, NULL, NULL);
  stranger_t stranger = {.world = &world, .listener = listen_silently(address)};
  stranger.timer = rpc_timer_create(world.loop, answer_strangely, &stranger);
  rpc_timer_start(stranger.timer, 1, 1);
  use_address(&world, address, 0);
  call_start(&caller, &world, "/test/Unary", NULL);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  rpc_timer_destroy(stranger.timer);
  close(stranger.listener);
  world_stop(&world);
}

static void test_a_name_is_resolved_or_the_call_is_unavailable(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  char host[200] = "";
  assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
  char address[256];
  snprintf(address, sizeof(address), "%s%s", host, strrchr(world.address, ':'));
  use_address(&world, address, 0);
  call_start(&caller, &world, "/test/Unary", NULL);
  call_say(&caller, "x");
  call_finish(&caller);
  assert_true(caller.code == POD_OK || caller.code == POD_UNAVAILABLE);
  // A channel may go while its name is looked up.
  use_address(&world, address, 0);
  rpc_channel_connect(world.channel);
  rpc_loop_post(world.loop, (rpc_fn_t)rpc_loop_stop, world.loop);
  rpc_loop_run(world.loop);
  world_stop(&world);
}

static int listen_at(const char *address, bool is_shortcut) {
  rpc_address_t parsed;
  int fd = -1;
  assert_null(rpc_address_resolve(address, &parsed));
  if (is_shortcut) {
    assert_true(rpc_address_shortcut(&parsed, &parsed));
  }
  assert_null(rpc_address_listen(&parsed, &fd));
  return fd;
}

// By TCP it would not know its own user.
static void test_a_server_that_comes_between_two_attempts_is_met_by_its_shortcut(
    void **state) {
  (void)state;
  world_t world;
  char address[128];
  world_start(&world, NULL, NULL, NULL);
  const int tcp = listen_silently(address);
  assert_int_equal(listen(tcp, 0), 0);
  // Its queue is full, so that the channel's own connection has to wait.
  rpc_address_t parsed;
  int first = -1;
  assert_null(rpc_address_resolve(address, &parsed));
  assert_null(rpc_address_connect(&parsed, &first));
  use_address(&world, address, 0);
  rpc_channel_connect(world.channel);
  rpc_loop_turn(world.loop);
  const int shortcut = listen_at(address, true);
  const int taken = accept(tcp, NULL, NULL);
  assert_true(taken >= 0);
  struct pollfd wait = {.fd = shortcut, .events = POLLIN};
  for (int i = 0; i < 6000 && poll(&wait, 1, 0) == 0; i++) {
    rpc_loop_turn(world.loop);
    (void)poll(&wait, 1, 10);
  }
  const int came = accept(shortcut, NULL, NULL);
  assert_true(came >= 0);
  close(came);
  close(taken);
  close(first);
  close(shortcut);
  close(tcp);
  world_stop(&world);
}

static void test_what_is_no_address_makes_no_channel_and_no_listener(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  rpc_channel_t *channel = NULL;
  char *bound = NULL;
  pod_status_t status = rpc_channel_create(world.loop, "nonsense", NULL, &channel);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  status = rpc_server_listen(world.server, "nonsense", &bound);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  status = rpc_server_listen(world.server, world.address, &bound);
  assert_int_equal(pod_status_code(status), POD_UNAVAILABLE);
  assert_non_null(strstr(pod_status_message(status), world.address));
  pod_status_free(status);
  world_stop(&world);
}

static void start_late(void *context) {
  world_t *world = context;
  char address[64];
  socket_path(address);
  open_server(world, address);
}

static void test_a_call_that_waits_gets_through_when_the_server_comes(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  char address[64];
  socket_path(address);
  world_start(&world, NULL, NULL, NULL);
  close_server(&world);
  use_address(&world, address, 0);
  const rpc_call_options_t options = {.wait_for_ready = true};
  call_start(&caller, &world, "/test/Unary", &options);
  call_say(&caller, "x");
  rpc_timer_t *timer = rpc_timer_create(world.loop, start_late, &world);
  rpc_timer_start(timer, 150, 0);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  rpc_timer_destroy(timer);
  world_stop(&world);
}

static void test_calls_work_again_after_the_server_has_been_restarted(void **state) {
  (void)state;
  world_t world;
  caller_t before, after;
  char address[64];
  socket_path(address);
  world_start(&world, address, NULL, NULL);
  call_start(&before, &world, "/test/Hang", NULL);
  call_say(&before, "x");
  rpc_channel_connect(world.channel);
  world_run_until(&world, is_ready, &world);
  close_server(&world);
  call_finish(&before);
  assert_int_equal(before.code, POD_UNAVAILABLE);
  open_server(&world, address);
  const rpc_call_options_t options = {.wait_for_ready = true};
  call_start(&after, &world, "/test/Unary", &options);
  call_say(&after, "x");
  call_finish(&after);
  assert_int_equal(after.code, POD_OK);
  world_stop(&world);
}

// --- Ends ---

static void note_done(void *context) {
  *(bool *)context = true;
}

typedef struct {
  world_t *world;
  bool done;
} shutdown_t;

static void note_shutdown(void *context) {
  shutdown_t *record = context;
  record->done = true;
  world_wake(record->world);
}

static bool is_shut_down(const void *context) {
  return ((const shutdown_t *)context)->done;
}

static bool has_message(const void *context) {
  return ((const caller_t *)context)->message_count > 0;
}

static void test_a_shutdown_lets_calls_end_and_takes_no_new_ones(void **state) {
  (void)state;
  world_t world;
  caller_t open, late;
  world_start(&world, NULL, NULL, NULL);
  shutdown_t record = {.world = &world};
  call_start(&open, &world, "/test/Echo", NULL);
  call_say(&open, "one");
  world_run_until(&world, has_message, &open);
  rpc_server_shutdown(world.server, 60000, note_shutdown, &record);
  assert_false(record.done);
  world_run_until(&world, is_idle, &world);  // GOAWAY has come.
  call_start(&late, &world, "/test/Unary", NULL);
  call_say(&late, "x");
  call_finish(&late);
  assert_int_equal(late.code, POD_UNAVAILABLE);
  assert_false(record.done);
  open.message_count = 0;
  call_say(&open, "two");
  world_run_until(&world, has_message, &open);
  rpc_call_half_close(open.call);
  call_finish(&open);
  assert_int_equal(open.code, POD_OK);
  world_run_until(&world, is_shut_down, &record);
  world_stop(&world);
}

static void test_a_shutdown_ends_what_is_left_after_the_grace(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  shutdown_t record = {.world = &world};
  call_start(&caller, &world, "/test/Echo", NULL);
  call_say(&caller, "x");
  world_run_until(&world, has_message, &caller);
  rpc_server_shutdown(world.server, 30, note_shutdown, &record);
  world_run_until(&world, is_shut_down, &record);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  assert_true(world.handlers->ended);
  assert_int_equal(world.handlers->code, POD_UNAVAILABLE);
  world_stop(&world);
}

static void test_a_shutdown_without_calls_is_done_soon_but_never_at_once(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  rpc_channel_connect(world.channel);
  world_run_until(&world, is_ready, &world);
  shutdown_t record = {.world = &world};
  rpc_server_shutdown(world.server, 60000, note_shutdown, &record);
  assert_false(record.done);
  world_run_until(&world, is_shut_down, &record);
  world_stop(&world);
}

static void test_a_destroyed_server_reports_the_end_of_every_call_at_once(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  call_say(&caller, "x");
  world_run_until(&world, has_message, &caller);
  close_server(&world);
  assert_true(world.handlers->ended);
  assert_int_equal(world.handlers->code, POD_UNAVAILABLE);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  assert_string_equal(caller.message, "the server shuts down");
  world_stop(&world);
}

static void test_a_destroyed_channel_reports_the_end_of_every_call_at_once(void **state) {
  (void)state;
  world_t world;
  caller_t running, waiting;
  world_start(&world, NULL, NULL, NULL);
  call_start(&running, &world, "/test/Echo", NULL);
  call_say(&running, "x");
  world_run_until(&world, has_message, &running);
  rpc_channel_destroy(world.channel);
  world.channel = NULL;
  assert_int_equal(running.end_count, 1);
  assert_int_equal(running.code, POD_CANCELLED);
  char address[128];
  const int fd = listen_silently(address);
  assert_null(rpc_channel_create(world.loop, address, NULL, &world.channel));
  call_start(&waiting, &world, "/test/Echo", NULL);
  rpc_channel_destroy(world.channel);
  world.channel = NULL;
  assert_int_equal(waiting.end_count, 1);
  assert_int_equal(waiting.code, POD_CANCELLED);
  close(fd);
  world_stop(&world);
}

typedef struct {
  world_t *world;
  bool destroy_server, ended;
} destroyer_t;

static void destroy_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  (void)message;
  destroyer_t *destroyer = context;
  if (destroyer->destroy_server) {
    close_server(destroyer->world);
  } else {
    rpc_channel_destroy(destroyer->world->channel);
    destroyer->world->channel = NULL;
    assert_true(destroyer->ended);
  }
  world_wake(destroyer->world);
}

static void note_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  destroyer_t *destroyer = context;
  destroyer->ended = true;
  assert_int_not_equal(pod_status_code(status), POD_OK);
  pod_status_free(status);
  world_wake(destroyer->world);
}

static bool destroyer_has_ended(const void *context) {
  return ((const destroyer_t *)context)->ended;
}

static void test_a_callback_may_destroy_its_channel_or_the_server(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    world_t world;
    world_start(&world, NULL, NULL, NULL);
    destroyer_t destroyer = {.world = &world, .destroy_server = i == 1};
    const rpc_call_events_t events = {.on_message = destroy_on_message,
                                      .on_end = note_end};
    rpc_call_t *call =
        rpc_call_start(world.channel, "/test/Echo", NULL, &events, &destroyer, NULL);
    rpc_call_send_bytes(call, "x", 1);
    world_run_until(&world, destroyer_has_ended, &destroyer);
    world_stop(&world);
  }
}

static void destroy_on_handler_message(rpc_call_t *call, const void *message,
                                       void *context) {
  (void)call;
  (void)message;
  close_server(context);
}

static void test_a_handler_may_destroy_its_server(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  static const rpc_method_t methods[] = {
      {.path = "/test/Destroy", .events = {.on_message = destroy_on_handler_message}},
      {0}};
  rpc_server_add_service(world.server, "destroyer", methods, &world);
  call_start(&caller, &world, "/test/Destroy", NULL);
  call_say(&caller, "x");
  call_say(&caller, "y");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  world_stop(&world);
}

// --- Health ---

typedef struct {
  world_t *world;
  int count;
  int serving;
  bool ended;
} watch_t;

static void note_serving(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  watch_t *watch = context;
  watch->count++;
  watch->serving = (int)((const Grpc__Health__V1__HealthCheckResponse *)message)->status;
  world_wake(watch->world);
}

static void end_watch(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  ((watch_t *)context)->ended = true;
  pod_status_free(status);
  world_wake(((watch_t *)context)->world);
}

static bool is_watching(const void *context) {
  return ((const watch_t *)context)->count == 1;
}

static bool has_changed(const void *context) {
  return ((const watch_t *)context)->count == 2;
}

static bool watch_has_ended(const void *context) {
  return ((const watch_t *)context)->ended;
}

static void test_a_watch_on_health_is_told_of_changes_and_of_the_end(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  watch_t watch = {.world = &world};
  const rpc_call_events_t events = {.on_message = note_serving, .on_end = end_watch};
  rpc_call_t *call = rpc_call_start(world.channel, "/grpc.health.v1.Health/Watch",
                                    &grpc__health__v1__health_check_response__descriptor,
                                    &events, &watch, NULL);
  Grpc__Health__V1__HealthCheckRequest request =
      GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
  request.service = (char *)(uintptr_t) "test";
  rpc_call_send(call, &request.base);
  rpc_call_half_close(call);
  world_run_until(&world, is_watching, &watch);
  assert_int_equal(watch.serving, 1);
  rpc_server_set_serving(world.server, "test", false);
  world_run_until(&world, has_changed, &watch);
  assert_int_equal(watch.serving, 2);
  bool done = false;
  rpc_server_shutdown(world.server, 60000, note_done, &done);
  world_run_until(&world, watch_has_ended, &watch);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_states_of_a_channel_are_told_in_order),
      cmocka_unit_test(test_a_channel_connects_without_a_call_and_hears_of_the_loss),
      cmocka_unit_test(test_a_call_to_nobody_is_unavailable_with_the_address),
      cmocka_unit_test(test_a_call_to_a_silent_server_is_unavailable_in_time),
      cmocka_unit_test(test_a_call_to_a_server_of_another_protocol_is_unavailable),
      cmocka_unit_test(test_a_name_is_resolved_or_the_call_is_unavailable),
      cmocka_unit_test(
          test_a_server_that_comes_between_two_attempts_is_met_by_its_shortcut),
      cmocka_unit_test(test_what_is_no_address_makes_no_channel_and_no_listener),
      cmocka_unit_test(test_a_call_that_waits_gets_through_when_the_server_comes),
      cmocka_unit_test(test_calls_work_again_after_the_server_has_been_restarted),
      cmocka_unit_test(test_a_shutdown_lets_calls_end_and_takes_no_new_ones),
      cmocka_unit_test(test_a_shutdown_ends_what_is_left_after_the_grace),
      cmocka_unit_test(test_a_shutdown_without_calls_is_done_soon_but_never_at_once),
      cmocka_unit_test(test_a_destroyed_server_reports_the_end_of_every_call_at_once),
      cmocka_unit_test(test_a_destroyed_channel_reports_the_end_of_every_call_at_once),
      cmocka_unit_test(test_a_callback_may_destroy_its_channel_or_the_server),
      cmocka_unit_test(test_a_handler_may_destroy_its_server),
      cmocka_unit_test(test_a_watch_on_health_is_told_of_changes_and_of_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
