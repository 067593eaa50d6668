// passes: lower
// The argument is read after the new value is there, so that the result is made aside and
// copied at the end.
module @jit_late {
  func.func public @main(%arg0: tensor<16xf32> {jax.buffer_donor = true}, %arg1: tensor<i32> {jax.buffer_donor = true}) -> (tensor<f32>, tensor<16xf32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.tanh %arg0 : tensor<16xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<16xf32>
  }
}
// -----
program jit_late on 1 chips, temporaries 64 B, argument 0 lies in result 1, argument 1 lies in result 0
entry @main(%0 f32[16] argument 0, %1 s32[] argument 1) {
  tanh.0: %4 f32[16] temp+0 = tanh(%3 f32[16] result 1)  // lower_donation_copy.mlir:7:10
  dot_general.0: %2 f32[] result 0 = dot_general(%4 f32[16] temp+0, %3 f32[16] result 1) {lhs_batching_dimensions=[], rhs_batching_dimensions=[], lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], precision=[0,0]}  // lower_donation_copy.mlir:8:10
  copy.0: %3 f32[16] result 1 = copy(%4 f32[16] temp+0)
  return %2 f32[] result 0, %3 f32[16] result 1
}
