#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/profile/spec.h"

// x = 2, y = 8, z = 3.
static const report_axis_t axes[] = {{"x", 24, 2}, {"y", 3, 8}, {"z", 1, 3}};
static const report_axes_t mesh = {3, axes};

static void check_axis(const report_axis_t *axis, const char *name, int64_t stride,
                       int64_t size) {
  assert_string_equal(axis->name, name);
  assert_int_equal(axis->stride, stride);
  assert_int_equal(axis->size, size);
}

static void test_dimensions_have_the_axes_that_the_text_gives_them(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  report_axes_t spec[REPORT_RANK_MAX], unreduced;
  assert_true(profile_spec_read(arena, "P(\"x\", None, (\"z\", \"y\"))", &mesh, 3, spec,
                                &unreduced));
  assert_int_equal(spec[0].count, 1);
  check_axis(&spec[0].axes[0], "x", 24, 2);
  assert_int_equal(spec[1].count, 0);
  assert_int_equal(spec[2].count, 2);
  check_axis(&spec[2].axes[0], "z", 1, 3);
  check_axis(&spec[2].axes[1], "y", 3, 8);
  assert_int_equal(unreduced.count, 0);
  pod_arena_destroy(arena);
}

static void test_a_part_of_an_axis_has_the_stride_of_the_digits_behind_it(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  report_axes_t spec[REPORT_RANK_MAX], unreduced;
  assert_true(profile_spec_read(arena, "P(\"y:(1)2\", \"y:(2)2\", \"y:(4)2\")", &mesh, 3,
                                spec, &unreduced));
  check_axis(&spec[0].axes[0], "y:(1)2", 12, 2);
  check_axis(&spec[1].axes[0], "y:(2)2", 6, 2);
  check_axis(&spec[2].axes[0], "y:(4)2", 3, 2);
  pod_arena_destroy(arena);
}

static void test_sums_that_are_not_made_are_told_apart(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  report_axes_t spec[REPORT_RANK_MAX], unreduced;
  assert_true(profile_spec_read(arena, "P(None, unreduced={\"x\", \"z\"})", &mesh, 1,
                                spec, &unreduced));
  assert_int_equal(unreduced.count, 2);
  check_axis(&unreduced.axes[1], "z", 1, 3);
  assert_true(
      profile_spec_read(arena, "P(unreduced={\"x\"})", &mesh, 0, spec, &unreduced));
  assert_int_equal(unreduced.count, 1);
  assert_true(profile_spec_read(arena, "P(None, unreduced=max{\"z\"})", &mesh, 1, spec,
                                &unreduced));
  assert_int_equal(unreduced.count, 1);
  assert_true(profile_spec_read(arena, "P()", &mesh, 0, spec, &unreduced));
  assert_int_equal(unreduced.count, 0);
  pod_arena_destroy(arena);
}

static void test_what_is_no_spec_of_the_mesh_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "P",
                                      "P(",
                                      "P(None",
                                      "P(None, None)",
                                      "P(\"w\")",
                                      "P(\"x",
                                      "P((\"x\")",
                                      "P(\"x\") ",
                                      "P(\"y:(3)2\")",
                                      "P(\"y:(\")",
                                      "P(\"y:(0)2\")",
                                      "P(\"y:(2)8\")",
                                      "P(\"y:(2)0\")",
                                      "P(\"y:(1)2z\")",
                                      "P(None, unreduced={\"x\")"};
  pod_arena_t *arena = pod_arena_create();
  report_axes_t spec[REPORT_RANK_MAX] = {{.count = 7}}, unreduced = {.count = 7};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_false(profile_spec_read(arena, texts[i], &mesh, 1, spec, &unreduced));
  }
  assert_int_equal(spec[0].count, 7);
  assert_int_equal(unreduced.count, 7);
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dimensions_have_the_axes_that_the_text_gives_them),
      cmocka_unit_test(test_a_part_of_an_axis_has_the_stride_of_the_digits_behind_it),
      cmocka_unit_test(test_sums_that_are_not_made_are_told_apart),
      cmocka_unit_test(test_what_is_no_spec_of_the_mesh_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
