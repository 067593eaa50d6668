// Between the bytes of a global array and those of its shards, as runs, in one pass.

#include "common/tensor/slicer.h"

#include <stdlib.h>

#include "common/base/check.h"

// A byte offset in the global array is a mixed-radix number. Each level has two digits:
// the piece, and the place within the piece; dimensions that are not cut belong to the
// level before them, so the place within the last piece is a whole run.
//
//   global offset = sum of piece * global_bytes + place * place_bytes
//   shard offset  = sum of place * shard_bytes
typedef struct level_t {
  int64_t pieces;
  int64_t global_bytes;  // A piece of this level with everything below it, globally.
  int64_t place_bytes;   // One step of the place digit, globally; 1 in the last level.
  int64_t shard_bytes;   // One step of the place digit within the shard.
} level_t;

// A dimension that ends before its last piece does. In the walk.
typedef struct end_t {
  int64_t stride_bytes;  // Of one element of the dimension.
  int64_t size, padded_size;
} end_t;

struct tensor_slicer_t {
  int level_count, end_count;
  level_t levels[TENSOR_RANK_MAX + 1];
  end_t ends[TENSOR_RANK_MAX];
  int64_t shard_count, shard_bytes, walk_bytes;
  int64_t id_limit;
  int64_t shard_of_device[];  // By id; -1: not of the mesh.
};

// Walks the dimensions from minor to major; a cut dimension closes a level.
static void make_levels(tensor_slicer_t *slicer, const sharding_t *sharding,
                        const tensor_shape_t *local) {
  level_t levels[TENSOR_RANK_MAX + 1];
  int count = 0;
  int64_t global = (int64_t)tensor_dtype_bytes(local->dtype), shard = global;
  int64_t place_bytes = 1, shard_place_bytes = 1;
  slicer->shard_count = 1;
  for (int i = local->rank - 1; i >= -1; i--) {
    const int64_t pieces = i < 0 ? 1 : axis_list_size(&sharding->dims[i].axes);
    if (i >= 0) {
      global *= local->dims[i];
      shard *= local->dims[i];
    }
    if (pieces > 1 || i < 0) {
      levels[count++] = (level_t){pieces, global, place_bytes, shard_place_bytes};
      global *= pieces;
      place_bytes = global;
      shard_place_bytes = shard;
      slicer->shard_count *= pieces;
    }
  }
  for (int i = 0; i < count; i++) {
    slicer->levels[i] = levels[count - 1 - i];
  }
  slicer->level_count = count;
  slicer->walk_bytes = global;
  slicer->shard_bytes = shard;
}

static void make_ends(tensor_slicer_t *slicer, const tensor_shape_t *global,
                      const tensor_shape_t *padded) {
  int64_t stride = (int64_t)tensor_dtype_bytes(global->dtype);
  for (int i = global->rank - 1; i >= 0; i--) {
    if (padded->dims[i] != global->dims[i]) {
      slicer->ends[slicer->end_count++] =
          (end_t){stride, global->dims[i], padded->dims[i]};
    }
    stride *= padded->dims[i];
  }
}

// What the shards make together. An array has no more than twice its elements by
// dimension, yet that may be more than there are numbers.
static pod_status_t pad_shape(const sharding_t *sharding, const tensor_shape_t *local,
                              tensor_shape_t *out_padded) {
  *out_padded = *local;
  for (int i = 0; i < local->rank; i++) {
    if (__builtin_mul_overflow(local->dims[i], axis_list_size(&sharding->dims[i].axes),
                               &out_padded->dims[i])) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "dimension %d and its padding have more elements than there are "
                       "numbers",
                       i);
    }
  }
  return tensor_shape_check(out_padded);
}

