// Which part of an array each device of a program holds, worked out of its sharding.
//
// A dimension is cut by axes, major to minor; the part that the device at mesh position p
// holds has the digits (p / stride) % size, one for each axis (Shardy's sub-axes are axes
// of their own: x:(2)4 has stride(x) * size(x)/8 and size 4).

#include <string.h>

#include "client/lib/executable.h"
#include "client/lib/tiling.h"

typedef lib_digit_t digit_t;

struct podium_tiling {
  int32_t digit_count[PODIUM_RANK_MAX];
  digit_t *digits[PODIUM_RANK_MAX];
  int32_t summand_digit_count;
  digit_t *summand_digits;
  // By device; NULL: the device's number.
  const int64_t *positions;
  int32_t axis_count;
  digit_t *axes;  // Of the mesh.
};

static const char *name_of(pod_arena_t *arena, const Podium__V1__AxisRef *ref) {
  return ref->size == 0
             ? pod_arena_strdup(arena, ref->axis)
             : pod_arena_printf(arena, "%s:(%lld)%lld", ref->axis,
                                (long long)ref->pre_size, (long long)ref->size);
}

static digit_t digit_of(pod_arena_t *arena, const Podium__V1__Mesh *mesh,
                        const Podium__V1__AxisRef *ref) {
  digit_t digit = {.name = name_of(arena, ref), .stride = 1, .size = 1};
  size_t a = mesh->n_axes;
  while (a > 0 && strcmp(mesh->axes[a - 1]->name, ref->axis) != 0) {
    digit.stride *= mesh->axes[--a]->size;
  }
  if (a == 0) {
    return (digit_t){.name = "", .stride = 1, .size = 1};
  }
  const int64_t size = mesh->axes[a - 1]->size;
  if (ref->size == 0 || ref->pre_size < 1 || size % (ref->pre_size * ref->size) != 0) {
    digit.size = size;
  } else {
    digit.size = ref->size;
    digit.stride *= size / (ref->pre_size * ref->size);
  }
  return digit;
}

static int64_t device_of(const podium_compile_options_t *options, int64_t chip) {
  const int64_t count = options == NULL ? 0 : options->device_order_count;
  for (int64_t i = 0; i < count; i++) {
    if (options->device_order[i] == chip) {
      return i;
    }
  }
  return chip;
}

// `device_ids` are chips; NULL when every device is at the position of its number.
static const int64_t *positions_of(pod_arena_t *arena, const Podium__V1__Mesh *mesh,
                                   const podium_compile_options_t *options) {
  const int64_t count = (int64_t)mesh->n_device_ids;
  bool is_identity = true;
  int64_t *positions = pod_arena_array(arena, mesh->n_device_ids, sizeof(*positions));
  for (int64_t p = 0; p < count; p++) {
    const int64_t device = device_of(options, mesh->device_ids[p]);
    if (device < 0 || device >= count) {
      return NULL;
    }
    positions[device] = p;
    is_identity = is_identity && device == p;
  }
  return is_identity ? NULL : positions;
}

static void add_axes(pod_arena_t *arena, const Podium__V1__Mesh *mesh,
                     struct podium_tiling *tiling) {
  tiling->axis_count = (int32_t)mesh->n_axes;
  tiling->axes = pod_arena_array(arena, mesh->n_axes, sizeof(*tiling->axes));
  int64_t stride = 1;
  for (size_t i = mesh->n_axes; i-- > 0;) {
    tiling->axes[i] = (digit_t){.name = pod_arena_strdup(arena, mesh->axes[i]->name),
                                .stride = stride,
                                .size = mesh->axes[i]->size};
    stride *= mesh->axes[i]->size;
  }
}

const struct podium_tiling *lib_tiling(pod_arena_t *arena,
                                       const Podium__V1__Sharding *sharding,
                                       const podium_compile_options_t *options) {
  struct podium_tiling *tiling = pod_arena_alloc(arena, sizeof(*tiling));
  if (sharding == NULL || sharding->mesh == NULL) {
    return tiling;
  }
  tiling->positions = positions_of(arena, sharding->mesh, options);
  add_axes(arena, sharding->mesh, tiling);
  for (size_t d = 0; d < sharding->n_dims && d < PODIUM_RANK_MAX; d++) {
    const Podium__V1__DimSharding *dim = sharding->dims[d];
    tiling->digits[d] = pod_arena_array(arena, dim->n_axes, sizeof(*tiling->digits[d]));
    tiling->digit_count[d] = (int32_t)dim->n_axes;
    for (size_t i = 0; i < dim->n_axes; i++) {
      tiling->digits[d][i] = digit_of(arena, sharding->mesh, dim->axes[i]);
    }
  }
  tiling->summand_digits =
      pod_arena_array(arena, sharding->n_unreduced, sizeof(*tiling->summand_digits));
  tiling->summand_digit_count = (int32_t)sharding->n_unreduced;
  for (size_t i = 0; i < sharding->n_unreduced; i++) {
    tiling->summand_digits[i] = digit_of(arena, sharding->mesh, sharding->unreduced[i]);
  }
  return tiling;
}

int lib_tiling_digits(const struct podium_tiling *tiling, int dim,
                      const lib_digit_t **out_digits) {
  *out_digits = dim < 0 ? tiling->summand_digits : tiling->digits[dim];
  return dim < 0 ? tiling->summand_digit_count : tiling->digit_count[dim];
}

int lib_tiling_mesh(const struct podium_tiling *tiling, const lib_digit_t **out_axes) {
  *out_axes = tiling->axes;
  return tiling->axis_count;
}

const int64_t *lib_tiling_positions(const struct podium_tiling *tiling) {
  return tiling->positions;
}

// The number that the digits of a position make.
static int64_t number_of(int32_t count, const digit_t *digits, int64_t position) {
  int64_t number = 0;
  for (int32_t i = 0; i < count; i++) {
    number = number * digits[i].size + position / digits[i].stride % digits[i].size;
  }
  return number;
}

static int64_t position_of(const struct podium_tiling *tiling, int64_t device) {
  return tiling->positions == NULL ? device : tiling->positions[device];
}

void podium_signature_part(const podium_signature_t *signature, int64_t device,
                           int64_t out_part[PODIUM_RANK_MAX]) {
  const struct podium_tiling *tiling = signature->tiling;
  const int64_t position = position_of(tiling, device);
  for (int d = 0; d < signature->shape.rank; d++) {
    out_part[d] = number_of(tiling->digit_count[d], tiling->digits[d], position);
  }
}

int64_t podium_signature_summand(const podium_signature_t *signature, int64_t device,
                                 int64_t *out_count) {
  const struct podium_tiling *tiling = signature->tiling;
  *out_count = 1;
  for (int32_t i = 0; i < tiling->summand_digit_count; i++) {
    *out_count *= tiling->summand_digits[i].size;
  }
  return number_of(tiling->summand_digit_count, tiling->summand_digits,
                   position_of(tiling, device));
}
