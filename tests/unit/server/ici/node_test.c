// The links for real: the chips of a pod as nodes of this process, a thread each, over
// ipc://, tcp:// and shared memory.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "server/ici/node.h"
#include "tests/unit/server/ici/memory_carrier.h"
#include "tests/unit/server/ici/pod.h"

static const chip_op_t all_ops[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER,
                                    CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_TO_ALL,
                                    CHIP_OP_COLLECTIVE_PERMUTE};

// Every collective and algorithm at sizes that go beforehand, that are granted, and that
// are granted in windows.
static void run_everything(way_t way, torus_t torus) {
  static const int64_t sizes[] = {1, 7, 5000, 16384, 16385, 100003, 700001};
  enum { REQUESTS_MAX = 256 };
  static collective_request_t requests[REQUESTS_MAX];
  pod_t pod;
  pod_start(&pod, torus, way);
  int32_t count = 0;
  for (size_t o = 0; o < POD_COUNT_OF(all_ops); o++) {
    for (size_t s = 0; s < POD_COUNT_OF(sizes); s++) {
      for (int a = COLLECTIVE_RING; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
        const bool is_direct_only =
            all_ops[o] == CHIP_OP_ALL_TO_ALL || all_ops[o] == CHIP_OP_COLLECTIVE_PERMUTE;
        // On one torus there are no levels, and on several no box.
        const bool is_one = torus_slice_total(&torus) * torus_core_total(&torus) == 1;
        const bool is_power = (pod.chip_count & (pod.chip_count - 1)) == 0;
        if ((is_direct_only && a != COLLECTIVE_DIRECT) ||
            a == (is_one ? COLLECTIVE_LEVELS : COLLECTIVE_TORUS) ||
            (a == COLLECTIVE_GATHER &&
             (all_ops[o] != CHIP_OP_ALL_REDUCE || !torus.wraps[0])) ||
            (a == COLLECTIVE_TREE && !is_power)) {
          continue;
        }
        collective_request_t *request = &requests[count++];
        *request = request_of(all_ops[o], 1, pod.chip_count, sizes[s]);
        request->algorithm = (collective_algorithm_t)a;
        request->cuts_for_caches = true;
      }
    }
  }
  run_all(&pod, requests, count, 1);
  pod_stop(&pod);
}

static void test_every_collective_runs_over_ipc(void **state) {
  (void)state;
  run_everything(WAY_IPC, square);
}

// The nodes know no socket: what carries their links may be anything.
// What goes to another slice goes over links between chips at the same place of each.
static void test_every_collective_runs_over_slices_and_cores(void **state) {
  (void)state;
  const torus_t slices = {.size = {2, 1, 1}, .slice_count = 2};
  const torus_t three = {.size = {2, 1, 1}, .slice_count = 3};
  const torus_t cores = {.size = {2, 1, 1}, .core_count = 2};
  run_everything(WAY_TCP, slices);
  run_everything(WAY_SHARED, three);
  run_everything(WAY_SHARED, cores);
}

static void test_every_collective_runs_without_sockets(void **state) {
  (void)state;
  memory_carrier_start();
  memory_way = &memory_carrier;
  run_everything(WAY_MEMORY, square);
  run_everything(WAY_MEMORY, ring);
  memory_carrier_stop();
}

static void test_every_collective_runs_over_tcp(void **state) {
  (void)state;
  run_everything(WAY_TCP, square);
}

static void test_every_collective_runs_in_shared_memory(void **state) {
  (void)state;
  run_everything(WAY_SHARED, square);
  run_everything(WAY_SHARED, ring);
}

// What lies where the receiver cannot read it is sent.
static void test_every_collective_runs_where_only_some_share_memory(void **state) {
  (void)state;
  run_everything(WAY_MIXED, square);
  run_everything(WAY_MIXED, ring);
}

// A random sequence that mixes groups, sizes and far permutes; chips run ahead of one
// another as the threads please.
static void run_stress(way_t way, torus_t torus, int32_t count, uint64_t seed) {
  static const int64_t pairs[][8] = {
      {0, 7, 7, 0, 3, 4, 4, 3}, {0, 1, 1, 0, 2, 3, 3, 2}, {0, 5, 5, 2, 2, 7, 7, 1}};
  pod_t pod;
  pod_random_t random = {.state = seed};
  pod_start(&pod, torus, way);
  collective_request_t *requests = pod_alloc((size_t)count * sizeof(*requests));
  for (int32_t i = 0; i < count; i++) {
    const chip_op_t op = all_ops[pod_random_below(&random, POD_COUNT_OF(all_ops))];
    const int32_t group_size = 1 << pod_random_below(&random, 4);
    const int64_t scale = pod_random_below(&random, 8) == 0 ? 60000 : 600;
    const int64_t block = (int64_t)pod_random_below(&random, (uint64_t)scale);
    requests[i] = request_of(op, pod.chip_count / group_size, group_size, block);
    if (op == CHIP_OP_COLLECTIVE_PERMUTE) {
      requests[i].pairs = pairs[pod_random_below(&random, POD_COUNT_OF(pairs))];
    }
  }
  run_all(&pod, requests, count, seed);
  free(requests);
  pod_stop(&pod);
}

static void test_eight_chips_survive_a_random_sequence(void **state) {
  (void)state;
  run_stress(WAY_IPC, oblong, 150, 11);
  run_stress(WAY_TCP, oblong, 150, 12);
  run_stress(WAY_SHARED, oblong, 600, 13);
  const torus_t cube = {.size = {2, 2, 2}, .wraps = {false, false, false}};
  const torus_t wrapped = {.size = {8, 1, 1}, .wraps = {true, false, false}};
  run_stress(WAY_SHARED, cube, 600, 14);
  run_stress(WAY_SHARED, wrapped, 600, 15);
  run_stress(WAY_IPC, wrapped, 150, 16);
  run_stress(WAY_MIXED, cube, 300, 17);
}

