// Every shape of group on many tori: lines and rings of all lengths, boxes of two and
// three dimensions, halves of axes, every other chip, groups that are no box. Every
// algorithm delivers the right bytes, and the busiest link carries what is claimed.

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "tests/unit/server/collective/scene.h"

static const torus_t tori[] = {
    {.size = {1, 1, 1}, .wraps = {0}},        {.size = {2, 1, 1}, .wraps = {0}},
    {.size = {3, 1, 1}, .wraps = {0}},        {.size = {4, 1, 1}, .wraps = {0}},
    {.size = {5, 1, 1}, .wraps = {0}},        {.size = {6, 1, 1}, .wraps = {0}},
    {.size = {7, 1, 1}, .wraps = {0}},        {.size = {8, 1, 1}, .wraps = {0}},
    {.size = {2, 1, 1}, .wraps = {1, 1, 1}},  {.size = {3, 1, 1}, .wraps = {1, 1, 1}},
    {.size = {4, 1, 1}, .wraps = {1, 1, 1}},  {.size = {5, 1, 1}, .wraps = {1, 1, 1}},
    {.size = {6, 1, 1}, .wraps = {1, 1, 1}},  {.size = {7, 1, 1}, .wraps = {1, 1, 1}},
    {.size = {8, 1, 1}, .wraps = {1, 1, 1}},  {.size = {1, 11, 1}, .wraps = {0}},
    {.size = {1, 1, 13}, .wraps = {1, 1, 1}}, {.size = {2, 2, 1}, .wraps = {0}},
    {.size = {3, 2, 1}, .wraps = {0}},        {.size = {2, 3, 1}, .wraps = {1, 1, 1}},
    {.size = {3, 3, 1}, .wraps = {0}},        {.size = {3, 3, 1}, .wraps = {1, 1, 1}},
    {.size = {4, 2, 1}, .wraps = {0}},        {.size = {4, 4, 1}, .wraps = {0}},
    {.size = {4, 4, 1}, .wraps = {1, 1, 0}},  {.size = {4, 4, 1}, .wraps = {1, 0, 0}},
    {.size = {4, 3, 1}, .wraps = {0, 1, 0}},  {.size = {5, 4, 1}, .wraps = {1, 1, 1}},
    {.size = {8, 4, 1}, .wraps = {1, 1, 1}},  {.size = {7, 3, 1}, .wraps = {0, 1, 1}},
    {.size = {2, 2, 2}, .wraps = {0}},        {.size = {2, 2, 4}, .wraps = {0, 0, 1}},
    {.size = {3, 3, 3}, .wraps = {1, 1, 1}},  {.size = {3, 3, 3}, .wraps = {0}},
    {.size = {4, 2, 3}, .wraps = {1, 0, 1}},  {.size = {4, 4, 4}, .wraps = {1, 1, 1}},
    {.size = {1, 4, 4}, .wraps = {0, 1, 1}},  {.size = {5, 1, 3}, .wraps = {1, 1, 1}},
};

typedef enum shape_t {
  WHOLE = 0,
  WHOLE_SHUFFLED,
  ROWS,  // Along x; then y and z.
  COLUMNS,
  PILLARS,
  PLANES_XY,
  PLANES_YZ,
  PLANES_XZ,
  HALF_ROWS,    // The lower and the upper half of x; the middle is left out when odd.
  EVERY_OTHER,  // Of x, even and odd.
  BROKEN,       // Chips that form no box.
  ACROSS,       // Halves that meet over the wraparound.
  SHAPE_COUNT,
} shape_t;

static const char *const shape_names[SHAPE_COUNT] = {
    "whole",     "whole, shuffled", "rows",      "columns",     "pillars", "planes xy",
    "planes yz", "planes xz",       "half rows", "every other", "broken",  "across"};

