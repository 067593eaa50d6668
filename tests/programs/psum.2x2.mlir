module @jit_psum attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=2]>
  func.func public @main(%arg0: tensor<4096x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) -> (tensor<4096x2048xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {}]>] manual_axes={"X", "Y"} (%arg1: tensor<2048x2048xf32>) {
      %0 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg100: tensor<f32>, %arg101: tensor<f32>):
        %1 = stablehlo.add %arg100, %arg101 : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
      sdy.return %0 : tensor<2048x2048xf32>
    } : (tensor<4096x4096xf32>) -> tensor<4096x2048xf32>
    return %out : tensor<4096x2048xf32>
  }
}
