module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 3, 2]>
  func.func public @main(%arg0: tensor<8x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p1, {}], replicated={"x"}>}) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<8x16xbf16>, tensor<16x8xbf16>) -> tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x":(1)2}, {?}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
