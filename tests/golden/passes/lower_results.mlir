// passes: lower
// An argument, a constant and a value that is returned twice have to be copied; a reshape
// is another view of the same bytes.
module @jit_results {
  func.func public @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<2xi32>, tensor<32xf32>, tensor<32xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
    %1 = stablehlo.tanh %0 : tensor<32xf32>
    %2 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<8x4xf32>
    return %x, %c, %1, %1, %2 : tensor<4x8xf32>, tensor<2xi32>, tensor<32xf32>, tensor<32xf32>, tensor<8x4xf32>
  }
}
// -----
program jit_results on 1 chips, temporaries 0 B
entry @main(%0 f32[4,8] argument 0) {
  tanh.0: %3 f32[32] result 2 = tanh(%6 f32[32] argument 0)  // lower_results.mlir:8:10
  reshape.0: %5 f32[8,4] result 4 = reshape(%0 f32[4,8] argument 0)  // lower_results.mlir:9:10
  copy.0: %1 f32[4,8] result 0 = copy(%0 f32[4,8] argument 0)
  copy.1: %2 s32[2] result 1 = copy(%7 s32[2] constant 0)
  copy.2: %4 f32[32] result 3 = copy(%3 f32[32] result 2)
  return %1 f32[4,8] result 0, %2 s32[2] result 1, %3 f32[32] result 2, %4 f32[32] result 3, %5 f32[8,4] result 4
}