static int short_runs = 4000;

// No nap ends by itself here, so whoever is forgotten sleeps until the deadline. Half of
// the collectives go through chips that have nothing to do with them, or have just ended.
static void test_short_collectives_one_after_another_all_end(void **state) {
  (void)state;
  enum { COUNT = 50 };
  static const int64_t far[] = {0, 7, 7, 0, 3, 4, 4, 3};
  collective_request_t requests[COUNT];
  pod_t pod;
  pod_start(&pod, oblong, WAY_SHARED);
  for (int32_t chip = 0; chip < pod.chip_count; chip++) {
    atomic_store(&pod.nodes[chip]->watch.nap_ns, INT64_MAX);
    atomic_store(&pod.nodes[chip]->watch.pump_nap_ns, INT64_MAX);
  }
  for (int i = 0; i < COUNT; i++) {
    requests[i] = request_of(i % 2 == 0 ? CHIP_OP_COLLECTIVE_PERMUTE : CHIP_OP_ALL_REDUCE,
                             1, 8, 16);
    requests[i].pairs = i % 2 == 0 ? far : NULL;
  }
  for (int done = 0; done < short_runs; done += COUNT) {
    run_all(&pod, requests, COUNT, 1 + (uint64_t)done);
  }
  pod_stop(&pod);
}

// Chip 0 sends to chip 3 by way of chip 1, which runs nothing.
static void test_frames_are_passed_on_by_chips_that_do_nothing(void **state) {
  (void)state;
  static const int64_t far[] = {0, 3};
  for (way_t way = WAY_IPC; way <= WAY_SHARED; way++) {
    pod_t pod;
    pod_start(&pod, square, way);
    collective_request_t requests[20];
    for (size_t i = 0; i < POD_COUNT_OF(requests); i++) {
      requests[i] =
          request_of(CHIP_OP_COLLECTIVE_PERMUTE, 1, 4, i % 2 == 0 ? 10 : 500000);
      requests[i].pairs = far;
      requests[i].pair_count = 1;
    }
    run_all(&pod, requests, POD_COUNT_OF(requests), 5);
    chip_link_total_t sent[TORUS_LINKS];
    chip_link_total_t passed_on[TORUS_LINKS];
    ici_node_totals(pod.nodes[0], sent);
    ici_node_totals(pod.nodes[1], passed_on);
    assert_int_equal(sent[0].bytes_sent, 10 * (10 + 500000) * 4);
    assert_int_equal(passed_on[2].bytes_sent, 10 * (10 + 500000) * 4);
    assert_int_equal(passed_on[0].bytes_sent + passed_on[1].bytes_sent, 0);
    pod_stop(&pod);
  }
}

// One way only, so that nothing but the room kept for it holds the sender back.
static void test_a_sender_does_not_run_away_from_a_slow_receiver(void **state) {
  (void)state;
  static const int64_t one_way[] = {0, 1};
  for (way_t way = WAY_IPC; way <= WAY_SHARED; way++) {
    enum { COUNT = 3000 };
    static collective_request_t requests[COUNT];
    pod_t pod;
    pod_start(&pod, pair, way);
    for (int i = 0; i < COUNT; i++) {
      requests[i] = request_of(CHIP_OP_COLLECTIVE_PERMUTE, 1, 2, 1000);
      requests[i].pairs = one_way;
      requests[i].pair_count = 1;
    }
    work_t works[CHIPS_MAX];
    works[0] = (work_t){&pod, 0, COUNT, requests, 9, NULL, NULL, 0, 0};
    works[1] = (work_t){&pod, 1, COUNT, requests, 9, NULL, NULL, 0, 0};
    assert_int_equal(pthread_create(&works[0].thread, NULL, run_work, &works[0]), 0);
    // The receiver starts when the sender has come to a halt.
    chip_link_total_t before[TORUS_LINKS] = {{0, 0}};
    chip_link_total_t now[TORUS_LINKS];
    for (int still = 0; still < 20;) {
      usleep(1000);
      ici_node_totals(pod.nodes[0], now);
      still = now[0].frames_sent > 0 && now[0].frames_sent == before[0].frames_sent
                  ? still + 1
                  : 0;
      before[0] = now[0];
    }
    assert_true(now[0].bytes_sent <= 1024 * 1024);
    assert_int_equal(pthread_create(&works[1].thread, NULL, run_work, &works[1]), 0);
    join_work(works, &pod);
    assert_all_right(works, &pod);
    pod_stop(&pod);
  }
}

int main(int argc, char **argv) {
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_collective_runs_over_ipc),
      cmocka_unit_test(test_every_collective_runs_over_tcp),
      cmocka_unit_test(test_every_collective_runs_over_slices_and_cores),
      cmocka_unit_test(test_every_collective_runs_without_sockets),
      cmocka_unit_test(test_every_collective_runs_in_shared_memory),
      cmocka_unit_test(test_every_collective_runs_where_only_some_share_memory),
      cmocka_unit_test(test_eight_chips_survive_a_random_sequence),
      cmocka_unit_test(test_short_collectives_one_after_another_all_end),
      cmocka_unit_test(test_frames_are_passed_on_by_chips_that_do_nothing),
      cmocka_unit_test(test_a_sender_does_not_run_away_from_a_slow_receiver),
  };
  if (argc == 3 && strcmp(argv[1], "--runs") == 0) {
    short_runs = atoi(argv[2]);
    cmocka_set_test_filter("*short_collectives*");
  }
  if (argc == 3 && strcmp(argv[1], "--only") == 0) {
    cmocka_set_test_filter(argv[2]);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
