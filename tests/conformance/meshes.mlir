// Meshes of one device, meshes written out in a sharding, and a mesh that nothing is over.
module @meshes {
  sdy.mesh @unused = <["a"=2, "b"=16]>
  sdy.mesh @empty = <[]>
  sdy.mesh @third = <[], device_ids=[3]>

  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<32xi32>
    %a = stablehlo.reshape %n : (tensor<32xi32>) -> tensor<4x8xi32>
    %0 = sdy.reshard %a <@third, []> : tensor<4x8xi32>
    %1 = sdy.sharding_constraint %0 <mesh<["x"=2, "y"=2]>, [{"x"}, {"y"}]> : tensor<4x8xi32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{"y"}, {}]>]>} : tensor<4x8xi32>
    %3 = sdy.reshard %2 <mesh<[], device_ids=[1]>, [{}, {}]> : tensor<4x8xi32>
    %4 = sdy.reshard %3 <@empty, [{}, {}]> : tensor<4x8xi32>
    %b = stablehlo.add %a, %a : tensor<4x8xi32>
    check.expect_eq %4, %b : tensor<4x8xi32>
    return
  }
}
