// passes: lower
// A sum is known by name, swapped arguments too; what is not known is a region of its own.
module @jit_reduce {
  func.func public @main(%arg0: tensor<4x16xf32>, %arg1: tensor<f32>) -> (tensor<4xf32>, tensor<16xf32>, tensor<4xf32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4x16xf32>, tensor<f32>) -> tensor<16xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>) {
      %3 = stablehlo.add %arg3, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }
    %2 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>) {
      %3 = stablehlo.abs %arg3 : tensor<f32>
      %4 = stablehlo.add %arg2, %3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
    return %0, %1, %2 : tensor<4xf32>, tensor<16xf32>, tensor<4xf32>
  }
}
// -----
program jit_reduce on 1 chips, temporaries 192 B
entry @main(%0 f32[4,16] argument 0, %1 f32[] argument 1) {
  reduce.0: %2 f32[4] result 0 = reduce(%0 f32[4,16] argument 0, %1 f32[] argument 1) {reducer=[3], dimensions=[1]}  // lower_reduce.mlir:5:10
  reduce.1: %3 f32[16] result 1 = reduce(%0 f32[4,16] argument 0, %1 f32[] argument 1) {reducer=[1], dimensions=[0]}  // lower_reduce.mlir:6:10
  reduce.2: %4 f32[4] result 2 = reduce(%0 f32[4,16] argument 0, %1 f32[] argument 1) {reducer=[0], dimensions=[1]} calls @region.1  // lower_reduce.mlir:11:10
  return %2 f32[4] result 0, %3 f32[16] result 1, %4 f32[4] result 2
}
@region.1(%5 f32[] temp+0, %6 f32[] temp+64) {
  abs.0: %7 f32[] temp+128 = abs(%6 f32[] temp+64)  // lower_reduce.mlir:13:12
  add.0: %7 f32[] temp+128 = add(%5 f32[] temp+0, %7 f32[] temp+128)  // lower_reduce.mlir:14:12
  return %7 f32[] temp+128
}
