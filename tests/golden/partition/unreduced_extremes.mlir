// devices: 4
// Partial results of which the largest or smallest counts: a reduction leaves them, movements and further maxima keep them, a reshard
// scatters or reduces them; what is whole is a part of its maximum as it is, what is sharded lies among the least there is; a sum of
// them is made of the maximum, and enters and leaves a manual computation as parts.
module @jit_unreduced_extremes {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %m: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=min{"x"}>}, %w: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %s: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y"}>}) -> (tensor<4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}, tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"y"}>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y"}>}) {
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced=max{"x"}> : tensor<4xf32>
    %2 = stablehlo.maximum %1, %w : tensor<4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}], unreduced=max{"x"}> : tensor<4xf32>
    %4 = stablehlo.reshape %3 : (tensor<4xf32>) -> tensor<4x1xf32>
    %5 = stablehlo.add %m, %m : tensor<4x4xi32>
    %6 = sdy.reshard %n <@mesh, [{}, {}], unreduced={"y"}> : tensor<4x4xf32>
    %7 = sdy.manual_computation(%n) in_shardings=[<@mesh, [{}, {}], unreduced=max{"y"}>] out_shardings=[<@mesh, [{}, {}], unreduced=max{"y"}>] manual_axes={"x", "y"} (%arg0: tensor<4x4xf32>) {
      %8 = stablehlo.exponential %arg0 : tensor<4x4xf32>
      sdy.return %8 : tensor<4x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %4, %5, %w, %s, %6, %7 : tensor<4x1xf32>, tensor<4x4xi32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}
