// The links for real: the chips of a pod as nodes of this process, a thread each, over
// ipc://, tcp:// and shared memory; and another process that is killed.

#include "server/ici/ici.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <nng/nng.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
// Needs nng.h before it.
#include <nng/protocol/pair0/pair.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "server/ici/frame.h"
#include "tests/unit/server/ici/again.h"

extern char **environ;

enum { CHIPS_MAX = 8 };
#define DEADLINE_NS ((int64_t)60 * 1000000000)

// MIXED: as SHARED, but chip 3 has its memory for itself.
typedef enum way_t { WAY_IPC, WAY_TCP, WAY_SHARED, WAY_MIXED } way_t;

typedef struct pod_t {
  char directory[64];
  torus_t torus;
  int32_t chip_count;
  ici_node_t *nodes[CHIPS_MAX];
  atomic_int ups, downs;
} pod_t;

static int64_t deadline(void) {
  return pod_clock_now_ns() + DEADLINE_NS;
}

static void assert_ok_or_again(pod_status_t status) {
  if (status != NULL) {
    again_if_stuck();
    fail_msg("%s", pod_status_message(status));
  }
}

static void count_event(void *context, const ici_link_event_t *event) {
  pod_t *pod = context;
  atomic_fetch_add(event->state == ICI_LINK_UP ? &pod->ups : &pod->downs, 1);
}

static ici_node_t *make_node(pod_t *pod, int32_t chip, way_t way) {
  const ici_node_config_t config = {
      .pod = "test",
      .chip = chip,
      .torus = pod->torus,
      .epoch = 1000 + (uint64_t)chip,
      .ipc_directory = way == WAY_TCP ? NULL : pod->directory,
      .tcp_host = way == WAY_TCP ? "127.0.0.1" : NULL,
      .use_shared_memory = way == WAY_SHARED || (way == WAY_MIXED && chip != 3),
      .on_link = count_event,
      .context = pod,
  };
  ici_node_t *node;
  assert_null(ici_node_create(&config, &node));
  return node;
}

static void dial_neighbours(pod_t *pod, int32_t chip, way_t way) {
  for (int d = 1; d < TORUS_DIRECTIONS; d += 2) {
    const int32_t peer = torus_neighbour(&pod->torus, chip, d);
    if (peer >= 0) {
      const char *url = way == WAY_TCP ? ici_node_tcp_url(pod->nodes[peer], d ^ 1)
                                       : ici_node_ipc_url(pod->nodes[peer], d ^ 1);
      assert_non_null(url);
      assert_null(ici_node_dial(pod->nodes[chip], d, url));
    }
  }
}

static void pod_start(pod_t *pod, torus_t torus, way_t way) {
  memset(pod, 0, sizeof(*pod));
  snprintf(pod->directory, sizeof(pod->directory), "/tmp/podium-ici-test-XXXXXX");
  assert_non_null(mkdtemp(pod->directory));
  pod->torus = torus;
  pod->chip_count = torus_chip_count(&torus);
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    pod->nodes[chip] = make_node(pod, chip, way);
  }
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    dial_neighbours(pod, chip, way);
  }
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    assert_ok_or_again(ici_node_wait_up(pod->nodes[chip], deadline()));
  }
}

static void pod_stop(pod_t *pod) {
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    ici_node_destroy(pod->nodes[chip]);
  }
  // nng removes its sockets, but a moment after it has closed them.
  const int64_t until_ns = deadline();
  while (rmdir(pod->directory) != 0) {
    assert_true(errno == ENOTEMPTY && pod_clock_now_ns() < until_ns);
    sched_yield();
  }
}

// ---- Work for a chip: a list of collectives, checked.

typedef struct work_t {
  pod_t *pod;
  int32_t chip;
  int32_t count;
  const collective_request_t *requests;
  uint64_t execution;
  pod_status_t status;
  int wrong;
  pthread_t thread;
} work_t;

static uint32_t input_value(int32_t chip, uint32_t sequence, int64_t i) {
  return (uint32_t)i * 2654435761u + (uint32_t)chip * 40503u + sequence;
}

static const int64_t *group_of(const collective_request_t *request, int32_t chip,
                               int32_t *out_me) {
  for (int64_t i = 0; i < (int64_t)request->group_count * request->group_size; i++) {
    if (request->groups[i] == chip) {
      *out_me = (int32_t)(i % request->group_size);
      return request->groups + (i - *out_me);
    }
  }
  return NULL;
}

static uint32_t sum_of(const collective_request_t *request, const int64_t *group,
                       uint32_t sequence, int64_t i) {
  uint32_t sum = 0;
  for (int32_t m = 0; m < request->group_size; m++) {
    sum += input_value((int32_t)group[m], sequence, i);
  }
  return sum;
}

