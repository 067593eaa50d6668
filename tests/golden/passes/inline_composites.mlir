// passes: inline
// A composite is its decomposition; a named computation is only a name around operations.
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.composite "my.twice" %arg0 {decomposition = @twice} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = sdy.named_computation<"block">(%0) (%arg1: tensor<4xf32>) {
      %2 = stablehlo.tanh %arg1 : tensor<4xf32>
      %3 = func.call @twice(%2) : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @twice(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.tanh %0 : tensor<4xf32>
    %2 = stablehlo.add %1, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
