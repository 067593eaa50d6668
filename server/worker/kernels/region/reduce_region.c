// reduce by a region that is no known reducer, over several operands at once. A lane is a
// place of the result, and every run of the lanes takes in one more element of each. When
// there are few places, the elements of each are cut into chunks that have lanes of their
// own; chunk results are combined in order, so that the region need be associative (as
// the specification has it) but not commutative, and the initial value comes in once.

#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/collect.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

enum {
  ARRAYS_MAX = KERNEL_VALUES_MAX / 2,
  PANEL = 128,
  CHUNK_MIN = 32,
  PANEL_LANES = 256
};

// Sizes and strides of the kept or of the reduced dimensions, neighbours joined.
typedef struct walk_t {
  int rank;
  int64_t count, sizes[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
} walk_t;

static walk_t make_walk(const tensor_shape_t *shape, uint32_t reduced, bool is_reduced) {
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  walk_t walk = {.count = 1};
  for (int i = 0; i < shape->rank; i++) {
    if (((reduced >> i & 1u) != 0) != is_reduced || shape->dims[i] == 1) {
      continue;
    }
    const int before = walk.rank - 1;
    walk.count *= shape->dims[i];
    if (before >= 0 && walk.strides[before] == shape->dims[i] * strides[i]) {
      walk.sizes[before] *= shape->dims[i];
      walk.strides[before] = strides[i];
      continue;
    }
    walk.sizes[walk.rank] = shape->dims[i];
    walk.strides[walk.rank++] = strides[i];
  }
  return walk;
}

static int64_t walk_at(const walk_t *walk, int64_t place) {
  int64_t offset = 0;
  for (int i = walk->rank - 1; i >= 0; i--) {
    offset += place % walk->sizes[i] * walk->strides[i];
    place /= walk->sizes[i];
  }
  return offset;
}

typedef struct reduction_t {
  const kernel_args_t *args;
  kernel_lanes_t *lanes;
  int32_t count;  // Of operands; as many initial values follow them.
  size_t bytes[ARRAYS_MAX];
  walk_t kept, gone;
  // Of a lane's elements: the first chunk_count - 1 chunks have chunk_steps, the last one
  // last_steps.
  int64_t chunk_count, chunk_steps, last_steps;
  size_t places;                  // Of the result that are computed together.
  int64_t offsets[KERNEL_LANES];  // Of the lanes' first elements.
  int64_t stride;                 // Between these, when it is always the same; or 0.
  char *panels[ARRAYS_MAX];       // PANEL steps of KERNEL_LANES elements.
} reduction_t;

// ----- elements of the operands -----

KERNEL_COLLECT(collect, int64_t)

// The lanes' elements, where they lie or in `to`.
static const char *lanes_of(const reduction_t *reduction, const char *from, size_t bytes,
                            size_t count, char *to) {
  if (reduction->stride == 1) {
    memcpy(to, from + (size_t)reduction->offsets[0] * bytes, count * bytes);
    return to;
  }
  if (reduction->stride != 0) {
    kernel_loops()->gather[__builtin_ctzll(bytes)](
        from + (size_t)reduction->offsets[0] * bytes, reduction->stride, to, count);
    return to;
  }
  collect(bytes, from, reduction->offsets, count, to);
  return to;
}

// Rows that lie apart are read many elements at a time.
static bool has_panels(const reduction_t *reduction) {
  return reduction->stride > 1 && reduction->gone.rank == 1 &&
         reduction->gone.strides[0] == 1;
}

// Lanes [first, end) of the steps from `step` on, of which they have `steps`.
static void fill_panel(const reduction_t *reduction, const char *from, size_t bytes,
                       int64_t step, size_t first, size_t end, int64_t steps,
                       char *panel) {
  if (first < end && step < steps) {
    const int64_t left = steps - step;
    kernel_loops()->transpose[__builtin_ctzll(bytes)](
        from + (size_t)(reduction->offsets[first] + step) * bytes, reduction->stride,
        panel + first * bytes, KERNEL_LANES, (int64_t)(end - first),
        left < PANEL ? left : PANEL, false);
  }
}

// Rows of the next panel, where a transposition begins: they lie too far apart for the
// processor to foresee them. Every step asks for some.
static void prefetch_rows(const reduction_t *reduction, const char *from, size_t bytes,
                          int64_t step, size_t count) {
  const int64_t next = step - step % PANEL + PANEL;
  const size_t share = (count + PANEL - 1) / PANEL;
  const size_t first = (size_t)(step % PANEL) * share;
  for (size_t row = first; row < first + share && row < count; row++) {
    if (next + (int64_t)(128 / bytes) <= reduction->last_steps) {
      const char *start = from + (size_t)(reduction->offsets[row] + next) * bytes;
      __builtin_prefetch(start, 0, 2);
      __builtin_prefetch(start + 64, 0, 2);
    }
  }
}

// The elements of operand `which` that the lanes take in at a step.
static const char *fetch(const reduction_t *reduction, int32_t which, int64_t step,
                         int64_t step_offset, size_t count) {
  const size_t bytes = reduction->bytes[which];
  const char *from = (const char *)reduction->args->operands[which];
  if (!has_panels(reduction)) {
    return lanes_of(reduction, from + (size_t)step_offset * bytes, bytes, count,
                    reduction->panels[which]);
  }
  char *panel = reduction->panels[which];
  const int64_t in_panel = step % PANEL;
  if (in_panel == 0) {
    const size_t chunks = (size_t)reduction->chunk_count - 1;
    const size_t whole =
        count < chunks * reduction->places ? count : chunks * reduction->places;
    fill_panel(reduction, from, bytes, step, 0, whole, reduction->chunk_steps, panel);
    fill_panel(reduction, from, bytes, step, whole, count, reduction->last_steps, panel);
  }
  prefetch_rows(reduction, from, bytes, step, count);
  return panel + (size_t)in_panel * KERNEL_LANES * bytes;
}

// ----- steps -----

// The results so far are kept in the lanes' first parameters.
static char *values_of(const reduction_t *reduction, int32_t which) {
  return kernel_lanes_parameter(reduction->lanes, which);
}

// The values so far and `count` elements of each operand, in the lanes' parameters, give
// new values.
static pod_status_t combine(const reduction_t *reduction, size_t count) {
  POD_TRY(kernel_lanes_run(reduction->lanes, count));
  kernel_lanes_carry(reduction->lanes, reduction->count, count);
  return NULL;
}

// `places` lanes per chunk: all chunks go on side by side.
static pod_status_t reduce_chunks(const reduction_t *reduction) {
  const size_t places = reduction->places;
  const size_t all = places * (size_t)reduction->chunk_count;
  int64_t index[TENSOR_RANK_MAX] = {0};
  for (int64_t step = 0; step < reduction->chunk_steps && !kernel_is_stopped(); step++) {
    const bool is_last_done = reduction->chunk_count > 1 && step >= reduction->last_steps;
    const size_t active = is_last_done ? all - places : all;
    int64_t offset = 0;
    for (int d = 0; d < reduction->gone.rank; d++) {
      offset += index[d] * reduction->gone.strides[d];
    }
    for (int32_t i = 0; i < reduction->count; i++) {
      const char *elements = fetch(reduction, i, step, offset, active);
      kernel_lanes_lend(reduction->lanes, reduction->count + i, elements, active);
      if (step == 0) {  // Other chunks than the first begin with their first elements.
        const size_t first = places * reduction->bytes[i];
        memcpy(values_of(reduction, i) + first, elements + first,
               all * reduction->bytes[i] - first);
      }
    }
    POD_TRY(combine(reduction, step == 0 ? places : active));
    kernel_next_index(reduction->gone.rank, reduction->gone.sizes, index);
  }
  return NULL;
}

static pod_status_t join_chunks(const reduction_t *reduction) {
  const size_t places = reduction->places;
  for (int64_t chunk = 1; chunk < reduction->chunk_count; chunk++) {
    for (int32_t i = 0; i < reduction->count; i++) {
      const size_t bytes = places * reduction->bytes[i];
      kernel_lanes_lend(reduction->lanes, reduction->count + i,
                        values_of(reduction, i) + (size_t)chunk * bytes, places);
    }
    POD_TRY(combine(reduction, places));
  }
  return NULL;
}

static void set_offsets(reduction_t *reduction, int64_t first, size_t places) {
  const int64_t rows =
      reduction->chunk_count > 1
          ? reduction->chunk_steps / (reduction->gone.count / reduction->gone.sizes[0])
          : 0;
  const size_t all = places * (size_t)reduction->chunk_count;
  for (size_t i = 0; i < all; i++) {
    const int64_t chunk = (int64_t)(i / places), place = (int64_t)(i % places);
    reduction->offsets[i] = walk_at(&reduction->kept, first + place);
    if (chunk > 0) {
      reduction->offsets[i] += chunk * rows * reduction->gone.strides[0];
    }
  }
  reduction->stride = all > 1 ? reduction->offsets[1] - reduction->offsets[0] : 1;
  for (size_t i = 2; i < all; i++) {
    if (reduction->offsets[i] - reduction->offsets[i - 1] != reduction->stride) {
      reduction->stride = 0;
    }
  }
}

static pod_status_t reduce_places(reduction_t *reduction, int64_t first, size_t places) {
  const kernel_args_t *args = reduction->args;
  reduction->places = places;
  for (int32_t i = 0; i < reduction->count; i++) {
    kernel_fill(reduction->bytes[i], args->operands[reduction->count + i],
                values_of(reduction, i), places);
  }
  if (reduction->gone.count > 0) {
    set_offsets(reduction, first, places);
    POD_TRY(reduce_chunks(reduction));
    POD_TRY(join_chunks(reduction));
  }
  for (int32_t i = 0; i < reduction->count; i++) {
    memcpy((char *)args->results[i] + (size_t)first * reduction->bytes[i],
           values_of(reduction, i), places * reduction->bytes[i]);
  }
  return NULL;
}

// Chunks are whole rows of the outermost reduced dimension.
static void cut_chunks(reduction_t *reduction) {
  const walk_t *gone = &reduction->gone;
  reduction->chunk_count = 1;
  reduction->chunk_steps = reduction->last_steps = gone->count;
  if (gone->rank == 0 || gone->count == 0 || reduction->kept.count == 0 ||
      reduction->kept.count > KERNEL_LANES / 4) {
    return;
  }
  const int64_t row = gone->count / gone->sizes[0];
  int64_t chunks = KERNEL_LANES / reduction->kept.count;
  chunks = chunks > gone->count / CHUNK_MIN ? gone->count / CHUNK_MIN : chunks;
  chunks = chunks > gone->sizes[0] ? gone->sizes[0] : chunks;
  if (chunks < 2) {
    return;
  }
  const int64_t rows = (gone->sizes[0] + chunks - 1) / chunks;
  reduction->chunk_count = (gone->sizes[0] + rows - 1) / rows;
  reduction->chunk_steps = rows * row;
  reduction->last_steps = gone->count - (reduction->chunk_count - 1) * rows * row;
}

// ----- the kernel -----

static pod_status_t run(reduction_t *reduction) {
  const kernel_args_t *args = reduction->args;
  kernel_signature_t signature = {.parameter_count = 2 * reduction->count,
                                  .result_count = reduction->count};
  for (int32_t i = 0; i < reduction->count; i++) {
    const tensor_dtype_t dtype = kernel_operand_shape(args, i)->dtype;
    reduction->bytes[i] = tensor_dtype_bytes(dtype);
    signature.parameters[i] = signature.parameters[reduction->count + i] =
        signature.results[i] = dtype;
    reduction->panels[i] = aligned_alloc(64, PANEL * KERNEL_LANES * reduction->bytes[i]);
    if (reduction->panels[i] == NULL) {
      return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory for %d operands",
                       args->instruction->name, reduction->count);
    }
  }
  POD_TRY(kernel_lanes_create(args, 0, &signature, &reduction->lanes));
  cut_chunks(reduction);
  const bool has_rows = reduction->gone.rank == 1 && reduction->gone.strides[0] == 1;
  const int64_t together = reduction->chunk_count > 1 ? reduction->kept.count
                           : has_rows                 ? PANEL_LANES
                                                      : KERNEL_LANES;
  for (int64_t first = 0; first < reduction->kept.count && !kernel_is_stopped();
       first += together) {
    const int64_t left = reduction->kept.count - first;
    POD_TRY(reduce_places(reduction, first, (size_t)(left < together ? left : together)));
  }
  return NULL;
}

pod_status_t kernel_reduce_by_region(const kernel_args_t *args, uint32_t reduced) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  reduction_t reduction = {.args = args,
                           .count = args->instruction->operand_count / 2,
                           .kept = make_walk(shape, reduced, false),
                           .gone = make_walk(shape, reduced, true)};
  if (reduction.count > ARRAYS_MAX) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d operands",
                     args->instruction->name, ARRAYS_MAX);
  }
  const pod_status_t status = run(&reduction);
  kernel_lanes_destroy(reduction.lanes);
  for (int32_t i = 0; i < reduction.count; i++) {
    free(reduction.panels[i]);
  }
  return status;
}
