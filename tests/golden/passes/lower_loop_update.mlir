// passes: lower
// The loop's array lies in the result from the start and is updated in place; the counter
// too. Only the initial values are copied.
module @jit_fill {
  func.func public @main(%arg0: tensor<1024x256xf32>, %arg1: tensor<1x256xf32>) -> tensor<1024x256xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<1024> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<1024x256xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %x, %i, %c, sizes = [1, 256] : (tensor<1024x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
      %2 = stablehlo.add %1, %arg1 : tensor<1x256xf32>
      %3 = stablehlo.dynamic_update_slice %x, %2, %i, %c : (tensor<1024x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x256xf32>
      %4 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<1024x256xf32>
    }
    return %0#1 : tensor<1024x256xf32>
  }
}
// -----
program jit_fill on 1 chips, temporaries 1.1 KiB
entry @main(%0 f32[1024,256] argument 0, %1 f32[1,256] argument 1) {
  copy.0: %3 s32[] temp+0 = copy(%5 s32[] constant 0)  // lower_loop_update.mlir:9:12
  copy.1: %2 f32[1024,256] result 0 = copy(%0 f32[1024,256] argument 0)  // lower_loop_update.mlir:9:12
  while.0: %3 s32[] temp+0, %2 f32[1024,256] result 0 = while() calls @cond.1, @body.2  // lower_loop_update.mlir:9:12
  return %2 f32[1024,256] result 0
}
@cond.1(%3 s32[] temp+0, %2 f32[1024,256] result 0) {
  compare.0: %4 pred[] temp+64 = compare(%3 s32[] temp+0, %6 s32[] constant 1) {comparison_direction=[5], compare_type=[0]}  // lower_loop_update.mlir:11:12
  return %4 pred[] temp+64
}
@body.2(%3 s32[] temp+0, %2 f32[1024,256] result 0) {
  dynamic_slice.0: %7 f32[1,256] temp+64 = dynamic_slice(%2 f32[1024,256] result 0, %3 s32[] temp+0, %5 s32[] constant 0) {slice_sizes=[1,256]}  // lower_loop_update.mlir:14:12
  add.0: %7 f32[1,256] temp+64 = add(%7 f32[1,256] temp+64, %1 f32[1,256] argument 1)  // lower_loop_update.mlir:15:12
  dynamic_update_slice.0: %2 f32[1024,256] result 0 = dynamic_update_slice(%2 f32[1024,256] result 0, %7 f32[1,256] temp+64, %3 s32[] temp+0, %5 s32[] constant 0)  // lower_loop_update.mlir:16:12
  add.1: %3 s32[] temp+0 = add(%3 s32[] temp+0, %8 s32[] constant 2)  // lower_loop_update.mlir:17:12
  return %3 s32[] temp+0, %2 f32[1024,256] result 0
}
