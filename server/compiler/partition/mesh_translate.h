// The same devices under the axes of another mesh.
//
// Threading: pure. Ownership: values.

#ifndef SERVER_COMPILER_PARTITION_MESH_TRANSLATE_H_
#define SERVER_COMPILER_PARTITION_MESH_TRANSLATE_H_

#include <stdbool.h>

#include "common/tensor/sharding.h"
#include "server/compiler/partition/axes.h"

// The axes and sub-axes of `to` along which every device has the place that it has along
// `ref`, an axis of `from`. False when there are none: other devices, sizes that do not
// fit into one another, or an order that no axes make.
bool mesh_translate(const mesh_t *from, axis_ref_t ref, const mesh_t *to,
                    axes_t *out_axes);

// The axes of `from` over the devices of `to` in such an order that each of them is made
// of axes and sub-axes of `to`: an axis that is made of them anyhow has its devices as
// they are, in the order given or else as if it were that of `to`; the others share what
// is left of the axes of `to`, factor by factor. "p"=3, "q"=2 over "x"=2, "y"=3 gets the
// devices [0, 3, 1, 4, 2, 5]: "p" is "y", "q" is "x". In `arena`. False when they have
// not the same devices.
bool mesh_relabel(pod_arena_t *arena, const mesh_t *from, const mesh_t *to,
                  const mesh_t **out_mesh);

#endif  // SERVER_COMPILER_PARTITION_MESH_TRANSLATE_H_
