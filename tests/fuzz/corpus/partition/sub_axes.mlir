// devices: 4
// Two heads over an axis of four: the axis is split over heads and their columns.
module @jit_heads {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%q: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x2x32xf32> {
    %0 = stablehlo.reshape %q : (tensor<8x64xf32>) -> tensor<8x2x32xf32>
    return %0 : tensor<8x2x32xf32>
  }
}
