// What libpodium does about jobs when the coordinator is lost under a call: a server that
// answers as one that was killed right after it had kept, or sent, a part.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/lib/podium_jobs.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/jobs.pb-c.h"
#include "proto/podium/v1/podium.pb-c.h"

enum { SIZE = 3 << 20, TIMEOUT_MS = 60000, LOSSES = 2 };

// All of it belongs to the server's thread until that has ended.
typedef struct fake_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  char *address;
  pthread_t thread;
  int submits, fetches, logs;
  bool keys_differ;
  char key[256];
  int64_t bytes;   // Of the submission under way.
  int64_t wrong;   // Of them, not as they should be.
  int64_t offset;  // Of the fetch under way.
  uint8_t *data;
} fake_t;

static uint8_t byte_at(int64_t i) {
  return (uint8_t)(i * 7 + i / 4096);
}

static pod_status_t loss(void) {
  return pod_error(POD_UNAVAILABLE, "as a coordinator that was killed");
}

static void on_look(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  (void)context;
  const Podium__V1__Pod pod = PODIUM__V1__POD__INIT;
  rpc_call_reply(call, &pod.base);
}

static void on_submit(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  fake_t *fake = context;
  const Podium__V1__SubmitJobRequest *request = message;
  if (request->header != NULL) {
    fake->bytes = 0;
    fake->keys_differ |=
        fake->submits > 0 && strcmp(fake->key, request->header->submission) != 0;
    snprintf(fake->key, sizeof(fake->key), "%s", request->header->submission);
    return;
  }
  for (size_t i = 0; i < request->data.len; i++) {
    fake->wrong += request->data.data[i] != byte_at(fake->bytes++);
  }
}

static void on_submitted(rpc_call_t *call, void *context) {
  fake_t *fake = context;
  if (fake->submits++ < LOSSES) {
    rpc_call_finish(call, loss());
    return;
  }
  Podium__V1__SubmitJobResponse response = PODIUM__V1__SUBMIT_JOB_RESPONSE__INIT;
  response.id = 7;
  rpc_call_reply(call, &response.base);
}

// A third each time, and then it is gone.
static void on_fetch(rpc_call_t *call, const void *message, void *context) {
  fake_t *fake = context;
  const int64_t offset = ((const Podium__V1__FetchResultRequest *)message)->offset;
  Podium__V1__FetchResultResponse response = PODIUM__V1__FETCH_RESULT_RESPONSE__INIT;
  const bool is_last = fake->fetches++ == LOSSES;
  response.size_bytes = SIZE;
  response.data.data = fake->data + offset;
  response.data.len = is_last ? (size_t)(SIZE - offset) : SIZE / 3;
  rpc_call_send(call, &response.base);
  rpc_call_finish(call, is_last ? NULL : loss());
}

static void on_log(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  fake_t *fake = context;
  static const char *const lines[] = {"one\n", "two\nthr", "ee\nfour\n"};
  const int count = ++fake->logs;
  for (int i = 0; i < count && i < 3; i++) {
    Podium__V1__JobLog response = PODIUM__V1__JOB_LOG__INIT;
    response.data.data = (uint8_t *)(uintptr_t)lines[i];
    response.data.len = strlen(lines[i]);
    rpc_call_send(call, &response.base);
  }
  rpc_call_finish(call, count < 3 ? loss() : NULL);
}

static const rpc_method_t look_methods[] = {
    {.path = "/podium.v1.Podium/GetPod",
     .request = &podium__v1__get_pod_request__descriptor,
     .response = &podium__v1__pod__descriptor,
     .events = {.on_message = on_look},
     .one_request = true},
    {0},
};

static const rpc_method_t job_methods[] = {
    {.path = "/podium.v1.Jobs/SubmitJob",
     .request = &podium__v1__submit_job_request__descriptor,
     .response = &podium__v1__submit_job_response__descriptor,
     .events = {.on_message = on_submit, .on_half_close = on_submitted}},
    {.path = "/podium.v1.Jobs/FetchResult",
     .request = &podium__v1__fetch_result_request__descriptor,
     .response = &podium__v1__fetch_result_response__descriptor,
     .events = {.on_message = on_fetch},
     .one_request = true},
    {.path = "/podium.v1.Jobs/ReadJobLog",
     .request = &podium__v1__read_job_log_request__descriptor,
     .response = &podium__v1__job_log__descriptor,
     .events = {.on_message = on_log},
     .one_request = true},
    {0},
};

static void *serve(void *context) {
  rpc_loop_run(((fake_t *)context)->loop);
  return NULL;
}

