// A loop that fetches what another one left in the host's memory, from the last layer to the first: each turn's array
// comes a turn ahead (--collectives pipeline), and the last turn fetches one that nobody reads.
module @fetches {
  func.func public @main() {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %c4 = stablehlo.constant dense<4> : tensor<i32>
    %c5 = stablehlo.constant dense<5> : tensor<i32>
    %rows = stablehlo.iota dim = 0 : tensor<128x128xf32>
    %columns = stablehlo.iota dim = 1 : tensor<128x128xf32>
    %product = stablehlo.multiply %rows, %columns : tensor<128x128xf32>
    %cosine = stablehlo.cosine %product : tensor<128x128xf32>
    %x = stablehlo.slice %cosine [8:16, 0:128] : (tensor<128x128xf32>) -> tensor<8x128xf32>
    %sine = stablehlo.sine %product : tensor<128x128xf32>
    %eighth = stablehlo.constant dense<0.125> : tensor<128x128xf32>
    %w = stablehlo.multiply %sine, %eighth : tensor<128x128xf32>
    %hostz = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<5x8x128xf32>
    %hostf:3 = stablehlo.while(%i = %c0, %y = %x, %s = %hostz) : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    cond {
      %p = stablehlo.compare LT, %i, %c5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %t = stablehlo.tanh %y : tensor<8x128xf32>
      %h = stablehlo.custom_call @annotate_device_placement(%t) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>
      %u = stablehlo.reshape %h : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
      %n = stablehlo.dynamic_update_slice %s, %u, %i, %c0, %c0 : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x8x128xf32>
      %d = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %d, %n : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    }
    %hostb:3 = stablehlo.while(%i = %c0, %g = %hostf#1, %s = %hostf#2) : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    cond {
      %p = stablehlo.compare LT, %i, %c5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %k = stablehlo.subtract %c4, %i : tensor<i32>
      %q = stablehlo.dynamic_slice %s, %k, %c0, %c0, sizes = [1, 8, 128] : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
      %r = stablehlo.reshape %q : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
      %v = stablehlo.custom_call @annotate_device_placement(%r) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>
      %m = stablehlo.multiply %g, %v : tensor<8x128xf32>
      %d = stablehlo.dot_general %m, %w, contracting_dims = [1] x [1] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %d, %s : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    }
    %chipz = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<5x8x128xf32>
    %chipf:3 = stablehlo.while(%i = %c0, %y = %x, %s = %chipz) : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    cond {
      %p = stablehlo.compare LT, %i, %c5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %t = stablehlo.tanh %y : tensor<8x128xf32>
      %h = stablehlo.reshape %t : (tensor<8x128xf32>) -> tensor<8x128xf32>
      %u = stablehlo.reshape %h : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
      %n = stablehlo.dynamic_update_slice %s, %u, %i, %c0, %c0 : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x8x128xf32>
      %d = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %d, %n : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    }
    %chipb:3 = stablehlo.while(%i = %c0, %g = %chipf#1, %s = %chipf#2) : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    cond {
      %p = stablehlo.compare LT, %i, %c5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %k = stablehlo.subtract %c4, %i : tensor<i32>
      %q = stablehlo.dynamic_slice %s, %k, %c0, %c0, sizes = [1, 8, 128] : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
      %r = stablehlo.reshape %q : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
      %v = stablehlo.reshape %r : (tensor<8x128xf32>) -> tensor<8x128xf32>
      %m = stablehlo.multiply %g, %v : tensor<8x128xf32>
      %d = stablehlo.dot_general %m, %w, contracting_dims = [1] x [1] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %d, %s : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>
    }
    check.expect_eq %hostb#1, %chipb#1 : tensor<8x128xf32>
    return
  }
}
