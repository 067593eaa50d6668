// devices: 4
// No axes of the first mesh make the order of the second one's devices.
module @jit_error_meshes {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @ring = <["r"=4], device_ids=[0, 1, 3, 2]>
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ring, [{"r"}, {}]>}) {
    return %a : tensor<8x8xf32>
  }
}
