module @jit_mean_in_shard attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<4096x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) -> (tensor<2x4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg1: tensor<2048x1024xf32>) {
      %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.reduce(%arg1 init: %0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2048x1024xf32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.constant dense<2.097152e+06> : tensor<f32>
      %3 = stablehlo.divide %1, %2 : tensor<f32>
      %4 = stablehlo.reshape %3 : (tensor<f32>) -> tensor<1x1xf32>
      sdy.return %4 : tensor<1x1xf32>
    } : (tensor<4096x4096xf32>) -> tensor<2x4xf32>
    return %out : tensor<2x4xf32>
  }
}
