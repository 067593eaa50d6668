// Groups over several slices and over both cores of chips: whatever they are, the right
// values come out, and the network between slices carries as little as it can.

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "tests/unit/server/collective/scene.h"

static const torus_t pods[] = {
    {.size = {2, 2, 1}, .slice_count = 2},
    {.size = {4, 2, 1}, .slice_count = 2},
    {.size = {3, 1, 1}, .wraps = {true, false, false}, .slice_count = 3},
    {.size = {4, 4, 1}, .wraps = {true, true, false}, .slice_count = 2},
    {.size = {2, 2, 2}, .slice_count = 3},
    {.size = {1, 1, 1}, .slice_count = 4},
    {.size = {2, 2, 1}, .core_count = 2},
    {.size = {4, 1, 1}, .wraps = {true, false, false}, .core_count = 2},
    {.size = {1, 1, 1}, .core_count = 2},
    {.size = {2, 2, 1}, .slice_count = 2, .core_count = 2},
};

static void print_name(char name[64], const torus_t *torus, const char *what) {
  snprintf(name, 64, "%d*%dx%dx%d*%d %s", torus_slice_total(torus), torus->size[0],
           torus->size[1], torus->size[2], torus_core_total(torus), what);
}

// Groups of `size` chips, `stride` apart: of a row, a slice, the same place of slices.
static void make_regular(test_scene_t *scene, int32_t size, int32_t stride) {
  const int32_t chips = torus_chip_count(&scene->torus);
  int32_t count = 0;
  scene->group_size = size;
  scene->group_count = chips / size;
  for (int32_t base = 0; base < chips; base += size * stride) {
    for (int32_t i = 0; i < stride; i++) {
      for (int32_t k = 0; k < size; k++) {
        scene->groups[count++] = base + i + k * stride;
      }
    }
  }
}

// Any chips in any groups of one size, some in none.
static void make_random(test_scene_t *scene, pod_random_t *random) {
  const int32_t chips = torus_chip_count(&scene->torus);
  int64_t ids[TEST_CHIPS_MAX];
  for (int32_t i = 0; i < chips; i++) {
    const int32_t at = (int32_t)pod_random_below(random, (uint64_t)i + 1);
    ids[i] = ids[at];
    ids[at] = i;
  }
  scene->group_size = 1 + (int32_t)pod_random_below(random, (uint64_t)chips);
  scene->group_count =
      1 + (int32_t)pod_random_below(random, (uint64_t)(chips / scene->group_size));
  memcpy(scene->groups, ids,
         (size_t)(scene->group_count * scene->group_size) * sizeof(*ids));
}

static void shuffle_members(test_scene_t *scene, pod_random_t *random) {
  for (int32_t g = 0; g < scene->group_count; g++) {
    int64_t *group = &scene->groups[g * scene->group_size];
    for (int32_t i = 1; i < scene->group_size; i++) {
      const int32_t at = (int32_t)pod_random_below(random, (uint64_t)i + 1);
      const int64_t other = group[at];
      group[at] = group[i];
      group[i] = other;
    }
  }
}

static int run_all(const test_scene_t *scene, uint64_t seed) {
  static const int64_t sizes[] = {1, 7, 96, 1021};
  int levels = 0;
  for (size_t o = 0; o < TEST_GROUPED_OPS; o++) {
    for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
      const size_t z = (seed + o + (size_t)a) % POD_COUNT_OF(sizes);
      collective_request_t request =
          test_request_on(scene, test_grouped_ops[o], sizes[z]);
      request.algorithm = (collective_algorithm_t)a;
      request.cuts_for_caches = seed % 3 == 0;
      const bool in_place = seed % 2 == 1 && request.op == CHIP_OP_ALL_REDUCE;
      const bool ran = test_run(scene, &request, in_place, seed % 2 == 0, seed);
      assert_true(ran || (a != COLLECTIVE_AUTO && a != COLLECTIVE_DIRECT));
      levels += ran && a == COLLECTIVE_LEVELS;
    }
  }
  return levels;
}

