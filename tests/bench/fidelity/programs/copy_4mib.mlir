// N3: the copy of a block of bf16[2048,1024] within a module.
module @jit_copy attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2048x1024xbf16>) -> (tensor<2048x1024xbf16> {jax.result_info = "result"}) {
    return %arg0 : tensor<2048x1024xbf16>
  }
}
