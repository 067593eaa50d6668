module @jit_collective_matmul attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=2]>
  func.func public @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"Y"}]>}) -> (tensor<8x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg2: tensor<4x16xf32>, %arg3: tensor<32x8xf32>) {
      %0 = stablehlo.partition_id : tensor<ui32>
      %1 = stablehlo.constant dense<2> : tensor<ui32>
      %2 = stablehlo.remainder %0, %1 : tensor<ui32>
      %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
      %4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %6 = stablehlo.constant dense<0> : tensor<i32>
      %7:3 = stablehlo.while(%iterArg = %6, %iterArg_0 = %5, %iterArg_1 = %arg2) : tensor<i32>, tensor<4x8xf32>, tensor<4x16xf32>
       cond {
        %8 = stablehlo.constant dense<1> : tensor<i32>
        %9 = stablehlo.compare  LT, %iterArg, %8,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      } do {
        %10 = stablehlo.constant dense<2> : tensor<i32>
        %11 = stablehlo.add %3, %iterArg : tensor<i32>
        %12 = stablehlo.remainder %11, %10 : tensor<i32>
        %13 = stablehlo.constant dense<16> : tensor<i32>
        %14 = stablehlo.multiply %12, %13 : tensor<i32>
        %15 = stablehlo.constant dense<0> : tensor<i32>
        %16 = stablehlo.dynamic_slice %arg3, %14, %15, sizes = [16, 8] : (tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
        %17 = stablehlo.dot_general %iterArg_1, %16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
        %18 = "stablehlo.collective_permute"(%iterArg_1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0], [2, 3], [3, 2]]> : tensor<4x2xi64>}> : (tensor<4x16xf32>) -> tensor<4x16xf32>
        %19 = stablehlo.add %iterArg_0, %17 : tensor<4x8xf32>
        %20 = stablehlo.constant dense<1> : tensor<i32>
        %21 = stablehlo.add %iterArg, %20 : tensor<i32>
        stablehlo.return %21, %19, %18 : tensor<i32>, tensor<4x8xf32>, tensor<4x16xf32>
      }
      %22 = stablehlo.constant dense<1> : tensor<i32>
      %23 = stablehlo.constant dense<2> : tensor<i32>
      %24 = stablehlo.add %3, %22 : tensor<i32>
      %25 = stablehlo.remainder %24, %23 : tensor<i32>
      %26 = stablehlo.constant dense<16> : tensor<i32>
      %27 = stablehlo.multiply %25, %26 : tensor<i32>
      %28 = stablehlo.constant dense<0> : tensor<i32>
      %29 = stablehlo.dynamic_slice %arg3, %27, %28, sizes = [16, 8] : (tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
      %30 = stablehlo.dot_general %7#2, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %31 = stablehlo.add %7#1, %30 : tensor<4x8xf32>
      sdy.return %31 : tensor<4x8xf32>
    } : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    return %out : tensor<8x16xf32>
  }
}
