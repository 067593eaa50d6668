// Where jobs go on the torus, against a search that tries every set of chips that is a
// box.

#include "server/coordinator/core/slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const torus_t pod = {.size = {4, 2, 1}};

static slice_wish_t wish_of(const torus_t *torus, const char *size, int32_t count) {
  slice_wish_t wish;
  assert_null(slices_wish(torus, size, count, &wish));
  return wish;
}

static void test_disjoint_boxes_fill_the_pod(void **state) {
  (void)state;
  bool taken[8] = {0};
  const slice_wish_t wish = wish_of(&pod, "2x2", 0);
  torus_slice_t slice;
  for (int i = 0; i < 2; i++) {
    assert_true(slices_find(&pod, taken, NULL, &wish, &slice));
    assert_int_equal(slice.origin[0], 2 * i);
    slices_mark(&pod, &slice, true, taken);
  }
  assert_false(slices_find(&pod, taken, NULL, &wish, &slice));
}

static void test_a_small_box_leaves_the_large_one_whole(void **state) {
  (void)state;
  bool taken[8] = {0};
  torus_slice_t slice;
  for (int i = 0; i < 4; i++) {  // Four single chips, and a 2x2 is left.
    const slice_wish_t one = wish_of(&pod, "", 1);
    assert_true(slices_find(&pod, taken, NULL, &one, &slice));
    slices_mark(&pod, &slice, true, taken);
  }
  const slice_wish_t four = wish_of(&pod, "2x2", 0);
  assert_true(slices_find(&pod, taken, NULL, &four, &slice));
}

static void test_lost_chips_are_avoided(void **state) {
  (void)state;
  bool lost[8] = {[1] = true};
  torus_slice_t slice;
  const slice_wish_t wish = wish_of(&pod, "2x2", 0);
  assert_true(slices_find(&pod, lost, NULL, &wish, &slice));
  assert_int_equal(slice.origin[0], 2);
  const slice_wish_t all = wish_of(&pod, "4x2", 0);
  assert_false(slices_find(&pod, lost, NULL, &all, &slice));
  assert_false(
      slices_reserve(&pod, lost, &(slices_missing_t){.chips = lost}, &all, &slice));
}

static void set_down(const torus_t *torus, uint16_t *links, int32_t chip, int direction) {
  links[chip] |= (uint16_t)(1 << direction);
  links[torus_neighbour(torus, chip, direction)] |= (uint16_t)(1 << (direction ^ 1));
}

static void test_a_box_whose_links_are_down_is_not_given(void **state) {
  (void)state;
  const bool taken[8] = {0};
  uint16_t links[8] = {0};
  const slices_missing_t missing = {.links = links};
  const slice_wish_t half = wish_of(&pod, "2x2", 0), one = wish_of(&pod, "", 1),
                     all = wish_of(&pod, "4x2", 0);
  torus_slice_t slice;
  set_down(&pod, links, 1, 0);
  assert_true(slices_find(&pod, taken, &missing, &half, &slice));
  assert_int_equal(slice.origin[0] % 2, 0);  // The link is between the two halves.
  assert_false(slices_find(&pod, taken, &missing, &all, &slice));
  assert_false(slices_reserve(&pod, taken, &missing, &all, &slice));
  set_down(&pod, links, 0, 0);
  assert_true(slices_find(&pod, taken, &missing, &half, &slice));
  assert_int_equal(slice.origin[0], 2);
  set_down(&pod, links, 2, 2);
  assert_false(slices_find(&pod, taken, &missing, &half, &slice));
  assert_true(slices_find(&pod, taken, &missing, &one, &slice));
}

// Chips of two devices each.
static void test_a_job_has_all_cores_of_its_chips(void **state) {
  (void)state;
  const torus_t cores = {.size = {2, 2, 1}, .core_count = 2};
  bool taken[8] = {0};
  torus_slice_t slice;
  const slice_wish_t row = wish_of(&cores, "2x1", 0), two = wish_of(&cores, "", 2);
  assert_int_equal(row.count, 4);
  assert_true(slices_find(&cores, taken, NULL, &row, &slice));
  assert_int_equal(torus_slice_count(&slice), 4);
  int64_t chips[8];
  torus_slice_chips(&cores, &slice, chips);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(chips[i], i);
  }
  slices_mark(&cores, &slice, true, taken);
  assert_true(slices_find(&cores, taken, NULL, &two, &slice));
  torus_slice_chips(&cores, &slice, chips);
  assert_int_equal(chips[0] / 2, chips[1] / 2);  // Of one chip.
  pod_status_t status = slices_wish(&cores, "", 3, &(slice_wish_t){0});
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), "3 devices are no whole chips"));
  pod_status_free(status);
}

