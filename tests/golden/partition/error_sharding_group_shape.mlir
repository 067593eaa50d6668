// devices: 4
module @jit_groups {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x8xf32>) -> tensor<8x16xf32> {
    sdy.sharding_group %a group_id=5 : tensor<8x16xf32>
    sdy.sharding_group %b group_id=5 : tensor<16x8xf32>
    return %a : tensor<8x16xf32>
  }
}
