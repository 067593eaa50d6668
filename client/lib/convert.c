// Between the public structs and the messages.

#include <string.h>

#include "client/lib/session.h"
#include "common/tensor/sharding.h"

enum { DEVICES_MAX = 65536 };  // Of a pod.

_Static_assert((int)PODIUM_C128 == (int)TENSOR_C128 &&
                   (int)PODIUM_BF16 == (int)TENSOR_BF16,
               "the public dtypes are the internal ones");

podium_shape_t lib_shape(const Podium__V1__Shape *shape) {
  podium_shape_t result = {0};
  if (shape == NULL || shape->n_dims > PODIUM_RANK_MAX) {
    return result;
  }
  result.dtype = (podium_dtype_t)shape->dtype;
  result.rank = (int)shape->n_dims;
  for (size_t i = 0; i < shape->n_dims; i++) {
    result.dims[i] = shape->dims[i];
  }
  return result;
}

void lib_shape_message(const podium_shape_t *shape, Podium__V1__Shape *out_message) {
  podium__v1__shape__init(out_message);
  out_message->dtype = (Podium__V1__DType)shape->dtype;
  out_message->n_dims = (size_t)shape->rank;
  out_message->dims = (int64_t *)(uintptr_t)shape->dims;
}

tensor_shape_t lib_tensor_shape(const podium_shape_t *shape) {
  return tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
}

static void add_axes(pod_text_t *text, size_t count, Podium__V1__AxisRef *const *axes) {
  for (size_t i = 0; i < count; i++) {
    const Podium__V1__AxisRef *ref = axes[i];
    pod_text_printf(text, "%s%s", i == 0 ? "" : ",", ref->axis);
    if (ref->size != 0) {
      pod_text_printf(text, ":(%lld)%lld", (long long)ref->pre_size,
                      (long long)ref->size);
    }
  }
}

const char *lib_sharding_text(pod_arena_t *arena, const Podium__V1__Sharding *sharding) {
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (size_t d = 0; sharding != NULL && d < sharding->n_dims; d++) {
    pod_text_add(&text, d == 0 ? "{" : ", {");
    add_axes(&text, sharding->dims[d]->n_axes, sharding->dims[d]->axes);
    pod_text_add(&text, "}");
  }
  pod_text_add(&text, "]");
  if (sharding != NULL && sharding->n_unreduced > 0) {
    const bool is_max =
        sharding->reduction == PODIUM__V1__SHARDING__REDUCTION__REDUCTION_MAX;
    const bool is_min =
        sharding->reduction == PODIUM__V1__SHARDING__REDUCTION__REDUCTION_MIN;
    pod_text_printf(&text, ", unreduced=%s{", is_max ? "max" : is_min ? "min" : "");
    add_axes(&text, sharding->n_unreduced, sharding->unreduced);
    pod_text_add(&text, "}");
  }
  const char *copy = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

static bool has_axis(const podium_sharding_t *sharding, const char *name, size_t length) {
  for (int i = 0; i < sharding->axis_count; i++) {
    if (strlen(sharding->axes[i].name) == length &&
        memcmp(sharding->axes[i].name, name, length) == 0) {
      return true;
    }
  }
  return false;
}

// "x,y" as axis references.
static pod_status_t parse_dim(pod_arena_t *arena, const podium_sharding_t *sharding,
                              int dim, Podium__V1__DimSharding *out_dim) {
  const char *next = sharding->spec[dim] == NULL ? "" : sharding->spec[dim];
  size_t count = *next != '\0';
  for (const char *c = next; *c != '\0'; c++) {
    count += *c == ',';
  }
  out_dim->axes = pod_arena_array(arena, count, sizeof(*out_dim->axes));
  while (*next != '\0') {
    const size_t length = strcspn(next, ",");
    if (!has_axis(sharding, next, length)) {
      return pod_error(
          POD_INVALID_ARGUMENT,
          "dimension %d is sharded over '%.*s', which is no axis of the mesh", dim,
          (int)length, next);
    }
    Podium__V1__AxisRef *ref = pod_arena_alloc(arena, sizeof(*ref));
    podium__v1__axis_ref__init(ref);
    ref->axis = pod_arena_text(arena, next, length);
    out_dim->axes[out_dim->n_axes++] = ref;
    next += length + (next[length] == ',');
  }
  return NULL;
}

static Podium__V1__Mesh *mesh_message(pod_arena_t *arena,
                                      const podium_sharding_t *sharding) {
  Podium__V1__Mesh *mesh = pod_arena_alloc(arena, sizeof(*mesh));
  podium__v1__mesh__init(mesh);
  mesh->name = pod_arena_strdup(arena, "mesh");
  const size_t axis_count = (size_t)sharding->axis_count;
  mesh->axes = pod_arena_array(arena, axis_count, sizeof(*mesh->axes));
  int64_t device_count = 1;
  for (size_t i = 0; i < axis_count; i++) {
    Podium__V1__MeshAxis *axis = pod_arena_alloc(arena, sizeof(*axis));
    podium__v1__mesh_axis__init(axis);
    axis->name = pod_arena_strdup(arena, sharding->axes[i].name);
    axis->size = sharding->axes[i].size;
    device_count *= axis->size;
    mesh->axes[mesh->n_axes++] = axis;
  }
  if (sharding->device_ids != NULL) {
    mesh->n_device_ids = (size_t)device_count;
    mesh->device_ids = pod_arena_copy(arena, sharding->device_ids,
                                      (size_t)device_count * sizeof(int64_t));
  }
  return mesh;
}

static pod_status_t check_sharding(const podium_shape_t *shape,
                                   const podium_sharding_t *sharding) {
  if (sharding->rank != shape->rank) {
    return pod_error(POD_INVALID_ARGUMENT, "the sharding has %d dimensions, the array %d",
                     sharding->rank, shape->rank);
  }
  POD_TRY(lib_check_list("dimensions of the sharding", sharding->rank, sharding->spec));
  POD_TRY(lib_check_list("axes of the mesh", sharding->axis_count, sharding->axes));
  int64_t devices = 1;
  for (int i = 0; i < sharding->axis_count; i++) {
    if (sharding->axes[i].name == NULL) {
      return pod_error(POD_INVALID_ARGUMENT, "axis %d of the mesh has no name", i);
    }
    // Before the list of devices is read, which has as many entries.
    if (sharding->axes[i].size < 1 ||
        __builtin_mul_overflow(devices, sharding->axes[i].size, &devices) ||
        devices > DEVICES_MAX) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "axis '%s' of the mesh has size %lld: a mesh has from 1 to %d "
                       "devices",
                       sharding->axes[i].name, (long long)sharding->axes[i].size,
                       DEVICES_MAX);
    }
  }
  return NULL;
}

