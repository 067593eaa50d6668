// Values that cross from one order of the devices to another. What arguments and results
// of @main have may lie over the program's axes with the devices in another order, where
// their own mesh's axes are none of the program's (mesh_translate.h). A plan of reshard.h
// is then carried out over the one order first and over the other behind the border,
// which is put where it costs least: nothing where every device has what it needs, as of
// a whole value; else one collective_permute of what the value has become there.
//
// Threading: pure. Determinism: a function of the arguments.

#ifndef SERVER_COMPILER_PARTITION_BORDER_H_
#define SERVER_COMPILER_PARTITION_BORDER_H_

#include <stdbool.h>

#include "server/compiler/partition/reshard.h"

typedef struct border_t {
  int step;        // It lies before this step of the plan (all of them: behind it),
  bool is_merged;  // or takes the place of this step, a permute.
  partition_cost_t cost;  // Of the plan with it.
} border_t;

// For a value of the global `shape` that lies as `from` over the devices of `before`, and
// gets by `plan` where it shall be over those of `after`. The meshes have the same axes
// and devices.
border_t border_find(const layouts_t *layouts, const tensor_shape_t *shape,
                     const layout_t *from, const reshard_plan_t *plan,
                     const mesh_t *before, const mesh_t *after);

// Which device gives to which: `out_pairs`, two for each device of the mesh, are source
// and target by target; from `from` over `before` to `to`, of the same local shape, over
// `after`. A device keeps what it needs. False when all do.
bool border_pairs(const layout_t *from, const mesh_t *before, const layout_t *to,
                  const mesh_t *after, int64_t *out_pairs);

#endif  // SERVER_COMPILER_PARTITION_BORDER_H_
