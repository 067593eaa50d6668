// Boxes of the torus: their sizes, their chips, and whether messages stay within them.

#include "server/chip/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

static torus_t torus_of(const char *text, const char *kind) {
  torus_t torus;
  assert_null(torus_parse(text, chip_spec_find(kind), &torus, NULL));
  return torus;
}

static void expect_best(const char *topology, const char *kind, int32_t count,
                        const char *expected) {
  const torus_t torus = torus_of(topology, kind);
  int32_t size[TORUS_DIMENSIONS];
  assert_true(torus_slice_best(&torus, count, size));
  pod_text_t text = {0};
  torus_slice_print_size(&text, size);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_the_best_box_is_compact(void **state) {
  (void)state;
  expect_best("4x2", "v5e", 4, "2x2");
  expect_best("4x4", "v5e", 8, "4x2");
  expect_best("4x2", "v5e", 1, "1x1");
  expect_best("4x2", "v5e", 3, "3x1");
  expect_best("4x4x4", "v4", 8, "2x2x2");
  int32_t size[TORUS_DIMENSIONS];
  const torus_t torus = torus_of("4x2", "v5e");
  assert_false(torus_slice_best(&torus, 5, size));
  assert_false(torus_slice_best(&torus, 0, size));
  assert_false(torus_slice_best(&torus, 16, size));
}

static void test_chips_count_x_first_and_go_over_the_end(void **state) {
  (void)state;
  torus_t torus = torus_of("4x2", "v5e");
  int64_t chips[8];
  torus_slice_chips(&torus, &(torus_slice_t){.origin = {2, 0, 0}, .size = {2, 2, 1}},
                    chips);
  assert_memory_equal(chips, ((int64_t[]){2, 3, 6, 7}), 4 * sizeof(*chips));
  torus.wraps[0] = true;
  torus_slice_chips(&torus, &(torus_slice_t){.origin = {3, 1, 0}, .size = {2, 1, 1}},
                    chips);
  assert_memory_equal(chips, ((int64_t[]){7, 4}), 2 * sizeof(*chips));
}

static bool leaves(const torus_t *torus, const int64_t *chips, int32_t count) {
  bool *is_own = pod_alloc((size_t)torus_chip_count(torus));
  for (int32_t i = 0; i < count; i++) {
    is_own[chips[i]] = true;
  }
  bool has_left = false;
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      for (int32_t at = (int32_t)chips[i]; at != chips[j];) {
        at = torus_neighbour(torus, at, torus_next_hop(torus, at, (int32_t)chips[j]));
        has_left |= !is_own[at];
      }
    }
  }
  free(is_own);
  return has_left;
}

// Every box at every place of some toruses, against the routes themselves.
static void test_messages_stay_within_a_closed_box(void **state) {
  (void)state;
  for (int wraps = 0; wraps < 8; wraps++) {
    for (int32_t x = 1; x <= 6; x++) {
      const torus_t torus = {
          .size = {x, 4, 2},
          .wraps = {(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0}};
      int64_t chips[48];
      for (int32_t sx = 1; sx <= x; sx++) {
        for (int32_t sy = 1; sy <= 4; sy++) {
          for (int32_t ox = 0; ox + (torus.wraps[0] ? 1 : sx) <= x; ox++) {
            const torus_slice_t slice = {.origin = {ox, 0, 0}, .size = {sx, sy, 2}};
            torus_slice_chips(&torus, &slice, chips);
            assert_int_equal(leaves(&torus, chips, torus_slice_count(&slice)),
                             !torus_slice_is_closed(&torus, slice.size));
          }
        }
      }
    }
  }
}

static void test_sizes_are_read_strictly(void **state) {
  (void)state;
  int32_t size[TORUS_DIMENSIONS];
  assert_true(torus_slice_parse_size("2x4x1", size));
  assert_memory_equal(size, ((int32_t[]){2, 4, 1}), sizeof(size));
  assert_true(torus_slice_parse_size("3", size));
  assert_memory_equal(size, ((int32_t[]){3, 1, 1}), sizeof(size));
  static const char *const wrong[] = {"",     "x",    "2x",      "0x2", "2x2x2x2",
                                      "-1x2", "2 x2", "99999x1", "2x2 "};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    assert_false(torus_slice_parse_size(wrong[i], size));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_best_box_is_compact),
      cmocka_unit_test(test_chips_count_x_first_and_go_over_the_end),
      cmocka_unit_test(test_messages_stay_within_a_closed_box),
      cmocka_unit_test(test_sizes_are_read_strictly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
