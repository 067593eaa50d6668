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
  assert_null(array_layout_create_replicated(&shape, 4, &plain));
  assert_true(array_layout_equal(plain, four));
  assert_false(array_layout_equal(plain, six));
  array_layout_release(plain);
  array_layout_release(four);
  array_layout_release(six);
}

static void test_a_dimension_that_does_not_divide_is_refused(void **state) {
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
  const pod_status_t status = array_layout_create(&shape, sharding, &layout);
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  pod_status_free(status);
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_layout_outlives_what_it_was_made_of),
      cmocka_unit_test(test_names_of_axes_do_not_make_layouts_differ),
      cmocka_unit_test(test_a_replicated_array_fits_every_mesh_of_its_size),
      cmocka_unit_test(test_a_dimension_that_does_not_divide_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