// The group of a chip, or -1.
static int32_t group_of(const torus_t *torus, shape_t shape, int32_t chip) {
  const torus_coords_t at = torus_coords(torus, chip);
  const int32_t *n = torus->size;
  const int32_t x = at.at[0];
  const int32_t row = at.at[1] + n[1] * at.at[2];
  const int32_t half = n[0] / 2;
  switch (shape) {
    case ROWS:
      return row;
    case COLUMNS:
      return x + n[0] * at.at[2];
    case PILLARS:
      return x + n[0] * at.at[1];
    case PLANES_XY:
      return at.at[2];
    case PLANES_YZ:
      return x;
    case PLANES_XZ:
      return at.at[1];
    case HALF_ROWS:
      return x < 2 * half ? 2 * row + x / half : -1;
    case EVERY_OTHER:
      return x < 2 * half ? 2 * row + x % 2 : -1;
    case ACROSS:
      return x < 2 * half ? 2 * row + ((x + 1) % (2 * half)) / half : -1;
    case BROKEN:
      return chip % 7 == 1 || chip % 7 == 2 || chip % 7 == 5 ? 0 : -1;
    default:
      return 0;
  }
}

// False when the torus has no such groups, or has them under another name.
static bool make_scene(const torus_t *torus, shape_t shape, test_scene_t *scene) {
  static char name[64];
  snprintf(name, sizeof(name), "%dx%dx%d %s", torus->size[0], torus->size[1],
           torus->size[2], shape_names[shape]);
  *scene = (test_scene_t){.name = name, .torus = *torus};
  const int32_t chips = torus_chip_count(torus);
  int32_t sizes[TEST_CHIPS_MAX] = {0};
  for (int32_t chip = 0; chip < chips; chip++) {
    const int32_t group = group_of(torus, shape, chip);
    if (group >= 0) {
      sizes[group]++;
      scene->group_size = sizes[group];
      scene->group_count = group >= scene->group_count ? group + 1 : scene->group_count;
    }
  }
  if (scene->group_size < 2 || (shape > WHOLE_SHUFFLED && shape != EVERY_OTHER &&
                                shape != BROKEN && scene->group_size == chips)) {
    return scene->group_size == 1 && shape == WHOLE;
  }
  int32_t filled[TEST_CHIPS_MAX] = {0};
  for (int32_t i = 0; i < chips; i++) {
    // 5 and 37 have no divisor in common with the sizes above but where both fail.
    const int32_t stride = chips % 5 != 0 ? 5 : 37;
    const int32_t chip = shape == WHOLE_SHUFFLED ? (i * stride + 2) % chips : i;
    const int32_t group = group_of(torus, shape, chip);
    if (group >= 0) {
      scene->groups[group * scene->group_size + filled[group]++] = chip;
    }
  }
  return true;
}

static void run_all(const test_scene_t *scene, const int64_t *sizes, size_t size_count,
                    int *inout_runs) {
  for (size_t o = 0; o < TEST_GROUPED_OPS; o++) {
    for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
      for (size_t z = 0; z < size_count; z++) {
        collective_request_t request =
            test_request_on(scene, test_grouped_ops[o], sizes[z]);
        request.algorithm = (collective_algorithm_t)a;
        const bool in_place = z % 2 == 1 && request.op == CHIP_OP_ALL_REDUCE;
        *inout_runs += test_run(scene, &request, in_place, false, z) ? 1 : 0;
      }
    }
  }
}

static void test_the_right_bytes_arrive_whatever_the_group_and_torus(void **state) {
  (void)state;
  static const int64_t few[] = {1, 130, 2048 + 3};
  static const int64_t large[] = {5, 1021};
  int runs = 0;
  for (size_t t = 0; t < POD_COUNT_OF(tori); t++) {
    for (shape_t shape = WHOLE; shape < SHAPE_COUNT; shape++) {
      test_scene_t scene;
      if (!make_scene(&tori[t], shape, &scene)) {
        continue;
      }
      if (scene.group_size > 16) {
        run_all(&scene, large, POD_COUNT_OF(large), &runs);
      } else {
        run_all(&scene, few, POD_COUNT_OF(few), &runs);
      }
    }
  }
  assert_true(runs > 5000);
}

