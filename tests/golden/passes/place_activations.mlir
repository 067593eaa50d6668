// passes: inline partition=1 simplify place verify tasks=v5e:1x1
// The stack that the first loop fills is made in the host's memory, and each turn moves
// what it adds; the second loop brings back one layer a turn, while the product of its
// weights runs.
module @jit_step {
  func.func public @main(%ws: tensor<4x512x512xf32>, %x: tensor<512x512xf32>) -> (tensor<512x512xf32> {mhlo.memory_kind = "device"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %stack = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x512x512xf32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %c3 = stablehlo.constant dense<3> : tensor<i32>
    %c4 = stablehlo.constant dense<4> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c0, %y = %x, %s = %stack) : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %c4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %ws, %i, %c0, %c0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %3 = stablehlo.tanh %y : tensor<512x512xf32>
      %4 = stablehlo.custom_call @annotate_device_placement(%3) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<512x512xf32>) -> tensor<512x512xf32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
      %6 = stablehlo.dynamic_update_slice %s, %5, %i, %c0, %c0 : (tensor<4x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x512x512xf32>
      %7 = stablehlo.dot_general %3, %2, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      %8 = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %8, %7, %6 : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
    }
    %9:3 = stablehlo.while(%i = %c0, %g = %0#1, %s = %0#2) : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %c4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.subtract %c3, %i : tensor<i32>
      %2 = stablehlo.dynamic_slice %s, %1, %c0, %c0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %4 = stablehlo.optimization_barrier %3 : tensor<512x512xf32>
      %5 = stablehlo.custom_call @annotate_device_placement(%4) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<512x512xf32>) -> tensor<512x512xf32>
      %6 = stablehlo.dynamic_slice %ws, %1, %c0, %c0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %7 = stablehlo.reshape %6 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %8 = stablehlo.dot_general %g, %7, contracting_dims = [1] x [1] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      %10 = stablehlo.multiply %8, %5 : tensor<512x512xf32>
      %11 = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %11, %10, %s : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
    }
    return %9#1 : tensor<512x512xf32>
  }
}
// -----
module @jit_step {
  func.func public @main(%ws: tensor<4x512x512xf32>, %x: tensor<512x512xf32>) -> (tensor<512x512xf32> {mhlo.memory_kind = "device"}) {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] {podium.host} : (tensor<f32>) -> tensor<4x512x512xf32>
    %5:3 = stablehlo.while(%arg0 = %0, %arg1 = %x, %arg2 = %4) : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
    cond {
      %6 = stablehlo.compare LT, %arg0, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = stablehlo.tanh %arg1 : tensor<512x512xf32>
      %7 = stablehlo.reshape %6 : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
      %8 = stablehlo.dynamic_update_slice %arg2, %7, %arg0, %0, %0 {podium.host, podium.async} : (tensor<4x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x512x512xf32>
      %9 = stablehlo.dynamic_slice %ws, %arg0, %0, %0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %10 = stablehlo.reshape %9 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %11 = stablehlo.dot_general %6, %10, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      "podium.async_done"(%8, %7, %arg0, %0, %0) : (tensor<4x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> ()
      %12 = stablehlo.add %arg0, %3 : tensor<i32>
      stablehlo.return %12, %11, %8 : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
    }
    %6 = stablehlo.constant dense<3> : tensor<i32>
    %7:2 = stablehlo.while(%arg0 = %0, %arg1 = %5#1) : tensor<i32>, tensor<512x512xf32>
    cond {
      %8 = stablehlo.compare LT, %arg0, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8 = stablehlo.subtract %6, %arg0 : tensor<i32>
      %9 = stablehlo.dynamic_slice %5#2, %8, %0, %0, sizes = [1, 512, 512] {podium.host, podium.async} : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %10 = stablehlo.dynamic_slice %ws, %8, %0, %0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %11 = stablehlo.reshape %10 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %12 = stablehlo.dot_general %arg1, %11, contracting_dims = [1] x [1] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      "podium.async_done"(%9, %5#2, %8, %0, %0) : (tensor<1x512x512xf32>, tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> ()
      %13 = stablehlo.reshape %9 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %14 = stablehlo.multiply %12, %13 : tensor<512x512xf32>
      %15 = stablehlo.add %arg0, %3 : tensor<i32>
      stablehlo.return %15, %14 : tensor<i32>, tensor<512x512xf32>
    }
    return %7#1 : tensor<512x512xf32>
  }
}
tasks @main {
  copy.1: compute, reads 1048576, writes 1048576
  while.0: while
  while.1: while
}
tasks @body.2 {
  tanh.0: compute, vpu 2097152, writes 1048576, vmem 1048576
  dynamic_update_slice_start.0: transfer start, host 1048576, reads 1048576
  fusion.0: compute of dynamic_slice.0 dot_general.0, mxu 268435456, reads 2097152, vmem 1048576
  dynamic_update_slice_done.0: transfer done for dynamic_update_slice.0
}
tasks @body.4 {
  dynamic_slice_start.1: transfer start, host 1048576, writes 1048576
  fusion.1: compute of dynamic_slice.2 dot_general.1, mxu 268435456, reads 1048576, vmem 2097152
  dynamic_slice_done.1: transfer done for dynamic_slice.1
  multiply.0: compute, vpu 262144, reads 1048576, vmem 2097152
}
