// Who calls: what a server is told of its peer, the tokens that calls carry, and the
// authorizer that decides by both.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/rpc/address.h"
#include "common/rpc/channel.h"
#include "common/rpc/server.h"
#include "world.h"

// --- An authorizer that notes what it is asked ---

typedef struct guard_t {
  rpc_peer_t peer;
  char path[64], authorization[64];
  size_t asked_count;
  pod_code_t answer;
} guard_t;

static pod_status_t ask_guard(rpc_call_t *call, const char *path, void *context) {
  guard_t *guard = context;
  guard->asked_count++;
  guard->peer = rpc_call_peer(call);
  snprintf(guard->path, sizeof(guard->path), "%s", path);
  const rpc_metadata_t *metadata = rpc_call_peer_metadata(call, "authorization", false);
  snprintf(guard->authorization, sizeof(guard->authorization), "%.*s",
           metadata != NULL ? (int)metadata->size_bytes : 0,
           metadata != NULL ? (const char *)metadata->value : "");
  return guard->answer == POD_OK ? NULL : pod_error(guard->answer, "who are you?");
}

static void start_guarded(world_t *world, guard_t *guard, const char *address,
                          const rpc_channel_options_t *channel) {
  world_start(world, address, NULL, channel);
  rpc_server_set_authorizer(world->server, ask_guard, guard);
}

static caller_t run(world_t *world, const char *path, const rpc_call_options_t *options) {
  caller_t caller;
  call_start(&caller, world, path, options);
  call_say(&caller, "hello");
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  return caller;
}

static void test_an_authorizer_is_asked_before_the_method(void **state) {
  (void)state;
  guard_t guard = {0};
  world_t world;
  start_guarded(&world, &guard, NULL, NULL);
  assert_int_equal(run(&world, "/test/Echo", NULL).code, POD_OK);
  assert_int_equal(guard.asked_count, 1);
  assert_string_equal(guard.path, "/test/Echo");
  assert_int_equal(world.handler_count, 1);
  world_stop(&world);
}

static void test_a_call_that_is_not_allowed_ends_with_the_authorizers_status(
    void **state) {
  (void)state;
  guard_t guard = {.answer = POD_UNAUTHENTICATED};
  world_t world;
  start_guarded(&world, &guard, NULL, NULL);
  const caller_t caller = run(&world, "/test/Echo", NULL);
  assert_int_equal(caller.code, POD_UNAUTHENTICATED);
  assert_string_equal(caller.message, "who are you?");
  assert_int_equal(caller.message_count, 0);
  assert_int_equal(world.handler_count, 0);  // The method never heard of it.
  guard.answer = POD_OK;
  assert_int_equal(run(&world, "/test/Echo", NULL).code, POD_OK);
  world_stop(&world);
}

static void test_health_and_reflection_are_asked_for_too(void **state) {
  (void)state;
  static const char *const paths[] = {
      "/grpc.health.v1.Health/Check",
      "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"};
  guard_t guard = {.answer = POD_PERMISSION_DENIED};
  world_t world;
  start_guarded(&world, &guard, NULL, NULL);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(run(&world, paths[i], NULL).code, POD_PERMISSION_DENIED);
    assert_string_equal(guard.path, paths[i]);
  }
  // What nobody serves tells nothing to anybody.
  assert_int_equal(run(&world, "/test/Nothing", NULL).code, POD_UNIMPLEMENTED);
  assert_int_equal(guard.asked_count, 2);
  world_stop(&world);
}

// --- What is known of the peer ---

static void test_a_peer_on_a_unix_socket_is_known_by_its_user(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof(path), "unix:/tmp/podium-rpc-peer-%d.sock", (int)getpid());
  const char *const addresses[] = {path, "127.0.0.1:0"};  // The second by its shortcut.
  for (size_t i = 0; i < 2; i++) {
    guard_t guard = {0};
    world_t world;
    start_guarded(&world, &guard, addresses[i], NULL);
    assert_int_equal(run(&world, "/test/Echo", NULL).code, POD_OK);
    assert_true(guard.peer.is_own_user);
    assert_true(guard.peer.is_loopback);
    assert_false(guard.peer.is_encrypted);
    assert_null(guard.peer.certificate_name);
    assert_null(guard.peer.certificate_role);
    world_stop(&world);
  }
}

