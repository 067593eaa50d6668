// devices: 4
// Products of a small and a large operand where nothing contracted is sharded alike: the
// small one moves and the sums are scattered, or the small one is gathered; never the large
// one. Either side, batched, both axes in either order, and sizes that do not divide.
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %b: tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %c: tensor<4096x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %d: tensor<8192x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %e: tensor<2x8x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %f: tensor<2x8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %g: tensor<7x8190xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %h: tensor<8190x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<8x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<2x8x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, tensor<7x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8192xf32>, tensor<8192x4096xf32>) -> tensor<8x4096xf32>
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x8xf32>) -> tensor<4096x8xf32>
    %2 = stablehlo.dot_general %e, %f, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x8192xf32>, tensor<2x8192x4096xf32>) -> tensor<2x8x4096xf32>
    %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0] : (tensor<7x8190xf32>, tensor<8190x4096xf32>) -> tensor<7x4096xf32>
    return %0, %1, %2, %3 : tensor<8x4096xf32>, tensor<4096x8xf32>, tensor<2x8x4096xf32>, tensor<7x4096xf32>
  }
}
