// T5: the weights of a layer from four chips; each core gathers its own.
module @jit_all_gather attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=4]>
  func.func public @main(%arg0: tensor<8192x16384xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) -> (tensor<8192x16384xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"X"} (%arg1: tensor<2048x16384xbf16>) {
      %0 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2048x16384xbf16>) -> tensor<8192x16384xbf16>
      sdy.return %0 : tensor<8192x16384xbf16>
    } : (tensor<8192x16384xbf16>) -> tensor<8192x16384xbf16>
    return %out : tensor<8192x16384xbf16>
  }
}