pod_status_t lib_sharding_message(pod_arena_t *arena, const podium_shape_t *shape,
                                  const podium_sharding_t *sharding,
                                  Podium__V1__Sharding **out_message) {
  POD_TRY(check_sharding(shape, sharding));
  Podium__V1__Sharding *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__sharding__init(message);
  message->mesh = mesh_message(arena, sharding);
  const size_t rank = (size_t)sharding->rank;
  message->dims = pod_arena_array(arena, rank, sizeof(*message->dims));
  for (size_t d = 0; d < rank; d++) {
    Podium__V1__DimSharding *dim = pod_arena_alloc(arena, sizeof(*dim));
    podium__v1__dim_sharding__init(dim);
    POD_TRY(parse_dim(arena, sharding, (int)d, dim));
    message->dims[message->n_dims++] = dim;
  }
  *out_message = message;
  return NULL;
}

static int64_t axis_size(const podium_sharding_t *sharding, const char *name,
                         size_t length) {
  for (int i = 0; i < sharding->axis_count; i++) {
    if (strlen(sharding->axes[i].name) == length &&
        memcmp(sharding->axes[i].name, name, length) == 0) {
      return sharding->axes[i].size;
    }
  }
  return 1;
}

podium_shape_t lib_local_shape(const podium_shape_t *shape,
                               const podium_sharding_t *sharding) {
  podium_shape_t local = *shape;
  for (int d = 0; sharding != NULL && d < sharding->rank && d < shape->rank; d++) {
    const char *next = sharding->spec[d] == NULL ? "" : sharding->spec[d];
    int64_t parts = 1;
    while (*next != '\0') {
      const size_t length = strcspn(next, ",");
      const int64_t size = axis_size(sharding, next, length);
      if (size > 0 && parts <= INT32_MAX) {
        parts *= size;
      }
      next += length + (next[length] == ',');
    }
    local.dims[d] = sharding_part(shape->dims[d], parts);
  }
  return local;
}
