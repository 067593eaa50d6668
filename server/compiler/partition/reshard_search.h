// The cheapest way from one layout to another by a search: where the rules of reshard.h
// make a detour, the shortest path over layouts does not.
//
// Axes are cut into atoms, parts that no layout on the way cuts further. From the layout
// at hand slices, all_to_alls and gathers lead on, cheapest first; from the layout that
// is wanted the same steps lead back, with atoms that nothing has named yet where a
// gather would drop some. Where both have the same local shape, one collective_permute
// joins them.
//
// Threading: pure. Determinism: a function of its arguments.

#ifndef SERVER_COMPILER_PARTITION_RESHARD_SEARCH_H_
#define SERVER_COMPILER_PARTITION_RESHARD_SEARCH_H_

#include <stdbool.h>

#include "server/compiler/partition/reshard.h"

// A step of the way: slice, all_to_all, gather or permute.
typedef struct reshard_move_t {
  reshard_kind_t kind;
  int dim, to_dim;  // As in reshard_step_t.
  axes_t axes;
} reshard_move_t;

typedef struct reshard_way_t {
  int count;
  reshard_move_t moves[RESHARD_STEPS_MAX];
  axes_t
      permuted[TENSOR_RANK_MAX];  // The dimensions behind the permute, if there is one.
} reshard_way_t;

// Finds a way that costs less than `limit`: the bytes that each chip receives, and
// `start_bytes` for each collective. `from` and `to` are axes by
// dimension of a value of global `shape`; axes of `kept` are not for use. False when
// there is none, or none was found in a bounded number of layouts.
bool reshard_search(const tensor_shape_t *shape, const axes_t *from, const axes_t *to,
                    const axes_t *kept, double start_bytes, double limit,
                    reshard_way_t *out_way);

#endif  // SERVER_COMPILER_PARTITION_RESHARD_SEARCH_H_
