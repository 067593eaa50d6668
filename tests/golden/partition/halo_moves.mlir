// devices: 4
// What moves elements along a sharded dimension exchanges no more than it needs: the
// neighbour's edge for a slice that begins between shards, one whole shard for a reverse,
// a shifted half for a concatenation; the padding is put where nothing is.
module @jit_moves {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<20x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %z: tensor<f32>) -> (tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<20x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<20x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<40x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [1:17, 0:6] : (tensor<20x6xf32>) -> tensor<16x6xf32>
    %1 = stablehlo.pad %a, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<20x6xf32>, tensor<f32>) -> tensor<20x6xf32>
    %2 = stablehlo.reverse %a, dims = [0] : tensor<20x6xf32>
    %3 = stablehlo.concatenate %a, %2, dim = 0 : (tensor<20x6xf32>, tensor<20x6xf32>) -> tensor<40x6xf32>
    return %0, %1, %2, %3 : tensor<16x6xf32>, tensor<20x6xf32>, tensor<20x6xf32>, tensor<40x6xf32>
  }
}
