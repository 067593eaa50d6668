#include "tests/unit/server/collective/pod.h"
#include "server/worker/kernels/combine.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum { QUEUE_MAX = 1 << 16 };

static uint8_t *bytes_of(int64_t size) {
  uint8_t *bytes = aligned_alloc(64, ((size_t)size + 64) / 64 * 64);
  POD_CHECK(bytes != NULL);
  memset(bytes, 0xa5, ((size_t)size + 64) / 64 * 64);
  return bytes;
}

static void fill(test_pod_t *pod, const collective_request_t *request, bool in_place,
                 test_chip_t *chip) {
  chip->input = bytes_of(chip->schedule.input_bytes);
  chip->output = in_place ? chip->input : bytes_of(chip->schedule.output_bytes);
  chip->scratch = bytes_of(chip->schedule.scratch_bytes);
  if (request->dtype == TENSOR_S32) {
    int32_t *elements = (int32_t *)(void *)chip->input;
    const uint32_t seed = (uint32_t)pod_random_next(&pod->random);
    for (int64_t i = 0; i < request->element_count; i++) {  // As MurmurHash3 ends.
      uint32_t value = seed + (uint32_t)i * 0x9e3779b9u;
      value = (value ^ value >> 16) * 0x85ebca6bu;
      elements[i] = (int32_t)(value ^ value >> 13);
    }
    return;
  }
  const int64_t size = (int64_t)tensor_dtype_bytes(request->dtype);
  for (int64_t i = 0; i < request->element_count; i++) {
    const double value = pod_random_uniform(&pod->random) * 2 - 1;
    if (tensor_dtype_is_float(request->dtype)) {
      tensor_element_from_double(request->dtype, value, chip->input + i * size);
    } else {
      tensor_element_from_int64(request->dtype, (int64_t)(value * 1e9),
                                chip->input + i * size);
    }
  }
}

// The executors start, and do their first local steps, only when all is prepared.
static pod_status_t start(test_chip_t *chip) {
  const collective_buffers_t buffers = {chip->input, chip->output, chip->scratch};
  return collective_executor_init(&chip->executor, &chip->schedule, &buffers,
                                  kernel_combine_arrays, (collective_call_t){0});
}

pod_status_t test_pod_plan(test_pod_t *pod, const torus_t *torus,
                           const collective_request_t *request) {
  *pod = (test_pod_t){.torus = *torus,
                      .chip_count = torus_chip_count(torus),
                      .arena = pod_arena_create()};
  pod->chips = pod_alloc((size_t)pod->chip_count * sizeof(*pod->chips));
  collective_planner_t *planner;
  POD_TRY(collective_planner_create(request, &pod->torus, pod->arena, &planner));
  for (int32_t id = 0; id < pod->chip_count; id++) {
    test_chip_t *chip = &pod->chips[id];
    chip->takes_part = collective_planner_has(planner, id);
    if (chip->takes_part) {
      POD_TRY(collective_planner_plan(planner, id, pod->arena, &chip->schedule));
    }
  }
  return NULL;
}

pod_status_t test_pod_init(test_pod_t *pod, const torus_t *torus,
                           const collective_request_t *request, bool in_place,
                           uint64_t seed) {
  POD_TRY(test_pod_plan(pod, torus, request));
  pod->random.state = seed;
  for (int32_t id = 0; id < pod->chip_count; id++) {
    if (pod->chips[id].takes_part) {
      fill(pod, request, in_place, &pod->chips[id]);
    }
  }
  return NULL;
}

void test_pod_deinit(test_pod_t *pod) {
  for (int32_t id = 0; id < pod->chip_count; id++) {
    test_chip_t *chip = &pod->chips[id];
    collective_executor_deinit(&chip->executor);
    if (chip->output != chip->input) {
      free(chip->output);
    }
    free(chip->input);
    free(chip->scratch);
  }
  free(pod->chips);
  pod_arena_destroy(pod->arena);
}

static bool is_done(const test_pod_t *pod) {
  for (int32_t id = 0; id < pod->chip_count; id++) {
    if (!collective_executor_is_done(&pod->chips[id].executor)) {
      return false;
    }
  }
  return true;
}

static int64_t piece_of(test_pod_t *pod, const test_chip_t *chip, int64_t left) {
  const int64_t size = (int64_t)tensor_dtype_bytes(chip->schedule.dtype);
  if (pod_random_below(&pod->random, 2) == 0) {
    return left;
  }
  return (1 + (int64_t)pod_random_below(&pod->random, (uint64_t)(left / size))) * size;
}

// Moves a piece over one lane of one chip if the other end stands at the matching step.
static bool move_unbuffered(test_pod_t *pod, test_chip_t *from, int32_t id,
                            int32_t lane) {
  const uint8_t *bytes;
  const int64_t left = collective_executor_unsent(&from->executor, lane, &bytes);
  if (left == 0) {
    return false;
  }
  const collective_step_t *step = collective_executor_step(&from->executor, lane);
  test_chip_t *to = &pod->chips[step->send_to];
  const collective_step_t *other = collective_executor_step(&to->executor, lane);
  const int64_t offset = from->executor.lanes[lane].sent_bytes;
  if (other == NULL || other->tag != step->tag) {
    return false;
  }
  POD_CHECK(other->target_bytes == step->source_bytes);
  const int64_t piece = piece_of(pod, from, left);
  POD_CHECK(collective_executor_receive(&to->executor, lane, step->tag, id, offset, bytes,
                                        piece) == COLLECTIVE_ARRIVAL_TAKEN);
  collective_executor_sent(&from->executor, lane, piece);
  return true;
}

