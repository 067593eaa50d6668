// What was lost is remembered, the last first, and what came back is.

#include "server/coordinator/core/losses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_the_last_are_kept_the_newest_first(void **state) {
  (void)state;
  static losses_t losses;
  assert_int_equal(losses_kept(&losses), 0);
  for (int i = 1; i <= LOSSES_MAX + 10; i++) {
    char why[32];
    snprintf(why, sizeof(why), "reason %d", i);
    losses_add(&losses, i, -1, i * 10, why);
  }
  assert_int_equal(losses_kept(&losses), LOSSES_MAX);
  const loss_t *newest = losses_recent(&losses, 0);
  assert_int_equal(newest->id, LOSSES_MAX + 10);
  assert_int_equal(newest->at_us, (LOSSES_MAX + 10) * 10);
  assert_string_equal(newest->why, "reason 266");
  assert_string_equal(losses_recent(&losses, LOSSES_MAX - 1)->why, "reason 11");
  losses_deinit(&losses);
}

static void test_a_long_reason_is_cut_between_characters_of_four_bytes(void **state) {
  (void)state;
  static const char sign[] = "\xf0\x9f\x94\xa5";  // Of four bytes.
  for (size_t first = 0; first < sizeof(sign) - 1; first++) {
    char why[LOSS_TEXT_BYTES_MAX + 2 * sizeof(sign)] = "";
    memset(why, 'x', first);
    for (size_t at = first; at <= LOSS_TEXT_BYTES_MAX; at += sizeof(sign) - 1) {
      memcpy(why + at, sign, sizeof(sign));
    }
    static losses_t losses;
    losses_add(&losses, 1, -1, 10, why);
    const size_t kept = strlen(losses_recent(&losses, 0)->why);
    assert_true(kept <= LOSS_TEXT_BYTES_MAX && kept + sizeof(sign) > LOSS_TEXT_BYTES_MAX);
    assert_int_equal((kept - first) % (sizeof(sign) - 1), 0);
    losses_deinit(&losses);
  }
}

static void test_what_is_there_again_is_told(void **state) {
  (void)state;
  static losses_t losses;
  losses_add(&losses, 3, -1, 10, "gone");
  losses_add(&losses, 3, -1, 20, "gone again");
  losses_add(&losses, 3, 4, 30, "its link is down");
  uint64_t changes = losses.changes;
  losses_back(&losses, 3, -1, 40);  // The last of it.
  assert_int_equal(losses_recent(&losses, 1)->back_us, 40);
  assert_int_equal(losses_recent(&losses, 2)->back_us, 0);
  assert_true(losses.changes > changes);
  losses_back(&losses, 4, 3, 50);  // A link has two ends.
  assert_int_equal(losses_recent(&losses, 0)->back_us, 50);
  changes = losses.changes;
  losses_back(&losses, 7, -1, 60);  // Was never lost.
  assert_int_equal(losses.changes, changes);
  losses_deinit(&losses);
}

static void test_a_long_reason_is_cut_between_characters(void **state) {
  (void)state;
  static losses_t losses;
  char why[2 * LOSS_TEXT_BYTES_MAX];
  for (size_t i = 0; i + 2 < sizeof(why); i += 2) {
    memcpy(why + i, "\xc3\xa4", 2);  // ä
  }
  why[sizeof(why) - 2] = '\0';
  losses_add(&losses, 0, -1, 1, why + 1);
  const char *kept = losses_recent(&losses, 0)->why;
  assert_true(strlen(kept) <= LOSS_TEXT_BYTES_MAX);
  assert_int_equal((unsigned char)kept[strlen(kept) - 1], 0xa4);
  losses_deinit(&losses);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_last_are_kept_the_newest_first),
      cmocka_unit_test(test_a_long_reason_is_cut_between_characters_of_four_bytes),
      cmocka_unit_test(test_what_is_there_again_is_told),
      cmocka_unit_test(test_a_long_reason_is_cut_between_characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
