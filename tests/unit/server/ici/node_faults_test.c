// What goes wrong with links: cuts, aborts, deadlines, strangers, and another process
// that is killed.

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "server/ici/frame.h"
#include "server/worker/kernels/combine.h"
#include "tests/unit/server/ici/pod.h"

extern char **environ;

static void test_a_cut_link_fails_the_collective_with_its_address(void **state) {
  (void)state;
  for (way_t way = WAY_IPC; way <= WAY_SHARED; way++) {
    pod_t pod;
    pod_start(&pod, square, way);
    collective_request_t requests[64];
    for (size_t i = 0; i < POD_COUNT_OF(requests); i++) {
      requests[i] = request_of(CHIP_OP_ALL_REDUCE, 1, 4, 1 << 20);
    }
    work_t works[CHIPS_MAX];
    start_work(works, &pod, requests, POD_COUNT_OF(requests), 3);
    chip_link_total_t totals[TORUS_LINKS] = {{0, 0}};
    while (totals[0].bytes_sent < 4 << 20) {  // In the middle.
      ici_node_totals(pod.nodes[0], totals);
      sched_yield();
    }
    ici_node_disconnect(pod.nodes[0], 0);
    join_work(works, &pod);
    bool is_named = false;
    for (int32_t chip = 0; chip < pod.chip_count; chip++) {
      assert_int_equal(pod_status_code(works[chip].status), POD_UNAVAILABLE);
      const char *message = pod_status_message(works[chip].status);
      is_named |= (strstr(message, "chip 0: link +x to chip 1 at ") != NULL ||
                   strstr(message, "chip 1: link -x to chip 0 at ") != NULL) &&
                  strstr(message, way == WAY_TCP ? "tcp://127" : "ipc:///tmp") != NULL;
      pod_status_free(works[chip].status);
    }
    assert_true(is_named);
    // The link comes back by itself, and the next execution runs.
    for (int32_t chip = 0; chip < pod.chip_count; chip++) {
      assert_ok(ici_node_wait_up(pod.nodes[chip], deadline()));
    }
    run_all(&pod, requests, 3, 4);
    pod_stop(&pod);
  }
}

static void test_an_abort_wakes_the_collective_and_those_it_waits_with(void **state) {
  (void)state;
  for (way_t way = WAY_IPC; way <= WAY_SHARED; way++) {
    pod_t pod;
    pod_start(&pod, square, way);
    // Chips 0 to 2 wait for chip 3, which never starts.
    const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 4, 100000);
    work_t works[CHIPS_MAX];
    start_work(works, &pod, &request, 1, 8);
    pthread_t late = works[3].thread;
    (void)late;
    join_work(works, &pod);
    assert_all_right(works, &pod);
    for (int32_t chip = 0; chip < 3; chip++) {
      works[chip].execution = 9;
      assert_int_equal(pthread_create(&works[chip].thread, NULL, run_work, &works[chip]),
                       0);
    }
    ici_node_abort(pod.nodes[1], 9, pod_error(POD_CANCELLED, "the user has had enough"));
    for (int32_t chip = 0; chip < 3; chip++) {
      pthread_join(works[chip].thread, NULL);
      assert_int_equal(pod_status_code(works[chip].status), POD_CANCELLED);
      assert_string_equal(pod_status_message(works[chip].status),
                          "the user has had enough");
      pod_status_free(works[chip].status);
      works[chip].status = NULL;
    }
    ici_node_end(pod.nodes[3], 9);
    run_all(&pod, &request, 1, 10);
    pod_stop(&pod);
  }
}

