// Layouts: how a value of the partitioned program lies on the chips, in a form that
// compares quickly. A layout is a sharding without open dimensions and priorities.
//
// Two layouts of one table are equal exactly when their pointers are.
//
// Threading: one thread at a time. Ownership: layouts live in the table's arena;
// layouts_deinit frees the table itself.

#ifndef SERVER_COMPILER_PARTITION_LAYOUT_H_
#define SERVER_COMPILER_PARTITION_LAYOUT_H_

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/map.h"
#include "common/tensor/sharding.h"
#include "server/compiler/partition/axes.h"
#include "server/program/program.h"

typedef struct layout_t {
  int rank;
  axes_t unreduced;        // Axes over which partial results still have to be reduced,
  chip_reducer_t reducer;  // and how; NONE when there are no such axes.
  axes_t dims[TENSOR_RANK_MAX];  // Only `rank` of them are there.
} layout_t;

typedef struct layouts_t {
  pod_arena_t *arena;
  const mesh_t *mesh;
  pod_map_t *known;
  const layout_t *replicated[TENSOR_RANK_MAX + 1];  // By rank, once asked for.
  double start_bytes;  // What a collective costs beside its bytes (cost.h).
} layouts_t;

void layouts_init(layouts_t *layouts, pod_arena_t *arena, const mesh_t *mesh);
void layouts_deinit(layouts_t *layouts);

// The table's layout with these axes; `unreduced` may be NULL. `dims` is copied.
const layout_t *layouts_get(layouts_t *layouts, int rank, const axes_t *dims,
                            const axes_t *unreduced, chip_reducer_t reducer);

// The same dimensions with other unreduced axes, or with none (NULL).
const layout_t *layouts_with_unreduced(layouts_t *layouts, const layout_t *layout,
                                       const axes_t *unreduced, chip_reducer_t reducer);

const layout_t *layouts_replicated(layouts_t *layouts, int rank);

// NULL stands for a replicated value of that rank.
const layout_t *layouts_of_sharding(layouts_t *layouts, int rank,
                                    const sharding_t *sharding);

// What a sharding calls unreduced.
chip_reducer_t layouts_reducer(const sharding_t *sharding);

// In the table's arena. Closed dimensions. What is unreduced can be written in a
// sharding.
sharding_t *layouts_to_sharding(layouts_t *layouts, const layout_t *layout);

// The part that each chip holds. The layout's axes divide the dimensions (pad.h).
tensor_shape_t layout_local_shape(const layout_t *layout, const tensor_shape_t *global);

// Whether the axes of every dimension divide its size.
bool layout_divides(const layout_t *layout, const tensor_shape_t *global);

#endif  // SERVER_COMPILER_PARTITION_LAYOUT_H_
