// devices: 4
// An argument that no sharding leaves unreduced: what the chips have of it is added up as
// it is. Behind a product an all_reduce is part of what makes its sums.
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %b: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %c: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.all_reduce max {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi32>
    %1 = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %2 = sdy.all_reduce {"y"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi32>
    return %0, %2 : tensor<4x4xi32>, tensor<4x4xi32>
  }
}
