// Meshes and shardings, in Shardy's terms (https://github.com/openxla/shardy, sdy
// dialect): a sharding gives every dimension of an array an ordered list of mesh axes,
// major to minor, or of parts of axes ("sub-axes").
//
// A mesh of axes sizes (a0, a1, …) has a0·a1·… devices. The device at mesh position p
// (row-major over the axes) is `device_ids[p]`, or p when there is no list. In a program
// as it is written device ids are its partition ids, 0 to a0·a1·… - 1; where it is placed
// on a pod they are chips of the pod, any distinct ones.
//
// A sub-axis (pre_size, size) of an axis of size n is what is left when the axis is
// reshaped to [pre_size, size, n / (pre_size · size)] and the middle one is taken; the
// whole axis is (1, n).
//
// Threading: pure.
// Ownership: meshes and shardings live in the arena they were made with and point to it;
// they are not changed after they are made.

#ifndef COMMON_TENSOR_SHARDING_H_
#define COMMON_TENSOR_SHARDING_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/shape.h"

enum { SHARDING_AXES_MAX = 16, SHARDING_DEVICES_MAX = 1 << 16 };

typedef struct mesh_axis_t {
  const char *name;
  int64_t size;  // >= 1.
} mesh_axis_t;

typedef struct mesh_t {
  const char *name;  // "mesh"; "" when unnamed.
  int axis_count;    // 0 for a mesh of one device ("maximal" or empty).
  mesh_axis_t axes[SHARDING_AXES_MAX];
  int64_t device_count;
  // Distinct ids by mesh position, and the inverse: by id, below `id_limit`, the position
  // of a device, or -1. Both NULL for 0, 1, 2, … Only mesh_make fills these.
  const int64_t *device_ids, *positions;
  int64_t id_limit;  // The highest id + 1; see mesh_id_limit.
} mesh_t;

typedef struct axis_ref_t {
  int axis;          // Index into mesh->axes.
  int64_t pre_size;  // 1 for a whole axis.
  int64_t size;      // The axis' size for a whole axis.
} axis_ref_t;

typedef struct axis_list_t {
  int count;
  axis_ref_t *refs;  // Major to minor.
} axis_list_t;

typedef struct dim_sharding_t {
  axis_list_t axes;
  bool is_open;  // `?`: propagation may shard it further.
  int priority;  // `p1`; 0 (first) when absent.
} dim_sharding_t;

// What devices hold along unreduced axes makes the value together: their sum, or for each
// element the largest or smallest.
typedef enum sharding_reduction_t {
  SHARDING_SUM = 0,
  SHARDING_MAX = 1,
  SHARDING_MIN = 2,
} sharding_reduction_t;

typedef struct sharding_t {
  const mesh_t *mesh;
  int rank;
  dim_sharding_t *dims;            // `rank` of them.
  axis_list_t replicated;          // Axes that must not be used.
  axis_list_t unreduced;           // Axes over which the value still has to be reduced,
  sharding_reduction_t reduction;  // and how; without such axes it means nothing.
} sharding_t;

// Makes a mesh; copies names and ids to the arena. INVALID_ARGUMENT when a size is below
// 1, a name appears twice, the product exceeds SHARDING_DEVICES_MAX, or device_ids (may
// be NULL) names a device twice or one outside of 0 … SHARDING_DEVICES_MAX - 1.
POD_MUST_USE pod_status_t mesh_make(pod_arena_t *arena, const char *name, int axis_count,
                                    const mesh_axis_t *axes, const int64_t *device_ids,
                                    const mesh_t **out_mesh);

// Whether both have the same axes over the same devices; names of meshes do not count.
bool mesh_equal(const mesh_t *a, const mesh_t *b);

// INVALID_ARGUMENT names the first device of the mesh that is not below `limit`. With its
// own device_count: whether the ids are a permutation.
POD_MUST_USE pod_status_t mesh_check_ids(const mesh_t *mesh, int64_t limit);

