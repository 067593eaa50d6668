// devices: 4
// No axes of the first mesh make the axis of the second one, which has fewer devices.
module @jit_error_meshes {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @pair = <["r"=2]>
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@pair, [{"r"}, {}]>}) {
    return %a : tensor<8x8xf32>
  }
}
