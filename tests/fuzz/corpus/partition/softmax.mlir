// devices: 4
// The reduced dimension is sharded: partial maxima and sums meet.
module @jit_softmax {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<16xf32>) -> tensor<16x32xf32>
    %2 = stablehlo.subtract %a, %1 : tensor<16x32xf32>
    %3 = stablehlo.exponential %2 : tensor<16x32xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xf32>) -> tensor<16x32xf32>
    %6 = stablehlo.divide %3, %5 : tensor<16x32xf32>
    return %6 : tensor<16x32xf32>
  }
}
