#include "common/tensor/slicer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"

typedef struct {
  pod_arena_t *arena;
  sharding_t *sharding;
  tensor_shape_t global;
} world_t;

// A mesh a=2, b=6, c=2; b's parts have sizes 2 and 3.
static world_t make_world(tensor_dtype_t dtype, int rank, const int64_t *dims) {
  world_t world = {.arena = pod_arena_create()};
  const mesh_axis_t axes[] = {{"a", 2}, {"b", 6}, {"c", 2}};
  const mesh_t *mesh;
  assert_null(mesh_make(world.arena, "mesh", 3, axes, NULL, &mesh));
  world.sharding = sharding_replicated(world.arena, mesh, rank, false);
  world.global = tensor_shape_make(dtype, rank, dims);
  return world;
}

static void shard(world_t *world, int dim, axis_ref_t ref) {
  axis_list_t *list = &world->sharding->dims[dim].axes;
  axis_ref_t *refs =
      pod_arena_array(world->arena, (size_t)list->count + 1, sizeof(*refs));
  if (list->count > 0) {
    memcpy(refs, list->refs, (size_t)list->count * sizeof(*refs));
  }
  refs[list->count++] = ref;
  list->refs = refs;
}

// The slow reference: where an element stands, by its index.
static void locate(const world_t *world, const tensor_slicer_t *slicer, int64_t device,
                   int64_t element, int64_t *out_shard, int64_t *out_offset) {
  const tensor_shape_t *global = &world->global;
  tensor_shape_t local;
  sharding_local_shape(world->sharding, global, &local);
  int64_t strides[TENSOR_RANK_MAX], start[TENSOR_RANK_MAX], offset = 0;
  tensor_shape_strides(&local, strides);
  sharding_shard_start(world->sharding, global, device, start);
  int64_t rest = element;
  *out_shard = tensor_slicer_shard_of_device(slicer, device);
  for (int i = global->rank - 1; i >= 0; i--) {
    const int64_t at = rest % global->dims[i] - start[i];
    rest /= global->dims[i];
    if (at < 0 || at >= local.dims[i]) {
      *out_shard = -1;  // Not on this device.
      return;
    }
    offset += at * strides[i];
  }
  *out_offset = offset * (int64_t)tensor_dtype_bytes(global->dtype);
}

// Every device's shard, filled by runs of at most `run_max` bytes, against the reference.
static void check_world(const world_t *world, int64_t run_max) {
  tensor_slicer_t *slicer = NULL;
  assert_null(tensor_slicer_create(world->sharding, &world->global, &slicer));
  const int64_t total = tensor_shape_bytes(&world->global);
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(world->global.dtype);
  int64_t *shard_of = malloc((size_t)total * sizeof(*shard_of));
  int64_t *offset_of = malloc((size_t)total * sizeof(*offset_of));
  int64_t filled[64] = {0};
  const int64_t walk = tensor_slicer_walk_bytes(slicer);
  assert_true(tensor_slicer_shard_count(slicer) * tensor_slicer_shard_bytes(slicer) ==
              walk);
  int64_t found = 0;
  for (int64_t at = 0; at < walk;) {
    const tensor_run_t run = tensor_slicer_run_at(slicer, at, run_max);
    assert_true(run.size_bytes > 0 && run.size_bytes <= run_max);
    // Each shard's stream is sequential.
    assert_int_equal(run.shard_offset_bytes, filled[run.shard]);
    filled[run.shard] += run.size_bytes;
    for (int64_t i = 0; i < run.size_bytes && !run.is_padding; i++) {
      assert_true(found < total);
      shard_of[found] = run.shard;
      offset_of[found++] = run.shard_offset_bytes + i;
    }
    at += run.size_bytes;
  }
  assert_int_equal(found, total);
  for (int64_t device = 0; device < world->sharding->mesh->device_count; device++) {
    for (int64_t e = 0; e < total / element_bytes; e++) {
      int64_t shard_index, offset = 0;
      locate(world, slicer, device, e, &shard_index, &offset);
      if (shard_index >= 0) {
        assert_int_equal(shard_of[e * element_bytes], shard_index);
        assert_int_equal(offset_of[e * element_bytes], offset);
      }
    }
  }
  free(shard_of);
  free(offset_of);
  tensor_slicer_destroy(slicer);
}

