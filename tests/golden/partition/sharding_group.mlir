// devices: 4
// b is used by nothing that is sharded, and c is in a group with b: both get what a has. e and f
// are in different groups that d joins. g and h come with different shardings, and keep them.
module @jit_groups {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x16xf32>, %c: tensor<8x16xf32>, %d: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}, %e: tensor<4x4xf32>, %f: tensor<4x4xf32>, %g: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %h: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8x16xf32>, tensor<4x4xf32>) {
    sdy.sharding_group %a group_id=5 : tensor<8x16xf32>
    sdy.sharding_group %b group_id=5 : tensor<8x16xf32>
    sdy.sharding_group %c group_id=7 : tensor<8x16xf32>
    sdy.sharding_group %b group_id=7 : tensor<8x16xf32>
    sdy.sharding_group %e group_id=1 : tensor<4x4xf32>
    sdy.sharding_group %f group_id=2 : tensor<4x4xf32>
    sdy.sharding_group %d group_id=1 : tensor<4x4xf32>
    sdy.sharding_group %d group_id=2 : tensor<4x4xf32>
    sdy.sharding_group %g group_id=3 : tensor<8xf32>
    sdy.sharding_group %h group_id=3 : tensor<8xf32>
    %0 = stablehlo.tanh %c : tensor<8x16xf32>
    return %0, %f : tensor<8x16xf32>, tensor<4x4xf32>
  }
}