// Connected by TCP, past the shortcut that our own channels take.
static void adopt_tcp(world_t *world) {
  rpc_address_t address;
  assert_null(rpc_address_resolve(world->address, &address));
  const int fd = socket(address.socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (connect(fd, (const struct sockaddr *)&address.socket, address.size_bytes) != 0) {
    assert_int_equal(errno, EINPROGRESS);
  }
  assert_null(rpc_channel_adopt(world->channel, fd));
}

static void test_a_peer_by_tcp_is_nobodys_user(void **state) {
  (void)state;
  const char *const addresses[] = {"127.0.0.1:0", "[::1]:0"};
  for (size_t i = 0; i < 2; i++) {
    guard_t guard = {0};
    world_t world;
    start_guarded(&world, &guard, addresses[i], NULL);
    adopt_tcp(&world);
    assert_int_equal(run(&world, "/test/Echo", NULL).code, POD_OK);
    assert_false(guard.peer.is_own_user);
    assert_true(guard.peer.is_loopback);
    world_stop(&world);
  }
}

static void test_another_user_on_a_unix_socket_is_not_our_own(void **state) {
  (void)state;
  if (geteuid() != 0) {
    skip();
  }
  char path[64];
  snprintf(path, sizeof(path), "unix:/tmp/podium-rpc-other-%d.sock", (int)getpid());
  guard_t guard = {0};
  world_t world;
  start_guarded(&world, &guard, path, NULL);
  // The user of a connection is who connects; the socket's mode stops nobody that is
  // root.
  assert_int_equal(chmod(path + strlen("unix:"), 0777), 0);
  assert_int_equal(seteuid(65534), 0);
  rpc_address_t address;
  int fd = -1;
  assert_null(rpc_address_resolve(world.address, &address));
  assert_null(rpc_address_connect(&address, &fd));
  assert_int_equal(seteuid(0), 0);
  assert_null(rpc_channel_adopt(world.channel, fd));
  assert_int_equal(run(&world, "/test/Echo", NULL).code, POD_OK);
  assert_false(guard.peer.is_own_user);
  assert_true(guard.peer.is_loopback);
  world_stop(&world);
}

// --- Tokens ---

static void test_a_channels_token_goes_with_every_call(void **state) {
  (void)state;
  char token[] = "abc.DEF-123_~+/=";
  guard_t guard = {0};
  world_t world;
  start_guarded(&world, &guard, NULL, &(rpc_channel_options_t){.bearer_token = token});
  memset(token, 'x', sizeof(token) - 1);  // It was copied.
  for (int i = 0; i < 3; i++) {
    assert_int_equal(run(&world, "/test/Unary", NULL).code, POD_OK);
    assert_string_equal(guard.authorization, "Bearer abc.DEF-123_~+/=");
    guard.authorization[0] = '\0';
  }
  world_stop(&world);
}

static void test_without_a_token_no_authorization_is_sent(void **state) {
  (void)state;
  guard_t guard = {0};
  world_t world;
  start_guarded(&world, &guard, NULL, NULL);
  assert_int_equal(run(&world, "/test/Unary", NULL).code, POD_OK);
  assert_string_equal(guard.authorization, "");
  world_stop(&world);
}

static void test_what_is_no_token_is_refused_before_it_is_sent(void **state) {
  (void)state;
  static const char *const tokens[] = {"", "two words", "line\nbreak", "\xc3\xa4"};
  rpc_loop_t *loop = NULL;
  assert_null(rpc_loop_create(&loop));
  for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
    rpc_channel_t *channel = NULL;
    const pod_status_t status =
        rpc_channel_create(loop, "127.0.0.1:1",
                           &(rpc_channel_options_t){.bearer_token = tokens[i]}, &channel);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    assert_null(channel);
    // An error may be logged; the token must not be in it.
    assert_null(strstr(pod_status_message(status), "words"));
    pod_status_free(status);
  }
  rpc_loop_destroy(loop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_authorizer_is_asked_before_the_method),
      cmocka_unit_test(test_a_call_that_is_not_allowed_ends_with_the_authorizers_status),
      cmocka_unit_test(test_health_and_reflection_are_asked_for_too),
      cmocka_unit_test(test_a_peer_on_a_unix_socket_is_known_by_its_user),
      cmocka_unit_test(test_a_peer_by_tcp_is_nobodys_user),
      cmocka_unit_test(test_another_user_on_a_unix_socket_is_not_our_own),
      cmocka_unit_test(test_a_channels_token_goes_with_every_call),
      cmocka_unit_test(test_without_a_token_no_authorization_is_sent),
      cmocka_unit_test(test_what_is_no_token_is_refused_before_it_is_sent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
