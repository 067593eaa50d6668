// passes: inline
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "vmem"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>
    %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>
    return %1 : tensor<8x128xf32>
  }
}
// -----
INVALID_ARGUMENT: place_kind_target.mlir:5:10: 'stablehlo.custom_call': target @annotate_device_placement has _xla_buffer_placement 'pinned', which is no memory: there are device, pinned_host and unpinned_host, and of the device's pinned_device, device_sram and vmem
      %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_si...
           ^