static uint32_t expected_value(const collective_request_t *request, int32_t chip,
                               uint32_t sequence, int64_t i) {
  const int64_t count = request->element_count;
  if (request->op == CHIP_OP_COLLECTIVE_PERMUTE) {
    for (int32_t p = 0; p < request->pair_count; p++) {
      if (request->pairs[2 * p + 1] == chip) {
        return input_value((int32_t)request->pairs[2 * p], sequence, i);
      }
    }
    return 0;
  }
  int32_t me = 0;
  const int64_t *group = group_of(request, chip, &me);
  const int64_t block = count / request->group_size;
  switch (request->op) {
    case CHIP_OP_ALL_REDUCE:
      return sum_of(request, group, sequence, i);
    case CHIP_OP_ALL_GATHER:
      return input_value((int32_t)group[i / count], sequence, i % count);
    case CHIP_OP_REDUCE_SCATTER:
      return sum_of(request, group, sequence, me * block + i);
    default:
      return input_value((int32_t)group[i / block], sequence, me * block + i % block);
  }
}

static uint32_t *memory_of(int64_t size_bytes) {
  void *memory = NULL;
  POD_CHECK(posix_memalign(&memory, 64, (size_t)size_bytes + 64) == 0);
  return memory;
}

static pod_status_t run_one(work_t *work, uint32_t sequence) {
  const collective_request_t *request = &work->requests[sequence];
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  pod_status_t status =
      collective_plan(request, &work->pod->torus, work->chip, arena, &schedule);
  POD_CHECK(status == NULL);
  uint32_t *input = memory_of(schedule.input_bytes);
  uint32_t *output = memory_of(schedule.output_bytes);
  uint32_t *scratch = memory_of(schedule.scratch_bytes);
  for (int64_t i = 0; i < request->element_count; i++) {
    input[i] = input_value(work->chip, sequence, i);
  }
  const ici_collective_t collective = {
      .schedule = &schedule,
      .buffers = {input, output, scratch},
      .execution = work->execution,
      .sequence = sequence,
      .deadline_ns = deadline(),
  };
  status = ici_collective_run(work->pod->nodes[work->chip], &collective);
  for (int64_t i = 0; i < schedule.output_bytes / 4 && status == NULL; i++) {
    work->wrong += output[i] != expected_value(request, work->chip, sequence, i) ? 1 : 0;
  }
  free(input);
  free(output);
  free(scratch);
  pod_arena_destroy(arena);
  return status;
}

static bool takes_part(const collective_request_t *request, int32_t chip) {
  int32_t me;
  if (request->op != CHIP_OP_COLLECTIVE_PERMUTE) {
    return group_of(request, chip, &me) != NULL;
  }
  for (int32_t i = 0; i < 2 * request->pair_count; i++) {
    if (request->pairs[i] == chip) {
      return true;
    }
  }
  return false;
}

static void *run_work(void *context) {
  work_t *work = context;
  for (int32_t i = 0; i < work->count && work->status == NULL; i++) {
    if (takes_part(&work->requests[i], work->chip)) {
      work->status = run_one(work, (uint32_t)i);
    }
  }
  ici_node_end(work->pod->nodes[work->chip], work->execution);
  return NULL;
}

static void start_work(work_t *works, pod_t *pod, const collective_request_t *requests,
                       int32_t count, uint64_t execution) {
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    works[chip] = (work_t){
        .pod = pod,
        .chip = chip,
        .count = count,
        .requests = requests,
        .execution = execution,
    };
    POD_CHECK(pthread_create(&works[chip].thread, NULL, run_work, &works[chip]) == 0);
  }
}

static void join_work(work_t *works, const pod_t *pod) {
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    pthread_join(works[chip].thread, NULL);
  }
}

static void assert_all_right(work_t *works, const pod_t *pod) {
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    if (works[chip].status != NULL) {
      print_error("chip %d: %s\n", chip, pod_status_message(works[chip].status));
    }
    assert_null(works[chip].status);
    assert_int_equal(works[chip].wrong, 0);
  }
}

static void run_all(pod_t *pod, const collective_request_t *requests, int32_t count,
                    uint64_t execution) {
  work_t works[CHIPS_MAX];
  start_work(works, pod, requests, count, execution);
  join_work(works, pod);
  assert_all_right(works, pod);
}

// ---- Everything that a pod is asked for.

