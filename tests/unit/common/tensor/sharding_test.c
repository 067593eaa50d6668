#include "common/tensor/sharding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"

// A world of one arena and a mesh "mesh" of up to three axes a, b, c.
typedef struct {
  pod_arena_t *arena;
  const mesh_t *mesh;
} world_t;

static world_t make_world(int64_t a, int64_t b, int64_t c, const int64_t *device_ids) {
  world_t world = {.arena = pod_arena_create()};
  const mesh_axis_t axes[] = {{"a", a}, {"b", b}, {"c", c}};
  assert_null(mesh_make(world.arena, "mesh", 3, axes, device_ids, &world.mesh));
  return world;
}

static axis_list_t list_of(const world_t *world, int count, const axis_ref_t *refs) {
  return (axis_list_t){count,
                       pod_arena_copy(world->arena, refs, (size_t)count * sizeof(*refs))};
}

static axis_ref_t whole(const world_t *world, int axis) {
  return (axis_ref_t){axis, 1, world->mesh->axes[axis].size};
}

static void assert_fails(pod_status_t status, pod_code_t code, const char *message) {
  assert_string_equal(pod_status_message(status), message);
  assert_int_equal(pod_status_code(status), code);
  pod_status_free(status);
}

static void test_coordinates_and_devices_are_inverse_in_any_device_order(void **state) {
  (void)state;
  int64_t ids[12];
  for (int64_t i = 0; i < 12; i++) {
    ids[i] = i * 5 % 12;
  }
  const int64_t *orders[] = {NULL, ids};
  for (size_t i = 0; i < POD_COUNT_OF(orders); i++) {
    world_t world = make_world(2, 3, 2, orders[i]);
    for (int64_t device = 0; device < 12; device++) {
      int64_t coordinates[SHARDING_AXES_MAX];
      mesh_coordinates(world.mesh, device, coordinates);
      assert_int_equal(mesh_device_at(world.mesh, coordinates), device);
      for (int axis = 0; axis < 3; axis++) {
        assert_int_equal(mesh_index_along(world.mesh, device, whole(&world, axis)),
                         coordinates[axis]);
      }
    }
    pod_arena_destroy(world.arena);
  }
}

static void test_sub_axes_are_the_digits_of_their_axis(void **state) {
  (void)state;
  world_t world = make_world(2, 12, 3, NULL);
  const axis_ref_t major = {1, 1, 2}, middle = {1, 2, 3}, minor = {1, 6, 2};
  const axis_ref_t parts[] = {major, middle, minor};
  const axis_list_t digits = list_of(&world, 3, parts);
  for (int64_t device = 0; device < world.mesh->device_count; device++) {
    int64_t at[SHARDING_AXES_MAX];
    mesh_coordinates(world.mesh, device, at);
    assert_int_equal(mesh_index_along(world.mesh, device, major), at[1] / 6);
    assert_int_equal(mesh_index_along(world.mesh, device, middle), at[1] / 2 % 3);
    assert_int_equal(mesh_index_along(world.mesh, device, minor), at[1] % 2);
    assert_int_equal(axis_list_index(world.mesh, &digits, device), at[1]);
  }
  pod_arena_destroy(world.arena);
}

// The definition, by comparing every pair of devices.
static void check_groups(const world_t *world, const axis_list_t *list) {
  int64_t count, size;
  const int64_t *groups =
      axis_list_groups(world->arena, world->mesh, list, &count, &size);
  const mesh_t *mesh = world->mesh;
  assert_int_equal(count * size, mesh->device_count);
  assert_int_equal(size, axis_list_size(list));
  int64_t seen[64] = {0}, last_first = -1;
  for (int64_t g = 0; g < count; g++) {
    int64_t first[SHARDING_AXES_MAX];
    mesh_coordinates(mesh, groups[g * size], first);
    const int64_t position =
        (first[0] * mesh->axes[1].size + first[1]) * mesh->axes[2].size + first[2];
    assert_true(position > last_first);
    last_first = position;
    for (int64_t i = 0; i < size; i++) {
      const int64_t device = groups[g * size + i];
      seen[device]++;
      assert_int_equal(axis_list_index(mesh, list, device), i);
      // What the list does not name is the same as in the first member: every axis'
      // coordinate differs only by whole digits that are named.
      int64_t at[SHARDING_AXES_MAX];
      mesh_coordinates(mesh, device, at);
      for (int r = 0; r < list->count; r++) {
        const axis_ref_t ref = list->refs[r];
        const int64_t step = mesh->axes[ref.axis].size / (ref.pre_size * ref.size);
        at[ref.axis] -= mesh_index_along(mesh, device, ref) * step;
      }
      assert_memory_equal(at, first, 3 * sizeof(at[0]));
    }
  }
  for (int64_t device = 0; device < mesh->device_count; device++) {
    assert_int_equal(seen[device], 1);
  }
}