static void test_single_cores_share_a_chip(void **state) {
  (void)state;
  const torus_t cores = {.size = {2, 2, 1}, .core_count = 2};
  bool taken[8] = {0};
  torus_slice_t slice;
  const slice_wish_t one = wish_of(&cores, "", 1), rest = wish_of(&cores, "2x1", 0);
  int64_t first, second;
  assert_true(slices_find(&cores, taken, NULL, &one, &slice));
  torus_slice_chips(&cores, &slice, &first);
  slices_mark(&cores, &slice, true, taken);
  assert_true(slices_find(&cores, taken, NULL, &one, &slice));
  torus_slice_chips(&cores, &slice, &second);
  slices_mark(&cores, &slice, true, taken);
  assert_int_not_equal(first, second);
  assert_int_equal(first / 2, second / 2);
  assert_true(slices_find(&cores, taken, NULL, &rest, &slice));
}

static void test_a_job_runs_in_one_slice_of_several(void **state) {
  (void)state;
  const torus_t two = {.size = {2, 2, 1}, .slice_count = 2};
  bool taken[8] = {0};
  torus_slice_t slice;
  const slice_wish_t whole = wish_of(&two, "2x2", 0);
  for (int i = 0; i < 2; i++) {
    assert_true(slices_find(&two, taken, NULL, &whole, &slice));
    assert_int_equal(slice.slice, i);
    slices_mark(&two, &slice, true, taken);
  }
  const pod_status_t status = slices_wish(&two, "", 8, &(slice_wish_t){0});
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), "a job runs in one"));
  pod_status_free(status);
}

static void test_a_box_may_be_turned(void **state) {
  (void)state;
  bool taken[8] = {0};
  torus_slice_t slice;
  const slice_wish_t wish = wish_of(&pod, "1x4", 0);
  assert_true(slices_find(&pod, taken, NULL, &wish, &slice));
  assert_memory_equal(slice.size, ((int32_t[]){4, 1, 1}), sizeof(slice.size));
}

static void test_what_the_pod_can_never_give_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *size;
    int32_t count;
  } wrong[] = {{"3x3", 0}, {"5x1", 0}, {"2x2x2", 0}, {"99999x99999", 0},
               {"two", 0}, {"", 5},    {"", 9},      {"65536x65536x65536", 0}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    slice_wish_t wish;
    const pod_status_t status = slices_wish(&pod, wrong[i].size, wrong[i].count, &wish);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
}

// --- Against brute force ---

typedef struct world_t {
  torus_t torus;
  int32_t count;
  bool taken[64];
  uint16_t links[64];
} world_t;

// Message by message: none of the box's takes a link that is down.
static bool has_links(const world_t *world, const torus_slice_t *slice) {
  int64_t chips[64];
  torus_slice_chips(&world->torus, slice, chips);
  for (int32_t i = 0; i < torus_slice_count(slice); i++) {
    for (int32_t j = 0; j < torus_slice_count(slice); j++) {
      for (int32_t at = (int32_t)chips[i]; at != chips[j];) {
        const torus_direction_t direction =
            torus_next_hop(&world->torus, at, (int32_t)chips[j]);
        if ((world->links[at] & 1 << direction) != 0) {
          return false;
        }
        at = torus_neighbour(&world->torus, at, direction);
      }
    }
  }
  return true;
}

// Whether a box of exactly these sides is free at this place, chip by chip.
static bool is_free_box(const world_t *world, int32_t chip, const int32_t *size) {
  const torus_coords_t origin = torus_coords(&world->torus, chip);
  for (int32_t z = 0; z < size[2]; z++) {
    for (int32_t y = 0; y < size[1]; y++) {
      for (int32_t x = 0; x < size[0]; x++) {
        torus_coords_t at = {
            .at = {origin.at[0] + x, origin.at[1] + y, origin.at[2] + z}};
        for (int d = 0; d < TORUS_DIMENSIONS; d++) {
          if (at.at[d] >= world->torus.size[d]) {
            if (!world->torus.wraps[d]) {
              return false;
            }
            at.at[d] -= world->torus.size[d];
          }
        }
        if (world->taken[torus_chip_at(&world->torus, at)]) {
          return false;
        }
      }
    }
  }
  return has_links(world,
                   &(torus_slice_t){.origin = {origin.at[0], origin.at[1], origin.at[2]},
                                    .size = {size[0], size[1], size[2]}});
}

