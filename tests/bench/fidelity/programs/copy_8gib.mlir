// I-c8192: a copy of 8 GiB.
module @jit_copy attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<65536x65536xbf16>) -> (tensor<65536x65536xbf16> {jax.result_info = "result"}) {
    return %arg0 : tensor<65536x65536xbf16>
  }
}