pod_status_t tensor_slicer_create(const sharding_t *sharding,
                                  const tensor_shape_t *global,
                                  tensor_slicer_t **out_slicer) {
  POD_TRY(tensor_shape_check(global));
  POD_TRY(sharding_check(sharding, global));
  if (axis_list_size(&sharding->unreduced) != 1) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "the array is the sum of what the devices hold, as its sharding has "
                     "unreduced axes: it goes to and from chips by part, not as a whole; "
                     "let the program reduce it");
  }
  tensor_shape_t local, padded;
  sharding_local_shape(sharding, global, &local);
  POD_TRY(pad_shape(sharding, &local, &padded));
  const mesh_t *mesh = sharding->mesh;
  const int64_t limit = mesh_id_limit(mesh);
  tensor_slicer_t *slicer =
      calloc(1, sizeof(*slicer) + (size_t)limit * sizeof(slicer->shard_of_device[0]));
  if (slicer == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no memory to slice for %lld devices",
                     (long long)limit);
  }
  make_levels(slicer, sharding, &local);
  make_ends(slicer, global, &padded);
  slicer->id_limit = limit;
  for (int64_t device = 0; device < limit; device++) {
    int64_t shard = mesh_position(mesh, device) < 0 ? -1 : 0;
    for (int i = 0; i < sharding->rank && shard >= 0; i++) {
      const axis_list_t *axes = &sharding->dims[i].axes;
      shard = shard * axis_list_size(axes) + axis_list_index(mesh, axes, device);
    }
    slicer->shard_of_device[device] = shard;
  }
  *out_slicer = slicer;
  return NULL;
}

void tensor_slicer_destroy(tensor_slicer_t *slicer) {
  free(slicer);
}

int64_t tensor_slicer_shard_count(const tensor_slicer_t *slicer) {
  return slicer->shard_count;
}

int64_t tensor_slicer_shard_bytes(const tensor_slicer_t *slicer) {
  return slicer->shard_bytes;
}

int64_t tensor_slicer_shard_of_device(const tensor_slicer_t *slicer, int64_t device) {
  POD_CHECK(device >= 0 && device < slicer->id_limit &&
            slicer->shard_of_device[device] >= 0);
  return slicer->shard_of_device[device];
}

int64_t tensor_slicer_walk_bytes(const tensor_slicer_t *slicer) {
  return slicer->walk_bytes;
}

// Whether the place is behind the end of a dimension; the run does not go past an end.
static bool is_padding(const tensor_slicer_t *slicer, int64_t offset_bytes,
                       int64_t *run_bytes) {
  bool is_behind = false;
  for (int i = 0; i < slicer->end_count; i++) {
    const end_t *end = &slicer->ends[i];
    const int64_t row = offset_bytes / end->stride_bytes % end->padded_size;
    const int64_t next = row < end->size ? end->size : end->padded_size;
    const int64_t left =
        (next - row) * end->stride_bytes - offset_bytes % end->stride_bytes;
    is_behind = is_behind || row >= end->size;
    *run_bytes = left < *run_bytes ? left : *run_bytes;
  }
  return is_behind;
}

tensor_run_t tensor_slicer_run_at(const tensor_slicer_t *slicer,
                                  int64_t walk_offset_bytes, int64_t size_bytes_max) {
  POD_CHECK(walk_offset_bytes >= 0 && walk_offset_bytes < slicer->walk_bytes);
  POD_CHECK(size_bytes_max > 0);
  tensor_run_t run = {0};
  int64_t rest = walk_offset_bytes, run_bytes = 0;
  for (int i = 0; i < slicer->level_count; i++) {
    const level_t *level = &slicer->levels[i];
    int64_t piece = 0;
    if (level->pieces > 1) {
      piece = rest / level->global_bytes;
      rest -= piece * level->global_bytes;
    }
    run.shard = run.shard * level->pieces + piece;
    if (i + 1 == slicer->level_count) {
      run.shard_offset_bytes += rest;
      run_bytes = level->global_bytes - rest;
    } else {
      const int64_t place = rest / level->place_bytes;
      rest -= place * level->place_bytes;
      run.shard_offset_bytes += place * level->shard_bytes;
    }
  }
  run.is_padding = is_padding(slicer, walk_offset_bytes, &run_bytes);
  run.size_bytes = run_bytes < size_bytes_max ? run_bytes : size_bytes_max;
  return run;
}
