// The stage "partition": propagates the shardings of arguments, results, constraints and
// manual computations over @main, and writes the program of one chip (SPMD), with the
// collectives that it needs. Theory: README.md of server/compiler.
//
// Threading: pure. Errors: see compiler.h.

#ifndef SERVER_COMPILER_PARTITION_PARTITION_H_
#define SERVER_COMPILER_PARTITION_PARTITION_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"

// The SPMD program and how its global arguments and results lie.
typedef struct compiler_partitioned_t {
  // @main over local shapes; only rows of the table. Owned by the caller; made beside its
  // source, which must outlive it.
  mlir_module_t *module;
  pod_arena_t *arena;  // The module's: mesh and shardings live in it.
  const mesh_t *mesh;
  int32_t argument_count, result_count;
  const sharding_t **argument_shardings, **result_shardings;
  tensor_shape_t *argument_shapes, *result_shapes;  // Global.
  // The mesh's axes over its devices in another order, where that of an argument or
  // result has one that no axes make; else NULL. Without any the lists may be NULL too.
  const mesh_t **argument_meshes, **result_meshes;
  // The meshes of the module over these devices, one of each kind, for people: the
  // program's first.
  int32_t mesh_count;
  const mesh_t **meshes;
  // Why the collectives are there that were put in, for people: reasons[i] of the one
  // with the channel first_channel + 1 + i; "" is not told.
  int64_t first_channel;
  int32_t reason_count;
  const char *const *reasons;
  // For people: operations that every chip computes whole.
  int32_t note_count;
  const char *const *notes;
  // What podium.inspect_sharding asks for, in the order of the program: the operation's
  // tag, a STRING, and the value.
  int32_t inspection_count;
  const mlir_attr_t **inspection_tags;
  const sharding_t **inspection_shardings;
  tensor_shape_t *inspection_shapes;
} compiler_partitioned_t;

// Propagates the shardings of arguments, results, constraints and manual computations
// over @main and writes the program of one chip, with the collectives that it needs. Does
// not change `module`. A module without shardings on a pod of n chips runs replicated on
// a mesh of n.
POD_MUST_USE pod_status_t compiler_partition(mlir_module_t *module, int64_t device_count,
                                             compiler_partitioned_t *out_partitioned);

// For a pod: `start_bytes` is what a chip may receive in the time that a collective takes
// beside its bytes (cost.h), so that few collectives are better than few bytes of small
// arrays. 0, as above: bytes alone decide.
POD_MUST_USE pod_status_t compiler_partition_for(mlir_module_t *module,
                                                 int64_t device_count, double start_bytes,
                                                 compiler_partitioned_t *out_partitioned);

#endif  // SERVER_COMPILER_PARTITION_PARTITION_H_
