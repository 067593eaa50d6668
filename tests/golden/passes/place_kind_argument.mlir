// passes: inline
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32> {mhlo.memory_kind = "device"}, %b: tensor<8x128xf32> {mhlo.memory_kind = "host"}) -> tensor<8x128xf32> {
    return %a : tensor<8x128xf32>
  }
}
// -----
INVALID_ARGUMENT: place_kind_argument.mlir:3:121: argument 1 has the mhlo.memory_kind 'host', which is no memory: there are device, pinned_host and unpinned_host
  ...8xf32> {mhlo.memory_kind = "device"}, %b: tensor<8x128xf32> {mhlo.memory_kind = "host"}) -> tensor<8x128xf32> {
                                                                                     ^