static void test_a_deadline_ends_a_collective(void **state) {
  (void)state;
  pod_t pod;
  pod_start(&pod, pair, WAY_SHARED);
  const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 100000);
  pod_arena_t *arena = pod_arena_create();
  // Chip 1 starts late: it was told about the execution, has heard of the end, and does
  // not wait for what will not come.
  ici_node_begin(pod.nodes[1], 1);
  for (int32_t chip = 0; chip < 2; chip++) {
    collective_schedule_t schedule;
    assert_null(collective_plan(&request, &pod.torus, chip, arena, &schedule));
    const ici_collective_t collective = {
        .schedule = &schedule,
        .buffers = {pod_arena_alloc(arena, (size_t)schedule.input_bytes),
                    pod_arena_alloc(arena, (size_t)schedule.output_bytes),
                    pod_arena_alloc(arena, (size_t)schedule.scratch_bytes + 1)},
        .execution = 1,
        .deadline_ns = chip == 0 ? pod_clock_now_ns() + 20000000 : INT64_MAX};
    const pod_status_t status = ici_collective_run(pod.nodes[chip], &collective);
    assert_int_equal(pod_status_code(status), POD_DEADLINE_EXCEEDED);
    assert_string_equal(pod_status_message(status),
                        "collective 0 of chip 0 did not end in time");
    pod_status_free(status);
    ici_node_end(pod.nodes[chip], 1);
  }
  pod_arena_destroy(arena);
  pod_stop(&pod);
}

static void test_chips_that_disagree_about_a_collective_find_out(void **state) {
  (void)state;
  pod_t pod;
  pod_start(&pod, pair, WAY_IPC);
  const collective_request_t requests[] = {request_of(CHIP_OP_ALL_REDUCE, 1, 2, 100),
                                           request_of(CHIP_OP_ALL_REDUCE, 1, 2, 50)};
  work_t works[CHIPS_MAX];
  for (int32_t chip = 0; chip < 2; chip++) {
    works[chip] = (work_t){&pod, chip, 1, &requests[chip], 2, NULL, NULL, 0, 0};
    assert_int_equal(pthread_create(&works[chip].thread, NULL, run_work, &works[chip]),
                     0);
  }
  join_work(works, &pod);
  bool found = false;
  for (int32_t chip = 0; chip < 2; chip++) {
    found |= pod_status_code(works[chip].status) == POD_DATA_LOSS;
    pod_status_free(works[chip].status);
  }
  assert_true(found);
  pod_stop(&pod);
}

