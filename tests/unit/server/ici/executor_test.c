// Local steps of a collective, left in their midst whenever the thread is called.

#include "server/ici/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "server/worker/kernels/combine.h"

// Some parts of a step, and a rest.
enum { BYTES = (3 << 20) + 4096, PEER = 1, TAG = 0, STEPS = 6 };

static const collective_reorder_t transpose = {.count = {4, 3, 5},
                                               .stride = {1, 4, 12},
                                               .block_bytes = BYTES / 60 / 4 * 4,
                                               .piece_bytes = BYTES / 60 / 4 * 4};

static collective_step_t local_step(collective_step_kind_t kind,
                                    collective_buffer_t source) {
  return (collective_step_t){.kind = (uint8_t)kind,
                             .source_buffer = (uint8_t)source,
                             .target_buffer = COLLECTIVE_OUTPUT,
                             .with_buffer = COLLECTIVE_SCRATCH,
                             .send_to = COLLECTIVE_NONE,
                             .receive_from = COLLECTIVE_NONE,
                             .source_bytes = BYTES,
                             .target_bytes = BYTES};
}

typedef struct world_t {
  collective_step_t steps[STEPS];
  collective_lane_t lane;
  collective_reorder_t reorders[1];
  collective_schedule_t schedule;
  collective_executor_t executor;
  int32_t *input, *output, *scratch;
  int looks;
} world_t;

static bool is_always_wanted(void *context) {
  world_t *world = context;
  world->looks++;
  return true;
}

// One step of each kind, then what the chip sends.
static void world_begin(world_t *world, bool is_called) {
  *world = (world_t){0};
  world->steps[0] = local_step(COLLECTIVE_ZERO, COLLECTIVE_INPUT);
  world->steps[1] = local_step(COLLECTIVE_COPY, COLLECTIVE_INPUT);
  world->steps[2] = local_step(COLLECTIVE_REORDER, COLLECTIVE_INPUT);
  world->steps[2].target_bytes = world->steps[2].source_bytes =
      60 * transpose.piece_bytes;
  world->steps[3] = local_step(COLLECTIVE_REDUCE, COLLECTIVE_OUTPUT);
  world->steps[4] = local_step(COLLECTIVE_COPY, COLLECTIVE_OUTPUT);
  world->steps[4].source_offset = 64;  // They overlap.
  world->steps[4].source_bytes = world->steps[4].target_bytes = BYTES - 64;
  world->steps[5] = (collective_step_t){.kind = COLLECTIVE_TRANSFER,
                                        .source_buffer = COLLECTIVE_OUTPUT,
                                        .target_buffer = COLLECTIVE_SCRATCH,
                                        .send_to = PEER,
                                        .receive_from = PEER,
                                        .tag = TAG,
                                        .source_bytes = BYTES,
                                        .target_bytes = 64};
  world->lane = (collective_lane_t){.step_count = STEPS,
                                    .after = {COLLECTIVE_NONE, COLLECTIVE_NONE}};
  world->reorders[0] = transpose;
  world->schedule = (collective_schedule_t){.dtype = TENSOR_S32,
                                            .reducer = CHIP_REDUCER_ADD,
                                            .lanes = &world->lane,
                                            .lane_count = 1,
                                            .steps = world->steps,
                                            .step_count = STEPS,
                                            .reorders = world->reorders,
                                            .reorder_count = 1};
  world->input = aligned_alloc(64, BYTES);
  world->output = aligned_alloc(64, BYTES);
  world->scratch = aligned_alloc(64, BYTES);
  POD_CHECK(world->input != NULL && world->output != NULL && world->scratch != NULL);
  for (int i = 0; i < BYTES / 4; i++) {
    world->input[i] = (int32_t)((uint32_t)i * 2654435761U >> 8);
    world->scratch[i] = i;
  }
  const collective_buffers_t buffers = {world->input, world->output, world->scratch};
  const collective_call_t call = {is_called ? is_always_wanted : NULL, world};
  assert_null(collective_executor_init(&world->executor, &world->schedule, &buffers,
                                       kernel_combine_arrays, call));
}

static void world_end(world_t *world) {
  collective_executor_deinit(&world->executor);
  free(world->input);
  free(world->output);
  free(world->scratch);
}

static void test_local_steps_are_left_when_the_thread_is_called(void **state) {
  (void)state;
  world_t whole, parts;
  world_begin(&whole, false);
  assert_false(collective_executor_is_left(&whole.executor));
  assert_non_null(collective_executor_step(&whole.executor, 0));
  world_begin(&parts, true);
  int times = 0;
  for (; collective_executor_is_left(&parts.executor); times++) {
    const uint8_t *bytes;
    int64_t room_bytes;
    const uint8_t payload[64] = {0};
    assert_int_equal(parts.looks, times + 1);
    // What is not whole goes to nobody, and what comes for the step behind is early.
    assert_null(collective_executor_step(&parts.executor, 0));
    assert_int_equal(collective_executor_unsent(&parts.executor, 0, &bytes), 0);
    assert_null(collective_executor_place(&parts.executor, 0, &room_bytes));
    assert_int_equal(
        collective_executor_receive(&parts.executor, 0, TAG, PEER, 0, payload, 64),
        COLLECTIVE_ARRIVAL_EARLY);
    collective_executor_go_on(&parts.executor);
  }
  assert_true(times >= 4 * (BYTES >> 20));
  assert_non_null(collective_executor_step(&parts.executor, 0));
  assert_memory_equal(parts.output, whole.output, BYTES);
  world_end(&whole);
  world_end(&parts);
}

// The same as a plain loop over all pieces.
static void test_pieces_are_reordered_across_parts(void **state) {
  (void)state;
  world_t world;
  world_begin(&world, true);
  while (collective_executor_is_left(&world.executor)) {
    collective_executor_go_on(&world.executor);
  }
  const int64_t piece = transpose.piece_bytes / 4;
  for (int64_t at = 0; at < 60 * piece; at++) {
    const int64_t i = at / piece / 15, j = at / piece / 5 % 3, k = at / piece % 5;
    const int64_t block = i + 4 * j + 12 * k;
    const int32_t expected = world.input[block * piece + at % piece] + world.scratch[at];
    if (at >= 16) {  // The last copy has moved all down by 64 bytes.
      assert_int_equal(world.output[at - 16], expected);
    }
  }
  world_end(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_local_steps_are_left_when_the_thread_is_called),
      cmocka_unit_test(test_pieces_are_reordered_across_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
