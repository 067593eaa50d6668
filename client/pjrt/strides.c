// Walks the array in row-major order, innermost dimension in a loop of its own.

#include "client/pjrt/strides.h"

#include <string.h>

static int64_t element_bytes(const podium_shape_t *shape) {
  return podium_shape_bytes(&(podium_shape_t){.dtype = shape->dtype});
}

bool strides_are_dense(const podium_shape_t *shape, const int64_t *strides) {
  int64_t expected = element_bytes(shape);
  for (int i = shape->rank - 1; i >= 0; i--) {
    if (shape->dims[i] == 0) {
      return true;
    }
    if (shape->dims[i] != 1 && strides[i] != expected) {
      return podium_shape_bytes(shape) == 0;
    }
    expected *= shape->dims[i];
  }
  return true;
}

typedef struct walk_t {
  const podium_shape_t *shape;
  const int64_t *strides;
  int64_t element_bytes;
  bool packs;
  char *dense;    // Moves on.
  char *strided;  // The origin.
} walk_t;

static void copy_row(walk_t *walk, char *strided) {
  const int last = walk->shape->rank - 1;
  const int64_t count = last < 0 ? 1 : walk->shape->dims[last];
  const int64_t stride = last < 0 ? 0 : walk->strides[last];
  const bool is_run = last < 0 || stride == walk->element_bytes;
  const size_t bytes =
      (size_t)(is_run ? walk->element_bytes * count : walk->element_bytes);
  for (int64_t i = 0; i < (is_run ? 1 : count); i++) {
    if (walk->packs) {
      memcpy(walk->dense, strided, bytes);
    } else {
      memcpy(strided, walk->dense, bytes);
    }
    walk->dense += bytes;
    strided += stride;
  }
}

// Every index of the dimensions before the last, counted as an odometer does.
static void copy_all(walk_t *walk) {
  const podium_shape_t *shape = walk->shape;
  int64_t index[PODIUM_RANK_MAX] = {0};
  if (podium_shape_bytes(shape) == 0) {
    return;
  }
  for (int dim = 0; dim >= 0;) {
    copy_row(walk, walk->strided);
    for (dim = shape->rank - 2; dim >= 0; dim--) {
      walk->strided += walk->strides[dim];
      if (++index[dim] < shape->dims[dim]) {
        break;
      }
      walk->strided -= walk->strides[dim] * shape->dims[dim];
      index[dim] = 0;
    }
  }
}

void strides_pack(const podium_shape_t *shape, const int64_t *strides, const void *source,
                  void *target) {
  walk_t walk = {.shape = shape,
                 .strides = strides,
                 .element_bytes = element_bytes(shape),
                 .packs = true,
                 .dense = target,
                 .strided = (char *)(uintptr_t)source};
  copy_all(&walk);
}

void strides_unpack(const podium_shape_t *shape, const int64_t *strides,
                    const void *source, void *target) {
  walk_t walk = {.shape = shape,
                 .strides = strides,
                 .element_bytes = element_bytes(shape),
                 .dense = (char *)(uintptr_t)source,
                 .strided = target};
  copy_all(&walk);
}

pod_status_t strides_of_layout(const podium_shape_t *shape,
                               const PJRT_Buffer_MemoryLayout *layout,
                               int64_t *out_strides) {
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout->strides.num_byte_strides != (size_t)shape->rank) {
      return pod_error(POD_INVALID_ARGUMENT, "%zu strides of an array of rank %d",
                       layout->strides.num_byte_strides, shape->rank);
    }
    memcpy(out_strides, layout->strides.byte_strides,
           (size_t)shape->rank * sizeof(*out_strides));
    return NULL;
  }
  const PJRT_Buffer_MemoryLayout_Tiled *tiled = &layout->tiled;
  if (tiled->num_tiles != 0) {
    return pod_error(POD_UNIMPLEMENTED, "tiled layouts of host memory");
  }
  int64_t stride = element_bytes(shape);
  for (int i = 0; i < shape->rank; i++) {
    const bool is_there = (size_t)i < tiled->minor_to_major_size;
    const int64_t dim = is_there ? tiled->minor_to_major[i] : -1;
    if (dim < 0 || dim >= shape->rank) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "a layout of an array of rank %d without a dimension %d",
                       shape->rank, i);
    }
    out_strides[dim] = stride;
    stride *= shape->dims[dim];
  }
  return NULL;
}