static pod_status_t start_all(test_pod_t *pod) {
  for (int32_t id = 0; id < pod->chip_count; id++) {
    if (pod->chips[id].input != NULL) {
      POD_TRY(start(&pod->chips[id]));
    }
  }
  return NULL;
}

bool test_pod_run_unbuffered(test_pod_t *pod) {
  POD_CHECK(start_all(pod) == NULL);
  while (!is_done(pod)) {
    bool moved = false;
    const int32_t first =
        (int32_t)pod_random_below(&pod->random, (uint64_t)pod->chip_count);
    for (int32_t i = 0; i < pod->chip_count; i++) {
      const int32_t id = (first + i) % pod->chip_count;
      test_chip_t *chip = &pod->chips[id];
      const int32_t lanes = chip->schedule.lane_count;
      const int32_t start_lane =
          lanes > 0 ? (int32_t)pod_random_below(&pod->random, (uint64_t)lanes) : 0;
      for (int32_t l = 0; l < lanes; l++) {
        moved |= move_unbuffered(pod, chip, id, (start_lane + l) % lanes);
      }
    }
    if (!moved) {
      return false;
    }
  }
  return true;
}

typedef struct test_frame_t {
  int32_t from, to, lane, tag;
  int64_t offset, size_bytes;
  uint8_t *bytes;
} test_frame_t;

static bool send_queued(test_pod_t *pod, test_frame_t *queue, size_t *count) {
  bool moved = false;
  for (int32_t id = 0; id < pod->chip_count; id++) {
    test_chip_t *chip = &pod->chips[id];
    for (int32_t lane = 0; lane < chip->schedule.lane_count; lane++) {
      const uint8_t *bytes;
      const int64_t left = collective_executor_unsent(&chip->executor, lane, &bytes);
      if (left == 0 || pod_random_below(&pod->random, 3) == 0) {
        continue;
      }
      const collective_step_t *step = collective_executor_step(&chip->executor, lane);
      const int64_t piece = piece_of(pod, chip, left);
      test_frame_t *frame = &queue[(*count)++];
      POD_CHECK(*count < QUEUE_MAX);
      *frame = (test_frame_t){
          id,    step->send_to,  lane, step->tag, chip->executor.lanes[lane].sent_bytes,
          piece, bytes_of(piece)};
      memcpy(frame->bytes, bytes, (size_t)piece);
      collective_executor_sent(&chip->executor, lane, piece);
      moved = true;
    }
  }
  return moved;
}

// Only the first frame of its lane and pair may be delivered.
static bool is_first(const test_frame_t *queue, size_t at) {
  for (size_t i = 0; i < at; i++) {
    if (queue[i].from == queue[at].from && queue[i].to == queue[at].to &&
        queue[i].lane == queue[at].lane) {
      return false;
    }
  }
  return true;
}

static bool deliver(test_pod_t *pod, test_frame_t *queue, size_t *count, size_t at) {
  const test_frame_t *frame = &queue[at];
  if (!is_first(queue, at)) {
    return false;
  }
  const collective_arrival_t arrival = collective_executor_receive(
      &pod->chips[frame->to].executor, frame->lane, frame->tag, frame->from,
      frame->offset, frame->bytes, frame->size_bytes);
  POD_CHECK(arrival != COLLECTIVE_ARRIVAL_WRONG);
  if (arrival == COLLECTIVE_ARRIVAL_EARLY) {
    return false;
  }
  free(frame->bytes);
  memmove(&queue[at], &queue[at + 1], (*count - at - 1) * sizeof(*queue));
  (*count)--;
  return true;
}

bool test_pod_run_queued(test_pod_t *pod) {
  POD_CHECK(start_all(pod) == NULL);
  test_frame_t *queue = pod_alloc(QUEUE_MAX * sizeof(*queue));
  size_t count = 0;
  bool moved = true;
  int idle = 0;
  while (!is_done(pod) && idle < 64) {
    moved = send_queued(pod, queue, &count);
    const size_t first = count > 0 ? pod_random_below(&pod->random, count) : 0;
    for (size_t i = 0; i < count; i++) {
      const size_t at = (first + i) % count;
      moved |= deliver(pod, queue, &count, at);
    }
    idle = moved ? 0 : idle + 1;
  }
  const bool is_clean = is_done(pod) && count == 0;
  while (count > 0) {
    free(queue[--count].bytes);
  }
  free(queue);
  return is_clean;
}

void test_pod_link_loads(const test_pod_t *pod, int64_t *loads) {
  memset(loads, 0, (size_t)pod->chip_count * TORUS_DIRECTIONS * sizeof(*loads));
  for (int32_t id = 0; id < pod->chip_count; id++) {
    const collective_schedule_t *schedule = &pod->chips[id].schedule;
    for (int32_t s = 0; s < schedule->step_count; s++) {
      const collective_step_t *step = &schedule->steps[s];
      if (step->kind != COLLECTIVE_TRANSFER || step->send_to == COLLECTIVE_NONE) {
        continue;
      }
      int32_t at = id;
      while (at != step->send_to) {
        const torus_direction_t hop = torus_next_hop(&pod->torus, at, step->send_to);
        loads[at * TORUS_DIRECTIONS + hop] += step->source_bytes;
        at = torus_neighbour(&pod->torus, at, hop);
      }
    }
  }
}
