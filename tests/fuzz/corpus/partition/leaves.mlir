// devices: 4
// A splat shrinks, an iota counts from where the shard starts, other constants are cut.
module @jit_leaves {
  sdy.mesh @mesh = <["x"=4], device_ids=[3, 1, 0, 2]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.constant dense<2.0> : tensor<8xf32>
    %1 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8xbf16>
    %3 = stablehlo.add %a, %0 : tensor<8xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<8xf32>
    return %4, %2 : tensor<8xf32>, tensor<8xbf16>
  }
}
