#include "server/compiler/partition/mesh_translate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static int start(void **state) {
  *state = pod_arena_create();
  return 0;
}

static int stop(void **state) {
  pod_arena_destroy(*state);
  return 0;
}

static const mesh_t *mesh_of(pod_arena_t *arena, int axis_count, const int64_t *sizes,
                             const int64_t *device_ids) {
  static const char *const names[] = {"x", "y", "z"};
  mesh_axis_t axes[3];
  for (int i = 0; i < axis_count; i++) {
    axes[i] = (mesh_axis_t){names[i], sizes[i]};
  }
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", axis_count, axes, device_ids, &mesh));
  return mesh;
}

static axes_t translated(const mesh_t *from, int axis, const mesh_t *to) {
  axes_t axes;
  assert_true(
      mesh_translate(from, (axis_ref_t){axis, 1, from->axes[axis].size}, to, &axes));
  return axes;
}

static void expect_ref(const axes_t *axes, int index, axis_ref_t expected) {
  assert_true(index < axes->count);
  assert_true(axis_ref_equal(axes->refs[index], expected));
}

static void test_an_axis_over_several_is_all_of_them(void **state) {
  const mesh_t *flat = mesh_of(*state, 1, (const int64_t[]){12}, NULL);
  const mesh_t *cut = mesh_of(*state, 2, (const int64_t[]){3, 4}, NULL);
  const axes_t axes = translated(flat, 0, cut);
  assert_int_equal(axes.count, 2);
  expect_ref(&axes, 0, (axis_ref_t){0, 1, 3});
  expect_ref(&axes, 1, (axis_ref_t){1, 1, 4});
}

static void test_an_axis_may_be_the_part_of_one(void **state) {
  const mesh_t *pairs = mesh_of(*state, 3, (const int64_t[]){2, 2, 2}, NULL);
  const mesh_t *flat = mesh_of(*state, 1, (const int64_t[]){8}, NULL);
  for (int i = 0; i < 3; i++) {
    const axes_t axes = translated(pairs, i, flat);
    assert_int_equal(axes.count, 1);
    expect_ref(&axes, 0, (axis_ref_t){0, 1 << i, 2});
  }
}

static void test_a_transposed_mesh_has_the_axes_the_other_way_round(void **state) {
  const mesh_t *mesh = mesh_of(*state, 2, (const int64_t[]){2, 3}, NULL);
  const int64_t ids[] = {0, 3, 1, 4, 2, 5};
  const mesh_t *transposed = mesh_of(*state, 2, (const int64_t[]){3, 2}, ids);
  const axes_t axes = translated(transposed, 0, mesh);
  assert_int_equal(axes.count, 1);
  expect_ref(&axes, 0, (axis_ref_t){1, 1, 3});
  const mesh_t *flat = mesh_of(*state, 1, (const int64_t[]){6}, ids);
  const axes_t both = translated(flat, 0, mesh);
  assert_int_equal(both.count, 2);
  expect_ref(&both, 0, (axis_ref_t){1, 1, 3});
  expect_ref(&both, 1, (axis_ref_t){0, 1, 2});
}

static void expect_none(const mesh_t *from, const mesh_t *to) {
  axes_t axes;
  assert_false(mesh_translate(from, (axis_ref_t){0, 1, from->axes[0].size}, to, &axes));
}

static void test_what_no_axes_make_is_none(void **state) {
  const mesh_t *mesh = mesh_of(*state, 2, (const int64_t[]){2, 2}, NULL);
  const int64_t ring[] = {0, 1, 3, 2}, rotated[] = {1, 2, 3, 0}, others[] = {0, 1, 2, 4};
  expect_none(mesh_of(*state, 1, (const int64_t[]){4}, ring), mesh);
  expect_none(mesh_of(*state, 1, (const int64_t[]){4}, rotated), mesh);
  expect_none(mesh_of(*state, 1, (const int64_t[]){4}, others), mesh);
  expect_none(mesh_of(*state, 1, (const int64_t[]){2}, NULL), mesh);
  expect_none(mesh_of(*state, 2, (const int64_t[]){2, 3}, NULL),
              mesh_of(*state, 2, (const int64_t[]){3, 2}, NULL));
}

