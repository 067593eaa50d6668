// devices: 8
// y is manual: axes that trade places inside leave the chips where they are along it.
module @jit_partial {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"y"}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {"y", ?}]>] manual_axes={"y"} (%b: tensor<8x8xf32>) {
      %1 = sdy.sharding_constraint %b <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{"z"}, {}]> : tensor<8x8xf32>
      sdy.return %2 : tensor<8x8xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
