// passes: inline partition=4 simplify collectives=v5p:4x1x1:off,matmul=on
sdy.mesh @mesh = <["x"=4, "y"=1]>
func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0:3 = sdy.manual_computation(%a, %b, %a, %c, %a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>] manual_axes={"x", "y"} (%e: tensor<2x8xf32>, %f: tensor<8x16xf32>, %h: tensor<8x8xf32>, %i: tensor<16x2xf32>, %j: tensor<8x2xf32>, %k: tensor<2x16xf32>) {
    %l = "stablehlo.all_gather"(%e) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<8x8xf32>
    %m = stablehlo.dot_general %l, %f, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %n = "stablehlo.all_gather"(%i) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<16x2xf32>) -> tensor<16x8xf32>
    %o = stablehlo.dot_general %h, %n, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
    %d = stablehlo.dot_general %j, %k, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x16xf32>) -> tensor<8x16xf32>
    %r = "stablehlo.reduce_scatter"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x16xf32>) -> tensor<8x4xf32>
    sdy.return %m, %o, %r : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x4xf32>
  } : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
// -----
module {
  sdy.mesh @mesh = <["x"=4, "y"=1]>
  func.func public @main(%a: tensor<2x8xf32>, %b: tensor<2x16xf32>, %c: tensor<16x2xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.constant dense<[0, 2, 4, 6]> : tensor<4xi32>
    %2 = stablehlo.dynamic_slice %1, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %4 = "stablehlo.all_gather"(%b) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, all_gather_dim = 0 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<2x16xf32>) -> tensor<8x16xf32>
    %5 = "stablehlo.all_gather"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, all_gather_dim = 0 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<2x8xf32>) -> tensor<8x8xf32>
    %6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.dynamic_slice %5, %6, %3, sizes = [8, 2] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %8 = stablehlo.constant dense<0.0> : tensor<8x16xf32>
    %9 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %10 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %11 = stablehlo.dot_general %a, %4, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
    %12 = stablehlo.dynamic_update_slice %8, %11, %3, %6 : (tensor<8x16xf32>, tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %13 = "stablehlo.collective_permute"(%9) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %14 = stablehlo.constant dense<[2, 4, 6, 0]> : tensor<4xi32>
    %15 = stablehlo.dynamic_slice %14, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %16 = stablehlo.reshape %15 : (tensor<1xi32>) -> tensor<i32>
    %17 = stablehlo.dot_general %9, %4, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
    %18 = stablehlo.dynamic_update_slice %12, %17, %16, %6 : (tensor<8x16xf32>, tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %19 = stablehlo.constant dense<[6, 0, 2, 4]> : tensor<4xi32>
    %20 = stablehlo.dynamic_slice %19, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %21 = stablehlo.reshape %20 : (tensor<1xi32>) -> tensor<i32>
    %22 = stablehlo.dot_general %10, %4, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
    %23 = stablehlo.dynamic_update_slice %18, %22, %21, %6 : (tensor<8x16xf32>, tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %24 = stablehlo.constant dense<[4, 6, 0, 2]> : tensor<4xi32>
    %25 = stablehlo.dynamic_slice %24, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %26 = stablehlo.reshape %25 : (tensor<1xi32>) -> tensor<i32>
    %27 = stablehlo.dot_general %13, %4, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
    %28 = stablehlo.dynamic_update_slice %23, %27, %26, %6 : (tensor<8x16xf32>, tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %29 = "stablehlo.collective_permute"(%c) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>}> : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %30 = "stablehlo.collective_permute"(%c) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 10, type = 1>}> : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %31 = stablehlo.dot_general %7, %c, contracting_dims = [1] x [1] : (tensor<8x2xf32>, tensor<16x2xf32>) -> tensor<8x16xf32>
    %32 = "stablehlo.collective_permute"(%29) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 11, type = 1>}> : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %33 = stablehlo.dynamic_slice %5, %6, %16, sizes = [8, 2] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %34 = stablehlo.dot_general %33, %29, contracting_dims = [1] x [1] : (tensor<8x2xf32>, tensor<16x2xf32>) -> tensor<8x16xf32>
    %35 = stablehlo.add %31, %34 : tensor<8x16xf32>
    %36 = stablehlo.dynamic_slice %5, %6, %21, sizes = [8, 2] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %37 = stablehlo.dot_general %36, %30, contracting_dims = [1] x [1] : (tensor<8x2xf32>, tensor<16x2xf32>) -> tensor<8x16xf32>
    %38 = stablehlo.add %35, %37 : tensor<8x16xf32>
    %39 = stablehlo.dynamic_slice %5, %6, %26, sizes = [8, 2] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %40 = stablehlo.dot_general %39, %32, contracting_dims = [1] x [1] : (tensor<8x2xf32>, tensor<16x2xf32>) -> tensor<8x16xf32>
    %41 = stablehlo.add %38, %40 : tensor<8x16xf32>
    %42 = stablehlo.constant dense<[12, 0, 4, 8]> : tensor<4xi32>
    %43 = stablehlo.dynamic_slice %42, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %44 = stablehlo.reshape %43 : (tensor<1xi32>) -> tensor<i32>
    %45 = stablehlo.dynamic_slice %b, %6, %44, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %46 = stablehlo.dot_general %7, %45, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %47 = stablehlo.constant dense<[6, 10, 14, 2]> : tensor<4xi32>
    %48 = stablehlo.dynamic_slice %47, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %49 = stablehlo.reshape %48 : (tensor<1xi32>) -> tensor<i32>
    %50 = stablehlo.dynamic_slice %b, %6, %49, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %51 = stablehlo.dot_general %7, %50, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %52 = "stablehlo.collective_permute"(%46) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 12, type = 1>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %53 = "stablehlo.collective_permute"(%51) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 13, type = 1>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %54 = stablehlo.constant dense<[8, 12, 0, 4]> : tensor<4xi32>
    %55 = stablehlo.dynamic_slice %54, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %56 = stablehlo.reshape %55 : (tensor<1xi32>) -> tensor<i32>
    %57 = stablehlo.dynamic_slice %b, %6, %56, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %58 = stablehlo.dot_general %7, %57, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %59 = stablehlo.add %52, %58 : tensor<8x2xf32>
    %60 = stablehlo.constant dense<[10, 14, 2, 6]> : tensor<4xi32>
    %61 = stablehlo.dynamic_slice %60, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %62 = stablehlo.reshape %61 : (tensor<1xi32>) -> tensor<i32>
    %63 = stablehlo.dynamic_slice %b, %6, %62, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %64 = stablehlo.dot_general %7, %63, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %65 = stablehlo.add %53, %64 : tensor<8x2xf32>
    %66 = "stablehlo.collective_permute"(%59) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 14, type = 1>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %67 = "stablehlo.collective_permute"(%65) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 15, type = 1>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %68 = stablehlo.constant dense<[4, 8, 12, 0]> : tensor<4xi32>
    %69 = stablehlo.dynamic_slice %68, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %70 = stablehlo.reshape %69 : (tensor<1xi32>) -> tensor<i32>
    %71 = stablehlo.dynamic_slice %b, %6, %70, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %72 = stablehlo.dot_general %7, %71, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %73 = stablehlo.add %66, %72 : tensor<8x2xf32>
    %74 = stablehlo.constant dense<[14, 2, 6, 10]> : tensor<4xi32>
    %75 = stablehlo.dynamic_slice %74, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %76 = stablehlo.reshape %75 : (tensor<1xi32>) -> tensor<i32>
    %77 = stablehlo.dynamic_slice %b, %6, %76, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %78 = stablehlo.dot_general %7, %77, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %79 = stablehlo.add %67, %78 : tensor<8x2xf32>
    %80 = "stablehlo.collective_permute"(%73) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2], [2, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 16, type = 1>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %81 = "stablehlo.collective_permute"(%79) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [0, 3]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 17, type = 1>}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %82 = stablehlo.constant dense<[0, 4, 8, 12]> : tensor<4xi32>
    %83 = stablehlo.dynamic_slice %82, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %84 = stablehlo.reshape %83 : (tensor<1xi32>) -> tensor<i32>
    %85 = stablehlo.dynamic_slice %b, %6, %84, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %86 = stablehlo.dot_general %7, %85, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %87 = stablehlo.add %80, %86 : tensor<8x2xf32>
    %88 = stablehlo.constant dense<[2, 6, 10, 14]> : tensor<4xi32>
    %89 = stablehlo.dynamic_slice %88, %0, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
    %90 = stablehlo.reshape %89 : (tensor<1xi32>) -> tensor<i32>
    %91 = stablehlo.dynamic_slice %b, %6, %90, sizes = [2, 2] : (tensor<2x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %92 = stablehlo.dot_general %7, %91, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %93 = stablehlo.add %81, %92 : tensor<8x2xf32>
    %94 = stablehlo.concatenate %87, %93, dim = 1 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
    return %28, %41, %94 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x4xf32>
  }
}
