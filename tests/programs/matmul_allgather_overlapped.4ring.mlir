module @jit_matmul_allgather_overlapped attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4], device_ids=[0, 1, 3, 2]>
  func.func public @main(%arg0: tensor<8192x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, %arg1: tensor<8192x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<8192x1024xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg2: tensor<2048x8192xbf16>, %arg3: tensor<2048x1024xbf16>) {
      %c = stablehlo.constant dense<[0, 1, 3, 2]> : tensor<4xi32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
      %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
      %c_0 = stablehlo.constant dense<2048> : tensor<i32>
      %4 = stablehlo.multiply %3, %c_0 : tensor<i32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.compare  LT, %4, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_2 = stablehlo.constant dense<8192> : tensor<i32>
      %6 = stablehlo.add %4, %c_2 : tensor<i32>
      %7 = stablehlo.select %5, %6, %4 : tensor<i1>, tensor<i32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.dynamic_slice %arg2, %c_3, %7, sizes = [2048, 2048] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x2048xbf16>
      %9 = stablehlo.dot_general %8, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %10 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.subtract %3, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %12 = call @remainder(%11, %c_5) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<2048> : tensor<i32>
      %13 = stablehlo.multiply %12, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %14 = stablehlo.compare  LT, %13, %c_7,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<8192> : tensor<i32>
      %15 = stablehlo.add %13, %c_8 : tensor<i32>
      %16 = stablehlo.select %14, %15, %13 : tensor<i1>, tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.dynamic_slice %arg2, %c_9, %16, sizes = [2048, 2048] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x2048xbf16>
      %18 = stablehlo.dot_general %17, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %19 = stablehlo.add %9, %18 : tensor<2048x1024xbf16>
      %20 = "stablehlo.collective_permute"(%10) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %c_10 = stablehlo.constant dense<2> : tensor<i32>
      %21 = stablehlo.subtract %3, %c_10 : tensor<i32>
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %22 = call @remainder(%21, %c_11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_12 = stablehlo.constant dense<2048> : tensor<i32>
      %23 = stablehlo.multiply %22, %c_12 : tensor<i32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %24 = stablehlo.compare  LT, %23, %c_13,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_14 = stablehlo.constant dense<8192> : tensor<i32>
      %25 = stablehlo.add %23, %c_14 : tensor<i32>
      %26 = stablehlo.select %24, %25, %23 : tensor<i1>, tensor<i32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.dynamic_slice %arg2, %c_15, %26, sizes = [2048, 2048] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x2048xbf16>
      %28 = stablehlo.dot_general %27, %20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %29 = stablehlo.add %19, %28 : tensor<2048x1024xbf16>
      %30 = "stablehlo.collective_permute"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %c_16 = stablehlo.constant dense<3> : tensor<i32>
      %31 = stablehlo.subtract %3, %c_16 : tensor<i32>
      %c_17 = stablehlo.constant dense<4> : tensor<i32>
      %32 = call @remainder(%31, %c_17) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_18 = stablehlo.constant dense<2048> : tensor<i32>
      %33 = stablehlo.multiply %32, %c_18 : tensor<i32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %34 = stablehlo.compare  LT, %33, %c_19,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_20 = stablehlo.constant dense<8192> : tensor<i32>
      %35 = stablehlo.add %33, %c_20 : tensor<i32>
      %36 = stablehlo.select %34, %35, %33 : tensor<i1>, tensor<i32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.dynamic_slice %arg2, %c_21, %36, sizes = [2048, 2048] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x2048xbf16>
      %38 = stablehlo.dot_general %37, %30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %39 = stablehlo.add %29, %38 : tensor<2048x1024xbf16>
      sdy.return %39 : tensor<2048x1024xbf16>
    } : (tensor<8192x8192xbf16>, tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    return %0 : tensor<8192x1024xbf16>
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
