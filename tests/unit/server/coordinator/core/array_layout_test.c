#include "server/coordinator/core/array_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int64_t dims_8x4[] = {8, 4};

// f32[8,4] over a mesh of two axes; `axis_of_rows` -1: rows are whole.
static array_layout_t *make(const char *first, const char *second, int64_t first_size,
                            int64_t second_size, int axis_of_rows) {
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axes[] = {{first, first_size}, {second, second_size}};
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", 2, axes, NULL, &mesh));
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims_8x4);
  sharding_t *sharding = sharding_replicated(arena, mesh, 2, false);
  axis_ref_t ref = {.axis = axis_of_rows, .pre_size = 1};
  if (axis_of_rows >= 0) {
    ref.size = axes[axis_of_rows].size;
    sharding->dims[0].axes = (axis_list_t){.count = 1, .refs = &ref};
  }
  array_layout_t *layout;
  assert_null(array_layout_create(&shape, sharding, &layout));
  pod_arena_destroy(arena);
  return layout;
}

static void test_a_layout_outlives_what_it_was_made_of(void **state) {
  (void)state;
  array_layout_t *layout = make("x", "y", 2, 2, 0);
  assert_int_equal(layout->chip_count, 4);
  assert_int_equal(layout->local.dims[0], 4);
  pod_text_t text = {0};
  array_layout_print(&text, layout);
  assert_non_null(strstr(text.bytes, "f32[8,4]"));
  assert_non_null(strstr(text.bytes, "f32[4,4] on each of 4 chips"));
  pod_text_deinit(&text);
  array_layout_release(array_layout_retain(layout));
  array_layout_release(layout);
  array_layout_release(NULL);
}

static void test_names_of_axes_do_not_make_layouts_differ(void **state) {
  (void)state;
  array_layout_t *a = make("x", "y", 2, 2, 0);
  array_layout_t *b = make("data", "model", 2, 2, 0);
  array_layout_t *c = make("x", "y", 2, 2, 1);
  assert_true(array_layout_equal(a, a));
  assert_true(array_layout_equal(a, b));
  assert_false(array_layout_equal(a, c));
  array_layout_release(a);
  array_layout_release(b);
  array_layout_release(c);
}

static void test_a_replicated_array_fits_every_mesh_of_its_size(void **state) {
  (void)state;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims_8x4);
  array_layout_t *plain, *four = make("x", "y", 2, 2, -1),
                         *six = make("x", "y", 2, 3, -1);
  assert_null(array_layout_create_replicated(&shape, 4, NULL, &plain));
  assert_true(array_layout_equal(plain, four));
  assert_false(array_layout_equal(plain, six));
  array_layout_release(plain);
  array_layout_release(four);
  array_layout_release(six);
}

// The same on the chips named, by mesh position.
static array_layout_t *make_on(const int64_t *chips, int axis_of_rows) {
  array_layout_t *plain = make("x", "y", 2, 2, axis_of_rows), *layout;
  assert_null(array_layout_create_on(&plain->shape, plain->sharding, 4, chips, &layout));
  array_layout_release(plain);
  return layout;
}

static void test_layouts_on_other_chips_or_in_another_order_differ(void **state) {
  (void)state;
  const int64_t here[] = {5, 9, 2, 30}, there[] = {5, 9, 2, 31}, turned[] = {9, 5, 2, 30},
                swapped[] = {2, 30, 5, 9};
  array_layout_t *a = make_on(here, 0), *same = make_on(here, 0), *b = make_on(there, 0),
                 *by_rows = make_on(turned, 0), *c = make_on(swapped, 0),
                 *first = make("x", "y", 2, 2, 0);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(a->chips[i], here[i]);
    assert_int_equal(array_layout_find(a, (int32_t)here[i]), i);
  }
  assert_int_equal(array_layout_find(a, 0), -1);
  assert_int_equal(array_layout_find(a, 31), -1);
  assert_true(array_layout_equal(a, same));
  assert_false(array_layout_equal(a, b));
  assert_false(array_layout_equal(a, first));
  assert_false(array_layout_equal(first, a));
  // Rows follow the first axis: its two chips hold the same, in whatever order they are.
  assert_true(array_layout_equal(a, by_rows));
  assert_false(array_layout_equal(a, c));
  pod_text_t text = {0};
  array_layout_print(&text, a);
  assert_non_null(strstr(text.bytes, "(f32[4,4] on each of the chips {5, 9, 2, 30})"));
  pod_text_deinit(&text);
  array_layout_t *all[] = {a, same, b, by_rows, c, first};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    array_layout_release(all[i]);
  }
}

static void test_a_whole_array_may_be_on_any_chips(void **state) {
  (void)state;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims_8x4);
  const int64_t one[] = {3}, two[] = {3, 1}, other_way[] = {1, 3};
  array_layout_t *on_one, *on_two, *on_two_too;
  assert_null(array_layout_create_replicated(&shape, 1, one, &on_one));
  assert_null(array_layout_create_replicated(&shape, 2, two, &on_two));
  assert_null(array_layout_create_replicated(&shape, 2, other_way, &on_two_too));
  assert_true(array_layout_equal(on_two, on_two_too));
  assert_false(array_layout_equal(on_one, on_two));
  pod_text_t text = {0};
  array_layout_print(&text, on_one);
  assert_non_null(strstr(text.bytes, "(f32[8,4] on chip 3)"));
  pod_text_deinit(&text);
  array_layout_release(on_one);
  array_layout_release(on_two);
  array_layout_release(on_two_too);
}

static void assert_refused(pod_status_t status, const char *message) {
  assert_string_equal(pod_status_message(status), message);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
}

static void test_chips_that_are_none_or_too_many_are_refused(void **state) {
  (void)state;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims_8x4);
  const int64_t twice[] = {3, 3, 0, 1}, below[] = {3, -3};
  array_layout_t *plain = make("x", "y", 2, 2, 0), *layout;
  assert_refused(array_layout_create_on(&shape, plain->sharding, 3, twice, &layout),
                 "the array is to be on 3 chips, its sharding's mesh has 4 devices: name "
                 "a chip for each of them");
  assert_refused(array_layout_create_on(&shape, plain->sharding, 4, twice, &layout),
                 "mesh @mesh lists device 3 twice");
  assert_refused(array_layout_create_replicated(&shape, 2, below, &layout),
                 "mesh @ lists device -3, devices are 0 to 65535");
  array_layout_release(plain);
}

static void test_what_does_not_divide_ends_in_padding(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axis = {"x", 3};
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", 1, &axis, NULL, &mesh));
  sharding_t *sharding = sharding_replicated(arena, mesh, 2, false);
  axis_ref_t ref = {.axis = 0, .pre_size = 1, .size = 3};
  sharding->dims[0].axes = (axis_list_t){.count = 1, .refs = &ref};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims_8x4);
  array_layout_t *layout;
  assert_null(array_layout_create(&shape, sharding, &layout));
  assert_int_equal(layout->local.dims[0], 3);
  assert_int_equal(layout->local.dims[1], 4);
  array_layout_release(layout);
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_layout_outlives_what_it_was_made_of),
      cmocka_unit_test(test_names_of_axes_do_not_make_layouts_differ),
      cmocka_unit_test(test_a_replicated_array_fits_every_mesh_of_its_size),
      cmocka_unit_test(test_layouts_on_other_chips_or_in_another_order_differ),
      cmocka_unit_test(test_a_whole_array_may_be_on_any_chips),
      cmocka_unit_test(test_chips_that_are_none_or_too_many_are_refused),
      cmocka_unit_test(test_what_does_not_divide_ends_in_padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
