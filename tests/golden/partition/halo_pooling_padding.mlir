// devices: 4
// The gradient of pooling with padding: edges go to the neighbours, and the operation is
// told where the array ends.
module @jit_pool {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %g = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<32x6xf32>, tensor<16x6xf32>, tensor<f32>) -> tensor<32x6xf32>
    return %g : tensor<32x6xf32>
  }
}
