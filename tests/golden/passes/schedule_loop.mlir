// passes: inline partition=8 simplify verify tasks=v5e:2x4
module @jit_collective_matmul attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"Y"}]>}) -> (tensor<8x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg2: tensor<4x8xf32>, %arg3: tensor<32x4xf32>) {
      %0 = stablehlo.partition_id : tensor<ui32>
      %1 = stablehlo.constant dense<4> : tensor<ui32>
      %2 = stablehlo.remainder %0, %1 : tensor<ui32>
      %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
      %4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %6 = stablehlo.constant dense<0> : tensor<i32>
      %7:3 = stablehlo.while(%iterArg = %6, %iterArg_0 = %5, %iterArg_1 = %arg2) : tensor<i32>, tensor<4x4xf32>, tensor<4x8xf32>
       cond {
        %8 = stablehlo.constant dense<3> : tensor<i32>
        %9 = stablehlo.compare  LT, %iterArg, %8,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      } do {
        %10 = stablehlo.constant dense<4> : tensor<i32>
        %11 = stablehlo.add %3, %iterArg : tensor<i32>
        %12 = stablehlo.remainder %11, %10 : tensor<i32>
        %13 = stablehlo.constant dense<8> : tensor<i32>
        %14 = stablehlo.multiply %12, %13 : tensor<i32>
        %15 = stablehlo.constant dense<0> : tensor<i32>
        %16 = stablehlo.dynamic_slice %arg3, %14, %15, sizes = [8, 4] : (tensor<32x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
        %17 = stablehlo.dot_general %iterArg_1, %16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
        %18 = "stablehlo.collective_permute"(%iterArg_1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
        %19 = stablehlo.add %iterArg_0, %17 : tensor<4x4xf32>
        %20 = stablehlo.constant dense<1> : tensor<i32>
        %21 = stablehlo.add %iterArg, %20 : tensor<i32>
        stablehlo.return %21, %19, %18 : tensor<i32>, tensor<4x4xf32>, tensor<4x8xf32>
      }
      %22 = stablehlo.constant dense<3> : tensor<i32>
      %23 = stablehlo.constant dense<4> : tensor<i32>
      %24 = stablehlo.add %3, %22 : tensor<i32>
      %25 = stablehlo.remainder %24, %23 : tensor<i32>
      %26 = stablehlo.constant dense<8> : tensor<i32>
      %27 = stablehlo.multiply %25, %26 : tensor<i32>
      %28 = stablehlo.constant dense<0> : tensor<i32>
      %29 = stablehlo.dynamic_slice %arg3, %27, %28, sizes = [8, 4] : (tensor<32x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %30 = stablehlo.dot_general %7#2, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %31 = stablehlo.add %7#1, %30 : tensor<4x4xf32>
      sdy.return %31 : tensor<4x4xf32>
    } : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    return %out : tensor<8x16xf32>
  }
}
// -----
module @jit_collective_matmul attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<32x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.constant dense<4> : tensor<ui32>
    %2 = stablehlo.remainder %0, %1 : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
    %4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %7:3 = stablehlo.while(%arg0_0 = %4, %arg1_0 = %6, %arg2 = %arg0) : tensor<i32>, tensor<4x4xf32>, tensor<4x8xf32>
    cond {
      %8 = stablehlo.constant dense<3> : tensor<i32>
      %9 = stablehlo.compare LT, %arg0_0, %8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %8 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> {podium.async} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %9 = stablehlo.add %3, %arg0_0 : tensor<i32>
      %10 = stablehlo.constant dense<4> : tensor<i32>
      %11 = stablehlo.remainder %9, %10 : tensor<i32>
      %12 = stablehlo.constant dense<8> : tensor<i32>
      %13 = stablehlo.multiply %11, %12 : tensor<i32>
      %14 = stablehlo.dynamic_slice %arg1, %13, %4, sizes = [8, 4] : (tensor<32x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %15 = stablehlo.dot_general %arg2, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %16 = stablehlo.add %arg1_0, %15 : tensor<4x4xf32>
      "podium.async_done"(%8, %arg2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
      %17 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.add %arg0_0, %17 : tensor<i32>
      stablehlo.return %18, %16, %8 : tensor<i32>, tensor<4x4xf32>, tensor<4x8xf32>
    }
    %8 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.add %3, %8 : tensor<i32>
    %10 = stablehlo.constant dense<4> : tensor<i32>
    %11 = stablehlo.remainder %9, %10 : tensor<i32>
    %12 = stablehlo.constant dense<8> : tensor<i32>
    %13 = stablehlo.multiply %11, %12 : tensor<i32>
    %14 = stablehlo.dynamic_slice %arg1, %13, %4, sizes = [8, 4] : (tensor<32x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %15 = stablehlo.dot_general %7#2, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %16 = stablehlo.add %7#1, %15 : tensor<4x4xf32>
    return %16 : tensor<4x4xf32>
  }
}
tasks @main {
  broadcast_in_dim.0: compute, writes 2048
  copy.1: compute, reads 2048, writes 2048
  while.0: while
  fusion.0: compute of dynamic_slice.1 dot_general.1 add.4, mxu 256, busy 4194304, vpu 16, reads 6144, beside 2048, writes 2048
}
tasks @body.2 {
  collective_permute_start.0: collective start, reads 2048, writes 2048
  fusion.1: compute of dynamic_slice.0 dot_general.0 add.1, mxu 256, busy 4194304, vpu 16, reads 4096, vmem 4096
  collective_permute_done.0: collective done for collective_permute.0
}
