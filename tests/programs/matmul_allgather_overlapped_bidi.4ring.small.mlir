module @jit_matmul_allgather_overlapped_bidi attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4], device_ids=[0, 1, 3, 2]>
  func.func public @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, %arg1: tensor<32x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<32x24xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg2: tensor<8x32xf32>, %arg3: tensor<8x24xf32>) {
      %c = stablehlo.constant dense<[0, 1, 3, 2]> : tensor<4xi32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
      %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
      %4 = stablehlo.slice %arg3 [0:4, 0:24] : (tensor<8x24xf32>) -> tensor<4x24xf32>
      %5 = stablehlo.slice %arg3 [4:8, 0:24] : (tensor<8x24xf32>) -> tensor<4x24xf32>
      %c_0 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.multiply %3, %c_0 : tensor<i32>
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %7 = stablehlo.multiply %6, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare  LT, %7, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<32> : tensor<i32>
      %9 = stablehlo.add %7, %c_3 : tensor<i32>
      %10 = stablehlo.select %8, %9, %7 : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.dynamic_slice %arg2, %c_4, %10, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %12 = stablehlo.dot_general %11, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %c_5 = stablehlo.constant dense<2> : tensor<i32>
      %13 = stablehlo.multiply %3, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %13, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<4> : tensor<i32>
      %15 = stablehlo.multiply %14, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %16 = stablehlo.compare  LT, %15, %c_8,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_9 = stablehlo.constant dense<32> : tensor<i32>
      %17 = stablehlo.add %15, %c_9 : tensor<i32>
      %18 = stablehlo.select %16, %17, %15 : tensor<i1>, tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.dynamic_slice %arg2, %c_10, %18, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %20 = stablehlo.dot_general %19, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %21 = stablehlo.add %12, %20 : tensor<8x24xf32>
      %22 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<4x24xf32>) -> tensor<4x24xf32>
      %23 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [3, 1], [2, 3]]> : tensor<4x2xi64>}> : (tensor<4x24xf32>) -> tensor<4x24xf32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %24 = stablehlo.subtract %3, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<4> : tensor<i32>
      %25 = call @remainder(%24, %c_12) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_13 = stablehlo.constant dense<2> : tensor<i32>
      %26 = stablehlo.multiply %25, %c_13 : tensor<i32>
      %c_14 = stablehlo.constant dense<4> : tensor<i32>
      %27 = stablehlo.multiply %26, %c_14 : tensor<i32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %28 = stablehlo.compare  LT, %27, %c_15,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_16 = stablehlo.constant dense<32> : tensor<i32>
      %29 = stablehlo.add %27, %c_16 : tensor<i32>
      %30 = stablehlo.select %28, %29, %27 : tensor<i1>, tensor<i32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %31 = stablehlo.dynamic_slice %arg2, %c_17, %30, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %32 = stablehlo.dot_general %31, %22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %33 = stablehlo.add %21, %32 : tensor<8x24xf32>
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %34 = stablehlo.add %3, %c_18 : tensor<i32>
      %c_19 = stablehlo.constant dense<4> : tensor<i32>
      %35 = call @remainder(%34, %c_19) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_20 = stablehlo.constant dense<2> : tensor<i32>
      %36 = stablehlo.multiply %35, %c_20 : tensor<i32>
      %c_21 = stablehlo.constant dense<1> : tensor<i32>
      %37 = stablehlo.add %36, %c_21 : tensor<i32>
      %c_22 = stablehlo.constant dense<4> : tensor<i32>
      %38 = stablehlo.multiply %37, %c_22 : tensor<i32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %39 = stablehlo.compare  LT, %38, %c_23,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_24 = stablehlo.constant dense<32> : tensor<i32>
      %40 = stablehlo.add %38, %c_24 : tensor<i32>
      %41 = stablehlo.select %39, %40, %38 : tensor<i1>, tensor<i32>
      %c_25 = stablehlo.constant dense<0> : tensor<i32>
      %42 = stablehlo.dynamic_slice %arg2, %c_25, %41, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %43 = stablehlo.dot_general %42, %23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %44 = stablehlo.add %33, %43 : tensor<8x24xf32>
      %45 = "stablehlo.collective_permute"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<4x24xf32>) -> tensor<4x24xf32>
      %46 = "stablehlo.collective_permute"(%23) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [3, 1], [2, 3]]> : tensor<4x2xi64>}> : (tensor<4x24xf32>) -> tensor<4x24xf32>
      %c_26 = stablehlo.constant dense<2> : tensor<i32>
      %47 = stablehlo.subtract %3, %c_26 : tensor<i32>
      %c_27 = stablehlo.constant dense<4> : tensor<i32>
      %48 = call @remainder(%47, %c_27) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_28 = stablehlo.constant dense<2> : tensor<i32>
      %49 = stablehlo.multiply %48, %c_28 : tensor<i32>
      %c_29 = stablehlo.constant dense<4> : tensor<i32>
      %50 = stablehlo.multiply %49, %c_29 : tensor<i32>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %51 = stablehlo.compare  LT, %50, %c_30,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_31 = stablehlo.constant dense<32> : tensor<i32>
      %52 = stablehlo.add %50, %c_31 : tensor<i32>
      %53 = stablehlo.select %51, %52, %50 : tensor<i1>, tensor<i32>
      %c_32 = stablehlo.constant dense<0> : tensor<i32>
      %54 = stablehlo.dynamic_slice %arg2, %c_32, %53, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %55 = stablehlo.dot_general %54, %45, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %56 = stablehlo.add %44, %55 : tensor<8x24xf32>
      %c_33 = stablehlo.constant dense<2> : tensor<i32>
      %57 = stablehlo.add %3, %c_33 : tensor<i32>
      %c_34 = stablehlo.constant dense<4> : tensor<i32>
      %58 = call @remainder(%57, %c_34) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_35 = stablehlo.constant dense<2> : tensor<i32>
      %59 = stablehlo.multiply %58, %c_35 : tensor<i32>
      %c_36 = stablehlo.constant dense<1> : tensor<i32>
      %60 = stablehlo.add %59, %c_36 : tensor<i32>
      %c_37 = stablehlo.constant dense<4> : tensor<i32>
      %61 = stablehlo.multiply %60, %c_37 : tensor<i32>
      %c_38 = stablehlo.constant dense<0> : tensor<i32>
      %62 = stablehlo.compare  LT, %61, %c_38,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_39 = stablehlo.constant dense<32> : tensor<i32>
      %63 = stablehlo.add %61, %c_39 : tensor<i32>
      %64 = stablehlo.select %62, %63, %61 : tensor<i1>, tensor<i32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %65 = stablehlo.dynamic_slice %arg2, %c_40, %64, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %66 = stablehlo.dot_general %65, %46, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %67 = stablehlo.add %56, %66 : tensor<8x24xf32>
      %68 = "stablehlo.collective_permute"(%45) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<4x24xf32>) -> tensor<4x24xf32>
      %69 = "stablehlo.collective_permute"(%46) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [3, 1], [2, 3]]> : tensor<4x2xi64>}> : (tensor<4x24xf32>) -> tensor<4x24xf32>
      %c_41 = stablehlo.constant dense<3> : tensor<i32>
      %70 = stablehlo.subtract %3, %c_41 : tensor<i32>
      %c_42 = stablehlo.constant dense<4> : tensor<i32>
      %71 = call @remainder(%70, %c_42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_43 = stablehlo.constant dense<2> : tensor<i32>
      %72 = stablehlo.multiply %71, %c_43 : tensor<i32>
      %c_44 = stablehlo.constant dense<4> : tensor<i32>
      %73 = stablehlo.multiply %72, %c_44 : tensor<i32>
      %c_45 = stablehlo.constant dense<0> : tensor<i32>
      %74 = stablehlo.compare  LT, %73, %c_45,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_46 = stablehlo.constant dense<32> : tensor<i32>
      %75 = stablehlo.add %73, %c_46 : tensor<i32>
      %76 = stablehlo.select %74, %75, %73 : tensor<i1>, tensor<i32>
      %c_47 = stablehlo.constant dense<0> : tensor<i32>
      %77 = stablehlo.dynamic_slice %arg2, %c_47, %76, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %78 = stablehlo.dot_general %77, %68, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %79 = stablehlo.add %67, %78 : tensor<8x24xf32>
      %c_48 = stablehlo.constant dense<3> : tensor<i32>
      %80 = stablehlo.add %3, %c_48 : tensor<i32>
      %c_49 = stablehlo.constant dense<4> : tensor<i32>
      %81 = call @remainder(%80, %c_49) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_50 = stablehlo.constant dense<2> : tensor<i32>
      %82 = stablehlo.multiply %81, %c_50 : tensor<i32>
      %c_51 = stablehlo.constant dense<1> : tensor<i32>
      %83 = stablehlo.add %82, %c_51 : tensor<i32>
      %c_52 = stablehlo.constant dense<4> : tensor<i32>
      %84 = stablehlo.multiply %83, %c_52 : tensor<i32>
      %c_53 = stablehlo.constant dense<0> : tensor<i32>
      %85 = stablehlo.compare  LT, %84, %c_53,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_54 = stablehlo.constant dense<32> : tensor<i32>
      %86 = stablehlo.add %84, %c_54 : tensor<i32>
      %87 = stablehlo.select %85, %86, %84 : tensor<i1>, tensor<i32>
      %c_55 = stablehlo.constant dense<0> : tensor<i32>
      %88 = stablehlo.dynamic_slice %arg2, %c_55, %87, sizes = [8, 4] : (tensor<8x32xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %89 = stablehlo.dot_general %88, %69, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
      %90 = stablehlo.add %79, %89 : tensor<8x24xf32>
      sdy.return %90 : tensor<8x24xf32>
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
