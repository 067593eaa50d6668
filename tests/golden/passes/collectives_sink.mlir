// passes: inline partition=4 simplify collectives=v5p:4x1x1:off,sink=on
module @accumulate {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<6x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %y: tensor<6x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<8x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<6> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<8x8xf32>
    %w:2 = stablehlo.while(%i = %zero, %g = %z) : tensor<i32>, tensor<8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<6x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %t = stablehlo.dynamic_slice %y, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<6x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %u = stablehlo.reshape %t : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %h = stablehlo.add %g, %e : tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %h : tensor<i32>, tensor<8x8xf32>
    }
    return %w#1 : tensor<8x8xf32>
  }
}
// -----
module @accumulate {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<6x2x8xf32>, %y: tensor<6x2x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<0.0> : tensor<8x8xf32>
    %2 = stablehlo.constant dense<6> : tensor<i32>
    %3 = stablehlo.constant dense<1> : tensor<i32>
    %4:2 = stablehlo.while(%arg0 = %0, %arg1 = %1) : tensor<i32>, tensor<8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %arg0, %0, %0, sizes = [1, 2, 8] : (tensor<6x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %t = stablehlo.dynamic_slice %y, %arg0, %0, %0, sizes = [1, 2, 8] : (tensor<6x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %u = stablehlo.reshape %t : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %5 = stablehlo.add %arg1, %d : tensor<8x8xf32>
      %j = stablehlo.add %arg0, %3 : tensor<i32>
      stablehlo.return %j, %5 : tensor<i32>, tensor<8x8xf32>
    }
    %5 = "stablehlo.all_reduce"(%4#1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %6 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) {podium.axes = "x"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %5 : tensor<8x8xf32>
  }
}
