// passes: inline partition=4 simplify collectives=v5p:4x1x1:off,sink=on
// Stacks whose sums stay where they are: one that does not start as zero, one that is not filled, one whose place the chips do not
// agree on, and one that nobody adds to anything.
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%x: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %y: tensor<3x8x8xf32>, %place: tensor<i32>) -> (tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<3x8x8xf32>
    %v:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %f = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %a, %f, %i, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %va = stablehlo.add %v#1, %y : tensor<3x8x8xf32>
    %w:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %f = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %a, %f, %i, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %wa = stablehlo.add %w#1, %y : tensor<3x8x8xf32>
    %u:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %f = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %a, %f, %place, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %ua = stablehlo.add %u#1, %y : tensor<3x8x8xf32>
    %t:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %f = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %a, %f, %i, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    return %va, %wa, %ua, %t#1 : tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
}
// -----
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<3x2x8xf32>, %y: tensor<3x8x8xf32>, %place: tensor<i32>) -> (tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%arg0 = %0, %arg1 = %y) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %arg0, %0, %0, sizes = [1, 2, 8] : (tensor<3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %4 = "stablehlo.all_reduce"(%d) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%arg0_0: tensor<f32>, %arg1_0: tensor<f32>):
        %5 = stablehlo.add %arg0_0, %arg1_0 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) {podium.axes = "x"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %f = stablehlo.reshape %4 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %arg1, %f, %arg0, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %arg0, %2 : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %va = stablehlo.add %3#1, %y : tensor<3x8x8xf32>
    %4 = stablehlo.constant dense<0.0> : tensor<3x8x8xf32>
    %5 = stablehlo.constant dense<2> : tensor<i32>
    %6:2 = stablehlo.while(%arg0 = %0, %arg1 = %4) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %arg0, %0, %0, sizes = [1, 2, 8] : (tensor<3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %7 = "stablehlo.all_reduce"(%d) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
      ^bb0(%arg0_0: tensor<f32>, %arg1_0: tensor<f32>):
        %8 = stablehlo.add %arg0_0, %arg1_0 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) {podium.axes = "x"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %f = stablehlo.reshape %7 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %arg1, %f, %arg0, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %arg0, %2 : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %wa = stablehlo.add %6#1, %y : tensor<3x8x8xf32>
    %7:2 = stablehlo.while(%arg0 = %0, %arg1 = %4) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %arg0, %0, %0, sizes = [1, 2, 8] : (tensor<3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %8 = "stablehlo.all_reduce"(%d) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
      ^bb0(%arg0_0: tensor<f32>, %arg1_0: tensor<f32>):
        %9 = stablehlo.add %arg0_0, %arg1_0 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) {podium.axes = "x"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %f = stablehlo.reshape %8 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %arg1, %f, %place, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %arg0, %2 : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %ua = stablehlo.add %7#1, %y : tensor<3x8x8xf32>
    %8:2 = stablehlo.while(%arg0 = %0, %arg1 = %4) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %arg0, %0, %0, sizes = [1, 2, 8] : (tensor<3x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %9 = "stablehlo.all_reduce"(%d) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> ({
      ^bb0(%arg0_0: tensor<f32>, %arg1_0: tensor<f32>):
        %10 = stablehlo.add %arg0_0, %arg1_0 : tensor<f32>
        stablehlo.return %10 : tensor<f32>
      }) {podium.axes = "x"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %f = stablehlo.reshape %9 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %arg1, %f, %arg0, %0, %0 : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %arg0, %2 : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    return %va, %wa, %ua, %8#1 : tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
  }
}
