// devices: 4
// No axes of the first mesh make the order of the other ones' devices: what arguments and results have goes to other chips at the
// border; within the program the order does not matter. An axis of one device divides nothing.
module @jit_mesh_orders {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @ring = <["r"=4], device_ids=[0, 1, 3, 2]>
  sdy.mesh @back = <["u"=2, "v"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @one = <["i"=1]>
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@back, [{"u"}, {"v"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ring, [{"r"}, {}]>}) {
    %0 = stablehlo.add %a, %b : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@back, [{"u"}, {"v"}]> : tensor<8x8xf32>
    %2 = stablehlo.negate %1 : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@one, [{"i"}, {?}]> : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