static void test_groups_differ_only_along_the_list(void **state) {
  (void)state;
  int64_t ids[48];
  for (int64_t i = 0; i < 48; i++) {
    ids[i] = i * 7 % 48;
  }
  world_t world = make_world(2, 12, 2, ids);
  const axis_ref_t b_major = {1, 1, 2}, b_middle = {1, 2, 3};
  const axis_ref_t lists[][3] = {
      {whole(&world, 0), whole(&world, 1), whole(&world, 2)},
      {whole(&world, 2), whole(&world, 0), whole(&world, 1)},
      {b_middle, whole(&world, 0), b_major},
      {b_major, b_middle, whole(&world, 2)},
      {b_middle, b_major, whole(&world, 2)},
  };
  for (size_t i = 0; i < POD_COUNT_OF(lists); i++) {
    for (int count = 0; count <= 3; count++) {
      const axis_list_t list = list_of(&world, count, lists[i]);
      check_groups(&world, &list);
    }
  }
  pod_arena_destroy(world.arena);
}

static void test_groups_of_a_2x2_are_its_rows_and_columns(void **state) {
  (void)state;
  const int64_t ids[] = {0, 1, 3, 2};
  world_t world = make_world(2, 2, 1, ids);
  int64_t count, size;
  const axis_ref_t b = whole(&world, 1);
  const axis_list_t along_b = list_of(&world, 1, &b);
  const int64_t *rows =
      axis_list_groups(world.arena, world.mesh, &along_b, &count, &size);
  const int64_t expected_rows[] = {0, 1, 3, 2};
  assert_memory_equal(rows, expected_rows, sizeof(expected_rows));
  const axis_ref_t a = whole(&world, 0);
  const axis_list_t along_a = list_of(&world, 1, &a);
  const int64_t *columns =
      axis_list_groups(world.arena, world.mesh, &along_a, &count, &size);
  const int64_t expected_columns[] = {0, 3, 1, 2};
  assert_memory_equal(columns, expected_columns, sizeof(expected_columns));
  pod_arena_destroy(world.arena);
}

static void test_mesh_make_refuses_what_is_no_mesh(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const mesh_t *mesh = NULL;
  const mesh_axis_t zero[] = {{"x", 0}};
  assert_fails(mesh_make(arena, "m", 1, zero, NULL, &mesh), POD_INVALID_ARGUMENT,
               "axis \"x\" of mesh @m has size 0, at least 1 is needed");
  const mesh_axis_t twice[] = {{"x", 2}, {"x", 2}};
  assert_fails(mesh_make(arena, "m", 2, twice, NULL, &mesh), POD_INVALID_ARGUMENT,
               "mesh @m has two axes named \"x\"");
  const mesh_axis_t large[] = {{"x", INT64_MAX}, {"y", INT64_MAX}};
  assert_fails(mesh_make(arena, "m", 2, large, NULL, &mesh), POD_INVALID_ARGUMENT,
               "mesh @m has more than 65536 devices");
  assert_fails(mesh_make(arena, "m", 17, NULL, NULL, &mesh), POD_INVALID_ARGUMENT,
               "mesh @m has 17 axes, at most 16 are allowed");
  const mesh_axis_t two[] = {{"x", 2}};
  const int64_t repeated[] = {1, 1}, beyond[] = {0, SHARDING_DEVICES_MAX},
                below[] = {0, -1};
  assert_fails(mesh_make(arena, "m", 1, two, repeated, &mesh), POD_INVALID_ARGUMENT,
               "mesh @m lists device 1 twice");
  assert_fails(mesh_make(arena, "m", 1, two, beyond, &mesh), POD_INVALID_ARGUMENT,
               "mesh @m lists device 65536, devices are 0 to 65535");
  assert_fails(mesh_make(arena, "m", 1, two, below, &mesh), POD_INVALID_ARGUMENT,
               "mesh @m lists device -1, devices are 0 to 65535");
  assert_null(mesh);
  assert_null(mesh_make(arena, "", 0, NULL, NULL, &mesh));
  assert_int_equal(mesh->device_count, 1);
  pod_arena_destroy(arena);
}

