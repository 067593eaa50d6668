// devices: 4
// The gradient of a maximum's pooling: windows that do not overlap stay within a shard.
module @jit_pool {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %a = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    return %a : tensor<16x8xf32>
  }
}
