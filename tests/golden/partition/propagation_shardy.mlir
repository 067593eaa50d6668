// As Shardy's pipeline has it: the constraint is closed, so that the sum lies as it wants.
module @m attributes {podium.propagation = "shardy"} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x6xf32> {
    %0 = stablehlo.add %a, %a : tensor<8x6xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"y"}]> : tensor<8x6xf32>
    %2 = stablehlo.slice %1 [0:8, 0:3] : (tensor<8x6xf32>) -> tensor<8x3xf32>
    %3 = stablehlo.concatenate %2, %2, dim = 1 : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x6xf32>
    return %3 : tensor<8x6xf32>
  }
}
