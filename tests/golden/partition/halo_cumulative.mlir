// devices: 4
// A cumulative sum along a sharded dimension: each chip sums its shard, and adds what the
// shards before it come to, one number each.
module @jit_cumsum {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<64x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 64, 1>, padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<64x2xf32>, tensor<f32>) -> tensor<64x2xf32>
    return %1 : tensor<64x2xf32>
  }
}