static void test_torus_messages_arrive_early_and_in_pieces(void **state) {
  (void)state;
  static const torus_t some[] = {{.size = {2, 2, 1}, .wraps = {0}},
                                 {.size = {3, 3, 1}, .wraps = {1, 1, 1}},
                                 {.size = {3, 2, 2}, .wraps = {0}},
                                 {.size = {4, 2, 1}, .wraps = {1, 1, 1}}};
  for (size_t t = 0; t < POD_COUNT_OF(some); t++) {
    for (size_t o = 0; o < 3; o++) {
      for (int cuts = 0; cuts < 2; cuts++) {
        test_scene_t scene;
        assert_true(make_scene(&some[t], WHOLE_SHUFFLED, &scene));
        collective_request_t request =
            test_request_on(&scene, test_grouped_ops[o], cuts == 0 ? 777 : 300001);
        request.algorithm = COLLECTIVE_TORUS;
        request.cuts_for_caches = cuts == 1;
        assert_true(test_run(&scene, &request, false, true, t));
        assert_true(test_run(&scene, &request, o == 0, true, 10 + t));
      }
    }
  }
}

// What bounds every schedule: the chip with the fewest links must take in (all_gather) or
// give out (reduce_scatter) all but its own; for an all_reduce every element must be sent
// 2 (n - 1) times, over all directed links that there are.
static int64_t bound_of(const test_scene_t *scene, chip_op_t op, int64_t block_bytes) {
  const torus_t *torus = &scene->torus;
  const int64_t n = scene->group_size;
  int64_t fewest = 0;
  int64_t all = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int64_t size = torus->size[d];
    const bool closes = torus->wraps[d] && size > 2;
    fewest += size == 1 ? 0 : (closes ? 2 : 1);
    all += 2 * n / size * (closes ? size : size - 1);
  }
  const int64_t moved = (n - 1) * block_bytes * (op == CHIP_OP_ALL_REDUCE ? 2 : 1);
  const int64_t links = op == CHIP_OP_ALL_REDUCE ? all : fewest;
  assert_int_equal(moved % links, 0);
  return moved / links;
}

static void test_a_torus_carries_no_more_than_the_lower_bound(void **state) {
  (void)state;
  static const torus_t equal[] = {
      {.size = {2, 2, 1}, .wraps = {0}},       {.size = {4, 4, 1}, .wraps = {1, 1, 0}},
      {.size = {3, 3, 1}, .wraps = {1, 1, 1}}, {.size = {4, 4, 1}, .wraps = {0}},
      {.size = {3, 3, 3}, .wraps = {1, 1, 1}}, {.size = {4, 4, 4}, .wraps = {1, 1, 1}},
      {.size = {2, 2, 2}, .wraps = {0}},       {.size = {4, 4, 4}, .wraps = {0}},
      {.size = {8, 8, 1}, .wraps = {1, 1, 0}}, {.size = {8, 8, 8}, .wraps = {1, 1, 1}},
      {.size = {5, 1, 5}, .wraps = {1, 1, 1}}};
  for (size_t t = 0; t < POD_COUNT_OF(equal); t++) {
    test_scene_t scene;
    assert_true(make_scene(&equal[t], WHOLE, &scene));
    for (size_t o = 0; o < 3; o++) {
      // Whole cache lines for every part, direction and chunk.
      const int64_t lines = 2 * 6 * 16 * 16;
      const chip_op_t op = test_grouped_ops[o];
      const int64_t block = op == CHIP_OP_ALL_REDUCE ? lines * scene.group_size : lines;
      collective_request_t request = test_request_on(&scene, op, block);
      request.algorithm = COLLECTIVE_TORUS;
      pod_arena_t *arena = pod_arena_create();
      collective_schedule_t schedule;
      assert_null(collective_plan(&request, &scene.torus, 0, arena, &schedule));
      assert_true(schedule.claims.optimal_bytes);
      pod_arena_destroy(arena);
      int links;
      assert_int_equal(test_busiest_link(&scene, &request, &links),
                       bound_of(&scene, op, block * 4));
    }
  }
}