static const int64_t everybody[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int64_t around[] = {0, 1, 1, 2, 2, 3, 3, 0};

static collective_request_t request_of(chip_op_t op, int32_t groups, int32_t group_size,
                                       int64_t block) {
  const bool has_blocks = op == CHIP_OP_REDUCE_SCATTER || op == CHIP_OP_ALL_TO_ALL;
  collective_request_t request = {
      .op = op,
      .reducer = CHIP_REDUCER_ADD,
      .dtype = TENSOR_U32,
      .element_count = has_blocks ? block * group_size : block,
      .group_count = groups,
      .group_size = group_size,
      .groups = everybody};
  if (op == CHIP_OP_COLLECTIVE_PERMUTE) {
    request.group_count = 0;
    request.pairs = around;
    request.pair_count = 4;
  }
  return request;
}

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
        if (is_direct_only && a != COLLECTIVE_DIRECT) {
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

static const torus_t square = {{2, 2, 1}, {false, false, false}};
static const torus_t oblong = {{4, 2, 1}, {false, false, false}};
static const torus_t ring = {{4, 1, 1}, {true, false, false}};
static const torus_t pair = {{2, 1, 1}, {false, false, false}};

static void test_every_collective_runs_over_ipc(void **state) {
  (void)state;
  run_everything(WAY_IPC, square);
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
  const torus_t cube = {{2, 2, 2}, {false, false, false}};
  const torus_t wrapped = {{8, 1, 1}, {true, false, false}};
  run_stress(WAY_SHARED, cube, 600, 14);
  run_stress(WAY_SHARED, wrapped, 600, 15);
  run_stress(WAY_IPC, wrapped, 150, 16);
  run_stress(WAY_MIXED, cube, 300, 17);
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
    chip_link_total_t sent[TORUS_DIRECTIONS];
    chip_link_total_t passed_on[TORUS_DIRECTIONS];
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
    works[0] = (work_t){&pod, 0, COUNT, requests, 9, NULL, 0, 0};
    works[1] = (work_t){&pod, 1, COUNT, requests, 9, NULL, 0, 0};
    assert_int_equal(pthread_create(&works[0].thread, NULL, run_work, &works[0]), 0);
    // The receiver starts when the sender has come to a halt.
    chip_link_total_t before[TORUS_DIRECTIONS] = {{0, 0}};
    chip_link_total_t now[TORUS_DIRECTIONS];
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

// ---- What goes wrong.

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
    chip_link_total_t totals[TORUS_DIRECTIONS] = {{0, 0}};
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
      assert_ok_or_again(ici_node_wait_up(pod.nodes[chip], deadline()));
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
  // Chip 1 starts late: it has heard of the end, and does not wait for what will not
  // come.
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
    works[chip] = (work_t){&pod, chip, 1, &requests[chip], 2, NULL, 0, 0};
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

// ---- Strangers. A node that has just closed its socket after one of them refuses the
// next until it has opened another.

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

// An nng peer that says `size_bytes` of something instead of hello.
static nng_socket connect_stranger(const char *url, const void *bytes,
                                   size_t size_bytes) {
  nng_socket stranger;
  assert_int_equal(nng_pair0_open(&stranger), 0);
  const int64_t until_ns = deadline();
  while (nng_dial(stranger, url, NULL, 0) != 0) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
  void *copy = nng_alloc(size_bytes);
  memcpy(copy, bytes, size_bytes);
  assert_int_equal(nng_send(stranger, copy, size_bytes, NNG_FLAG_ALLOC), 0);
  return stranger;
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
  // Not nng at all.
  static uint8_t noise[100000];
  pod_random_t random = {.state = 1};
  for (size_t i = 0; i < sizeof(noise); i++) {
    noise[i] = (uint8_t)pod_random_next(&random);
  }
  const int raw = connect_raw(url);
  (void)send(raw, noise, sizeof(noise), MSG_NOSIGNAL);
  const int silent = connect_raw(url);
  // nng, but no frame; a frame that is none of a link's beginning; one too long.
  nng_socket strangers[4];
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
    nng_close(strangers[i]);
  }
  dial_neighbours(&pod, 1, WAY_TCP);
  assert_ok_or_again(ici_node_wait_up(pod.nodes[0], deadline()));
  assert_ok_or_again(ici_node_wait_up(pod.nodes[1], deadline()));
  // While the link is up, too.
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
                                    .epoch = (uint64_t)getpid(),
                                    .use_shared_memory = true};
  if (ici_node_create(&config, &pod.nodes[1]) != NULL ||
      ici_node_dial(pod.nodes[1], 1, url) != NULL ||
      ici_node_wait_up(pod.nodes[1], deadline()) != NULL) {
    return 1;
  }
  static collective_request_t requests[1 << 16];
  for (size_t i = 0; i < POD_COUNT_OF(requests); i++) {
    requests[i] = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1 << 18);
  }
  work_t work = {&pod, 1, POD_COUNT_OF(requests), requests, execution, NULL, 0, 0};
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
      assert_ok_or_again(ici_node_wait_up(pod.nodes[0], deadline()));
      work_t work = {&pod, 0, POD_COUNT_OF(requests), requests, life, NULL, 0, 0};
      assert_int_equal(pthread_create(&work.thread, NULL, run_work, &work), 0);
      chip_link_total_t totals[TORUS_DIRECTIONS];
      chip_link_total_t before[TORUS_DIRECTIONS];
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
          again_if_stuck();
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
      cmocka_unit_test(test_every_collective_runs_over_ipc),
      cmocka_unit_test(test_every_collective_runs_over_tcp),
      cmocka_unit_test(test_every_collective_runs_in_shared_memory),
      cmocka_unit_test(test_every_collective_runs_where_only_some_share_memory),
      cmocka_unit_test(test_eight_chips_survive_a_random_sequence),
      cmocka_unit_test(test_frames_are_passed_on_by_chips_that_do_nothing),
      cmocka_unit_test(test_a_sender_does_not_run_away_from_a_slow_receiver),
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
