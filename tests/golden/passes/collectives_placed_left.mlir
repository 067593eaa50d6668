// passes: inline partition=4 simplify collectives=v5e:2x2x1:off,sums=on
// The place is another for each chip that adds up: nothing can be added before.
module @left {
  sdy.mesh @mesh = <["stage"=2, "data"=2]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<3x16x4xf32> {
    %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"data"}, {}]>, <@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{}, {}, {}]>] manual_axes={"stage", "data"} (%x: tensor<4x16xf32>, %y: tensor<4x4xf32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %u = stablehlo.remainder %id, %two : tensor<ui32>
      %place = stablehlo.convert %u : (tensor<ui32>) -> tensor<i32>
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<3x16x4xf32>
      %k0 = stablehlo.constant dense<1.0> : tensor<4x4xf32>
      %w0 = stablehlo.multiply %y, %k0 : tensor<4x4xf32>
      %d0 = stablehlo.dot_general %x, %w0, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
      %s0 = "stablehlo.all_reduce"(%d0) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %r = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
      %e0 = stablehlo.reshape %s0 : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
      %i0 = stablehlo.constant dense<0> : tensor<i32>
      %j0 = stablehlo.add %place, %i0 : tensor<i32>
      %v0 = stablehlo.dynamic_update_slice %zeros, %e0, %j0, %c0, %c0 : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
      %k1 = stablehlo.constant dense<2.0> : tensor<4x4xf32>
      %w1 = stablehlo.multiply %y, %k1 : tensor<4x4xf32>
      %d1 = stablehlo.dot_general %x, %w1, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
      %s1 = "stablehlo.all_reduce"(%d1) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %r = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
      %e1 = stablehlo.reshape %s1 : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
      %i1 = stablehlo.constant dense<1> : tensor<i32>
      %j1 = stablehlo.add %place, %i1 : tensor<i32>
      %v1 = stablehlo.dynamic_update_slice %zeros, %e1, %j1, %c0, %c0 : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
      %t1 = stablehlo.add %v0, %v1 : tensor<3x16x4xf32>
      %k2 = stablehlo.constant dense<3.0> : tensor<4x4xf32>
      %w2 = stablehlo.multiply %y, %k2 : tensor<4x4xf32>
      %d2 = stablehlo.dot_general %x, %w2, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
      %s2 = "stablehlo.all_reduce"(%d2) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %r = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
      %e2 = stablehlo.reshape %s2 : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
      %i2 = stablehlo.constant dense<2> : tensor<i32>
      %j2 = stablehlo.add %place, %i2 : tensor<i32>
      %v2 = stablehlo.dynamic_update_slice %zeros, %e2, %j2, %c0, %c0 : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
      %t2 = stablehlo.add %t1, %v2 : tensor<3x16x4xf32>
      sdy.return %t2 : tensor<3x16x4xf32>
    } : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<3x16x4xf32>
    return %0 : tensor<3x16x4xf32>
  }
}
// -----
module @left {
  sdy.mesh @mesh = <["stage"=2, "data"=2]>
  func.func public @main(%a: tensor<4x16xf32>, %b: tensor<4x4xf32>) -> tensor<3x16x4xf32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %0 = stablehlo.constant dense<2> : tensor<ui32>
    %u = stablehlo.remainder %id, %0 : tensor<ui32>
    %place = stablehlo.convert %u : (tensor<ui32>) -> tensor<i32>
    %1 = stablehlo.constant dense<1.0> : tensor<4x4xf32>
    %w0 = stablehlo.multiply %b, %1 : tensor<4x4xf32>
    %d0 = stablehlo.dot_general %a, %w0, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
    %s0 = "stablehlo.all_reduce"(%d0) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %e0 = stablehlo.reshape %s0 : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %j0 = stablehlo.add %place, %2 : tensor<i32>
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3x16x4xf32>
    %v0 = stablehlo.dynamic_update_slice %4, %e0, %j0, %2, %2 : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
    %5 = stablehlo.constant dense<2.0> : tensor<4x4xf32>
    %w1 = stablehlo.multiply %b, %5 : tensor<4x4xf32>
    %d1 = stablehlo.dot_general %a, %w1, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
    %s1 = "stablehlo.all_reduce"(%d1) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %e1 = stablehlo.reshape %s1 : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %6 = stablehlo.constant dense<1> : tensor<i32>
    %j1 = stablehlo.add %place, %6 : tensor<i32>
    %v1 = stablehlo.dynamic_update_slice %4, %e1, %j1, %2, %2 : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
    %t1 = stablehlo.add %v0, %v1 : tensor<3x16x4xf32>
    %7 = stablehlo.constant dense<3.0> : tensor<4x4xf32>
    %w2 = stablehlo.multiply %b, %7 : tensor<4x4xf32>
    %d2 = stablehlo.dot_general %a, %w2, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
    %s2 = "stablehlo.all_reduce"(%d2) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %e2 = stablehlo.reshape %s2 : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %8 = stablehlo.constant dense<2> : tensor<i32>
    %j2 = stablehlo.add %place, %8 : tensor<i32>
    %v2 = stablehlo.dynamic_update_slice %4, %e2, %j2, %2, %2 : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
    %t2 = stablehlo.add %t1, %v2 : tensor<3x16x4xf32>
    return %t2 : tensor<3x16x4xf32>
  }
}
