// devices: 2
// A constraint holds where it stands.
module @jit_constraint {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.negate %a : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %2 = stablehlo.exponential %1 : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
