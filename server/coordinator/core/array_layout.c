// Equal placements are found by what each chip holds, whatever names the meshes have.

#include "server/coordinator/core/array_layout.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"

enum { CHIPS_PRINTED_MAX = 16 };

static const int32_t *list_chips(pod_arena_t *arena, const mesh_t *mesh) {
  int32_t *chips = pod_arena_array(arena, (size_t)mesh->device_count, sizeof(*chips));
  for (int64_t p = 0; p < mesh->device_count; p++) {
    chips[p] = (int32_t)mesh_device(mesh, p);
  }
  return chips;
}

static pod_status_t create(const tensor_shape_t *shape, const sharding_t *sharding,
                           const int64_t *chips, array_layout_t **out_layout) {
  POD_TRY(tensor_shape_check(shape));
  POD_TRY(sharding_check(sharding, shape));
  tensor_shape_t local;
  sharding_local_shape(sharding, shape, &local);
  const mesh_t *old = sharding->mesh;
  pod_arena_t *arena = pod_arena_create();
  const mesh_t *mesh;
  const pod_status_t status =
      mesh_make(arena, old->name, old->axis_count, old->axes, chips, &mesh);
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
                             .chip_count = (int32_t)mesh->device_count,
                             .chips = list_chips(arena, mesh)};
  *out_layout = layout;
  return NULL;
}

pod_status_t array_layout_create(const tensor_shape_t *shape, const sharding_t *sharding,
                                 array_layout_t **out_layout) {
  return create(shape, sharding, sharding->mesh->device_ids, out_layout);
}

pod_status_t array_layout_create_on(const tensor_shape_t *shape,
                                    const sharding_t *sharding, int32_t chip_count,
                                    const int64_t *chips, array_layout_t **out_layout) {
  if (chip_count != sharding->mesh->device_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the array is to be on %" PRId32
                     " chips, its sharding's mesh has %" PRId64
                     " devices: name a chip for each of them",
                     chip_count, sharding->mesh->device_count);
  }
  return create(shape, sharding, chips, out_layout);
}

pod_status_t array_layout_create_replicated(const tensor_shape_t *shape,
                                            int32_t chip_count, const int64_t *chips,
                                            array_layout_t **out_layout) {
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axis = {.name = "chips", .size = chip_count};
  const mesh_t *mesh;
  pod_status_t status = mesh_make(arena, "", 1, &axis, chips, &mesh);
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

int32_t array_layout_find(const array_layout_t *layout, int32_t chip) {
  return (int32_t)mesh_position(layout->sharding->mesh, chip);
}

// Two spellings of one placement differ in mesh names, axes or sub-axes; what each chip
// holds decides, where that is elements of the array and not summands.
static bool same_parts(const array_layout_t *a, const array_layout_t *b) {
  if (axis_list_size(&a->sharding->unreduced) != 1 ||
      axis_list_size(&b->sharding->unreduced) != 1) {
    return false;
  }
  for (int32_t i = 0; i < a->chip_count; i++) {
    const int32_t chip = a->chips[i];
    if (array_layout_find(b, chip) < 0) {
      return false;
    }
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

static void print_chips(pod_text_t *text, const array_layout_t *layout) {
  bool is_first_ones = true;
  for (int32_t i = 0; i < layout->chip_count; i++) {
    is_first_ones &= layout->chips[i] == i;
  }
  if (is_first_ones) {
    pod_text_printf(text, " on each of %" PRId32 " chips", layout->chip_count);
    return;
  }
  pod_text_add(text, layout->chip_count == 1 ? " on chip " : " on each of the chips {");
  for (int32_t i = 0; i < layout->chip_count && i < CHIPS_PRINTED_MAX; i++) {
    pod_text_printf(text, "%s%" PRId32, i == 0 ? "" : ", ", layout->chips[i]);
  }
  pod_text_add(text, layout->chip_count > CHIPS_PRINTED_MAX ? ", …" : "");
  pod_text_add(text, layout->chip_count == 1 ? "" : "}");
}

void array_layout_print(pod_text_t *text, const array_layout_t *layout) {
  tensor_shape_print(text, &layout->shape);
  pod_text_add(text, " as ");
  sharding_print(text, layout->sharding);
  pod_text_add(text, " (");
  tensor_shape_print(text, &layout->local);
  print_chips(text, layout);
  pod_text_add(text, ")");
}
