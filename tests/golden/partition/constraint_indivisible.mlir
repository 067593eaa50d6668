// devices: 4
module @jit_uneven attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<10x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [3:13, 0:8] : (tensor<16x8xf32>) -> tensor<10x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<10x8xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<10x8xf32>
    return %2 : tensor<10x8xf32>
  }
}
