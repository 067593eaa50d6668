// passes: lower
// A step as jax.jit(step, donate_argnums=0) writes it: both parts of the state are updated
// where they lie, without a temporary of their size.
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<i32>, %arg3: tensor<64xf32>) -> (tensor<8x64xf32> {jax.result_info = "result[0]['cache']"}, tensor<64xf32> {jax.result_info = "result[0]['w']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.multiply %0, %arg3 : tensor<64xf32>
    %2 = stablehlo.subtract %arg1, %1 : tensor<64xf32>
    %3 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.dynamic_update_slice %arg0, %3, %arg2, %c : (tensor<8x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<8x64xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%2 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %7, %2, %8 : tensor<8x64xf32>, tensor<64xf32>, tensor<f32>
  }
}
// -----
program jit_step on 1 chips, temporaries 256 B, argument 0 lies in result 0, argument 1 lies in result 1
entry @main(%0 f32[8,64] argument 0, %1 f32[64] argument 1, %2 s32[] argument 2, %3 f32[64] argument 3) {
  broadcast_in_dim.0: %8 f32[64] temp+0 = broadcast_in_dim(%7 f32[] constant 0) {dimensions=[]}
  multiply.0: %8 f32[64] temp+0 = multiply(%8 f32[64] temp+0, %3 f32[64] argument 3)  // lower_donation.mlir:8:10
  subtract.0: %5 f32[64] result 1 = subtract(%5 f32[64] result 1, %8 f32[64] temp+0)  // lower_donation.mlir:9:10
  broadcast_in_dim.1: %9 f32[1,64] temp+0 = broadcast_in_dim(%3 f32[64] argument 3) {dimensions=[1]}  // lower_donation.mlir:10:10
  dynamic_update_slice.0: %4 f32[8,64] result 0 = dynamic_update_slice(%4 f32[8,64] result 0, %9 f32[1,64] temp+0, %2 s32[] argument 2, %10 s32[] constant 1)  // lower_donation.mlir:12:10
  reduce.0: %6 f32[] result 2 = reduce(%5 f32[64] result 1, %11 f32[] constant 2) {reducer=[1], dimensions=[0]}  // lower_donation.mlir:14:10
  return %4 f32[8,64] result 0, %5 f32[64] result 1, %6 f32[] result 2
}
