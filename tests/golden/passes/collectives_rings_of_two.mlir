// passes: inline partition=4 simplify collectives=v5p:2x2x1:off,matmul=on
sdy.mesh @mesh = <["y"=2, "x"=2]>
func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0:3 = sdy.manual_computation(%a, %b, %a, %c, %a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>] manual_axes={"x", "y"} (%e: tensor<4x8xf32>, %f: tensor<8x16xf32>, %h: tensor<8x8xf32>, %i: tensor<16x4xf32>, %j: tensor<8x4xf32>, %k: tensor<4x16xf32>) {
    %l = "stablehlo.all_gather"(%e) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %m = stablehlo.dot_general %l, %f, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %n = "stablehlo.all_gather"(%i) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<16x4xf32>) -> tensor<16x8xf32>
    %o = stablehlo.dot_general %h, %n, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
    %d = stablehlo.dot_general %j, %k, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %r = "stablehlo.reduce_scatter"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x16xf32>) -> tensor<8x8xf32>
    sdy.return %m, %o, %r : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
// -----
module {
  sdy.mesh @mesh = <["y"=2, "x"=2]>
  func.func public @main(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>, %c: tensor<16x4xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.constant dense<[0, 4, 0, 4]> : tensor<4xi32>
    %2 = stablehlo.dynamic_slice %1, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %4 = "stablehlo.all_gather"(%b) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, all_gather_dim = 0 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<4x16xf32>) -> tensor<8x16xf32>
    %5 = "stablehlo.all_gather"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, all_gather_dim = 0 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.dynamic_slice %5, %6, %3, sizes = [8, 4] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %8 = stablehlo.constant dense<0.0> : tensor<8x16xf32>
    %9 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[1, 0], [0, 1], [3, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %10 = stablehlo.dot_general %a, %4, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %11 = stablehlo.dynamic_update_slice %8, %10, %3, %6 : (tensor<8x16xf32>, tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %12 = stablehlo.constant dense<[4, 0, 4, 0]> : tensor<4xi32>
    %13 = stablehlo.dynamic_slice %12, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %14 = stablehlo.reshape %13 : (tensor<1xi32>) -> tensor<i32>
    %15 = stablehlo.dot_general %9, %4, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %16 = stablehlo.dynamic_update_slice %11, %15, %14, %6 : (tensor<8x16xf32>, tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %17 = "stablehlo.collective_permute"(%c) <{source_target_pairs = dense<[[1, 0], [0, 1], [3, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}> : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %18 = stablehlo.dot_general %7, %c, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
    %19 = stablehlo.dynamic_slice %5, %6, %14, sizes = [8, 4] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %20 = stablehlo.dot_general %19, %17, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
    %21 = stablehlo.add %18, %20 : tensor<8x16xf32>
    %22 = stablehlo.constant dense<[8, 0, 8, 0]> : tensor<4xi32>
    %23 = stablehlo.dynamic_slice %22, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %24 = stablehlo.reshape %23 : (tensor<1xi32>) -> tensor<i32>
    %25 = stablehlo.dynamic_slice %b, %6, %24, sizes = [4, 8] : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %26 = stablehlo.dot_general %7, %25, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %27 = "stablehlo.collective_permute"(%26) <{source_target_pairs = dense<[[1, 0], [0, 1], [3, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %28 = stablehlo.constant dense<[0, 8, 0, 8]> : tensor<4xi32>
    %29 = stablehlo.dynamic_slice %28, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %30 = stablehlo.reshape %29 : (tensor<1xi32>) -> tensor<i32>
    %31 = stablehlo.dynamic_slice %b, %6, %30, sizes = [4, 8] : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %32 = stablehlo.dot_general %7, %31, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %33 = stablehlo.add %27, %32 : tensor<8x8xf32>
    return %16, %21, %33 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x8xf32>
  }
}
