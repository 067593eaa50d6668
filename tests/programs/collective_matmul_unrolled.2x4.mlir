module @jit_collective_matmul_unrolled attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<1024x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<2048x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"Y"}]>}) -> (tensor<1024x8192xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg2: tensor<512x512xbf16>, %arg3: tensor<2048x2048xbf16>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<512x2048xbf16>
      %c_1 = stablehlo.constant dense<512> : tensor<i32>
      %6 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.compare  LT, %6, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<2048> : tensor<i32>
      %8 = stablehlo.add %6, %c_3 : tensor<i32>
      %9 = stablehlo.select %7, %8, %6 : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.dynamic_slice %arg3, %9, %c_4, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
      %11 = stablehlo.dot_general %arg2, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
      %12 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %13 = stablehlo.add %5, %11 : tensor<512x2048xbf16>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %4, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<4> : tensor<i32>
      %15 = call @remainder(%14, %c_6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_7 = stablehlo.constant dense<512> : tensor<i32>
      %16 = stablehlo.multiply %15, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.compare  LT, %16, %c_8,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_9 = stablehlo.constant dense<2048> : tensor<i32>
      %18 = stablehlo.add %16, %c_9 : tensor<i32>
      %19 = stablehlo.select %17, %18, %16 : tensor<i1>, tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.dynamic_slice %arg3, %19, %c_10, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
      %21 = stablehlo.dot_general %12, %20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
      %22 = "stablehlo.collective_permute"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %23 = stablehlo.add %13, %21 : tensor<512x2048xbf16>
      %c_11 = stablehlo.constant dense<2> : tensor<i32>
      %24 = stablehlo.add %4, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<4> : tensor<i32>
      %25 = call @remainder(%24, %c_12) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_13 = stablehlo.constant dense<512> : tensor<i32>
      %26 = stablehlo.multiply %25, %c_13 : tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.compare  LT, %26, %c_14,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<2048> : tensor<i32>
      %28 = stablehlo.add %26, %c_15 : tensor<i32>
      %29 = stablehlo.select %27, %28, %26 : tensor<i1>, tensor<i32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.dynamic_slice %arg3, %29, %c_16, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
      %31 = stablehlo.dot_general %22, %30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
      %32 = "stablehlo.collective_permute"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %33 = stablehlo.add %23, %31 : tensor<512x2048xbf16>
      %c_17 = stablehlo.constant dense<3> : tensor<i32>
      %34 = stablehlo.add %4, %c_17 : tensor<i32>
      %c_18 = stablehlo.constant dense<4> : tensor<i32>
      %35 = call @remainder(%34, %c_18) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_19 = stablehlo.constant dense<512> : tensor<i32>
      %36 = stablehlo.multiply %35, %c_19 : tensor<i32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.compare  LT, %36, %c_20,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_21 = stablehlo.constant dense<2048> : tensor<i32>
      %38 = stablehlo.add %36, %c_21 : tensor<i32>
      %39 = stablehlo.select %37, %38, %36 : tensor<i1>, tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.dynamic_slice %arg3, %39, %c_22, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
      %41 = stablehlo.dot_general %32, %40, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
      %42 = stablehlo.add %33, %41 : tensor<512x2048xbf16>
      sdy.return %42 : tensor<512x2048xbf16>
    } : (tensor<1024x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<1024x8192xbf16>
    return %0 : tensor<1024x8192xbf16>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare  EQ, %arg1, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare  NE, %2, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare  LT, %2, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare  LT, %1, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare  NE, %4, %5,  UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i32>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
