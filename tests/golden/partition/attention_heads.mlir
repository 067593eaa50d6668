// devices: 4
// A reshape splits a sharded dimension into heads, which stay sharded.
module @jit_heads {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%q: tensor<8x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %k: tensor<8x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> tensor<8x4x16x16xf32> {
    %0 = stablehlo.reshape %q : (tensor<8x16x64xf32>) -> tensor<8x16x4x16xf32>
    %1 = stablehlo.reshape %k : (tensor<8x16x64xf32>) -> tensor<8x16x4x16xf32>
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<8x16x4x16xf32>, tensor<8x16x4x16xf32>) -> tensor<8x4x16x16xf32>
    return %2 : tensor<8x4x16x16xf32>
  }
}
