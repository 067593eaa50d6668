// passes: lower
// A cache of which every sequence gets a row at its own place, by a scatter that overwrites (its region is no known reducer): in place.
module @jit_scatter {
  func.func public @main(%cache: tensor<4x8x16xf32> {tf.aliasing_output = 0 : i32}, %at: tensor<4x2xi32>, %rows: tensor<4x16xf32>) -> (tensor<4x8x16xf32>) {
    %0 = "stablehlo.scatter"(%cache, %at, %rows) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%old: tensor<f32>, %new: tensor<f32>):
      stablehlo.return %new : tensor<f32>
    }) : (tensor<4x8x16xf32>, tensor<4x2xi32>, tensor<4x16xf32>) -> tensor<4x8x16xf32>
    return %0 : tensor<4x8x16xf32>
  }
}
// -----
program jit_scatter on 1 chips, temporaries 128 B, argument 0 lies in result 0
entry @main(%0 f32[4,8,16] argument 0, %1 s32[4,2] argument 1, %2 f32[4,16] argument 2) {
  scatter.0: %3 f32[4,8,16] result 0 = scatter(%3 f32[4,8,16] result 0, %1 s32[4,2] argument 1, %2 f32[4,16] argument 2) {window_dims=[1], dropped_dims=[0,1], array_batching_dims=[], indices_batching_dims=[], index_map=[0,1], index_vector_dim=[1], reducer=[0]} calls @region.1  // lower_donation_scatter.mlir:5:10
  return %3 f32[4,8,16] result 0
}
@region.1(%4 f32[] temp+0, %5 f32[] temp+64) {
  return %5 f32[] temp+64
}
