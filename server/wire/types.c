// Pack borrows, unpack copies and checks.

#include "server/wire/types.h"

Podium__V1__Shape *wire_shape_pack(pod_arena_t *arena, const tensor_shape_t *shape) {
  Podium__V1__Shape *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__shape__init(message);
  message->dtype = (Podium__V1__DType)shape->dtype;
  message->n_dims = (size_t)shape->rank;
  message->dims =
      pod_arena_copy(arena, shape->dims, (size_t)shape->rank * sizeof(*shape->dims));
  return message;
}

pod_status_t wire_shape_unpack(const Podium__V1__Shape *message,
                               tensor_shape_t *out_shape) {
  if (message == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "a shape is missing");
  }
  const int dtype = (int)message->dtype;
  if (dtype <= TENSOR_INVALID || dtype >= TENSOR_DTYPE_COUNT) {
    return pod_error(POD_INVALID_ARGUMENT, "element type %d does not exist", dtype);
  }
  if (message->n_dims > TENSOR_RANK_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "a shape has rank %zu, at most %d is possible",
                     message->n_dims, TENSOR_RANK_MAX);
  }
  const tensor_shape_t shape =
      tensor_shape_make((tensor_dtype_t)dtype, (int)message->n_dims, message->dims);
  POD_TRY(tensor_shape_check(&shape));
  *out_shape = shape;
  return NULL;
}

Podium__V1__Mesh *wire_mesh_pack(pod_arena_t *arena, const mesh_t *mesh) {
  Podium__V1__Mesh *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__mesh__init(message);
  message->name = (char *)mesh->name;
  message->n_axes = (size_t)mesh->axis_count;
  message->axes = pod_arena_array(arena, message->n_axes, sizeof(*message->axes));
  for (int i = 0; i < mesh->axis_count; i++) {
    Podium__V1__MeshAxis *axis = pod_arena_alloc(arena, sizeof(*axis));
    podium__v1__mesh_axis__init(axis);
    axis->name = (char *)mesh->axes[i].name;
    axis->size = mesh->axes[i].size;
    message->axes[i] = axis;
  }
  if (mesh->device_ids != NULL) {
    message->n_device_ids = (size_t)mesh->device_count;
    message->device_ids = (int64_t *)mesh->device_ids;
  }
  return message;
}

pod_status_t wire_mesh_unpack(const Podium__V1__Mesh *message, pod_arena_t *arena,
                              const mesh_t **out_mesh) {
  if (message == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "a mesh is missing");
  }
  if (message->n_axes > SHARDING_AXES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "mesh %s has %zu axes, at most %d are possible", message->name,
                     message->n_axes, SHARDING_AXES_MAX);
  }
  mesh_axis_t axes[SHARDING_AXES_MAX] = {0};
  int64_t device_count = 1;
  for (size_t i = 0; i < message->n_axes; i++) {
    axes[i] = (mesh_axis_t){message->axes[i]->name, message->axes[i]->size};
    // mesh_make checks the sizes; here only the product is kept from overflowing.
    if (axes[i].size >= 1 && device_count <= SHARDING_DEVICES_MAX &&
        axes[i].size <= SHARDING_DEVICES_MAX) {
      device_count *= axes[i].size;
    }
  }
  if (message->n_device_ids != 0 && (int64_t)message->n_device_ids != device_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "mesh %s of %lld devices comes with %zu device ids", message->name,
                     (long long)device_count, message->n_device_ids);
  }
  return mesh_make(arena, message->name, (int)message->n_axes, axes,
                   message->n_device_ids == 0 ? NULL : message->device_ids, out_mesh);
}

static Podium__V1__AxisRef *axis_ref_pack(pod_arena_t *arena, const mesh_t *mesh,
                                          axis_ref_t ref) {
  Podium__V1__AxisRef *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__axis_ref__init(message);
  message->axis = (char *)mesh->axes[ref.axis].name;
  if (ref.size != mesh->axes[ref.axis].size) {
    message->pre_size = ref.pre_size;
    message->size = ref.size;
  }
  return message;
}

