// passes: lower
// An argument, a constant and a value that is returned twice have to be copied; a reshape
// is another view of the same bytes.
module @jit_results {
  func.func public @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<2xi32>, tensor<32xf32>, tensor<32xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
    %1 = stablehlo.tanh %0 : tensor<32xf32>
    %2 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<8x4xf32>
    return %x, %c, %1, %1, %2 : tensor<4x8xf32>, tensor<2xi32>, tensor<32xf32>, tensor<32xf32>, tensor<8x4xf32>
  }
}