static void test_bad_arguments_are_refused(void **state) {
  (void)state;
  pod_t pod;
  pod_start(&pod, pair, WAY_IPC);
  static const struct {
    int32_t chip;
    torus_direction_t direction;
    const char *url;
  } dials[] = {{1, 0, "ipc:///tmp/x"},
               {0, 0, "ipc:///tmp/x"},
               {1, 3, "ipc:///tmp/x"},
               {1, -1, "ipc:///tmp/x"},
               {1, 6, "ipc:///tmp/x"},
               {1, 1, "http://x"},
               {1, 1, ""}};
  for (size_t i = 0; i < POD_COUNT_OF(dials); i++) {
    const pod_status_t status =
        ici_node_dial(pod.nodes[dials[i].chip], dials[i].direction, dials[i].url);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
  assert_int_equal(ici_node_link_state(pod.nodes[0], 0), ICI_LINK_UP);
  assert_int_equal(ici_node_link_state(pod.nodes[0], 2), ICI_LINK_ABSENT);
  assert_null(ici_node_tcp_url(pod.nodes[0], 0));
  assert_null(ici_node_ipc_url(pod.nodes[1], 1));
  ici_node_config_t config = {.pod = "p", .chip = 2, .torus = pair};
  ici_node_t *node;
  pod_status_t status = ici_node_create(&config, &node);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  config.chip = 0;
  config.ipc_directory = "/nonexistent/directory";
  status = ici_node_create(&config, &node);
  assert_int_equal(pod_status_code(status), POD_UNAVAILABLE);
  pod_status_free(status);
  pod_stop(&pod);
}

// ---- Strangers.

static int connect_raw(const char *tcp_url) {
  int port = 0;
  assert_int_equal(sscanf(tcp_url, "tcp://127.0.0.1:%d", &port), 1);
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int64_t until_ns = deadline();
  for (;;) {
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(file, (const struct sockaddr *)&address, sizeof(address)) == 0) {
      return file;
    }
    close(file);
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
}

// A peer that says `size_bytes` of something, behind their number, instead of hello.
static int connect_stranger(const char *url, const void *bytes, size_t size_bytes) {
  const uint8_t length[4] = {(uint8_t)size_bytes, (uint8_t)(size_bytes >> 8),
                             (uint8_t)(size_bytes >> 16), (uint8_t)(size_bytes >> 24)};
  const int file = connect_raw(url);
  (void)send(file, length, sizeof(length), MSG_NOSIGNAL);
  (void)send(file, bytes, size_bytes, MSG_NOSIGNAL);
  return file;
}

static void test_garbage_costs_only_its_own_connection(void **state) {
  (void)state;
  pod_t pod;
  memset(&pod, 0, sizeof(pod));
  snprintf(pod.directory, sizeof(pod.directory), "/tmp/podium-ici-test-XXXXXX");
  assert_non_null(mkdtemp(pod.directory));
  pod.torus = pair;
  pod.chip_count = 2;
  pod.nodes[0] = make_node(&pod, 0, WAY_TCP);
  pod.nodes[1] = make_node(&pod, 1, WAY_TCP);
  const char *url = ici_node_tcp_url(pod.nodes[0], 0);
  // Anything at all, and nothing.
  static uint8_t noise[100000];
  pod_random_t random = {.state = 1};
  for (size_t i = 0; i < sizeof(noise); i++) {
    noise[i] = (uint8_t)pod_random_next(&random);
  }
  const int raw = connect_raw(url);
  (void)send(raw, noise, sizeof(noise), MSG_NOSIGNAL);
  // No frame; a frame that is none of a link's beginning; one too long.
  int strangers[4];
  strangers[0] = connect_stranger(url, noise, 1000);
  strangers[1] = connect_stranger(url, noise, 1);
  ici_hello_t hello = {.pod = "other", .from = 1, .to = 0, .direction = 1, .torus = pair};
  uint8_t frame[ICI_HEADER_BYTES + ICI_HELLO_BYTES];
  const ici_header_t header = {
      .kind = ICI_HELLO, .source = 1, .payload_bytes = ICI_HELLO_BYTES};
  ici_header_encode(&header, frame);
  ici_hello_encode(&hello, frame + ICI_HEADER_BYTES);
  strangers[2] = connect_stranger(url, frame, sizeof(frame));
  uint8_t *huge = calloc(1, (size_t)ICI_FRAME_MAX + 1);
  strangers[3] = connect_stranger(url, huge, (size_t)ICI_FRAME_MAX + 1);
  free(huge);
  for (size_t i = 0; i < POD_COUNT_OF(strangers); i++) {
    close(strangers[i]);
  }
  dial_neighbours(&pod, 1, WAY_TCP);
  assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
  assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
  // While the link is up, too. And one who says nothing.
  const int silent = connect_raw(url);
  const int late = connect_raw(url);
  (void)send(late, noise, sizeof(noise), MSG_NOSIGNAL);
  const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 300000);
  run_all(&pod, &request, 1, 1);
  close(raw);
  close(silent);
  close(late);
  pod_stop(&pod);
}

static void test_chips_of_different_pods_do_not_connect(void **state) {
  (void)state;
  pod_t pod;
  memset(&pod, 0, sizeof(pod));
  pod.torus = pair;
  ici_node_config_t config = {
      .pod = "one", .chip = 0, .torus = pair, .epoch = 1, .tcp_host = "127.0.0.1"};
  ici_node_t *one;
  ici_node_t *other;
  assert_null(ici_node_create(&config, &one));
  config.pod = "other";
  config.chip = 1;
  assert_null(ici_node_create(&config, &other));
  assert_null(ici_node_dial(other, 1, ici_node_tcp_url(one, 0)));
  const pod_status_t status = ici_node_wait_up(other, pod_clock_now_ns() + 200000000);
  assert_int_equal(pod_status_code(status), POD_DEADLINE_EXCEEDED);
  assert_non_null(strstr(pod_status_message(status), "link -x to chip 0 at tcp://"));
  pod_status_free(status);
  ici_node_destroy(other);
  ici_node_destroy(one);
}

// ---- Another process, killed.

// The other process: chip 1, all-reduces until it is killed.
static int be_victim(const char *url, uint64_t execution) {
  pod_t pod;
  memset(&pod, 0, sizeof(pod));
  pod.torus = pair;
  pod.chip_count = 2;
  const ici_node_config_t config = {.pod = "test",
                                    .chip = 1,
                                    .torus = pair,
                                    .epoch = execution,
                                    .link_secret = pod_secret,
                                    .use_shared_memory = true,
                                    .combine = kernel_combine_arrays};
  if (ici_node_create(&config, &pod.nodes[1]) != NULL ||
      ici_node_dial(pod.nodes[1], 1, url) != NULL ||
      ici_node_wait_up(pod.nodes[1], deadline()) != NULL) {
    return 1;
  }
  static collective_request_t requests[1 << 16];
  for (size_t i = 0; i < POD_COUNT_OF(requests); i++) {
    requests[i] = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1 << 18);
  }
  work_t work = {&pod, 1, POD_COUNT_OF(requests), requests, execution, NULL, NULL, 0, 0};
  run_work(&work);
  return 2;
}