// The lowest rank of a free box with so many chips; INT64_MAX: there is none.
static int64_t best_rank(const world_t *world, int32_t count) {
  int64_t best = INT64_MAX;
  const int32_t *side = world->torus.size;
  for (int32_t x = 1; x <= side[0]; x++) {
    for (int32_t y = 1; y <= side[1]; y++) {
      for (int32_t z = 1; z <= side[2]; z++) {
        const int32_t size[] = {x, y, z};
        const int64_t rank = torus_slice_rank(&world->torus, size);
        for (int32_t chip = 0; x * y * z == count && chip < world->count; chip++) {
          best = rank < best && is_free_box(world, chip, size) ? rank : best;
        }
      }
    }
  }
  return best;
}

static void expect_like_brute_force(world_t *world, int32_t count) {
  const slice_wish_t wish = {.count = count};
  torus_slice_t slice;
  const bool is_found =
      slices_find(&world->torus, world->taken, &(slices_missing_t){.links = world->links},
                  &wish, &slice);
  const int64_t best = best_rank(world, count);
  assert_int_equal(is_found, best < INT64_MAX);
  if (!is_found) {
    return;
  }
  assert_int_equal(torus_slice_rank(&world->torus, slice.size), best);
  const torus_coords_t origin = {
      .at = {slice.origin[0], slice.origin[1], slice.origin[2]}};
  assert_true(is_free_box(world, torus_chip_at(&world->torus, origin), slice.size));
  slices_mark(&world->torus, &slice, true, world->taken);
}

static void test_what_is_found_is_what_brute_force_finds(void **state) {
  (void)state;
  unsigned seed = 20261123;
  for (int round = 0; round < 400; round++) {
    world_t world = {.count = 1};
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      world.torus.size[d] = 1 + rand_r(&seed) % 4;
      world.torus.wraps[d] = world.torus.size[d] > 2 && rand_r(&seed) % 2 == 0;
      world.count *= world.torus.size[d];
    }
    for (int32_t chip = 0; chip < world.count; chip++) {
      world.taken[chip] = rand_r(&seed) % 6 == 0;
      for (int d = 0; d < TORUS_DIRECTIONS && round % 2 == 0; d += 2) {
        if (torus_neighbour(&world.torus, chip, d) >= 0 && rand_r(&seed) % 12 == 0) {
          set_down(&world.torus, world.links, chip, d);
        }
      }
    }
    for (int i = 0; i < 6; i++) {
      expect_like_brute_force(&world, 1 + rand_r(&seed) % 9);
    }
  }
}

// Jobs that come and go at random: a 4x4 is filled to how much of it on average?
static void test_little_is_lost_to_fragments(void **state) {
  (void)state;
  static const int32_t counts[] = {1, 2, 4, 4, 8};
  const torus_t torus = {.size = {8, 8, 1}};
  unsigned seed = 7;
  bool taken[64] = {0};
  torus_slice_t running[64];
  int count = 0;
  int64_t used = 0, rounds = 0;
  for (int i = 0; i < 4000; i++) {
    const slice_wish_t wish = {.count = counts[rand_r(&seed) % 5]};
    torus_slice_t slice;
    while (!slices_find(&torus, taken, NULL, &wish, &slice)) {
      const int ended = rand_r(&seed) % count;
      slices_mark(&torus, &running[ended], false, taken);
      running[ended] = running[--count];
    }
    slices_mark(&torus, &slice, true, taken);
    running[count++] = slice;
    for (int32_t chip = 0; chip < 64 && i >= 100; chip++) {
      used += taken[chip];
    }
    rounds += i >= 100;
  }
  const double part = (double)used / (double)(rounds * 64);
  printf("%.1f %% of the chips are in use\n", 100 * part);
  assert_true(part > 0.85);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_disjoint_boxes_fill_the_pod),
      cmocka_unit_test(test_a_small_box_leaves_the_large_one_whole),
      cmocka_unit_test(test_lost_chips_are_avoided),
      cmocka_unit_test(test_a_box_whose_links_are_down_is_not_given),
      cmocka_unit_test(test_a_job_has_all_cores_of_its_chips),
      cmocka_unit_test(test_single_cores_share_a_chip),
      cmocka_unit_test(test_a_job_runs_in_one_slice_of_several),
      cmocka_unit_test(test_a_box_may_be_turned),
      cmocka_unit_test(test_what_the_pod_can_never_give_is_refused),
      cmocka_unit_test(test_what_is_found_is_what_brute_force_finds),
      cmocka_unit_test(test_little_is_lost_to_fragments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
