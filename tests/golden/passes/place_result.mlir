// passes: inline partition=1 simplify place
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32>) -> (tensor<8x128xf32>) {
    %0 = stablehlo.custom_call @MoveToHost(%a) : (tensor<8x128xf32>) -> tensor<8x128xf32>
    return %0 : tensor<8x128xf32>
  }
}
// -----
INVALID_ARGUMENT: place_result.mlir: 'func.return': result 0 lies in the host's memory, and the program returns it on the device: give it the memory kind pinned_host (out_shardings of jax.jit), or move it to the device before (jax.device_put)