static void test_a_mesh_is_of_any_distinct_devices(void **state) {
  (void)state;
  const int64_t ids[] = {7, 2, 0, 11};
  world_t world = make_world(1, 2, 2, ids);
  assert_int_equal(mesh_id_limit(world.mesh), 12);
  for (int64_t p = 0; p < 4; p++) {
    assert_int_equal(mesh_device(world.mesh, p), ids[p]);
    assert_int_equal(mesh_position(world.mesh, ids[p]), p);
    assert_int_equal(mesh_index_along(world.mesh, ids[p], whole(&world, 1)), p / 2);
    assert_int_equal(mesh_index_along(world.mesh, ids[p], whole(&world, 2)), p % 2);
  }
  const int64_t others[] = {-1, 1, 3, 10, 12, INT64_MAX};
  for (size_t i = 0; i < POD_COUNT_OF(others); i++) {
    assert_int_equal(mesh_position(world.mesh, others[i]), -1);
  }
  assert_null(mesh_check_ids(world.mesh, 12));
  assert_fails(mesh_check_ids(world.mesh, 8), POD_INVALID_ARGUMENT,
               "mesh @mesh lists device 11, its devices are 0 to 7");
  pod_arena_destroy(world.arena);
}

static sharding_t *shard2(const world_t *world, axis_list_t rows, axis_list_t columns) {
  sharding_t *sharding = sharding_replicated(world->arena, world->mesh, 2, false);
  sharding->dims[0].axes = rows;
  sharding->dims[1].axes = columns;
  return sharding;
}

static void test_local_shapes_and_starts_follow_the_axes(void **state) {
  (void)state;
  world_t world = make_world(2, 4, 3, NULL);
  const axis_ref_t rows[] = {{2, 1, 3}, {1, 2, 2}}, columns[] = {{0, 1, 2}};
  const sharding_t *sharding =
      shard2(&world, list_of(&world, 2, rows), list_of(&world, 1, columns));
  const int64_t dims[] = {12, 10};
  const tensor_shape_t global = tensor_shape_make(TENSOR_F32, 2, dims);
  tensor_shape_t local;
  assert_null(sharding_check(sharding, &global));
  sharding_local_shape(sharding, &global, &local);
  assert_int_equal(local.dims[0], 2);
  assert_int_equal(local.dims[1], 5);
  for (int64_t device = 0; device < 24; device++) {
    int64_t at[SHARDING_AXES_MAX], start[TENSOR_RANK_MAX];
    mesh_coordinates(world.mesh, device, at);
    sharding_shard_start(sharding, &global, device, start);
    assert_int_equal(start[0], (at[2] * 2 + at[1] % 2) * 2);
    assert_int_equal(start[1], at[0] * 5);
  }
  const int64_t odd[] = {12, 7};
  const tensor_shape_t uneven = tensor_shape_make(TENSOR_F32, 2, odd);
  assert_true(sharding_divides(sharding, &global));
  assert_false(sharding_divides(sharding, &uneven));
  sharding_local_shape(sharding, &uneven, &local);
  assert_int_equal(local.dims[1], 4);
  int64_t start[TENSOR_RANK_MAX];
  sharding_shard_start(sharding, &uneven, 12, start);
  assert_int_equal(start[1], 4);
  pod_arena_destroy(world.arena);
}

