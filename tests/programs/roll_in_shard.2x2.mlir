module @jit_roll_in_shard attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=2]>
  func.func public @main(%arg0: tensor<4096x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) -> (tensor<4096x4096xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg1: tensor<2048x2048xf32>) {
      %0 = stablehlo.slice %arg1 [2043:2048, 0:2048] : (tensor<2048x2048xf32>) -> tensor<5x2048xf32>
      %1 = stablehlo.slice %arg1 [0:2043, 0:2048] : (tensor<2048x2048xf32>) -> tensor<2043x2048xf32>
      %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<5x2048xf32>, tensor<2043x2048xf32>) -> tensor<2048x2048xf32>
      %3 = stablehlo.subtract %2, %arg1 : tensor<2048x2048xf32>
      sdy.return %3 : tensor<2048x2048xf32>
    } : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    return %out : tensor<4096x4096xf32>
  }
}
