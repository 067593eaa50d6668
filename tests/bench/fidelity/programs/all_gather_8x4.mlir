// S12: over the axis of four of an 8x4.
module @jit_all_gather attributes {mhlo.num_partitions = 32 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["Y"=4, "X"=8]>
  func.func public @main(%arg0: tensor<256x256xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<256x256xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"Y"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"Y", "X"} (%arg1: tensor<64x256xbf16>) {
      %0 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 8, 16, 24], [1, 9, 17, 25], [2, 10, 18, 26], [3, 11, 19, 27], [4, 12, 20, 28], [5, 13, 21, 29], [6, 14, 22, 30], [7, 15, 23, 31]]> : tensor<8x4xi64>, use_global_device_ids}> : (tensor<64x256xbf16>) -> tensor<256x256xbf16>
      sdy.return %0 : tensor<256x256xbf16>
    } : (tensor<256x256xbf16>) -> tensor<256x256xbf16>
    return %out : tensor<256x256xbf16>
  }
}
