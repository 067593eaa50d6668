// T1: the product of a feed-forward layer on one core.
module @jit_matmul attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8192x8192xbf16>, %arg1: tensor<8192x16384xbf16>) -> (tensor<8192x16384xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8192x8192xbf16>, tensor<8192x16384xbf16>) -> tensor<8192x16384xbf16>
    return %0 : tensor<8192x16384xbf16>
  }
}
