// GSPMD's annotations (https://arxiv.org/abs/2105.04663), which JAX exports when Shardy
// is off, become Shardy's on the way in.
//
//   mhlo.sharding = "{…}"            on arguments, results and operations: sdy.sharding
//   custom_call @Sharding            sdy.sharding_constraint
//   custom_call @SPMDFullToShardShape, func.call, custom_call @SPMDShardToFullShape
//                                    sdy.manual_computation around the call
//
// The strings, as HloSharding prints them: {replicated}, {manual}, {maximal device=0},
// {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, the same with
// last_tile_dims={manual, replicated}, and devices listed one by one. `maximal` counts as
// replicated: the values are the same. A device's number is cut into digits where any of
// the strings cuts it, and the digits are the axes of one mesh.
//
// Threading: pure. Errors: at the operation: INVALID_ARGUMENT for a string that is wrong,
// UNIMPLEMENTED for what no mesh of digits describes and for shards that are used
// elsewhere than as arguments of a call.

#ifndef SERVER_COMPILER_GSPMD_H_
#define SERVER_COMPILER_GSPMD_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Leaves modules alone that have no such annotation, or a mesh of Shardy's.
POD_MUST_USE pod_status_t gspmd_expand(mlir_module_t *module);

#endif  // SERVER_COMPILER_GSPMD_H_
