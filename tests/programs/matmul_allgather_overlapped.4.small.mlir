module @jit_matmul_allgather_overlapped attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]>
  func.func public @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, %arg1: tensor<32x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<32x24xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg2: tensor<8x32xf32>, %arg3: tensor<8x24xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<8> : tensor<i32>
      %5 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.compare  LT, %5, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<32> : tensor<i32>
      %7 = stablehlo.add %5, %c_3 : tensor<i32>
      %8 = stablehlo.select %6, %7, %5 : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.dynamic_slice %arg2, %c_4, %8, sizes = [8, 8] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
      %10 = stablehlo.dot_general %9, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
      %11 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<8x24xf32>) -> tensor<8x24xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.subtract %4, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<4> : tensor<i32>
      %13 = call @remainder(%12, %c_6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_7 = stablehlo.constant dense<8> : tensor<i32>
      %14 = stablehlo.multiply %13, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.compare  LT, %14, %c_8,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_9 = stablehlo.constant dense<32> : tensor<i32>
      %16 = stablehlo.add %14, %c_9 : tensor<i32>
      %17 = stablehlo.select %15, %16, %14 : tensor<i1>, tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %18 = stablehlo.dynamic_slice %arg2, %c_10, %17, sizes = [8, 8] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
      %19 = stablehlo.dot_general %18, %11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
      %20 = stablehlo.add %10, %19 : tensor<8x24xf32>
      %21 = "stablehlo.collective_permute"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<8x24xf32>) -> tensor<8x24xf32>
      %c_11 = stablehlo.constant dense<2> : tensor<i32>
      %22 = stablehlo.subtract %4, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<4> : tensor<i32>
      %23 = call @remainder(%22, %c_12) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_13 = stablehlo.constant dense<8> : tensor<i32>
      %24 = stablehlo.multiply %23, %c_13 : tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %25 = stablehlo.compare  LT, %24, %c_14,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<32> : tensor<i32>
      %26 = stablehlo.add %24, %c_15 : tensor<i32>
      %27 = stablehlo.select %25, %26, %24 : tensor<i1>, tensor<i32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %28 = stablehlo.dynamic_slice %arg2, %c_16, %27, sizes = [8, 8] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
      %29 = stablehlo.dot_general %28, %21, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
      %30 = stablehlo.add %20, %29 : tensor<8x24xf32>
      %31 = "stablehlo.collective_permute"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<8x24xf32>) -> tensor<8x24xf32>
      %c_17 = stablehlo.constant dense<3> : tensor<i32>
      %32 = stablehlo.subtract %4, %c_17 : tensor<i32>
      %c_18 = stablehlo.constant dense<4> : tensor<i32>
      %33 = call @remainder(%32, %c_18) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_19 = stablehlo.constant dense<8> : tensor<i32>
      %34 = stablehlo.multiply %33, %c_19 : tensor<i32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %35 = stablehlo.compare  LT, %34, %c_20,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_21 = stablehlo.constant dense<32> : tensor<i32>
      %36 = stablehlo.add %34, %c_21 : tensor<i32>
      %37 = stablehlo.select %35, %36, %34 : tensor<i1>, tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %38 = stablehlo.dynamic_slice %arg2, %c_22, %37, sizes = [8, 8] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
      %39 = stablehlo.dot_general %38, %31, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
      %40 = stablehlo.add %30, %39 : tensor<8x24xf32>
      sdy.return %40 : tensor<8x24xf32>
    } : (tensor<32x32xf32>, tensor<32x24xf32>) -> tensor<32x24xf32>
    return %0 : tensor<32x24xf32>
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
