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