static void test_random_groups_over_slices_compute_the_right_values(void **state) {
  (void)state;
  pod_random_t random = {.state = 5};
  for (uint64_t seed = 0; seed < 80; seed++) {
    char name[64];
    test_scene_t scene = {.name = name, .torus = pods[seed % POD_COUNT_OF(pods)]};
    make_random(&scene, &random);
    print_name(name, &scene.torus, "random");
    run_all(&scene, seed);
  }
}

static void test_regular_groups_are_taken_apart_in_any_order_of_their_members(
    void **state) {
  (void)state;
  pod_random_t random = {.state = 6};
  int levels = 0;
  for (size_t t = 0; t < POD_COUNT_OF(pods); t++) {
    const torus_t *torus = &pods[t];
    const int32_t slice = torus_slice_chip_count(torus);
    const int32_t slices = torus_slice_total(torus), chips = torus_chip_count(torus);
    const int32_t shapes[][2] = {
        {chips, 1}, {slice, 1}, {slices, slice}, {chips / 2, 2}, {torus->size[0], 1}};
    for (size_t s = 0; s < POD_COUNT_OF(shapes); s++) {
      char name[64];
      test_scene_t scene = {.name = name, .torus = *torus};
      if (chips % (shapes[s][0] * shapes[s][1]) != 0) {
        continue;
      }
      make_regular(&scene, shapes[s][0], shapes[s][1]);
      print_name(name, torus, "regular");
      levels += run_all(&scene, s);
      shuffle_members(&scene, &random);
      levels += run_all(&scene, s + 1);
    }
  }
  assert_true(levels > 80);
}

// Bytes that all chips together send to other slices.
static int64_t sent_between_slices(const test_scene_t *scene,
                                   const collective_request_t *request,
                                   collective_algorithm_t *out_algorithm) {
  test_pod_t pod;
  assert_null(test_pod_plan(&pod, &scene->torus, request));
  int64_t bytes = 0;
  for (int32_t chip = 0; chip < pod.chip_count; chip++) {
    const collective_schedule_t *schedule = &pod.chips[chip].schedule;
    *out_algorithm = schedule->algorithm;
    for (int32_t s = 0; s < schedule->step_count; s++) {
      const collective_step_t *step = &schedule->steps[s];
      const bool is_between = step->kind == COLLECTIVE_TRANSFER && step->send_to >= 0 &&
                              torus_slice_of(&scene->torus, step->send_to) !=
                                  torus_slice_of(&scene->torus, chip);
      bytes += is_between ? step->source_bytes : 0;
    }
  }
  test_pod_deinit(&pod);
  return bytes;
}

// Every block goes to every other slice once, every sum comes from each and goes back.
static void test_the_network_between_slices_carries_as_little_as_it_can(void **state) {
  (void)state;
  static const torus_t large[] = {{.size = {4, 2, 1}, .slice_count = 2},
                                  {.size = {4, 4, 1}, .slice_count = 3},
                                  {.size = {2, 2, 2}, .slice_count = 4}};
  for (size_t t = 0; t < POD_COUNT_OF(large); t++) {
    for (size_t o = 0; o < TEST_GROUPED_OPS; o++) {
      test_scene_t scene = {.name = "whole", .torus = large[t]};
      const int64_t chips = torus_chip_count(&large[t]), slices = large[t].slice_count;
      make_regular(&scene, (int32_t)chips, 1);
      const chip_op_t op = test_grouped_ops[o];
      const int64_t block = op == CHIP_OP_ALL_REDUCE ? chips * 36864 : 36864;
      const collective_request_t request = test_request_on(&scene, op, block);
      const int64_t bound = op == CHIP_OP_ALL_REDUCE ? 2 * (slices - 1) * block
                            : op == CHIP_OP_ALL_TO_ALL
                                ? chips * (chips - chips / slices) * block
                                : chips * (slices - 1) * block;
      collective_algorithm_t algorithm = COLLECTIVE_AUTO;
      assert_int_equal(sent_between_slices(&scene, &request, &algorithm), bound * 4);
      assert_true(algorithm == COLLECTIVE_LEVELS || op == CHIP_OP_ALL_TO_ALL);
    }
  }
}

int main(void) {
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_groups_over_slices_compute_the_right_values),
      cmocka_unit_test(test_regular_groups_are_taken_apart_in_any_order_of_their_members),
      cmocka_unit_test(test_the_network_between_slices_carries_as_little_as_it_can),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
