module @jit_all_to_all attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=2]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) -> (tensor<16x32xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X", "Y"}, {}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {"Y"}]>] out_shardings=[<@mesh, [{"X", "Y"}, {}]>] manual_axes={"X", "Y"} (%arg1: tensor<8x16xf32>) {
      %0 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8x16xf32>) -> tensor<4x32xf32>
      sdy.return %0 : tensor<4x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %out : tensor<16x32xf32>
  }
}
