#include "tests/unit/server/ici/pod.h"
#include "server/worker/kernels/combine.h"

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

#define DEADLINE_NS ((int64_t)60 * 1000000000)

const struct ici_carrier_t *memory_way;
const uint8_t pod_secret[ICI_SECRET_BYTES] = "of the links of this test";

int64_t deadline(void) {
  return pod_clock_now_ns() + DEADLINE_NS;
}

void assert_ok(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

static void count_event(void *context, const ici_link_event_t *event) {
  pod_t *pod = context;
  atomic_fetch_add(event->state == ICI_LINK_UP ? &pod->ups : &pod->downs, 1);
}

ici_node_t *make_node(pod_t *pod, int32_t chip, way_t way) {
  const ici_node_config_t config = {
      .pod = "test",
      .chip = chip,
      .torus = pod->torus,
      .epoch = 1000 + (uint64_t)chip,
      .link_secret = pod_secret,
      .ipc_directory = way == WAY_TCP ? NULL : pod->directory,
      .tcp_host = way == WAY_TCP ? "127.0.0.1" : NULL,
      .use_shared_memory = way == WAY_SHARED || (way == WAY_MIXED && chip != 3),
      .carrier = way == WAY_MEMORY ? memory_way : NULL,
      .combine = kernel_combine_arrays,
      .on_link = count_event,
      .context = pod,
  };
  ici_node_t *node;
  assert_null(ici_node_create(&config, &node));
  return node;
}

void dial_neighbours(pod_t *pod, int32_t chip, way_t way) {
  for (int d = 1; d < TORUS_LINKS; d += 2) {
    const int32_t peer = torus_neighbour(&pod->torus, chip, d);
    if (peer >= 0) {
      const char *url = way == WAY_TCP ? ici_node_tcp_url(pod->nodes[peer], d ^ 1)
                                       : ici_node_ipc_url(pod->nodes[peer], d ^ 1);
      assert_non_null(url);
      assert_null(ici_node_dial(pod->nodes[chip], d, url));
    }
  }
}

void pod_start(pod_t *pod, torus_t torus, way_t way) {
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
    assert_ok(ici_node_wait_up(pod->nodes[chip], deadline()));
  }
}

void pod_stop(pod_t *pod) {
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
      .pause = work->pause,
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

void *run_work(void *context) {
  work_t *work = context;
  for (int32_t i = 0; i < work->count && work->status == NULL; i++) {
    if (takes_part(&work->requests[i], work->chip)) {
      work->status = run_one(work, (uint32_t)i);
    }
  }
  ici_node_end(work->pod->nodes[work->chip], work->execution);
  return NULL;
}

void start_work(work_t *works, pod_t *pod, const collective_request_t *requests,
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

void join_work(work_t *works, const pod_t *pod) {
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    pthread_join(works[chip].thread, NULL);
  }
}

void assert_all_right(work_t *works, const pod_t *pod) {
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    if (works[chip].status != NULL) {
      print_error("chip %d: %s\n", chip, pod_status_message(works[chip].status));
    }
    assert_null(works[chip].status);
    assert_int_equal(works[chip].wrong, 0);
  }
}

void run_all(pod_t *pod, const collective_request_t *requests, int32_t count,
             uint64_t execution) {
  work_t works[CHIPS_MAX];
  start_work(works, pod, requests, count, execution);
  join_work(works, pod);
  assert_all_right(works, pod);
}

// ---- Everything that a pod is asked for.

static const int64_t everybody[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int64_t around[] = {0, 1, 1, 2, 2, 3, 3, 0};

collective_request_t request_of(chip_op_t op, int32_t groups, int32_t group_size,
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
