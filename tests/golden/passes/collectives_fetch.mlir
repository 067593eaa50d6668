// passes: inline partition=1 simplify place verify collectives=v5e:1x1:off,pipeline=on
// What the second loop brings back of the stack on the host comes a turn ahead: the first
// slice before the loop, the next one while this turn computes. What the first loop writes
// depends on the turn and stays.
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
      %6 = stablehlo.dynamic_slice %ws, %arg0, %0, %0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %7 = stablehlo.reshape %6 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %8 = stablehlo.tanh %arg1 : tensor<512x512xf32>
      %9 = stablehlo.reshape %8 : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
      %10 = stablehlo.dynamic_update_slice %arg2, %9, %arg0, %0, %0 {podium.host} : (tensor<4x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x512x512xf32>
      %11 = stablehlo.dot_general %8, %7, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      %12 = stablehlo.add %arg0, %3 : tensor<i32>
      stablehlo.return %12, %11, %10 : tensor<i32>, tensor<512x512xf32>, tensor<4x512x512xf32>
    }
    %6 = stablehlo.constant dense<3> : tensor<i32>
    %7 = stablehlo.dynamic_slice %5#2, %6, %0, %0, sizes = [1, 512, 512] {podium.host} : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
    %8:3 = stablehlo.while(%arg0 = %0, %arg1 = %5#1, %arg2 = %7) : tensor<i32>, tensor<512x512xf32>, tensor<1x512x512xf32>
    cond {
      %9 = stablehlo.compare LT, %arg0, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = stablehlo.add %arg0, %3 : tensor<i32>
      %10 = stablehlo.subtract %6, %9 : tensor<i32>
      %11 = stablehlo.dynamic_slice %5#2, %10, %0, %0, sizes = [1, 512, 512] {podium.host} : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %12 = stablehlo.subtract %6, %arg0 : tensor<i32>
      %13 = stablehlo.reshape %arg2 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %14 = stablehlo.dynamic_slice %ws, %12, %0, %0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
      %15 = stablehlo.reshape %14 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
      %16 = stablehlo.dot_general %arg1, %15, contracting_dims = [1] x [1] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      %17 = stablehlo.multiply %16, %13 : tensor<512x512xf32>
      stablehlo.return %9, %17, %11 : tensor<i32>, tensor<512x512xf32>, tensor<1x512x512xf32>
    }
    return %8#1 : tensor<512x512xf32>
  }
}
