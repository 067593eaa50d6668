// What a neighbour that has gone, or is confused, leaves behind for executions that do
// not exist yet: nothing. The neighbour here has proven himself; who has not is not
// listened to at all (proof_test.c).

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/unit/server/ici/introduce.h"
#include "tests/unit/server/ici/pod.h"

enum { EXECUTIONS = 8, FIRST = 1001, PAST_EPOCH = 5 };

// Chip 0 of two over tcp; chip 1 comes later.
static void start_half(pod_t *pod) {
  memset(pod, 0, sizeof(*pod));
  snprintf(pod->directory, sizeof(pod->directory), "/tmp/podium-ici-test-XXXXXX");
  assert_non_null(mkdtemp(pod->directory));
  pod->torus = pair;
  pod->chip_count = 2;
  pod->nodes[0] = make_node(pod, 0, WAY_TCP);
}

static void start_other_half(pod_t *pod) {
  pod->nodes[1] = make_node(pod, 1, WAY_TCP);
  dial_neighbours(pod, 1, WAY_TCP);
  assert_ok(ici_node_wait_up(pod->nodes[0], deadline()));
  assert_ok(ici_node_wait_up(pod->nodes[1], deadline()));
}

static stranger_t confused(void) {
  return (stranger_t){.pod = "test",
                      .chip = 1,
                      .peer = 0,
                      .direction = 1,
                      .epoch = PAST_EPOCH,
                      .transport = ICI_TRANSPORT_TCP,
                      .secret = pod_secret};
}

static int join(pod_t *pod) {
  const stranger_t stranger = confused();
  const int file =
      join_as_neighbour(ici_node_tcp_url(pod->nodes[0], 0), &stranger, &pair);
  assert_true(file >= 0);
  assert_ok(ici_node_wait_up(pod->nodes[0], deadline()));
  return file;
}

static ici_header_t header_of(ici_kind_t kind, uint64_t execution) {
  return (ici_header_t){
      .kind = (uint8_t)kind, .source = 1, .epoch = PAST_EPOCH, .execution = execution};
}

static void abandon(int file, uint64_t execution) {
  ici_header_t header = header_of(ICI_ABANDON, execution);
  header.tag = POD_ABORTED;
  header.payload_bytes = 6;
  assert_true(send_frame(file, &header, "poison"));
}

// Chip 0 has dealt with all that was sent: it acknowledges every eighth frame.
static void wait_dealt(int file, int frames) {
  ici_header_t header = {0};
  while (header.kind != ICI_ACK || header.offset < frames / 8 * 8) {
    assert_true(receive_frame(file, &header, NULL, 0));
  }
}

static void leave(pod_t *pod, int file) {
  close(file);
  const int64_t until_ns = deadline();
  while (atomic_load(&pod->downs) == 0) {
    assert_true(pod_clock_now_ns() < until_ns);
    (void)usleep(1000);
  }
}

static void run_executions(pod_t *pod) {
  const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1000);
  for (uint64_t i = 0; i < EXECUTIONS; i++) {
    run_all(pod, &request, 1, FIRST + i);
  }
}

static void test_executions_to_come_cannot_be_abandoned(void **state) {
  (void)state;
  pod_t pod;
  start_half(&pod);
  const int file = join(&pod);
  for (uint64_t i = 0; i < EXECUTIONS; i++) {
    abandon(file, FIRST + i);
  }
  wait_dealt(file, EXECUTIONS);
  leave(&pod, file);
  start_other_half(&pod);
  run_executions(&pod);
  pod_stop(&pod);
}

// As much of it as one may send without being asked.
static void test_what_was_sent_for_executions_to_come_goes_with_the_epoch(void **state) {
  (void)state;
  pod_t pod;
  start_half(&pod);
  const int file = join(&pod);
  uint8_t noise[4000];
  memset(noise, 0xee, sizeof(noise));
  for (uint64_t i = 0; i < EXECUTIONS; i++) {
    ici_header_t header = header_of(ICI_DATA, FIRST + i);
    header.flags = ICI_FLAG_EAGER;
    header.total = sizeof(noise);
    header.payload_bytes = sizeof(noise);
    assert_true(send_frame(file, &header, noise));
    header = header_of(ICI_REQUEST, FIRST + i);
    header.total = sizeof(noise);
    assert_true(send_frame(file, &header, NULL));
    header = header_of(ICI_GRANT, FIRST + i);
    header.offset = header.total = sizeof(noise);
    assert_true(send_frame(file, &header, NULL));
  }
  wait_dealt(file, 3 * EXECUTIONS);
  leave(&pod, file);
  start_other_half(&pod);
  run_executions(&pod);
  pod_stop(&pod);
}

