// Every collective, algorithm, shape of group and torus, at sizes that divide and that do
// not: the right bytes on every chip, in any order of delivery, with and without buffers.

#include "server/collective/schedule.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "tests/unit/server/collective/pod.h"
#include "tests/unit/server/collective/scene.h"

static const test_scene_t scenes[] = {
    {"one chip", {.size = {1, 1, 1}, .wraps = {0}}, 1, 1, {0}},
    {"two chips", {.size = {2, 1, 1}, .wraps = {0}}, 1, 2, {0, 1}},
    {"two chips, turned", {.size = {2, 1, 1}, .wraps = {0}}, 1, 2, {1, 0}},
    {"2x2", {.size = {2, 2, 1}, .wraps = {0}}, 1, 4, {0, 1, 2, 3}},
    {"2x2 by rows", {.size = {2, 2, 1}, .wraps = {0}}, 2, 2, {0, 1, 2, 3}},
    {"2x2 by columns", {.size = {2, 2, 1}, .wraps = {0}}, 2, 2, {0, 2, 1, 3}},
    {"2x2 by diagonals", {.size = {2, 2, 1}, .wraps = {0}}, 2, 2, {0, 3, 1, 2}},
    {"2x2, shuffled", {.size = {2, 2, 1}, .wraps = {0}}, 1, 4, {2, 0, 3, 1}},
    {"a line of 3", {.size = {3, 1, 1}, .wraps = {0}}, 1, 3, {0, 1, 2}},
    {"a line of 5, shuffled", {.size = {5, 1, 1}, .wraps = {0}}, 1, 5, {3, 0, 4, 1, 2}},
    {"a ring of 4", {.size = {4, 1, 1}, .wraps = {1, 0, 0}}, 1, 4, {0, 1, 2, 3}},
    {"a ring of 5", {.size = {1, 5, 1}, .wraps = {0, 1, 0}}, 1, 5, {0, 1, 2, 3, 4}},
    {"4x2", {.size = {4, 2, 1}, .wraps = {0}}, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"4x2 by rows", {.size = {4, 2, 1}, .wraps = {0}}, 2, 4, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"4x2, every other",
     {.size = {4, 2, 1}, .wraps = {0}},
     2,
     4,
     {0, 2, 4, 6, 1, 3, 5, 7}},
    {"4x2, three of them", {.size = {4, 2, 1}, .wraps = {0}}, 1, 3, {7, 0, 2}},
    {"3x3", {.size = {3, 3, 1}, .wraps = {0}}, 1, 9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"2x2x2", {.size = {2, 2, 2}, .wraps = {0}}, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"2x3x2",
     {.size = {2, 3, 2}, .wraps = {0}},
     1,
     12,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    {"4x4 wrapped",
     {.size = {4, 4, 1}, .wraps = {1, 1, 0}},
     1,
     16,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {"4x4 wrapped, columns",
     {.size = {4, 4, 1}, .wraps = {1, 1, 0}},
     4,
     4,
     {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}},
};

static void test_every_algorithm_delivers_on_every_group_and_torus(void **state) {
  (void)state;
  static const int64_t sizes[] = {0, 1, 2, 3, 7, 64, 127, 1009, 5000};
  int runs = 0;
  for (size_t s = 0; s < POD_COUNT_OF(scenes); s++) {
    for (size_t o = 0; o < TEST_GROUPED_OPS; o++) {
      for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
        for (size_t z = 0; z < POD_COUNT_OF(sizes); z++) {
          collective_request_t request =
              test_request_on(&scenes[s], test_grouped_ops[o], sizes[z]);
          request.algorithm = (collective_algorithm_t)a;
          const uint64_t seed = s * 1000 + z;
          const bool ran = test_run(&scenes[s], &request, false, false, seed);
          assert_true(ran || a != COLLECTIVE_AUTO);
          if (ran && scenes[s].group_size <= 9 && sizes[z] < 1000) {
            test_run(&scenes[s], &request, false, true, seed);
          }
          if (ran && request.op == CHIP_OP_ALL_REDUCE) {
            test_run(&scenes[s], &request, true, false, seed);
          }
          runs += ran ? 1 : 0;
        }
      }
    }
  }
  assert_true(runs > 2000);
}

static void test_long_messages_go_in_segments(void **state) {
  (void)state;
  for (size_t o = 0; o < TEST_GROUPED_OPS; o++) {
    for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
      for (size_t s = 3; s < 9; s += 5) {
        collective_request_t request =
            test_request_on(&scenes[s], test_grouped_ops[o], 540001);
        request.algorithm = (collective_algorithm_t)a;
        request.cuts_for_caches = true;
        test_run(&scenes[s], &request, false, false, 7);
        test_run(&scenes[s], &request, request.op == CHIP_OP_ALL_REDUCE, true, 8);
      }
    }
  }
}