Podium__V1__Sharding *wire_sharding_pack(pod_arena_t *arena, const sharding_t *sharding,
                                         bool with_mesh) {
  Podium__V1__Sharding *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__sharding__init(message);
  if (with_mesh) {
    message->mesh = wire_mesh_pack(arena, sharding->mesh);
  }
  message->n_dims = (size_t)sharding->rank;
  message->dims = pod_arena_array(arena, message->n_dims, sizeof(*message->dims));
  for (int i = 0; i < sharding->rank; i++) {
    const axis_list_t *axes = &sharding->dims[i].axes;
    Podium__V1__DimSharding *dim = pod_arena_alloc(arena, sizeof(*dim));
    podium__v1__dim_sharding__init(dim);
    dim->n_axes = (size_t)axes->count;
    dim->axes = pod_arena_array(arena, dim->n_axes, sizeof(*dim->axes));
    for (int j = 0; j < axes->count; j++) {
      dim->axes[j] = axis_ref_pack(arena, sharding->mesh, axes->refs[j]);
    }
    message->dims[i] = dim;
  }
  const axis_list_t *unreduced = &sharding->unreduced;
  message->n_unreduced = (size_t)unreduced->count;
  message->unreduced =
      pod_arena_array(arena, message->n_unreduced, sizeof(*message->unreduced));
  for (int i = 0; i < unreduced->count; i++) {
    message->unreduced[i] = axis_ref_pack(arena, sharding->mesh, unreduced->refs[i]);
  }
  message->reduction = (Podium__V1__Sharding__Reduction)sharding->reduction;
  return message;
}

static pod_status_t axis_ref_unpack(const Podium__V1__AxisRef *message,
                                    const mesh_t *mesh, axis_ref_t *out_ref) {
  size_t length = 0;
  while (message->axis[length] != '\0') {
    length++;
  }
  const int axis = mesh_find_axis(mesh, message->axis, length);
  if (axis < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "mesh %s has no axis \"%s\"", mesh->name,
                     message->axis);
  }
  const int64_t size = mesh->axes[axis].size;
  if (message->pre_size == 0 && message->size == 0) {
    *out_ref = (axis_ref_t){axis, 1, size};
    return NULL;
  }
  if (message->pre_size < 1 || message->size < 1 || message->pre_size > size ||
      size % message->pre_size != 0 || (size / message->pre_size) % message->size != 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "axis \"%s\" of size %lld has no part of size %lld behind %lld",
                     message->axis, (long long)size, (long long)message->size,
                     (long long)message->pre_size);
  }
  *out_ref = (axis_ref_t){axis, message->pre_size, message->size};
  return NULL;
}

static pod_status_t axes_unpack(size_t count, Podium__V1__AxisRef *const *messages,
                                pod_arena_t *arena, const mesh_t *mesh,
                                axis_list_t *out_axes) {
  // Parts of one axis may follow one another, but there are never more of them than this.
  const size_t refs_max = (size_t)SHARDING_AXES_MAX * 16;
  if (count > refs_max) {
    return pod_error(POD_INVALID_ARGUMENT, "a dimension is sharded over %zu axes", count);
  }
  axis_ref_t *refs = pod_arena_array(arena, count, sizeof(*refs));
  for (size_t i = 0; i < count; i++) {
    POD_TRY(axis_ref_unpack(messages[i], mesh, &refs[i]));
  }
  *out_axes = (axis_list_t){(int)count, refs};
  return NULL;
}

pod_status_t wire_sharding_unpack(const Podium__V1__Sharding *message, pod_arena_t *arena,
                                  const mesh_t *mesh, const tensor_shape_t *shape,
                                  const sharding_t **out_sharding) {
  if (message != NULL && message->mesh != NULL) {
    POD_TRY(wire_mesh_unpack(message->mesh, arena, &mesh));
  }
  if (mesh == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "a sharding comes without a mesh");
  }
  sharding_t *sharding = sharding_replicated(arena, mesh, shape->rank, false);
  if (message != NULL && message->n_dims != 0) {
    if (message->n_dims != (size_t)shape->rank) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "a sharding has %zu dimensions, its array %d", message->n_dims,
                       shape->rank);
    }
    for (int i = 0; i < shape->rank; i++) {
      const Podium__V1__DimSharding *dim = message->dims[i];
      POD_TRY(axes_unpack(dim->n_axes, dim->axes, arena, mesh, &sharding->dims[i].axes));
    }
  }
  if (message != NULL) {
    POD_TRY(axes_unpack(message->n_unreduced, message->unreduced, arena, mesh,
                        &sharding->unreduced));
    if ((uint32_t)message->reduction > SHARDING_MIN) {
      return pod_error(POD_INVALID_ARGUMENT, "a sharding has the unknown reduction %d",
                       (int)message->reduction);
    }
    sharding->reduction = (sharding_reduction_t)message->reduction;
  }
  POD_TRY(sharding_check(sharding, shape));
  *out_sharding = sharding;
  return NULL;
}
