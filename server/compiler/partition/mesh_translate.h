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

#endif  // SERVER_COMPILER_PARTITION_MESH_TRANSLATE_H_
