// How a value gets from one layout to another: a plan of collectives and local slices.
//
//   axes that a dimension gains and nobody has     slice (free: each chip cuts its own)
//   axes that still have to be reduced             reduce_scatter where a dimension gains
//                                                  them, else all_reduce
//   axes that move to another dimension            all_to_all
//   other axes in the same number of shards        collective_permute
//   axes that a dimension loses                    all_gather
//
// The plan of these rules, unless it is one step, is compared with the cheapest of a
// bounded search over layouts (reshard_search.h), by what they cost (cost.h).
//
// Threading: pure. Determinism: a function of its arguments.

#ifndef SERVER_COMPILER_PARTITION_RESHARD_H_
#define SERVER_COMPILER_PARTITION_RESHARD_H_

#include <stddef.h>
#include <stdint.h>

#include "common/tensor/shape.h"
#include "server/compiler/partition/cost.h"
#include "server/compiler/partition/layout.h"

// Slices, gathers and moves of every axis there and back stay far below.
enum { RESHARD_STEPS_MAX = 8 * AXES_MAX };

typedef enum reshard_kind_t {
  RESHARD_SLICE = 0,       // `axes` are put behind those of dimension `dim`.
  RESHARD_ALL_REDUCE,      // `axes` are reduced.
  RESHARD_REDUCE_SCATTER,  // `axes` are reduced and put behind those of `dim`.
  RESHARD_ALL_TO_ALL,      // `axes`, the last of `dim`, are put behind those of `to_dim`.
  RESHARD_PERMUTE,         // To another layout of the same local shape.
  RESHARD_ALL_GATHER,      // `axes`, the last of `dim`, go.
  RESHARD_PLACE,       // `axes`, the last of `dim`, become unreduced: every device puts
                       // its piece among what changes nothing, zeros of a sum.
  RESHARD_KEEP_FIRST,  // `axes` become unreduced: the first device along them keeps
                       // the value, the others hold zeros; of a maximum or minimum all
                       // keep it.
} reshard_kind_t;

// Whether no chip needs anything from another.
static inline bool reshard_is_local(reshard_kind_t kind) {
  return kind == RESHARD_SLICE || kind == RESHARD_PLACE || kind == RESHARD_KEEP_FIRST;
}

typedef struct reshard_step_t {
  reshard_kind_t kind;
  int dim, to_dim;
  axes_t axes;
  const layout_t *after;
} reshard_step_t;

typedef struct reshard_plan_t {
  partition_cost_t cost;  // Of all steps.
  double reduced_bytes;   // Received by all_reduce and reduce_scatter.
  int count;
  reshard_step_t steps[RESHARD_STEPS_MAX];  // `count` of them are set.
} reshard_plan_t;

// `shape` is global; both layouts divide it. What both have unreduced in the same way
// stays as it is.
void reshard_plan(layouts_t *layouts, const tensor_shape_t *shape, const layout_t *from,
                  const layout_t *to, reshard_plan_t *out_plan);

// Of a plan, with as many steps as there are: the room of the others is large.
size_t reshard_plan_size_bytes(const reshard_plan_t *plan);

#endif  // SERVER_COMPILER_PARTITION_RESHARD_H_
