// passes: inline partition=1 simplify place verify lower
// In the host's memory: the argument, a temporary and the result; what is computed, on the
// chip. A donated argument in the one memory is no memory of a result in the other.
module @jit_f {
  func.func public @main(%a: tensor<64x128xf32> {mhlo.memory_kind = "pinned_host", tf.aliasing_output = 0 : i32}, %b: tensor<64x128xf32> {jax.buffer_donor = true}) -> (tensor<64x128xf32>, tensor<64x128xf32> {mhlo.memory_kind = "unpinned_host"}) {
    %0 = stablehlo.custom_call @MoveToHost(%b) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %1 = stablehlo.slice %a [0:32, 0:128] : (tensor<64x128xf32>) -> tensor<32x128xf32>
    %2 = stablehlo.custom_call @MoveToDevice(%1) : (tensor<32x128xf32>) -> tensor<32x128xf32>
    %3 = stablehlo.concatenate %2, %2, dim = 0 : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %4 = stablehlo.negate %3 : tensor<64x128xf32>
    %5 = stablehlo.custom_call @MoveToDevice(%0) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %6 = stablehlo.add %4, %5 : tensor<64x128xf32>
    %7 = stablehlo.custom_call @MoveToDevice(%6) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    return %7, %a : tensor<64x128xf32>, tensor<64x128xf32>
  }
}
// -----
program jit_f on 1 chips, temporaries 32.0 KiB, in the host's memory 96.0 KiB, argument 1 lies in result 0
entry @main(%0 f32[64,128] argument 0, %1 f32[64,128] argument 1) {
  to_host.0: %4 f32[64,128] temp+32768 = to_host(%2 f32[64,128] result 0)  // place_lower.mlir:6:10
  slice.0: %5 f32[32,128] temp+0 = slice(%0 f32[64,128] argument 0) {start_indices=[0,0], limit_indices=[32,128], strides=[1,1]}  // place_lower.mlir:7:10
  concatenate.0: %2 f32[64,128] result 0 = concatenate(%5 f32[32,128] temp+0, %5 f32[32,128] temp+0) {dimension=[0]}  // place_lower.mlir:9:10
  negate.0: %2 f32[64,128] result 0 = negate(%2 f32[64,128] result 0)  // place_lower.mlir:10:10
  to_device.0: %6 f32[64,128] temp+0 = to_device(%4 f32[64,128] temp+32768)  // place_lower.mlir:11:10
  add.0: %2 f32[64,128] result 0 = add(%2 f32[64,128] result 0, %6 f32[64,128] temp+0)  // place_lower.mlir:12:10
  copy.0: %3 f32[64,128] result 1 = copy(%0 f32[64,128] argument 0)
  return %2 f32[64,128] result 0, %3 f32[64,128] result 1
}