// Every id of the mesh is below it.
static inline int64_t mesh_id_limit(const mesh_t *mesh) {
  return mesh->device_ids == NULL ? mesh->device_count : mesh->id_limit;
}

// The device at a position, 0 … device_count - 1, row-major over the axes.
static inline int64_t mesh_device(const mesh_t *mesh, int64_t position) {
  return mesh->device_ids == NULL ? position : mesh->device_ids[position];
}

// The position of a device; -1: it is not of the mesh. Any `device`.
int64_t mesh_position(const mesh_t *mesh, int64_t device);

// -1 when there is no such axis.
int mesh_find_axis(const mesh_t *mesh, const char *name, size_t length);

// Coordinates of a device of the mesh along the axes. `coordinates` has room for
// SHARDING_AXES_MAX.
void mesh_coordinates(const mesh_t *mesh, int64_t device, int64_t *coordinates);

int64_t mesh_device_at(const mesh_t *mesh, const int64_t *coordinates);

// The index of `device` along an axis or sub-axis, in [0, ref.size).
int64_t mesh_index_along(const mesh_t *mesh, int64_t device, axis_ref_t ref);

// Product of the sizes.
int64_t axis_list_size(const axis_list_t *list);

// The place of `device` along the whole list, major to minor, in [0, axis_list_size).
int64_t axis_list_index(const mesh_t *mesh, const axis_list_t *list, int64_t device);

// The groups of devices that differ only along `list`: group_count · group_size device
// ids, row-major, members in the order of their index along the list, groups in the order
// of their first member's mesh position. In the arena.
int64_t *axis_list_groups(pod_arena_t *arena, const mesh_t *mesh, const axis_list_t *list,
                          int64_t *out_group_count, int64_t *out_group_size);

// Fully replicated (closed dimensions, or open ones).
sharding_t *sharding_replicated(pod_arena_t *arena, const mesh_t *mesh, int rank,
                                bool is_open);

sharding_t *sharding_copy(pod_arena_t *arena, const sharding_t *sharding);

// Whether both put the same data on every device: equal meshes, the same axes per
// dimension (neighbouring parts of an axis count as one, axes of size 1 do not count),
// the same axes unreduced in the same way. Open or closed, priorities and `replicated` do
// not count.
bool sharding_equivalent(const sharding_t *a, const sharding_t *b);

bool sharding_is_replicated(const sharding_t *sharding);

// INVALID_ARGUMENT when the rank differs from the shape's, an axis is unknown or used
// twice (or sub-axes overlap, or are not parts of one factorisation of their axis). The
// message names the axis and the dimension.
POD_MUST_USE pod_status_t sharding_check(const sharding_t *sharding,
                                         const tensor_shape_t *shape);

// The part of a dimension of `size` elements that a device holds where it is cut into
// `pieces`: all parts are as large as the first, so that the last ones are partly or
// wholly padding, which no element of the array lies in.
static inline int64_t sharding_part(int64_t size, int64_t pieces) {
  return size / pieces + (size % pieces != 0);
}

// The shape each device holds, padding included: sharding_part of every dimension.
void sharding_local_shape(const sharding_t *sharding, const tensor_shape_t *global,
                          tensor_shape_t *out_local);

// Whether no device holds padding.
bool sharding_divides(const sharding_t *sharding, const tensor_shape_t *global);

// Where the shard of `device` starts in the global array, per dimension, in elements;
// that of one that holds nothing but padding behind its end.
void sharding_shard_start(const sharding_t *sharding, const tensor_shape_t *global,
                          int64_t device, int64_t start[TENSOR_RANK_MAX]);

// "{X, Y}" style text as Shardy prints it: `<@mesh, [{"x"}, {?}]>`.
void sharding_print(pod_text_t *text, const sharding_t *sharding);

#endif  // COMMON_TENSOR_SHARDING_H_
