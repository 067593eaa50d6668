// passes: inline partition=4 simplify collectives=v5p:4x1x1:off,sink=on
// Gradients of microbatches: a loop over microbatches around a scan over layers, from the last to the first, which stacks what each
// layer's product comes to, whole (an all_reduce a turn) and scattered (a reduce_scatter a turn). Behind it one microbatch more.
module @stacks {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<2x3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}, %y: tensor<2x3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}) -> (tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<3x8x8xf32>
    %w:3 = stablehlo.while(%m = %zero, %g = %z, %h = %z) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %m, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %v:3 = stablehlo.while(%i = %zero, %a = %z, %b = %z) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
      cond {
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %back = stablehlo.subtract %two, %i : tensor<i32>
        %s = stablehlo.dynamic_slice %x, %m, %back, %zero, %zero, sizes = [1, 1, 8, 8] : (tensor<2x3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x8xf32>
        %r = stablehlo.reshape %s : (tensor<1x1x8x8xf32>) -> tensor<8x8xf32>
        %t = stablehlo.dynamic_slice %y, %m, %back, %zero, %zero, sizes = [1, 1, 8, 8] : (tensor<2x3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x8xf32>
        %u = stablehlo.reshape %t : (tensor<1x1x8x8xf32>) -> tensor<8x8xf32>
        %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
        %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
        %f = stablehlo.broadcast_in_dim %e, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
        %a1 = stablehlo.dynamic_update_slice %a, %f, %back, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
        %k = stablehlo.dot_general %u, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
        %l = sdy.sharding_constraint %k <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
        %n = stablehlo.transpose %l, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
        %o = stablehlo.reshape %n : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
        %b1 = stablehlo.dynamic_update_slice %b, %o, %back, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %a1, %b1 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
      }
      %g1 = stablehlo.add %g, %v#1 : tensor<3x8x8xf32>
      %h1 = stablehlo.add %v#2, %h : tensor<3x8x8xf32>
      %m1 = stablehlo.add %m, %one : tensor<i32>
      stablehlo.return %m1, %g1, %h1 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
    }
    %q:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %y, %one, %i, %zero, %zero, sizes = [1, 1, 8, 8] : (tensor<2x3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %f = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %a, %f, %i, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %g2 = stablehlo.add %w#1, %q#1 : tensor<3x8x8xf32>
    return %g2, %w#2 : tensor<3x8x8xf32>, tensor<3x8x8xf32>
  }
}
// -----
module @stacks {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<2x3x2x8xf32>, %y: tensor<2x3x2x8xf32>) -> (tensor<3x8x8xf32>, tensor<3x2x8xf32>) {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<0.0> : tensor<3x8x8xf32>
    %2 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.constant dense<1> : tensor<i32>
    %5:3 = stablehlo.while(%arg0 = %0, %arg1 = %1, %arg2 = %1) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %6:3 = stablehlo.while(%arg0_0 = %0, %arg1_0 = %1, %arg2_0 = %1) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
      cond {
        %p = stablehlo.compare LT, %arg0_0, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %back = stablehlo.subtract %2, %arg0_0 : tensor<i32>
        %s = stablehlo.dynamic_slice %x, %arg0, %back, %0, %0, sizes = [1, 1, 2, 8] : (tensor<2x3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x2x8xf32>
        %r = stablehlo.reshape %s : (tensor<1x1x2x8xf32>) -> tensor<2x8xf32>
        %t = stablehlo.dynamic_slice %y, %arg0, %back, %0, %0, sizes = [1, 1, 2, 8] : (tensor<2x3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x2x8xf32>
        %u = stablehlo.reshape %t : (tensor<1x1x2x8xf32>) -> tensor<2x8xf32>
        %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
        %7 = stablehlo.broadcast_in_dim %d, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
        %8 = stablehlo.dynamic_update_slice %arg1_0, %7, %back, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
        %k = stablehlo.dot_general %u, %r, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
        %9 = stablehlo.transpose %k, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
        %10 = stablehlo.reshape %9 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
        %11 = stablehlo.dynamic_update_slice %arg2_0, %10, %back, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
        %j = stablehlo.add %arg0_0, %4 : tensor<i32>
        stablehlo.return %j, %8, %11 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
      }
      %7 = stablehlo.add %arg1, %6#1 : tensor<3x8x8xf32>
      %8 = stablehlo.add %arg2, %6#2 : tensor<3x8x8xf32>
      %m1 = stablehlo.add %arg0, %4 : tensor<i32>
      stablehlo.return %m1, %7, %8 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
    }
    %6 = "stablehlo.reduce_scatter"(%5#2) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %7 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) {podium.axes = "x"} : (tensor<3x8x8xf32>) -> tensor<3x2x8xf32>
    %7:2 = stablehlo.while(%arg0 = %0, %arg1 = %1) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %y, %4, %arg0, %0, %0, sizes = [1, 1, 2, 8] : (tensor<2x3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x2x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x1x2x8xf32>) -> tensor<2x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %8 = stablehlo.reshape %d : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %9 = stablehlo.dynamic_update_slice %arg1, %8, %arg0, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %arg0, %4 : tensor<i32>
      stablehlo.return %j, %9 : tensor<i32>, tensor<3x8x8xf32>
    }
    %8 = stablehlo.add %5#1, %7#1 : tensor<3x8x8xf32>
    %9 = "stablehlo.all_reduce"(%8) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %10 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) {podium.axes = "x"} : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    return %9, %6 : tensor<3x8x8xf32>, tensor<3x2x8xf32>
  }
}
