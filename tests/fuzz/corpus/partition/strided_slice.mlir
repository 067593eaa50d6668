// devices: 2
// Every second element: the shards hold whole strides and stay where they are.
module @jit_slices {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [1:8:2, 1:4] : (tensor<8x6xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
