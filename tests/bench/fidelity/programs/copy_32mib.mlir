// R3: a.copy().
module @jit_copy attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16777216xbf16>) -> (tensor<16777216xbf16> {jax.result_info = "result"}) {
    return %arg0 : tensor<16777216xbf16>
  }
}
