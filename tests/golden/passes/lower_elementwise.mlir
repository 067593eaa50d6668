// passes: lower
// One block of memory serves the whole chain, and the last operation writes the result.
module @jit_chain {
  func.func public @main(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.tanh %0 : tensor<64x64xf32>
    %2 = stablehlo.add %1, %arg0 : tensor<64x64xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = stablehlo.negate %3 : tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}
// -----
program jit_chain on 1 chips, temporaries 16.0 KiB
entry @main(%0 f32[64,64] argument 0, %1 f32[64,64] argument 1) {
  dot_general.0: %3 f32[64,64] temp+0 = dot_general(%0 f32[64,64] argument 0, %1 f32[64,64] argument 1) {lhs_batching_dimensions=[], rhs_batching_dimensions=[], lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], precision=[0,2]}  // lower_elementwise.mlir:5:10
  tanh.0: %3 f32[64,64] temp+0 = tanh(%3 f32[64,64] temp+0)  // lower_elementwise.mlir:6:10
  add.0: %3 f32[64,64] temp+0 = add(%3 f32[64,64] temp+0, %0 f32[64,64] argument 0)  // lower_elementwise.mlir:7:10
  dot_general.1: %2 f32[64,64] result 0 = dot_general(%3 f32[64,64] temp+0, %1 f32[64,64] argument 1) {lhs_batching_dimensions=[], rhs_batching_dimensions=[], lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], precision=[0,0]}  // lower_elementwise.mlir:8:10
  negate.0: %2 f32[64,64] result 0 = negate(%2 f32[64,64] result 0)  // lower_elementwise.mlir:9:10
  return %2 f32[64,64] result 0
}
