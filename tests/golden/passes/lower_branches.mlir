// passes: lower
// Each branch writes where the result has to be; one that only hands on a value copies it.
module @jit_branches {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<16xf32>) -> tensor<16xf32> {
    %0 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.tanh %arg1 : tensor<16xf32>
      stablehlo.return %1 : tensor<16xf32>
    }, {
      stablehlo.return %arg1 : tensor<16xf32>
    }) : (tensor<i32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// -----
program jit_branches on 1 chips, temporaries 0 B
entry @main(%0 s32[] argument 0, %1 f32[16] argument 1) {
  case.0: %2 f32[16] result 0 = case(%0 s32[] argument 0) calls @branch.1, @branch.2  // lower_branches.mlir:5:10
  return %2 f32[16] result 0
}
@branch.1() {
  tanh.0: %2 f32[16] result 0 = tanh(%1 f32[16] argument 1)  // lower_branches.mlir:6:12
  return %2 f32[16] result 0
}
@branch.2() {
  copy.0: %2 f32[16] result 0 = copy(%1 f32[16] argument 1)  // lower_branches.mlir:5:10
  return %2 f32[16] result 0
}
