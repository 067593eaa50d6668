// passes: inline partition=1 simplify place verify tasks=v5e:1x1
// The optimizer's state lies on the host: it comes while the product runs, and goes back
// into the argument's memory.
module @jit_update {
  func.func public @main(%p: tensor<1024x1024xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<1024x1024xf32> {mhlo.memory_kind = "pinned_host", tf.aliasing_output = 1 : i32}, %x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32> {mhlo.memory_kind = "pinned_host"}) {
    %g = stablehlo.dot_general %x, %p, contracting_dims = [0] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %0 = stablehlo.custom_call @annotate_device_placement(%m) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.add %0, %g : tensor<1024x1024xf32>
    %2 = stablehlo.subtract %p, %1 : tensor<1024x1024xf32>
    %3 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}
// -----
module @jit_update {
  func.func public @main(%p: tensor<1024x1024xf32> {tf.aliasing_output = 0 : i32}, %m: tensor<1024x1024xf32> {mhlo.memory_kind = "pinned_host", tf.aliasing_output = 1 : i32}, %x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32> {mhlo.memory_kind = "pinned_host"}) {
    %0 = "podium.to_device"(%m) {podium.async} : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %g = stablehlo.dot_general %x, %p, contracting_dims = [0] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    "podium.async_done"(%0, %m) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> ()
    %1 = stablehlo.add %0, %g : tensor<1024x1024xf32>
    %2 = stablehlo.subtract %p, %1 : tensor<1024x1024xf32>
    %3 = "podium.to_host"(%1) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}
tasks @main {
  to_device_start.0: transfer start, host 4194304, writes 4194304
  dot_general.0: compute, mxu 2147483648, reads 8388608, vmem 4194304
  to_device_done.0: transfer done for to_device.0
  fusion.0: compute of add.0 subtract.0, vpu 2097152, reads 4194304, writes 8388608, vmem 8388608
  to_host_start.0: transfer start, host 4194304, reads 4194304
  to_host_done.0: transfer done for to_host.0
}
