// Shardy's operations and attributes in the form in which serialized programs carry them
// (what jax.export's deserialized modules print): strings in mhlo.frontend_attributes and
// custom calls named @xla.sdy.… The format is that of xla/service/spmd/shardy in
// https://github.com/openxla/xla.
//
//   module: xla.sdy.meshes = "{mesh = #sdy.mesh<…>}"     sdy.mesh @mesh
//   xla.sdy.sharding = "#sdy.sharding…"                  sdy.sharding of arguments
//   @Sharding with xla.sdy.sharding                      sdy.sharding_constraint
//   @xla.sdy.FuncResultSharding                          sdy.sharding of the result that
//                                                        it is, or a constraint
//   @xla.sdy.GlobalToLocalShape, func.call, @xla.sdy.LocalToGlobalShape
//                                                        sdy.manual_computation
//   @xla.sdy.PropagationBarrier, @xla.sdy.ShardingGroup  sdy.propagation_barrier,
//                                                        sdy.sharding_group
//
// Threading: pure. Errors: at the operation.

#ifndef SERVER_COMPILER_LEGALIZE_ROUND_TRIP_H_
#define SERVER_COMPILER_LEGALIZE_ROUND_TRIP_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Leaves modules alone that have no xla.sdy.meshes and no such calls.
POD_MUST_USE pod_status_t round_trip_import(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_ROUND_TRIP_H_