static void check_refused(const world_t *world, axis_ref_t first, axis_ref_t second,
                          const char *message) {
  const int64_t dims[] = {12, 12};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims);
  const sharding_t *sharding =
      shard2(world, list_of(world, 1, &first), list_of(world, 1, &second));
  assert_fails(sharding_check(sharding, &shape), POD_INVALID_ARGUMENT, message);
}

static void test_check_refuses_unknown_and_overlapping_axes(void **state) {
  (void)state;
  world_t world = make_world(2, 12, 1, NULL);
  const axis_ref_t a = whole(&world, 0), b = whole(&world, 1), c = whole(&world, 2);
  check_refused(&world, a, a, "dimension 1: axis \"a\" is used twice");
  check_refused(&world, c, c, "dimension 1: axis \"c\" is used twice");
  check_refused(&world, b, (axis_ref_t){1, 2, 2},
                "dimension 1: axis \"b\" is used twice");
  check_refused(&world, (axis_ref_t){1, 2, 2}, (axis_ref_t){1, 1, 4},
                "dimension 1: axis \"b\" is used twice");
  check_refused(&world, (axis_ref_t){1, 1, 2}, (axis_ref_t){1, 3, 2},
                "dimension 1: axis \"b\" is used twice");
  check_refused(&world, a, (axis_ref_t){7, 1, 2},
                "dimension 1: mesh @mesh has no axis number 7");
  check_refused(&world, (axis_ref_t){1, 1, 5}, a,
                "dimension 0: \"b\":(1)5 is no part of the axis: its size 12 does not "
                "divide so");
  sharding_t *sharding = shard2(&world, list_of(&world, 1, &a), list_of(&world, 1, &b));
  const int64_t dims[] = {12, 12, 12};
  const tensor_shape_t cube = tensor_shape_make(TENSOR_F32, 3, dims);
  assert_fails(sharding_check(sharding, &cube), POD_INVALID_ARGUMENT,
               "a sharding of 2 dimensions on f32[12,12,12] of rank 3");
  sharding->replicated = list_of(&world, 1, &b);
  const tensor_shape_t square = tensor_shape_make(TENSOR_F32, 2, dims);
  assert_fails(sharding_check(sharding, &square), POD_INVALID_ARGUMENT,
               "replicated axes: axis \"b\" is used twice");
  pod_arena_destroy(world.arena);
}

static void test_equivalence_is_about_places(void **state) {
  (void)state;
  world_t world = make_world(2, 4, 1, NULL);
  const axis_ref_t b = whole(&world, 1);
  const axis_ref_t parts[] = {{1, 1, 2}, {2, 1, 1}, {1, 2, 2}};
  const axis_ref_t swapped[] = {{1, 2, 2}, {1, 1, 2}};
  const axis_list_t none = {0};
  const sharding_t *one = shard2(&world, list_of(&world, 1, &b), none);
  sharding_t *two = shard2(&world, list_of(&world, 3, parts), none);
  const sharding_t *three = shard2(&world, list_of(&world, 2, swapped), none);
  two->dims[1].is_open = true;
  two->dims[0].priority = 3;
  assert_true(sharding_equivalent(one, two));
  assert_true(sharding_equivalent(two, one));
  assert_false(sharding_equivalent(one, three));
  const sharding_t *other = shard2(&world, none, list_of(&world, 1, &b));
  assert_false(sharding_equivalent(one, other));
  sharding_t *pending = sharding_copy(world.arena, one);
  assert_true(sharding_equivalent(one, pending));
  const axis_ref_t a = whole(&world, 0);
  pending->unreduced = list_of(&world, 1, &a);
  assert_false(sharding_equivalent(one, pending));
  assert_false(sharding_equivalent(pending, one));
  sharding_t *largest = sharding_copy(world.arena, pending);
  assert_true(sharding_equivalent(pending, largest));
  largest->reduction = SHARDING_MAX;
  assert_false(sharding_equivalent(pending, largest));
  pod_arena_destroy(world.arena);
}