static void test_all_chips_get_the_same_bits_in_every_run(void **state) {
  (void)state;
  const tensor_dtype_t dtypes[] = {TENSOR_F32, TENSOR_BF16, TENSOR_F8E5M2};
  for (size_t s = 0; s < POD_COUNT_OF(scenes); s++) {
    for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
      for (size_t t = 0; t < POD_COUNT_OF(dtypes); t++) {
        collective_request_t request =
            test_request_on(&scenes[s], CHIP_OP_ALL_REDUCE, 333);
        request.algorithm = (collective_algorithm_t)a;
        request.dtype = dtypes[t];
        uint8_t *first = NULL;
        for (uint64_t order = 0; order < 3; order++) {
          test_pod_t pod;
          const pod_status_t status =
              test_pod_init(&pod, &scenes[s].torus, &request, false, 5);
          if (status != NULL) {  // TORUS on a group that is no box.
            assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
            pod_status_free(status);
            test_pod_deinit(&pod);
            continue;
          }
          pod.random.state = order;
          assert_true(test_pod_run_unbuffered(&pod));
          const size_t size =
              (size_t)pod.chips[scenes[s].groups[0]].schedule.output_bytes;
          if (first == NULL) {
            first = malloc(size);
            memcpy(first, pod.chips[scenes[s].groups[0]].output, size);
          }
          for (int32_t member = 0; member < scenes[s].group_size; member++) {
            assert_memory_equal(pod.chips[scenes[s].groups[member]].output, first, size);
          }
          test_pod_deinit(&pod);
        }
        free(first);
      }
    }
  }
}

static void test_a_permute_follows_its_pairs_and_zeroes_who_gets_nothing(void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 2, 1}, .wraps = {0}};
  const int64_t pairs[] = {0, 1, 1, 2, 2, 0, 5, 5, 7, 3};
  const collective_request_t request = {.op = CHIP_OP_COLLECTIVE_PERMUTE,
                                        .dtype = TENSOR_S32,
                                        .element_count = 100,
                                        .pair_count = 5,
                                        .pairs = pairs};
  const int32_t source_of[] = {2, 0, 1, 7, -1, 5, -1, -1};
  for (uint64_t seed = 0; seed < 20; seed++) {
    test_pod_t pod;
    assert_null(test_pod_init(&pod, &torus, &request, false, seed));
    assert_true(seed % 2 == 0 ? test_pod_run_unbuffered(&pod)
                              : test_pod_run_queued(&pod));
    const uint8_t zeros[400] = {0};
    for (int32_t id = 0; id < pod.chip_count; id++) {
      assert_memory_equal(pod.chips[id].output,
                          source_of[id] < 0 ? zeros : pod.chips[source_of[id]].input,
                          400);
    }
    test_pod_deinit(&pod);
  }
}

static const test_scene_t *scene_named(const char *name) {
  for (size_t s = 0; s < POD_COUNT_OF(scenes); s++) {
    if (strcmp(scenes[s].name, name) == 0) {
      return &scenes[s];
    }
  }
  fail_msg("no scene %s", name);
  return NULL;
}

// A ring of n chips: over each of its 2n directed links (n-1)/n of half of what an
// all_gather or reduce_scatter makes, and twice that for an all_reduce.
static void test_a_ring_carries_no_more_than_the_lower_bound(void **state) {
  (void)state;
  static const char *const rings[] = {"2x2",   "2x2, shuffled", "a ring of 4", "4x2",
                                      "2x2x2", "2x3x2",         "4x4 wrapped"};
  for (size_t i = 0; i < POD_COUNT_OF(rings); i++) {
    const test_scene_t *scene = scene_named(rings[i]);
    const int64_t block = 1 << 14;
    const int64_t n = scene->group_size;
    for (size_t o = 0; o < 3; o++) {
      const bool is_all_reduce = test_grouped_ops[o] == CHIP_OP_ALL_REDUCE;
      collective_request_t request =
          test_request_on(scene, test_grouped_ops[o], is_all_reduce ? block * n : block);
      request.algorithm = COLLECTIVE_RING;
      int links;
      const int64_t busiest = test_busiest_link(scene, &request, &links);
      assert_int_equal(links, 2 * n);
      assert_int_equal(busiest, (n - 1) * block * 4 / 2 * (is_all_reduce ? 2 : 1));
    }
  }
}

// A line: the link at the end must carry all other blocks to the chip behind it.
static void test_a_line_carries_no_more_than_the_lower_bound(void **state) {
  (void)state;
  static const char *const lines[] = {"a line of 3", "a line of 5, shuffled",
                                      "4x2 by rows"};
  for (size_t i = 0; i < POD_COUNT_OF(lines); i++) {
    const test_scene_t *scene = scene_named(lines[i]);
    for (size_t o = 1; o < 3; o++) {
      collective_request_t request = test_request_on(scene, test_grouped_ops[o], 4096);
      request.algorithm = COLLECTIVE_LINE;
      int links;
      assert_int_equal(test_busiest_link(scene, &request, &links),
                       (scene->group_size - 1) * 4096 * 4);
      assert_int_equal(links, 2 * (scene->group_size - 1) * scene->group_count);
    }
  }
}

