// What libpodium says of a session that is lost while its coordinator, or another in its
// place, can still be called: a server that ends the session, and then knows nothing of
// it.

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/podium.pb-c.h"

enum { BYTES = 64, TIMEOUT_MS = 60000 };

// `open`, `has_ended` and `refusal` belong to the server's thread.
typedef struct fake_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  char *address;
  pthread_t thread;
  rpc_call_t *open;      // OpenSession; NULL: none.
  pod_code_t refusal;    // Of all other calls; OK: none is refused.
  sem_t is_set;          // `refusal`, and that the session's end is on its way.
  pod_code_t to_refuse;  // Handed over with a post to the loop.
  bool loses;
} fake_t;

static const podium_layout_t layout = {
    .shape = {.dtype = PODIUM_U8, .rank = 1, .dims = {BYTES}}};

// --- The server ---

static void on_open(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  fake_t *fake = context;
  Podium__V1__SessionEvent event = PODIUM__V1__SESSION_EVENT__INIT;
  event.session = (ProtobufCBinaryData){.len = 7, .data = (uint8_t *)"session"};
  event.first_id = 1;
  event.id_count = 1000;
  fake->open = call;
  rpc_call_send(call, &event.base);
}

static void on_open_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  fake_t *fake = context;
  pod_status_free(status);
  fake->open = NULL;
  if (fake->loses) {
    sem_post(&fake->is_set);
  }
}

static void on_compile(rpc_call_t *call, void *context) {
  (void)context;
  Podium__V1__CompileResponse response = PODIUM__V1__COMPILE_RESPONSE__INIT;
  int64_t chip = 0;
  response.executable = 1;
  response.n_chips = 1;
  response.chips = &chip;
  rpc_call_reply(call, &response.base);
}

static void on_put(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const Podium__V1__PutArrayRequest *request = message;
  if (request->array != 0) {
    Podium__V1__PutArrayResponse response = PODIUM__V1__PUT_ARRAY_RESPONSE__INIT;
    response.array = request->array;
    rpc_call_reply(call, &response.base);
  }
}

static void on_dispatch(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const Podium__V1__DispatchRequest *request = message;
  if (request->what_case == PODIUM__V1__DISPATCH_REQUEST__WHAT_EXECUTE) {
    Podium__V1__DispatchResponse response = PODIUM__V1__DISPATCH_RESPONSE__INIT;
    response.execution = request->execute->execution_id;
    rpc_call_send(call, &response.base);
  }
}

static const rpc_method_t methods[] = {
    {.path = "/podium.v1.Podium/OpenSession",
     .request = &podium__v1__open_session_request__descriptor,
     .response = &podium__v1__session_event__descriptor,
     .events = {.on_message = on_open, .on_end = on_open_end},
     .one_request = true},
    {.path = "/podium.v1.Podium/Compile",
     .request = &podium__v1__compile_request__descriptor,
     .response = &podium__v1__compile_response__descriptor,
     .events = {.on_half_close = on_compile}},
    {.path = "/podium.v1.Podium/PutArray",
     .request = &podium__v1__put_array_request__descriptor,
     .response = &podium__v1__put_array_response__descriptor,
     .events = {.on_message = on_put}},
    {.path = "/podium.v1.Podium/FetchArray",
     .request = &podium__v1__fetch_array_request__descriptor,
     .response = &podium__v1__fetch_array_response__descriptor},
    {.path = "/podium.v1.Podium/Dispatch",
     .request = &podium__v1__dispatch_request__descriptor,
     .response = &podium__v1__dispatch_response__descriptor,
     .events = {.on_message = on_dispatch}},
    {.path = "/podium.v1.Podium/GetProfile",
     .request = &podium__v1__get_profile_request__descriptor,
     .response = &podium__v1__profile_part__descriptor},
    {.path = "/podium.v1.Podium/Simulate",
     .request = &podium__v1__simulate_request__descriptor,
     .response = &podium__v1__profile_part__descriptor},
    {0},
};

static pod_status_t authorize(rpc_call_t *call, const char *path, void *context) {
  (void)call;
  (void)path;
  const fake_t *fake = context;
  return fake->refusal == POD_OK
             ? NULL
             : pod_error(fake->refusal, "there is no such session, as it were");
}

static void *serve(void *context) {
  rpc_loop_run(((fake_t *)context)->loop);
  return NULL;
}

static void start(fake_t *fake, podium_session_t **out_session) {
  *fake = (fake_t){0};
  assert_int_equal(sem_init(&fake->is_set, 0, 0), 0);
  assert_null(rpc_loop_create(&fake->loop));
  assert_null(rpc_server_create(fake->loop, NULL, &fake->server));
  rpc_server_add_service(fake->server, "podium.v1.Podium", methods, fake);
  rpc_server_set_authorizer(fake->server, authorize, fake);
  assert_null(rpc_server_listen(fake->server, "127.0.0.1:0", &fake->address));
  assert_int_equal(pthread_create(&fake->thread, NULL, serve, fake), 0);
  assert_null(podium_connect(
      fake->address, &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS}, out_session));
}

static void stop(fake_t *fake, podium_session_t *session) {
  podium_close(session);
  rpc_loop_stop(fake->loop);
  pthread_join(fake->thread, NULL);
  rpc_server_destroy(fake->server);
  rpc_loop_destroy(fake->loop);
  sem_destroy(&fake->is_set);
  free(fake->address);
}

