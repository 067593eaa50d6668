// How far predictions may be off, and that no more constants are free than were measured.

#include "server/chip/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "server/chip/figures.h"

static double part_of(const char *kind, chip_bound_t bound) {
  return chip_spread(chip_spec_find(kind), bound).part;
}

static void test_what_was_measured_is_told_closer_than_what_was_not(void **state) {
  (void)state;
  // Products were measured on v5e, not on v5p.
  assert_int_equal(chip_spread(chip_spec_find("v5e"), CHIP_BOUND_MXU).backing,
                   CHIP_BACKING_MEASURED);
  assert_int_equal(chip_spread(chip_spec_find("v5p"), CHIP_BOUND_MXU).backing,
                   CHIP_BACKING_RELATIVES);
  assert_true(part_of("v5e", CHIP_BOUND_MXU) < part_of("v5p", CHIP_BOUND_MXU));
  assert_true(part_of("v6e", CHIP_BOUND_ICI) < part_of("v4", CHIP_BOUND_ICI));
  // The VPU's rate was never measured, a turn of a loop is a guess.
  assert_int_equal(chip_spread(chip_spec_find("v5e"), CHIP_BOUND_VPU).backing,
                   CHIP_BACKING_GUESS);
  assert_int_equal(chip_spread(chip_spec_find("v7x"), CHIP_BOUND_FIXED).backing,
                   CHIP_BACKING_GUESS);
}

static void test_every_kind_has_a_spread_of_every_class(void **state) {
  (void)state;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    for (int b = CHIP_BOUND_MXU; b < CHIP_BOUND_COUNT; b++) {
      const chip_spread_t spread = chip_spread(*row, (chip_bound_t)b);
      assert_true(spread.part > 0 && spread.part <= 1);
    }
    assert_true(chip_spread(*row, CHIP_BOUND_NONE).part == 0);
  }
  // A core is of its chip's kind; what is of no kind is as the worst.
  assert_true(part_of("v7c", CHIP_BOUND_HBM) == part_of("v7x", CHIP_BOUND_HBM));
  chip_spec_t *own = NULL;
  assert_null(chip_spec_parse("own", "base = v5e\nname = own\n", 22, &own));
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    assert_true(chip_spread(own, CHIP_BOUND_MXU).part >=
                chip_spread(*row, CHIP_BOUND_MXU).part);
  }
  chip_spec_destroy(own);
}

static void test_errors_of_one_class_add_up_and_of_several_do_not(void **state) {
  (void)state;
  const chip_spec_t *spec = chip_spec_find("v5e");
  const chip_range_t one = chip_spread_range(spec, CHIP_BOUND_MXU, 1000000);
  assert_int_equal(one.high_ps - 1000000, 1000000 - one.low_ps);
  const int64_t mxu[CHIP_BOUND_COUNT] = {[CHIP_BOUND_MXU] = 3000000};
  const chip_range_t three = chip_spread_sum(spec, mxu);
  assert_int_equal(three.high_ps - 3000000, 3 * (one.high_ps - 1000000));
  const int64_t both[CHIP_BOUND_COUNT] = {
      [CHIP_BOUND_MXU] = 3000000, [CHIP_BOUND_ICI] = 1000000};
  const chip_range_t sum = chip_spread_sum(spec, both);
  const chip_range_t ici = chip_spread_range(spec, CHIP_BOUND_ICI, 1000000);
  assert_true(sum.high_ps < three.high_ps + ici.high_ps);
  assert_true(sum.high_ps - 4000000 >= three.high_ps - 3000000);
  pod_text_t text = {0};
  chip_spread_print(&text, spec, both);
  assert_non_null(strstr(text.bytes, "MXU 75 %: 2 measurements of v5e, +-5 %; ICI 25 %"));
  pod_text_deinit(&text);
}

// Lines of the calibration but its head.
static int rows_measured(void) {
  FILE *file = fopen(POD_CALIBRATION_CSV, "re");
  assert_non_null(file);
  int lines = 0;
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
    lines += c == '\n';
  }
  fclose(file);
  return lines - 1;
}

// A comma in quotes parts nothing.
static void test_every_measurement_has_the_columns_of_the_head(void **state) {
  (void)state;
  FILE *file = fopen(POD_CALIBRATION_CSV, "re");
  assert_non_null(file);
  int head = 0, columns = 1, line = 1;
  bool is_quoted = false;
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
    is_quoted = is_quoted != (c == '"');
    columns += c == ',' && !is_quoted;
    if (c == '\n') {
      head = line == 1 ? columns : head;
      if (columns != head || is_quoted) {
        fail_msg("line %d has %d columns, the head has %d", line, columns, head);
      }
      line++;
      columns = 1;
    }
  }
  fclose(file);
}

static void test_there_are_fewer_free_constants_than_rows(void **state) {
  (void)state;
  const char *free_constants[256];
  const int rows = rows_measured();
  int count = 0;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    for (size_t f = 0; f < CHIP_FIGURE_COUNT; f++) {
      const char *source = chip_spec_source(*row, chip_figures[f].key);
      assert_non_null(source);
      assert_true(strlen(source) > 0);
      // What stands in no document was read off a row; one source, one constant.
      bool is_known = strncmp(source, "measured", strlen("measured")) != 0;
      for (int i = 0; i < count; i++) {
        is_known = is_known || strcmp(free_constants[i], source) == 0;
      }
      if (!is_known) {
        assert_true(count < (int)POD_COUNT_OF(free_constants));
        free_constants[count++] = source;
      }
    }
  }
  if (count >= rows) {
    for (int i = 0; i < count; i++) {
      print_error("%s\n", free_constants[i]);
    }
    fail_msg("%d constants were read off %d rows", count, rows);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_was_measured_is_told_closer_than_what_was_not),
      cmocka_unit_test(test_every_kind_has_a_spread_of_every_class),
      cmocka_unit_test(test_errors_of_one_class_add_up_and_of_several_do_not),
      cmocka_unit_test(test_every_measurement_has_the_columns_of_the_head),
      cmocka_unit_test(test_there_are_fewer_free_constants_than_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