static void start(fake_t *fake, podium_session_t **out_session) {
  *fake = (fake_t){.data = malloc(SIZE)};
  for (int64_t i = 0; i < SIZE; i++) {
    fake->data[i] = byte_at(i);
  }
  assert_null(rpc_loop_create(&fake->loop));
  assert_null(rpc_server_create(fake->loop, NULL, &fake->server));
  rpc_server_add_service(fake->server, "podium.v1.Podium", look_methods, fake);
  rpc_server_add_service(fake->server, "podium.v1.Jobs", job_methods, fake);
  assert_null(rpc_server_listen(fake->server, "127.0.0.1:0", &fake->address));
  assert_int_equal(pthread_create(&fake->thread, NULL, serve, fake), 0);
  assert_null(podium_connect(
      fake->address,
      &(podium_connect_options_t){.only_looks = true, .timeout_ms = TIMEOUT_MS},
      out_session));
}

static void stop(fake_t *fake, podium_session_t *session) {
  podium_close(session);
  rpc_loop_stop(fake->loop);
  pthread_join(fake->thread, NULL);
  rpc_server_destroy(fake->server);
  rpc_loop_destroy(fake->loop);
  free(fake->address);
  free(fake->data);
}

typedef struct source_t {
  int64_t at;
  int rewinds;
} source_t;

static int64_t read_source(void *context, void *buffer, size_t size) {
  source_t *source = context;
  if (buffer == NULL) {
    source->at = SIZE / 2;
    source->rewinds++;
    return 0;
  }
  for (size_t i = 0; i < size; i++) {
    ((uint8_t *)buffer)[i] = byte_at(source->at++);
  }
  return (int64_t)size;
}

static void test_a_submission_is_sent_again_under_the_same_key(void **state) {
  (void)state;
  fake_t fake;
  podium_session_t *session;
  start(&fake, &session);
  source_t source = {.at = SIZE / 2};
  const podium_job_input_t input = {
      .shape = {.dtype = PODIUM_U8, .rank = 1, .dims = {SIZE - SIZE / 2}},
      .read = read_source,
      .read_context = &source};
  uint64_t id = 0;
  assert_null(podium_submit(session, (const char *)fake.data, SIZE / 2, 1, &input,
                            &(podium_job_options_t){.timeout_ms = TIMEOUT_MS}, &id));
  assert_int_equal(id, 7);
  stop(&fake, session);
  assert_int_equal(fake.submits, LOSSES + 1);
  assert_false(fake.keys_differ);
  assert_int_equal(strlen(fake.key), 32);
  assert_int_equal(fake.bytes, SIZE);
  assert_int_equal(fake.wrong, 0);
  assert_int_equal(source.rewinds, LOSSES);
}

static void test_a_result_goes_on_from_the_byte_that_is_missing(void **state) {
  (void)state;
  fake_t fake;
  podium_session_t *session;
  start(&fake, &session);
  uint8_t *data = calloc(1, SIZE);
  assert_null(podium_job_fetch_result(session, 7, 0, data, SIZE, TIMEOUT_MS));
  assert_memory_equal(data, fake.data, SIZE);
  free(data);
  stop(&fake, session);
  assert_int_equal(fake.fetches, LOSSES + 1);
}

static bool add_line(void *context, const void *bytes, size_t size) {
  strncat(context, bytes, size);
  return true;
}

static void test_no_line_of_a_log_is_told_twice(void **state) {
  (void)state;
  fake_t fake;
  podium_session_t *session;
  char text[256] = "";
  start(&fake, &session);
  assert_null(podium_job_log(session, 7, true, add_line, text, TIMEOUT_MS));
  stop(&fake, session);
  assert_string_equal(text, "one\ntwo\nthree\nfour\n");
  assert_int_equal(fake.logs, 3);
}

static void test_a_coordinator_that_stays_away_is_not_waited_for_longer_than_asked(
    void **state) {
  (void)state;
  fake_t fake;
  podium_session_t *session;
  start(&fake, &session);
  podium_job_t *job = NULL;
  fake.logs = -1000;
  char text[256] = "";
  podium_status_t *status = podium_job_log(session, 7, true, add_line, text, 700);
  // Whether it was asked at that moment, or waited for.
  assert_true(podium_status_code(status) == PODIUM_DEADLINE_EXCEEDED ||
              podium_status_code(status) == PODIUM_UNAVAILABLE);
  podium_status_free(status);
  status = podium_job_get(session, 7, TIMEOUT_MS, &job);
  assert_int_equal(podium_status_code(status), PODIUM_UNIMPLEMENTED);
  podium_status_free(status);
  stop(&fake, session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_submission_is_sent_again_under_the_same_key),
      cmocka_unit_test(test_a_result_goes_on_from_the_byte_that_is_missing),
      cmocka_unit_test(test_no_line_of_a_log_is_told_twice),
      cmocka_unit_test(
          test_a_coordinator_that_stays_away_is_not_waited_for_longer_than_asked),
  };
  return cmocka_run_group_tests_name("client/lib/jobs", tests, NULL, NULL);
}
