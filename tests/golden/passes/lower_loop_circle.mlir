// passes: lower
// The body swaps two values and shifts two others: the swap needs a place aside, the
// shift the right order.
module @jit_swap {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i1>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %0:4 = stablehlo.while(%a = %arg0, %b = %arg1, %s = %arg0, %t = %arg1) : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
     cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %1 = stablehlo.tanh %t : tensor<16xf32>
      stablehlo.return %b, %a, %t, %1 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    return %0#0, %0#1, %0#2, %0#3 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
// -----
program jit_swap on 1 chips, temporaries 64 B
entry @main(%0 f32[16] argument 0, %1 f32[16] argument 1, %2 pred[] argument 2) {
  copy.0: %3 f32[16] result 0 = copy(%0 f32[16] argument 0)  // lower_loop_circle.mlir:6:12
  copy.1: %4 f32[16] result 1 = copy(%1 f32[16] argument 1)  // lower_loop_circle.mlir:6:12
  copy.2: %5 f32[16] result 2 = copy(%0 f32[16] argument 0)  // lower_loop_circle.mlir:6:12
  copy.3: %6 f32[16] result 3 = copy(%1 f32[16] argument 1)  // lower_loop_circle.mlir:6:12
  while.0: %3 f32[16] result 0, %4 f32[16] result 1, %5 f32[16] result 2, %6 f32[16] result 3 = while() calls @cond.1, @body.2  // lower_loop_circle.mlir:6:12
  return %3 f32[16] result 0, %4 f32[16] result 1, %5 f32[16] result 2, %6 f32[16] result 3
}
@cond.1(%3 f32[16] result 0, %4 f32[16] result 1, %5 f32[16] result 2, %6 f32[16] result 3) {
  return %2 pred[] argument 2
}
@body.2(%3 f32[16] result 0, %4 f32[16] result 1, %5 f32[16] result 2, %6 f32[16] result 3) {
  tanh.0: %7 f32[16] temp+0 = tanh(%6 f32[16] result 3)  // lower_loop_circle.mlir:10:12
  copy.4: %5 f32[16] result 2 = copy(%6 f32[16] result 3)  // lower_loop_circle.mlir:6:12
  copy.5: %6 f32[16] result 3 = copy(%7 f32[16] temp+0)  // lower_loop_circle.mlir:6:12
  copy.6: %8 f32[16] temp+0 = copy(%3 f32[16] result 0)  // lower_loop_circle.mlir:6:12
  copy.7: %3 f32[16] result 0 = copy(%4 f32[16] result 1)  // lower_loop_circle.mlir:6:12
  copy.8: %4 f32[16] result 1 = copy(%8 f32[16] temp+0)  // lower_loop_circle.mlir:6:12
  return %3 f32[16] result 0, %4 f32[16] result 1, %5 f32[16] result 2, %6 f32[16] result 3
}