// --- Other names ---

static void expect_relabelled(pod_arena_t *arena, const mesh_t *from, const mesh_t *to,
                              const int64_t *ids) {
  const mesh_t *mesh;
  assert_true(mesh_relabel(arena, from, to, &mesh));
  assert_int_equal(mesh->axis_count, from->axis_count);
  for (int64_t p = 0; p < from->device_count; p++) {
    assert_int_equal(mesh_device(mesh, p), ids[p]);
  }
  for (int a = 0; a < mesh->axis_count; a++) {
    (void)translated(mesh, a, to);
  }
}

static void test_axes_of_other_sizes_share_the_factors(void **state) {
  expect_relabelled(*state, mesh_of(*state, 2, (const int64_t[]){3, 2}, NULL),
                    mesh_of(*state, 2, (const int64_t[]){2, 3}, NULL),
                    (const int64_t[]){0, 3, 1, 4, 2, 5});
  // The axis of 6 keeps what it shares with that of 4, as the last one is the last half.
  expect_relabelled(*state, mesh_of(*state, 2, (const int64_t[]){6, 2}, NULL),
                    mesh_of(*state, 2, (const int64_t[]){3, 4}, NULL),
                    (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_relabelled(*state, mesh_of(*state, 3, (const int64_t[]){2, 1, 6}, NULL),
                    mesh_of(*state, 2, (const int64_t[]){3, 4}, NULL),
                    (const int64_t[]){0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11});
}

static void test_what_axes_make_keeps_its_devices(void **state) {
  const mesh_t *mesh = mesh_of(*state, 3, (const int64_t[]){2, 2, 3}, NULL);
  // "x" is the first axis as it stands; the other two are factored anew.
  expect_relabelled(*state, mesh_of(*state, 3, (const int64_t[]){2, 3, 2}, NULL), mesh,
                    (const int64_t[]){0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11});
}

static void test_another_order_of_the_devices_is_taken_for_the_program_s(void **state) {
  const int64_t ring[] = {0, 1, 3, 2}, back[] = {5, 4, 3, 2, 1, 0};
  expect_relabelled(*state, mesh_of(*state, 1, (const int64_t[]){4}, ring),
                    mesh_of(*state, 2, (const int64_t[]){2, 2}, NULL),
                    (const int64_t[]){0, 1, 2, 3});
  expect_relabelled(*state, mesh_of(*state, 2, (const int64_t[]){3, 2}, back),
                    mesh_of(*state, 2, (const int64_t[]){2, 3}, NULL),
                    (const int64_t[]){0, 3, 1, 4, 2, 5});
  // The program's own order counts, too.
  expect_relabelled(*state, mesh_of(*state, 2, (const int64_t[]){3, 2}, NULL),
                    mesh_of(*state, 2, (const int64_t[]){2, 3}, back),
                    (const int64_t[]){5, 2, 4, 1, 3, 0});
}

static void test_other_devices_get_no_names(void **state) {
  const int64_t others[] = {0, 1, 2, 3, 4, 6};
  const mesh_t *to = mesh_of(*state, 2, (const int64_t[]){2, 3}, NULL), *mesh;
  assert_false(
      mesh_relabel(*state, mesh_of(*state, 1, (const int64_t[]){3}, NULL), to, &mesh));
  assert_false(mesh_relabel(*state, mesh_of(*state, 2, (const int64_t[]){3, 2}, others),
                            to, &mesh));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(test_an_axis_over_several_is_all_of_them),
      TEST(test_an_axis_may_be_the_part_of_one),
      TEST(test_a_transposed_mesh_has_the_axes_the_other_way_round),
      TEST(test_what_no_axes_make_is_none),
      TEST(test_axes_of_other_sizes_share_the_factors),
      TEST(test_what_axes_make_keeps_its_devices),
      TEST(test_another_order_of_the_devices_is_taken_for_the_program_s),
      TEST(test_other_devices_get_no_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
