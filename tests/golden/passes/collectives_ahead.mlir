// passes: inline partition=4 simplify collectives=v5p:4x1x1:off,pipeline=on
module @layers {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<6x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<8x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<6> : tensor<i32>
    %w:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %y, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<6x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %a, %r, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
      %h = stablehlo.maximum %e, %a : tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %h : tensor<i32>, tensor<8x8xf32>
    }
    return %w#1 : tensor<8x8xf32>
  }
}
// -----
module @layers {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<2x8xf32>, %y: tensor<6x2x8xf32>) -> tensor<2x8xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.dynamic_slice %y, %0, %0, %0, sizes = [1, 2, 8] : (tensor<6x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
    %r = stablehlo.reshape %s : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
    %3 = "stablehlo.all_gather"(%r) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, all_gather_dim = 0 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<2x8xf32>) -> tensor<8x8xf32>
    %4:3 = stablehlo.while(%arg0 = %0, %arg1 = %x, %arg2 = %3) : tensor<i32>, tensor<2x8xf32>, tensor<8x8xf32>
    cond {
      %p = stablehlo.compare LT, %arg0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %5 = stablehlo.add %arg0, %2 : tensor<i32>
      %s_0 = stablehlo.dynamic_slice %y, %5, %0, %0, sizes = [1, 2, 8] : (tensor<6x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x8xf32>
      %r_0 = stablehlo.reshape %s_0 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
      %6 = "stablehlo.all_gather"(%r_0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, all_gather_dim = 0 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<2x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
      %h = stablehlo.maximum %d, %arg1 : tensor<2x8xf32>
      stablehlo.return %5, %h, %6 : tensor<i32>, tensor<2x8xf32>, tensor<8x8xf32>
    }
    return %4#1 : tensor<2x8xf32>
  }
}
