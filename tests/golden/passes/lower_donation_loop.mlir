// passes: lower
// What goes into a loop as donated is the loop's state from the start, and its result.
module @jit_loop {
  func.func public @main(%arg0: tensor<8x16xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1x16xf32>) -> (tensor<8x16xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%a = %arg0, %i = %c) : tensor<8x16xf32>, tensor<i32>
     cond {
      %8 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_update_slice %a, %arg1, %i, %c : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %1, %2 : tensor<8x16xf32>, tensor<i32>
    }
    return %0#0 : tensor<8x16xf32>
  }
}
// -----
program jit_loop on 1 chips, temporaries 128 B, argument 0 lies in result 0
entry @main(%0 f32[8,16] argument 0, %1 f32[1,16] argument 1) {
  copy.0: %3 s32[] temp+0 = copy(%5 s32[] constant 0)  // lower_donation_loop.mlir:6:12
  while.0: %2 f32[8,16] result 0, %3 s32[] temp+0 = while() calls @cond.1, @body.2  // lower_donation_loop.mlir:6:12
  return %2 f32[8,16] result 0
}
@cond.1(%2 f32[8,16] result 0, %3 s32[] temp+0) {
  compare.0: %4 pred[] temp+64 = compare(%3 s32[] temp+0, %6 s32[] constant 1) {comparison_direction=[5], compare_type=[0]}  // lower_donation_loop.mlir:9:12
  return %4 pred[] temp+64
}
@body.2(%2 f32[8,16] result 0, %3 s32[] temp+0) {
  dynamic_update_slice.0: %2 f32[8,16] result 0 = dynamic_update_slice(%2 f32[8,16] result 0, %1 f32[1,16] argument 1, %3 s32[] temp+0, %5 s32[] constant 0)  // lower_donation_loop.mlir:12:12
  add.0: %3 s32[] temp+0 = add(%3 s32[] temp+0, %7 s32[] constant 2)  // lower_donation_loop.mlir:14:12
  return %2 f32[8,16] result 0, %3 s32[] temp+0
}