static void test_a_copy_shares_nothing_that_can_change(void **state) {
  (void)state;
  world_t world = make_world(2, 4, 1, NULL);
  const axis_ref_t a = whole(&world, 0);
  sharding_t *one = shard2(&world, list_of(&world, 1, &a), (axis_list_t){0});
  sharding_t *copy = sharding_copy(world.arena, one);
  copy->dims[0].axes.refs[0].axis = 1;
  copy->dims[1].is_open = true;
  assert_int_equal(one->dims[0].axes.refs[0].axis, 0);
  assert_false(one->dims[1].is_open);
  pod_arena_destroy(world.arena);
}

static void test_replicated_means_one_piece_everywhere(void **state) {
  (void)state;
  world_t world = make_world(2, 4, 1, NULL);
  sharding_t *sharding = sharding_replicated(world.arena, world.mesh, 2, true);
  assert_true(sharding_is_replicated(sharding));
  assert_true(sharding->dims[1].is_open);
  const axis_ref_t c = whole(&world, 2), a = whole(&world, 0);
  sharding->dims[0].axes = list_of(&world, 1, &c);
  assert_true(sharding_is_replicated(sharding));
  sharding->unreduced = list_of(&world, 1, &a);
  assert_false(sharding_is_replicated(sharding));
  pod_arena_destroy(world.arena);
}

static void test_shardings_print_as_shardy_does(void **state) {
  (void)state;
  world_t world = make_world(2, 4, 3, NULL);
  const axis_ref_t rows[] = {{0, 1, 2}, {1, 2, 2}}, c = whole(&world, 2);
  const axis_ref_t b_major = {1, 1, 2};
  sharding_t *sharding = shard2(&world, list_of(&world, 2, rows), (axis_list_t){0});
  sharding->dims[0].is_open = true;
  sharding->dims[0].priority = 1;
  sharding->dims[1].is_open = true;
  sharding->replicated = list_of(&world, 1, &c);
  sharding->unreduced = list_of(&world, 1, &b_major);
  pod_text_t text = {0};
  sharding_print(&text, sharding);
  assert_string_equal(text.bytes,
                      "<@mesh, [{\"a\", \"b\":(2)2, ?}p1, {?}], replicated={\"c\"}, "
                      "unreduced={\"b\":(1)2}>");
  pod_text_clear(&text);
  sharding_t *scalar = sharding_replicated(world.arena, world.mesh, 0, false);
  scalar->unreduced = list_of(&world, 1, &c);
  scalar->reduction = SHARDING_MIN;
  sharding_print(&text, scalar);
  assert_string_equal(text.bytes, "<@mesh, [], unreduced=min{\"c\"}>");
  pod_text_clear(&text);
  sharding_print(&text, sharding_replicated(world.arena, world.mesh, 0, false));
  assert_string_equal(text.bytes, "<@mesh, []>");
  pod_text_deinit(&text);
  pod_arena_destroy(world.arena);
}

static void test_axes_are_found_by_name(void **state) {
  (void)state;
  world_t world = make_world(2, 4, 3, NULL);
  assert_int_equal(mesh_find_axis(world.mesh, "b", 1), 1);
  assert_int_equal(mesh_find_axis(world.mesh, "bc", 2), -1);
  assert_int_equal(mesh_find_axis(world.mesh, "", 0), -1);
  pod_arena_destroy(world.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coordinates_and_devices_are_inverse_in_any_device_order),
      cmocka_unit_test(test_sub_axes_are_the_digits_of_their_axis),
      cmocka_unit_test(test_groups_differ_only_along_the_list),
      cmocka_unit_test(test_groups_of_a_2x2_are_its_rows_and_columns),
      cmocka_unit_test(test_mesh_make_refuses_what_is_no_mesh),
      cmocka_unit_test(test_a_mesh_is_of_any_distinct_devices),
      cmocka_unit_test(test_local_shapes_and_starts_follow_the_axes),
      cmocka_unit_test(test_check_refuses_unknown_and_overlapping_axes),
      cmocka_unit_test(test_equivalence_is_about_places),
      cmocka_unit_test(test_a_copy_shares_nothing_that_can_change),
      cmocka_unit_test(test_replicated_means_one_piece_everywhere),
      cmocka_unit_test(test_shardings_print_as_shardy_does),
      cmocka_unit_test(test_axes_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
