// The shardings that a module's text gives, checked against what they are given for.
//
// What is sharded over another mesh than the program's, the first that is used, is read
// in axes and sub-axes of the program's; a sharding on a mesh without axes is a
// replicated one. Where no axes make it (a ring, 3x2 devices where the program has 2x3),
// it is read as if its devices had other names, by which axes do (mesh_relabel): within
// the program nobody sees which device has what; what arguments and results have
// otherwise is for the caller of shardings_read_order to mend, and manual computations
// are told by manual_mesh.h.
//
// Ownership: in the arena given.
// Threading: pure.
// Errors: at the operation: INVALID_ARGUMENT for a sharding that is wrong, and for manual
// axes that do not divide their dimension, UNIMPLEMENTED for one over a mesh of other
// devices.
//
// Other axes need not divide it: the last parts are then partly or wholly padding
// (pad.h).
//
// A value that a sharding has unreduced over some axes is the sum, over those axes, of
// what the devices hold. Such axes are in no dimension, and nothing spreads over them.

#ifndef SERVER_COMPILER_PARTITION_SHARDINGS_H_
#define SERVER_COMPILER_PARTITION_SHARDINGS_H_

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/axes.h"
#include "server/compiler/partition/propagate_options.h"

// What has been asked about other meshes.
typedef struct shardings_relabelled_t {
  const mesh_t *from, *to;  // See mesh_relabel; NULL: other devices.
  struct shardings_relabelled_t *next;
} shardings_relabelled_t;

// Where shardings are read from and into.
typedef struct shardings_t {
  mlir_module_t *module;
  pod_arena_t *arena;
  const compiler_meshes_t *meshes;
  const mesh_t *mesh;
  shardings_relabelled_t *relabelled;  // Those behind it.
  propagation_options_t propagation;   // As the module's PROPAGATION_ATTR says.
} shardings_t;

// Collects the meshes and finds the program's: the first with axes that a sharding is
// over; without shardings one declared for as many devices, or one axis over all of them.
// FAILED_PRECONDITION when what shardings are over has another number of devices,
// INVALID_ARGUMENT when the module wants a propagation that there is none of.
POD_MUST_USE pod_status_t shardings_open(mlir_module_t *module, pod_arena_t *arena,
                                         int64_t device_count,
                                         shardings_t *out_shardings);

// How many devices the module is for: those of the mesh that a sharding is over, else
// mhlo.num_partitions times mhlo.num_replicas; 0: it says nothing of devices.
// `out_mesh`: that mesh, in the arena, or NULL.
POD_MUST_USE pod_status_t shardings_count_devices(mlir_module_t *module,
                                                  pod_arena_t *arena, int64_t *out_count,
                                                  const mesh_t **out_mesh);

// A #sdy.sharding for a value of `shape` where the axes of `manual` are manual: it may
// not use them, and gets them as replicated ones. `op` is what an error points at.
POD_MUST_USE pod_status_t shardings_read(const shardings_t *shardings,
                                         const mlir_attr_t *attr, const mlir_op_t *op,
                                         const tensor_shape_t *shape,
                                         const axes_t *manual, const sharding_t **out);

// The sharding that the op's attribute gives a result; NULL when it gives none.
POD_MUST_USE pod_status_t shardings_read_result(const shardings_t *shardings,
                                                const mlir_op_t *op, int result,
                                                const axes_t *manual,
                                                const sharding_t **out);

// Of an argument or result of a function; NULL when it has none.
POD_MUST_USE pod_status_t shardings_read_argument(const shardings_t *shardings,
                                                  const mlir_op_t *function, int argument,
                                                  const sharding_t **out);
POD_MUST_USE pod_status_t shardings_read_function_result(const shardings_t *shardings,
                                                         const mlir_op_t *function,
                                                         int result,
                                                         const sharding_t **out);

// The program's axes over the devices in the order in which `list`, "arg_attrs" or
// "res_attrs", has them for an argument or result, where it is over a mesh whose axes are
// none of the program's; else NULL. In `arena`.
POD_MUST_USE pod_status_t shardings_read_order(const shardings_t *shardings,
                                               const mlir_op_t *function,
                                               const char *list, int index,
                                               pod_arena_t *arena,
                                               const mesh_t **out_mesh);

// What sdy.manual_computation says.
typedef struct shardings_manual_t {
  axes_t axes;  // The manual axes.
  // Of the operands and of the results, global. Manual axes that the dimensions do not
  // have are replicated, so that propagation does not bring them in from outside.
  const sharding_t **inputs;
  const sharding_t **outputs;
} shardings_manual_t;

// `around` are the axes that are manual outside of it. Checks that the types inside are
// the local ones.
POD_MUST_USE pod_status_t shardings_read_manual(const shardings_t *shardings,
                                                const mlir_op_t *op, const axes_t *around,
                                                const shardings_manual_t **out);

// From outside a manual computation to inside: the manual axes leave the dimensions, and
// may not be used there; nor may what is replicated outside.
const sharding_t *shardings_enter(pod_arena_t *arena, const sharding_t *outside,
                                  const axes_t *manual);

// From inside to outside: the manual axes of `outside`, then those of `inside`.
const sharding_t *shardings_leave(pod_arena_t *arena, const sharding_t *inside,
                                  const sharding_t *outside, const axes_t *manual);

#endif  // SERVER_COMPILER_PARTITION_SHARDINGS_H_