static void test_random_shardings_agree_with_the_definition(void **state) {
  (void)state;
  pod_random_t random = {.state = 11};
  const axis_ref_t parts[] = {{0, 1, 2}, {1, 1, 2}, {1, 2, 3}, {2, 1, 2}};
  for (int trial = 0; trial < 60; trial++) {
    const int rank = 1 + (int)pod_random_below(&random, 4);
    const int64_t dims[] = {12, 12, 24, 5, 7, 1};
    int64_t mixed[4];
    for (int i = 0; i < rank; i++) {
      mixed[i] = dims[pod_random_below(&random, i == 0 ? 3 : 6)];
    }
    world_t world = make_world(TENSOR_BF16, rank, mixed);
    for (size_t p = 0; p < 4; p++) {
      const int dim = (int)pod_random_below(&random, (uint64_t)rank + 1);
      if (dim < rank) {
        shard(&world, dim, parts[p]);
      }
    }
    if (tensor_shape_bytes(&world.global) < 8192) {
      check_world(&world, 1 + (int64_t)pod_random_below(&random, 100));
      check_world(&world, INT64_MAX);
    }
    pod_arena_destroy(world.arena);
  }
}

static void test_trailing_dimensions_that_are_not_cut_make_one_run(void **state) {
  (void)state;
  const int64_t dims[] = {4, 8, 16};
  world_t world = make_world(TENSOR_F32, 3, dims);
  shard(&world, 1, (axis_ref_t){0, 1, 2});
  tensor_slicer_t *slicer = NULL;
  assert_null(tensor_slicer_create(world.sharding, &world.global, &slicer));
  assert_int_equal(tensor_slicer_shard_count(slicer), 2);
  const tensor_run_t run = tensor_slicer_run_at(slicer, 256, INT64_MAX);
  assert_int_equal(run.shard, 1);
  assert_int_equal(run.shard_offset_bytes, 0);
  assert_int_equal(run.size_bytes, 4 * 16 * 4);
  tensor_slicer_destroy(slicer);
  pod_arena_destroy(world.arena);
}

static void test_an_uncut_array_is_one_run(void **state) {
  (void)state;
  const int64_t dims[] = {4, 8, 16};
  world_t world = make_world(TENSOR_F32, 3, dims);
  tensor_slicer_t *slicer = NULL;
  assert_null(tensor_slicer_create(world.sharding, &world.global, &slicer));
  assert_int_equal(tensor_slicer_shard_count(slicer), 1);
  const tensor_run_t run = tensor_slicer_run_at(slicer, 5, INT64_MAX);
  assert_int_equal(run.size_bytes, 4 * 8 * 16 * 4 - 5);
  assert_int_equal(run.shard_offset_bytes, 5);
  tensor_slicer_destroy(slicer);
  pod_arena_destroy(world.arena);
}

static void test_scalars_and_empty_arrays_have_shards(void **state) {
  (void)state;
  world_t world = make_world(TENSOR_F64, 0, NULL);
  check_world(&world, INT64_MAX);
  pod_arena_destroy(world.arena);
  const int64_t dims[] = {0, 6};
  world = make_world(TENSOR_F64, 2, dims);
  shard(&world, 1, (axis_ref_t){1, 2, 3});
  tensor_slicer_t *slicer = NULL;
  assert_null(tensor_slicer_create(world.sharding, &world.global, &slicer));
  assert_int_equal(tensor_slicer_shard_count(slicer), 3);
  assert_int_equal(tensor_slicer_shard_bytes(slicer), 0);
  tensor_slicer_destroy(slicer);
  pod_arena_destroy(world.arena);
}

static void test_what_does_not_divide_ends_in_padding(void **state) {
  (void)state;
  const int64_t dims[] = {7};
  world_t world = make_world(TENSOR_F32, 1, dims);
  shard(&world, 0, (axis_ref_t){0, 1, 2});
  tensor_slicer_t *slicer = NULL;
  assert_null(tensor_slicer_create(world.sharding, &world.global, &slicer));
  assert_int_equal(tensor_slicer_shard_bytes(slicer), 16);
  assert_int_equal(tensor_slicer_walk_bytes(slicer), 32);
  const tensor_run_t rest = tensor_slicer_run_at(slicer, 16, INT64_MAX);
  assert_int_equal(rest.size_bytes, 12);
  assert_false(rest.is_padding);
  const tensor_run_t padding = tensor_slicer_run_at(slicer, 28, INT64_MAX);
  assert_int_equal(padding.size_bytes, 4);
  assert_true(padding.is_padding);
  tensor_slicer_destroy(slicer);
  pod_arena_destroy(world.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_shardings_agree_with_the_definition),
      cmocka_unit_test(test_trailing_dimensions_that_are_not_cut_make_one_run),
      cmocka_unit_test(test_an_uncut_array_is_one_run),
      cmocka_unit_test(test_scalars_and_empty_arrays_have_shards),
      cmocka_unit_test(test_what_does_not_divide_ends_in_padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
