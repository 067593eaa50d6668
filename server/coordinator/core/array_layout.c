// Equal placements are found by what each chip holds, whatever names the meshes have.

#include "server/coordinator/core/array_layout.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"

pod_status_t array_layout_create(const tensor_shape_t *shape, const sharding_t *sharding,
                                 array_layout_t **out_layout) {
  POD_TRY(tensor_shape_check(shape));
  POD_TRY(sharding_check(sharding, shape));
  tensor_shape_t local;
  POD_TRY(sharding_local_shape(sharding, shape, &local));
  const mesh_t *old = sharding->mesh;
  pod_arena_t *arena = pod_arena_create();
  const mesh_t *mesh;
  const pod_status_t status =
      mesh_make(arena, old->name, old->axis_count, old->axes, old->device_ids, &mesh);
  if (status != NULL) {
    pod_arena_destroy(arena);
    return status;
  }
  sharding_t *copy = sharding_copy(arena, sharding);
  copy->mesh = mesh;
  array_layout_t *layout = pod_arena_alloc(arena, sizeof(*layout));
  *layout = (array_layout_t){.use_count = 1,
                             .arena = arena,
                             .shape = *shape,
                             .local = local,
                             .sharding = copy,
                             .chip_count = (int32_t)mesh->device_count};
  *out_layout = layout;
  return NULL;
}

pod_status_t array_layout_create_replicated(const tensor_shape_t *shape,
                                            int32_t chip_count,
                                            array_layout_t **out_layout) {
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axis = {.name = "chips", .size = chip_count};
  const mesh_t *mesh;
  pod_status_t status = mesh_make(arena, "", 1, &axis, NULL, &mesh);
  if (status == NULL) {
    status = tensor_shape_check(shape);
  }
  if (status == NULL) {
    status = array_layout_create(
        shape, sharding_replicated(arena, mesh, shape->rank, false), out_layout);
  }
  pod_arena_destroy(arena);
  return status;
}

array_layout_t *array_layout_retain(array_layout_t *layout) {
  layout->use_count++;
  return layout;
}

void array_layout_release(array_layout_t *layout) {
  if (layout == NULL) {
    return;
  }
  POD_CHECK(layout->use_count > 0);
  if (--layout->use_count == 0) {
    pod_arena_destroy(layout->arena);
  }
}

// Two spellings of one placement differ in mesh names, axes or sub-axes; what each chip
// holds decides.
static bool same_parts(const array_layout_t *a, const array_layout_t *b) {
  for (int32_t chip = 0; chip < a->chip_count; chip++) {
    int64_t start_a[TENSOR_RANK_MAX] = {0}, start_b[TENSOR_RANK_MAX] = {0};
    sharding_shard_start(a->sharding, &a->shape, chip, start_a);
    sharding_shard_start(b->sharding, &b->shape, chip, start_b);
    if (memcmp(start_a, start_b, (size_t)a->shape.rank * sizeof(start_a[0])) != 0) {
      return false;
    }
  }
  return true;
}

bool array_layout_equal(const array_layout_t *a, const array_layout_t *b) {
  if (a == b) {
    return true;
  }
  if (!tensor_shape_equal(&a->shape, &b->shape) || a->chip_count != b->chip_count ||
      !tensor_shape_equal(&a->local, &b->local)) {
    return false;
  }
  return sharding_equivalent(a->sharding, b->sharding) || same_parts(a, b);
}

void array_layout_print(pod_text_t *text, const array_layout_t *layout) {
  tensor_shape_print(text, &layout->shape);
  pod_text_add(text, " as ");
  sharding_print(text, layout->sharding);
  pod_text_add(text, " (");
  tensor_shape_print(text, &layout->local);
  pod_text_printf(text, " on each of %" PRId32 " chips)", layout->chip_count);
}
