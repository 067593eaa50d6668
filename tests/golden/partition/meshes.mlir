// devices: 8
// Three meshes over the same devices: one axis of all, the axes of the first one cut and joined, and the first one transposed.
module @jit_meshes {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @flat = <["d"=8]>
  sdy.mesh @cut = <["a"=4, "b"=2]>
  sdy.mesh @transposed = <["u"=4, "v"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@flat, [{"d"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@transposed, [{"v"}, {"u"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@cut, [{"a"}, {"b"}]>}) {
    %0 = sdy.sharding_constraint %b <@transposed, [{"v"}, {"u"}]> : tensor<8x8xf32>
    %1 = stablehlo.add %a, %0 : tensor<8x8xf32>
    %2 = sdy.manual_computation(%b) in_shardings=[<@cut, [{"a"}, {}]>] out_shardings=[<@cut, [{"a"}, {}]>] manual_axes={"a"} (%arg0: tensor<2x8xf32>) {
      %3 = stablehlo.negate %arg0 : tensor<2x8xf32>
      sdy.return %3 : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