static void assert_chosen(const char *scene_name, chip_op_t op, int64_t block,
                          collective_algorithm_t expected) {
  const test_scene_t *scene = scene_named(scene_name);
  const collective_request_t request = test_request_on(scene, op, block);
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  assert_null(collective_plan(&request, &scene->torus, (int32_t)scene->groups[0], arena,
                              &schedule));
  assert_string_equal(collective_algorithm_name(schedule.algorithm),
                      collective_algorithm_name(expected));
  pod_arena_destroy(arena);
}

static void test_the_planner_takes_the_cheapest(void **state) {
  (void)state;
  assert_chosen("2x2", CHIP_OP_ALL_REDUCE, 256, COLLECTIVE_TREE);
  assert_chosen("2x2", CHIP_OP_ALL_REDUCE, 1 << 24, COLLECTIVE_TORUS);
  assert_chosen("4x4 wrapped", CHIP_OP_ALL_REDUCE, 1 << 24, COLLECTIVE_TORUS);
  // Two hops instead of the ring's three, and as many bytes.
  assert_chosen("2x2", CHIP_OP_ALL_GATHER, 1 << 20, COLLECTIVE_TORUS);
  assert_chosen("a line of 5, shuffled", CHIP_OP_ALL_GATHER, 1 << 20, COLLECTIVE_LINE);
  assert_chosen("a line of 3", CHIP_OP_REDUCE_SCATTER, 1 << 20, COLLECTIVE_LINE);
  assert_chosen("a ring of 4", CHIP_OP_REDUCE_SCATTER, 1 << 20, COLLECTIVE_RING);
  assert_chosen("2x2", CHIP_OP_ALL_TO_ALL, 1 << 10, COLLECTIVE_TORUS);
}

// The chip's choice saves a hop; a pass over all bytes costs a host more.
static void test_a_host_does_not_reorder_for_a_hop(void **state) {
  (void)state;
  const test_scene_t *scene = scene_named("2x2");
  collective_request_t request = test_request_on(scene, CHIP_OP_ALL_GATHER, 1 << 20);
  for (int is_host = 0; is_host < 2; is_host++) {
    request.cuts_for_caches = is_host == 1;
    pod_arena_t *arena = pod_arena_create();
    collective_schedule_t schedule;
    assert_null(collective_plan(&request, &scene->torus, 0, arena, &schedule));
    assert_int_equal(schedule.algorithm,
                     is_host == 1 ? COLLECTIVE_RING : COLLECTIVE_TORUS);
    pod_arena_destroy(arena);
  }
}

static void assert_refused(const collective_request_t *request, int32_t chip,
                           pod_code_t code) {
  const torus_t torus = {.size = {2, 2, 1}, .wraps = {0}};
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  const pod_status_t status = collective_plan(request, &torus, chip, arena, &schedule);
  assert_int_equal(pod_status_code(status), code);
  pod_status_free(status);
  pod_arena_destroy(arena);
}

static void test_bad_requests_are_refused(void **state) {
  (void)state;
  const test_scene_t *scene = scene_named("2x2");
  const int64_t strangers[] = {0, 1, 2, 4};
  const int64_t twice[] = {0, 0, 2, 3};
  const int64_t pairs[] = {0, 1, 0, 2};
  collective_request_t request = test_request_on(scene, CHIP_OP_ALL_REDUCE, 8);
  assert_refused(&request, 4, POD_INVALID_ARGUMENT);
  request.groups = strangers;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.groups = twice;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.groups = scene->groups;
  request.group_size = 2;
  assert_refused(&request, 3, POD_INVALID_ARGUMENT);
  request.group_size = 4;
  request.element_count = INT64_MAX / 2;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.element_count = -1;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.element_count = 7;
  request.op = CHIP_OP_ALL_TO_ALL;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.op = CHIP_OP_ADD;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.op = CHIP_OP_ALL_REDUCE;
  request.reducer = CHIP_REDUCER_XOR;
  request.dtype = TENSOR_F32;
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
  request.reducer = CHIP_REDUCER_NONE;
  assert_refused(&request, 0, POD_UNIMPLEMENTED);
  request = (collective_request_t){.op = CHIP_OP_COLLECTIVE_PERMUTE,
                                   .dtype = TENSOR_F32,
                                   .element_count = 8,
                                   .pair_count = 2,
                                   .pairs = pairs};
  assert_refused(&request, 0, POD_INVALID_ARGUMENT);
}

int main(void) {
  // Thousands of small pods come and go: the heap shall not be given back each time.
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_algorithm_delivers_on_every_group_and_torus),
      cmocka_unit_test(test_long_messages_go_in_segments),
      cmocka_unit_test(test_all_chips_get_the_same_bits_in_every_run),
      cmocka_unit_test(test_a_permute_follows_its_pairs_and_zeroes_who_gets_nothing),
      cmocka_unit_test(test_a_ring_carries_no_more_than_the_lower_bound),
      cmocka_unit_test(test_a_line_carries_no_more_than_the_lower_bound),
      cmocka_unit_test(test_the_planner_takes_the_cheapest),
      cmocka_unit_test(test_a_host_does_not_reorder_for_a_hop),
      cmocka_unit_test(test_bad_requests_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
