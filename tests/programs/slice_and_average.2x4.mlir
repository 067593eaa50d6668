module @jit_slice_and_average attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X", "Y"}]>}) -> (tensor<4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X", "Y"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"X", "Y"} (%arg1: tensor<64xf32>) {
      %0 = stablehlo.slice %arg1 [0:4] : (tensor<64xf32>) -> tensor<4xf32>
      %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg100: tensor<f32>, %arg101: tensor<f32>):
        %2 = stablehlo.add %arg100, %arg101 : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %5 = stablehlo.divide %1, %4 : tensor<4xf32>
      sdy.return %5 : tensor<4xf32>
    } : (tensor<512xf32>) -> tensor<4xf32>
    return %out : tensor<4xf32>
  }
}
