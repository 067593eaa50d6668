// passes: inline
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32> {mhlo.memory_kind = "unpinned_host"}) -> (tensor<8x128xf32> {mhlo.memory_kind = "pinned-host"}) {
    return %a : tensor<8x128xf32>
  }
}
// -----
INVALID_ARGUMENT: place_kind_result.mlir:3:128: result 0 has the mhlo.memory_kind 'pinned-host', which is no memory: there are device, pinned_host and unpinned_host
  ...{mhlo.memory_kind = "unpinned_host"}) -> (tensor<8x128xf32> {mhlo.memory_kind = "pinned-host"}) {
                                                                                     ^
