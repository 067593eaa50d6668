#include "server/compiler/partition/axes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Lists over axes 0, 1, … written as (axis, pre_size, size).
static axes_t list(int count, const axis_ref_t *refs) {
  axes_t axes = {0};
  for (int i = 0; i < count; i++) {
    axes_append(&axes, refs[i]);
  }
  return axes;
}

#define LIST(...)                                                       \
  list((int)(sizeof((axis_ref_t[]){__VA_ARGS__}) / sizeof(axis_ref_t)), \
       (axis_ref_t[]){__VA_ARGS__})

static void test_neighbouring_sub_axes_merge(void **state) {
  (void)state;
  const axes_t axes = LIST({0, 1, 2}, {0, 2, 4}, {1, 1, 3});
  assert_int_equal(axes.count, 2);
  assert_int_equal(axes.refs[0].size, 8);
  assert_int_equal(axes_size(&axes), 24);
}

static void test_sub_axes_overlap_only_where_they_share_digits(void **state) {
  (void)state;
  const axis_ref_t whole = {0, 1, 8}, major = {0, 1, 2}, middle = {0, 2, 2};
  assert_true(axis_ref_overlaps(whole, middle));
  assert_false(axis_ref_overlaps(major, middle));
  assert_false(axis_ref_overlaps(major, (axis_ref_t){1, 1, 2}));
  assert_true(axis_ref_within(middle, whole));
  assert_true(axis_ref_is_prefix(major, whole));
  assert_false(axis_ref_is_prefix(middle, whole));
}

static void test_a_prefix_may_end_inside_of_an_axis(void **state) {
  (void)state;
  const axes_t axes = LIST({1, 1, 2}, {0, 1, 4});
  const axes_t part = LIST({1, 1, 2}, {0, 1, 2});
  assert_true(axes_is_strict_prefix(&part, &axes));
  const axes_t rest = axes_behind(&axes, &part);
  assert_int_equal(rest.count, 1);
  assert_int_equal(rest.refs[0].pre_size, 2);
  assert_int_equal(rest.refs[0].size, 2);
  assert_false(axes_is_prefix(&axes, &part));
  const axes_t common = axes_common_prefix(&axes, &part);
  assert_true(axes_equal(&common, &part));
}

static void test_conflicting_lists_have_the_common_part(void **state) {
  (void)state;
  const axes_t a = LIST({0, 1, 2}, {1, 1, 2}), b = LIST({0, 1, 2}, {2, 1, 2});
  const axes_t common = axes_common_prefix(&a, &b);
  assert_int_equal(common.count, 1);
  assert_int_equal(common.refs[0].axis, 0);
}

static void test_taking_cuts_an_axis_at_the_size_asked_for(void **state) {
  (void)state;
  const axes_t axes = LIST({0, 1, 8}, {1, 1, 3});
  axes_t front, rest;
  assert_true(axes_take(&axes, 4, &front, &rest));
  assert_int_equal(axes_size(&front), 4);
  assert_int_equal(rest.count, 2);
  assert_int_equal(rest.refs[0].pre_size, 4);
  assert_false(axes_take(&axes, 3, &front, &rest));
  assert_false(axes_take(&axes, 48, &front, &rest));
}

static void test_removing_leaves_the_parts_around(void **state) {
  (void)state;
  const axes_t axes = LIST({0, 1, 8}, {1, 1, 2});
  const axes_t removed = LIST({0, 2, 2});
  const axes_t kept = axes_without(&axes, &removed);
  assert_int_equal(kept.count, 3);
  assert_int_equal(kept.refs[0].size, 2);
  assert_int_equal(kept.refs[1].pre_size, 4);
  assert_int_equal(kept.refs[1].size, 2);
  assert_int_equal(kept.refs[2].axis, 1);
}

static void test_a_ref_is_cut_before_what_it_overlaps(void **state) {
  (void)state;
  const axes_t used = LIST({0, 4, 2});
  axis_ref_t cut;
  assert_true(axis_ref_without_overlap((axis_ref_t){0, 1, 8}, &used, &cut));
  assert_int_equal(cut.size, 4);
  assert_false(axis_ref_without_overlap((axis_ref_t){0, 4, 2}, &used, &cut));
  // Of an axis of 6: no factorisation has both.
  const axes_t third = LIST({0, 3, 2});
  assert_false(axis_ref_without_overlap((axis_ref_t){0, 1, 2}, &third, &cut));
  assert_true(axis_ref_without_overlap((axis_ref_t){0, 1, 3}, &third, &cut));
}

static void test_of_axes_that_do_not_divide_the_major_part_is_kept(void **state) {
  (void)state;
  const axes_t axes = LIST({0, 1, 4}, {1, 1, 2});
  const struct {
    int64_t size;
    axes_t expected;
  } cases[] = {{16, axes},       {12, LIST({0, 1, 4})}, {10, LIST({0, 1, 2})},
               {7, (axes_t){0}}, {1, (axes_t){0}},      {0, axes}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const axes_t dividing = axes_dividing(&axes, cases[i].size);
    assert_true(axes_equal(&dividing, &cases[i].expected));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_neighbouring_sub_axes_merge),
      cmocka_unit_test(test_sub_axes_overlap_only_where_they_share_digits),
      cmocka_unit_test(test_a_prefix_may_end_inside_of_an_axis),
      cmocka_unit_test(test_conflicting_lists_have_the_common_part),
      cmocka_unit_test(test_taking_cuts_an_axis_at_the_size_asked_for),
      cmocka_unit_test(test_removing_leaves_the_parts_around),
      cmocka_unit_test(test_a_ref_is_cut_before_what_it_overlaps),
      cmocka_unit_test(test_of_axes_that_do_not_divide_the_major_part_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
