// Mv6e16K: every chip passes its shard on along the ring of a 4x2.
module @jit_ppermute attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=8]>
  func.func public @main(%arg0: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) -> (tensor<64x512xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {}]>] out_shardings=[<@mesh, [{"X"}, {}]>] manual_axes={"X"} (%arg1: tensor<8x512xf32>) {
      %0 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 7], [7, 6], [6, 5], [5, 4], [4, 0]]> : tensor<8x2xi64>}> : (tensor<8x512xf32>) -> tensor<8x512xf32>
      sdy.return %0 : tensor<8x512xf32>
    } : (tensor<64x512xf32>) -> tensor<64x512xf32>
    return %out : tensor<64x512xf32>
  }
}
