module @jit_roll_in_shard attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) -> (tensor<16x32xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"X"}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg1: tensor<8x8xf32>) {
      %0 = stablehlo.slice %arg1 [7:8, 0:8] : (tensor<8x8xf32>) -> tensor<1x8xf32>
      %1 = stablehlo.slice %arg1 [0:7, 0:8] : (tensor<8x8xf32>) -> tensor<7x8xf32>
      %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x8xf32>, tensor<7x8xf32>) -> tensor<8x8xf32>
      %3 = stablehlo.subtract %2, %arg1 : tensor<8x8xf32>
      sdy.return %3 : tensor<8x8xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %out : tensor<16x32xf32>
  }
}
