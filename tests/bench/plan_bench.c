// What planning costs: microseconds for the first chip of a request, which chooses the
// algorithm, and per chip and step for all chips after it.
//
// Usage: plan_bench. Prints a line per collective and torus.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/collective/schedule.h"

static void must(pod_status_t status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    exit(1);
  }
}

// Of the processor: the machine may be busy with other things.
static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void measure(torus_t torus, chip_op_t op, int64_t bytes) {
  const int32_t chips = torus_chip_count(&torus);
  int64_t *everyone = pod_alloc((size_t)chips * sizeof(*everyone));
  for (int32_t i = 0; i < chips; i++) {
    everyone[i] = i;
  }
  const collective_request_t request = {.op = op,
                                        .reducer = CHIP_REDUCER_ADD,
                                        .dtype = TENSOR_F32,
                                        .element_count = bytes / 4,
                                        .group_count = 1,
                                        .group_size = chips,
                                        .groups = everyone};
  pod_arena_t *arena = pod_arena_create();
  collective_room_t *room = pod_alloc(sizeof(*room));
  collective_planner_t *planner;
  collective_schedule_t schedule;
  const int64_t start_ns = now_ns();
  must(collective_planner_create(&request, &torus, arena, &planner));
  must(collective_planner_look(planner, 0, room, &schedule));
  const int64_t first_ns = now_ns();
  int64_t steps = 0;
  for (int32_t chip = 0; chip < chips; chip++) {
    must(collective_planner_look(planner, chip, room, &schedule));
    steps += schedule.step_count;
  }
  const double all_ns = (double)(now_ns() - first_ns);
  printf(
      "%dx%dx%d %s of %lld bytes: %s, first %.0f us, then %.1f us a chip of %lld "
      "steps, %.0f ns a step\n",
      torus.size[0], torus.size[1], torus.size[2], chip_op_name(op), (long long)bytes,
      collective_algorithm_name(schedule.algorithm), (double)(first_ns - start_ns) / 1e3,
      all_ns / 1e3 / chips, (long long)(steps / chips), all_ns / (double)steps);
  collective_room_deinit(room);
  free(room);
  pod_arena_destroy(arena);
  free(everyone);
}

int main(void) {
  const torus_t ring = {.size = {1024, 1, 1}, .wraps = {1, 0, 0}};
  const torus_t cube = {.size = {16, 16, 16}, .wraps = {1, 1, 1}};
  const torus_t square = {.size = {32, 32, 1}, .wraps = {1, 1, 0}};
  const int64_t bytes = (int64_t)1 << 28;
  measure(ring, CHIP_OP_ALL_REDUCE, bytes);
  measure(square, CHIP_OP_ALL_REDUCE, bytes);
  measure(cube, CHIP_OP_ALL_REDUCE, bytes);
  measure(cube, CHIP_OP_ALL_GATHER, bytes / 4096);
  measure(cube, CHIP_OP_REDUCE_SCATTER, bytes);
  measure(cube, CHIP_OP_ALL_TO_ALL, bytes);
  return 0;
}