// Member i has the same in every group.
static void copy_first_group(const test_scene_t *scene, test_pod_t *pod) {
  for (int32_t i = scene->group_size; i < scene->group_count * scene->group_size; i++) {
    const test_chip_t *from = &pod->chips[scene->groups[i % scene->group_size]];
    memcpy(pod->chips[scene->groups[i]].input, from->input,
           (size_t)from->schedule.input_bytes);
  }
}

static void assert_groups_agree(const test_scene_t *given, chip_op_t op,
                                collective_algorithm_t algorithm, int64_t elements) {
  test_scene_t scene[] = {*given};
  scene->group_count = 2;
  scene->group_size = 4;
  collective_request_t request = test_request_on(scene, op, elements);
  request.dtype = TENSOR_F32;
  request.algorithm = algorithm;
  test_pod_t pod;
  assert_null(test_pod_init(&pod, &scene->torus, &request, false, 1));
  copy_first_group(scene, &pod);
  assert_true(test_pod_run_unbuffered(&pod));
  for (int32_t i = scene->group_size; i < scene->group_count * scene->group_size; i++) {
    const test_chip_t *first = &pod.chips[scene->groups[i % scene->group_size]];
    const test_chip_t *chip = &pod.chips[scene->groups[i]];
    assert_int_equal(chip->schedule.algorithm, first->schedule.algorithm);
    assert_memory_equal(chip->output, first->output,
                        (size_t)first->schedule.output_bytes);
  }
  test_pod_deinit(&pod);
}

// What is replicated over groups has to be the same everywhere: a loop may end by it.
static void test_sums_of_groups_that_lie_otherwise_are_the_same_bits(void **state) {
  (void)state;
  static const test_scene_t scenes[] = {
      {.name = "backwards",
       .torus = {.size = {4, 2, 1}},
       .groups = {0, 1, 2, 3, 7, 6, 5, 4}},
      {.name = "round a ring",
       .torus = {.size = {4, 2, 1}, .wraps = {true}},
       .groups = {0, 1, 2, 3, 7, 4, 5, 6}},
      {.name = "a row and a square",
       .torus = {.size = {4, 4, 1}},
       .groups = {0, 1, 2, 3, 4, 5, 8, 9}},
      {.name = "other slices",
       .torus = {.size = {4, 1, 1}, .slice_count = 2},
       .groups = {0, 1, 2, 3, 6, 4, 7, 5}},
  };
  static const int64_t sizes[] = {5, 4000};
  for (size_t s = 0; s < sizeof(scenes) / sizeof(scenes[0]); s++) {
    for (size_t z = 0; z < sizeof(sizes) / sizeof(sizes[0]); z++) {
      for (int o = 0; o < 2; o++) {
        const chip_op_t op = o == 0 ? CHIP_OP_ALL_REDUCE : CHIP_OP_REDUCE_SCATTER;
        assert_groups_agree(&scenes[s], op, COLLECTIVE_AUTO, sizes[z]);
        assert_groups_agree(&scenes[s], op, COLLECTIVE_RING, sizes[z]);
      }
    }
  }
}

int main(void) {
  // Thousands of small pods come and go: the heap shall not be given back each time.
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_right_bytes_arrive_whatever_the_group_and_torus),
      cmocka_unit_test(test_torus_messages_arrive_early_and_in_pieces),
      cmocka_unit_test(test_a_torus_carries_no_more_than_the_lower_bound),
      cmocka_unit_test(test_sums_of_groups_that_lie_otherwise_are_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