static void set_refusal(void *context) {
  fake_t *fake = context;
  fake->refusal = fake->to_refuse;
  if (fake->loses) {
    rpc_call_finish(fake->open, NULL);
  } else {
    sem_post(&fake->is_set);
  }
}

// From now on; with `loses` after the session has ended, which the client hears of before
// any refusal: both come by one connection.
static void refuse(fake_t *fake, pod_code_t code, bool loses) {
  fake->to_refuse = code;
  fake->loses = loses;
  rpc_loop_post(fake->loop, set_refusal, fake);
  while (sem_wait(&fake->is_set) != 0) {
  }
}

// --- The client ---

typedef struct held_t {
  podium_executable_t *executable;
  podium_array_t *array;
  podium_execution_t *execution;
} held_t;

static held_t hold(podium_session_t *session) {
  held_t held = {0};
  static const uint8_t data[BYTES];
  assert_null(podium_compile(session, "a.mlir", "a", 1, NULL, &held.executable));
  assert_null(podium_put(session, &layout, data, BYTES, TIMEOUT_MS, &held.array));
  assert_null(podium_execute(held.executable, 0, NULL, NULL, NULL, &held.execution));
  return held;
}

static void release(const held_t *held) {
  podium_execution_free(held->execution);
  podium_array_free(held->array);
  podium_executable_free(held->executable);
}

static void assert_code(podium_status_t *status, podium_code_t code) {
  assert_string_equal(podium_code_name(podium_status_code(status)),
                      podium_code_name(code));
  if (code == PODIUM_UNAVAILABLE) {
    assert_non_null(strstr(podium_status_message(status), "was lost"));
  }
  podium_status_free(status);
}

static void assert_profiles(const held_t *held, podium_code_t code) {
  podium_profile_t *profile = NULL;
  assert_code(podium_profile(held->execution, NULL, &profile), code);
  assert_code(podium_simulate(held->executable, NULL, &profile), code);
}

static void assert_compile(podium_session_t *session, podium_code_t code) {
  podium_executable_t *executable = NULL;
  assert_code(podium_compile(session, "b.mlir", "b", 1, NULL, &executable), code);
}

static void assert_fetch(const held_t *held, podium_code_t code) {
  uint8_t data[BYTES];
  assert_code(podium_fetch(held->array, data, BYTES, TIMEOUT_MS), code);
}

static void assert_put(podium_session_t *session, podium_code_t code) {
  static const uint8_t data[BYTES];
  podium_array_t *array = NULL;
  assert_code(podium_put(session, &layout, data, BYTES, TIMEOUT_MS, &array), code);
}

static void assert_execute(const held_t *held, podium_code_t code) {
  assert_code(podium_execute(held->executable, 0, NULL, NULL, NULL, NULL), code);
}

static void assert_all_are_told_of_the_loss(pod_code_t refusal) {
  fake_t fake;
  podium_session_t *session;
  start(&fake, &session);
  const held_t held = hold(session);
  refuse(&fake, refusal, true);
  assert_compile(session, PODIUM_UNAVAILABLE);
  assert_profiles(&held, PODIUM_UNAVAILABLE);
  assert_fetch(&held, PODIUM_UNAVAILABLE);
  assert_put(session, PODIUM_UNAVAILABLE);
  release(&held);
  stop(&fake, session);
}

static void test_all_calls_of_a_lost_session_are_unavailable(void **state) {
  (void)state;
  assert_all_are_told_of_the_loss(POD_NOT_FOUND);
}

// A coordinator that was started anew has another token.
static void test_a_lost_session_is_not_said_to_be_unauthenticated(void **state) {
  (void)state;
  assert_all_are_told_of_the_loss(POD_UNAUTHENTICATED);
  assert_all_are_told_of_the_loss(POD_PERMISSION_DENIED);
}

static void test_the_first_execution_of_a_lost_session_is_unavailable(void **state) {
  (void)state;
  fake_t fake;
  podium_session_t *session;
  held_t held = {0};
  start(&fake, &session);
  assert_null(podium_compile(session, "a.mlir", "a", 1, NULL, &held.executable));
  refuse(&fake, POD_NOT_FOUND, true);
  assert_execute(&held, PODIUM_UNAVAILABLE);
  release(&held);
  stop(&fake, session);
}

static void test_what_is_not_there_in_an_open_session_is_not_found(void **state) {
  (void)state;
  fake_t fake;
  podium_session_t *session;
  start(&fake, &session);
  const held_t held = hold(session);
  refuse(&fake, POD_NOT_FOUND, false);
  assert_compile(session, PODIUM_NOT_FOUND);
  assert_profiles(&held, PODIUM_NOT_FOUND);
  assert_fetch(&held, PODIUM_NOT_FOUND);
  refuse(&fake, POD_PERMISSION_DENIED, false);
  assert_put(session, PODIUM_PERMISSION_DENIED);
  release(&held);
  stop(&fake, session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_calls_of_a_lost_session_are_unavailable),
      cmocka_unit_test(test_a_lost_session_is_not_said_to_be_unauthenticated),
      cmocka_unit_test(test_the_first_execution_of_a_lost_session_is_unavailable),
      cmocka_unit_test(test_what_is_not_there_in_an_open_session_is_not_found),
  };
  return cmocka_run_group_tests_name("client/lib/lost", tests, NULL, NULL);
}
