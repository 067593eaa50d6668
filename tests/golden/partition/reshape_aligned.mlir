// devices: 48
// Axes of 6 and 8 over a dimension of 48 that is reshaped to 4 x 12: no axis ends where
// the first factor does, but parts of them do, and chips change places to have it so.
module @jit_reshape {
  sdy.mesh @mesh = <["x"=6, "y"=8]>
  func.func public @main(%a: tensor<48x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}) -> (tensor<4x96x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) {
    %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}, {}]>]>} : (tensor<48x8x64xf32>) -> tensor<4x96x64xf32>
    return %0 : tensor<4x96x64xf32>
  }
}
