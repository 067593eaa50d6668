// passes: lower
// Two donated arguments change places: one of them goes aside. A third is handed back
// where it lies, and a result of its own memory reads it before all others are written.
module @jit_swap {
  func.func public @main(%arg0: tensor<16xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<16xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<16xf32> {tf.aliasing_output = 3 : i32}) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    return %arg1, %arg0, %arg0, %arg2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
// -----
program jit_swap on 1 chips, temporaries 64 B, argument 0 lies in result 0, argument 1 lies in result 1, argument 2 lies in result 3
entry @main(%0 f32[16] argument 0, %1 f32[16] argument 1, %2 f32[16] argument 2) {
  copy.0: %5 f32[16] result 2 = copy(%3 f32[16] result 0)
  copy.1: %7 f32[16] temp+0 = copy(%3 f32[16] result 0)
  copy.2: %3 f32[16] result 0 = copy(%4 f32[16] result 1)
  copy.3: %4 f32[16] result 1 = copy(%7 f32[16] temp+0)
  return %3 f32[16] result 0, %4 f32[16] result 1, %5 f32[16] result 2, %6 f32[16] result 3
}
