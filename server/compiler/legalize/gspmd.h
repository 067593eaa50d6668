// GSPMD's annotations (https://arxiv.org/abs/2105.04663), which JAX exports when Shardy
// is off, become Shardy's on the way in.
//
//   mhlo.sharding = "{…}"            on arguments, results and operations: sdy.sharding
//   custom_call @Sharding            sdy.sharding_constraint
//   custom_call @SPMDFullToShardShape, a call or operations in line, custom_call
//   @SPMDShardToFullShape            sdy.manual_computation around what is between
//
// The strings, as HloSharding prints them: {replicated}, {manual}, {maximal device=0},
// {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, the same with
// last_tile_dims={manual, replicated}, and devices listed one by one; {unknown}, which
// says nothing; or the bytes of an OpSharding (xla_data.proto), which are none for
// {replicated}. `shard_as 3` puts what @Sharding has into an sdy.sharding_group;
// `shard_like` and `metadata={…}` are passed over. `maximal` counts as replicated: the
// values are the same. A device's number is cut into digits where any of the strings cuts
// it, and the digits are the axes of one mesh.
//
// Threading: pure. Errors: at the operation: INVALID_ARGUMENT for a string that is wrong,
// UNIMPLEMENTED for what no mesh of digits describes, for shards that leave their block
// and for whole arrays that stand before the end of the region they come of.

#ifndef SERVER_COMPILER_LEGALIZE_GSPMD_H_
#define SERVER_COMPILER_LEGALIZE_GSPMD_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Leaves modules alone that have no such annotation, or a mesh of Shardy's.
POD_MUST_USE pod_status_t gspmd_expand(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_GSPMD_H_
