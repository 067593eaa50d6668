// Connections that are cut while much moves over them, again and again: every one ends,
// is told, and is made anew. `--cuts N` cuts more often than the suite has time for.

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "tests/unit/server/ici/line.h"
#include "tests/unit/server/ici/pod.h"

enum { REQUESTS = 64, ELEMENTS = 1 << 18 };

static int cut_count = 40;

static void wait_bytes(pod_t *pod, int64_t bytes) {
  chip_link_total_t totals[TORUS_LINKS];
  const int64_t until_ns = deadline();
  do {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
    ici_node_totals(pod->nodes[0], totals);
  } while (totals[0].bytes_sent < bytes);
}

static void assert_up(pod_t *pod) {
  for (int32_t chip = 0; chip < 2; chip++) {
    assert_ok(ici_node_wait_up(pod->nodes[chip], deadline()));
  }
}

// Both work until the line is cut, and find out; then the link is up again.
static void cut_once(pod_t *pod, line_t *line, uint64_t execution, int64_t after_bytes) {
  collective_request_t requests[REQUESTS];
  work_t works[CHIPS_MAX];
  chip_link_total_t before[TORUS_LINKS];
  for (size_t i = 0; i < POD_COUNT_OF(requests); i++) {
    requests[i] = request_of(CHIP_OP_ALL_REDUCE, 1, 2, ELEMENTS);
  }
  ici_node_totals(pod->nodes[0], before);
  start_work(works, pod, requests, REQUESTS, execution);
  wait_bytes(pod, before[0].bytes_sent + after_bytes);
  const int connections = atomic_load(&line->connections);
  atomic_store(&line->is_cut, true);
  join_work(works, pod);
  for (int32_t chip = 0; chip < 2; chip++) {
    assert_int_equal(works[chip].wrong, 0);
    assert_int_equal(pod_status_code(works[chip].status), POD_UNAVAILABLE);
    pod_status_free(works[chip].status);
  }
  const int64_t until_ns = deadline();
  while (atomic_load(&line->connections) == connections) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
  assert_up(pod);
}

static void run_cuts(way_t way) {
  pod_t pod;
  line_t line;
  pod_random_t random = {.state = 7};
  memset(&pod, 0, sizeof(pod));
  snprintf(pod.directory, sizeof(pod.directory), "/tmp/podium-ici-test-XXXXXX");
  assert_non_null(mkdtemp(pod.directory));
  pod.torus = pair;
  pod.chip_count = 2;
  pod.nodes[0] = make_node(&pod, 0, way);
  pod.nodes[1] = make_node(&pod, 1, way);
  const bool is_tcp = way == WAY_TCP;
  line_start(
      &line, is_tcp ? NULL : pod.directory,
      is_tcp ? ici_node_tcp_url(pod.nodes[0], 0) : ici_node_ipc_url(pod.nodes[0], 0),
      NULL, 0);
  assert_ok(ici_node_dial(pod.nodes[1], 1, line.url));
  assert_up(&pod);
  for (int i = 0; i < cut_count; i++) {
    cut_once(&pod, &line, 1 + (uint64_t)i, (int64_t)pod_random_below(&random, 4 << 20));
  }
  line_stop(&line);
  pod_stop(&pod);
}

static void test_connections_cut_over_ipc_end_and_begin_anew(void **state) {
  (void)state;
  run_cuts(WAY_IPC);
}

static void test_connections_cut_over_tcp_end_and_begin_anew(void **state) {
  (void)state;
  run_cuts(WAY_TCP);
}

int main(int argc, char **argv) {
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  if (argc == 3 && strcmp(argv[1], "--cuts") == 0) {
    cut_count = atoi(argv[2]);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_connections_cut_over_ipc_end_and_begin_anew),
      cmocka_unit_test(test_connections_cut_over_tcp_end_and_begin_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
