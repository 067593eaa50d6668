// passes: inline
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true} : (tensor<8x128xf32>) -> tensor<8x128xf32>
    return %0 : tensor<8x128xf32>
  }
}
// -----
INVALID_ARGUMENT: place_kind_none.mlir:4:10: 'stablehlo.custom_call': target @annotate_device_placement has no string _xla_buffer_placement
      %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_si...
           ^