static pid_t spawn_victim(const char *url, uint64_t execution) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  assert_true(length > 0);
  self[length] = '\0';
  char flag[] = "--victim";
  char number[32];
  snprintf(number, sizeof(number), "%" PRIu64, execution);
  char *copy = pod_strdup(url);
  char *const arguments[] = {self, flag, copy, number, NULL};
  pid_t child;
  assert_int_equal(posix_spawn(&child, self, NULL, NULL, arguments, environ), 0);
  free(copy);
  return child;
}

static void test_a_killed_process_fails_the_collective_and_may_come_back(void **state) {
  (void)state;
  static collective_request_t requests[1 << 16];
  for (size_t i = 0; i < POD_COUNT_OF(requests); i++) {
    requests[i] = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1 << 18);
  }
  for (int shared = 0; shared < 2; shared++) {
    pod_t pod;
    memset(&pod, 0, sizeof(pod));
    snprintf(pod.directory, sizeof(pod.directory), "/tmp/podium-ici-test-XXXXXX");
    assert_non_null(mkdtemp(pod.directory));
    pod.torus = pair;
    pod.chip_count = 1;
    pod.nodes[0] = make_node(&pod, 0, shared == 1 ? WAY_SHARED : WAY_IPC);
    for (uint64_t life = 1; life <= 2; life++) {
      const pid_t victim = spawn_victim(ici_node_ipc_url(pod.nodes[0], 0), life);
      assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
      work_t work = {&pod, 0, POD_COUNT_OF(requests), requests, life, NULL, NULL, 0, 0};
      assert_int_equal(pthread_create(&work.thread, NULL, run_work, &work), 0);
      chip_link_total_t totals[TORUS_LINKS];
      chip_link_total_t before[TORUS_LINKS];
      ici_node_totals(pod.nodes[0], before);
      do {
        sched_yield();
        ici_node_totals(pod.nodes[0], totals);
      } while (totals[0].bytes_sent < before[0].bytes_sent + (8 << 20));
      assert_int_equal(kill(victim, SIGKILL), 0);
      pthread_join(work.thread, NULL);
      assert_int_equal(pod_status_code(work.status), POD_UNAVAILABLE);
      assert_non_null(
          strstr(pod_status_message(work.status), "link +x to chip 1 at ipc:///tmp/"));
      pod_status_free(work.status);
      int ended;
      assert_int_equal(waitpid(victim, &ended, 0), victim);
      assert_true(WIFSIGNALED(ended));
      // The node was not asked to forget; the state follows from the closed socket.
      const int64_t until_ns = deadline();
      while (ici_node_link_state(pod.nodes[0], 0) == ICI_LINK_UP) {
        if (pod_clock_now_ns() > until_ns) {
          fail_msg("the link stays up");
        }
        sched_yield();
      }
    }
    pod_stop(&pod);
  }
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--victim") == 0) {
    pod_log_init("victim", POD_LOG_ERROR);
    return be_victim(argv[2], strtoull(argv[3], NULL, 10));
  }
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cut_link_fails_the_collective_with_its_address),
      cmocka_unit_test(test_an_abort_wakes_the_collective_and_those_it_waits_with),
      cmocka_unit_test(test_a_deadline_ends_a_collective),
      cmocka_unit_test(test_chips_that_disagree_about_a_collective_find_out),
      cmocka_unit_test(test_bad_arguments_are_refused),
      cmocka_unit_test(test_garbage_costs_only_its_own_connection),
      cmocka_unit_test(test_chips_of_different_pods_do_not_connect),
      cmocka_unit_test(test_a_killed_process_fails_the_collective_and_may_come_back),
  };
  if (argc == 3 && strcmp(argv[1], "--only") == 0) {
    cmocka_set_test_filter(argv[2]);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