static void test_an_execution_that_this_chip_was_told_about_can_be_abandoned(
    void **state) {
  (void)state;
  pod_t pod;
  start_half(&pod);
  const int file = join(&pod);
  ici_node_begin(pod.nodes[0], FIRST);
  for (int i = 0; i < 8; i++) {
    abandon(file, FIRST);
  }
  wait_dealt(file, 8);
  const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1000);
  work_t work = {&pod, 0, 1, &request, FIRST, NULL, NULL, 0, 0};
  run_work(&work);
  assert_int_equal(pod_status_code(work.status), POD_ABORTED);
  assert_string_equal(pod_status_message(work.status), "poison");
  pod_status_free(work.status);
  leave(&pod, file);
  start_other_half(&pod);
  pod_stop(&pod);
}

// Chip 1 has not been told when chip 0 gives up, and its word is not kept: what chip 1
// sends when it does begin is answered by it.
static void test_who_begins_late_hears_that_the_other_has_given_up(void **state) {
  (void)state;
  for (int is_ended = 0; is_ended < 2; is_ended++) {
    pod_t pod;
    start_half(&pod);
    start_other_half(&pod);
    ici_node_abort(pod.nodes[0], FIRST, pod_error(POD_CANCELLED, "enough"));
    if (is_ended == 1) {
      ici_node_end(pod.nodes[0], FIRST);
    }
    const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1000);
    work_t late = {&pod, 1, 1, &request, FIRST, NULL, NULL, 0, 0};
    assert_int_equal(pthread_create(&late.thread, NULL, run_work, &late), 0);
    if (is_ended == 0) {
      work_t work = {&pod, 0, 1, &request, FIRST, NULL, NULL, 0, 0};
      run_work(&work);
      assert_int_equal(pod_status_code(work.status), POD_CANCELLED);
      pod_status_free(work.status);
    }
    pthread_join(late.thread, NULL);
    assert_int_equal(pod_status_code(late.status), POD_CANCELLED);
    assert_string_equal(pod_status_message(late.status), "enough");
    pod_status_free(late.status);
    pod_stop(&pod);
  }
}

// Whose epoch is past, though he knows the secret, gets no link any more.
static void test_an_epoch_that_is_past_does_not_come_back(void **state) {
  (void)state;
  pod_t pod;
  start_half(&pod);
  start_other_half(&pod);
  ici_node_destroy(pod.nodes[1]);
  const stranger_t past = confused();
  const int file = join_as_neighbour(ici_node_tcp_url(pod.nodes[0], 0), &past, &pair);
  assert_int_equal(file, -1);
  start_other_half(&pod);
  run_executions(&pod);
  pod_stop(&pod);
}

// A neighbour speaks in its own name only as it has proven itself to be.
static void test_a_frame_of_another_epoch_costs_the_link(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    pod_t pod;
    start_half(&pod);
    const int file = join(&pod);
    ici_header_t header = header_of(ICI_CREDIT, 0);
    header.epoch = i == 0 ? PAST_EPOCH + 1 : PAST_EPOCH;
    header.source = i == 0 ? 1 : 0;  // Chip 0 itself, as if it came back.
    assert_true(send_frame(file, &header, NULL));
    while (receive_frame(file, &header, NULL, 0)) {
    }
    leave(&pod, file);
    start_other_half(&pod);
    pod_stop(&pod);
  }
}

int main(void) {
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_executions_to_come_cannot_be_abandoned),
      cmocka_unit_test(test_what_was_sent_for_executions_to_come_goes_with_the_epoch),
      cmocka_unit_test(test_an_execution_that_this_chip_was_told_about_can_be_abandoned),
      cmocka_unit_test(test_who_begins_late_hears_that_the_other_has_given_up),
      cmocka_unit_test(test_an_epoch_that_is_past_does_not_come_back),
      cmocka_unit_test(test_a_frame_of_another_epoch_costs_the_link),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
