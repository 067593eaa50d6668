module @jit_collective_matmul_psumscatter_bidi attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<8x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<48x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<8x32xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{"Y"}, {}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg2: tensor<4x12xf32>, %arg3: tensor<12x32xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.subtract %4, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %6 = call @remainder(%5, %c_2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %7 = stablehlo.multiply %6, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare  LT, %7, %c_4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<32> : tensor<i32>
      %9 = stablehlo.add %7, %c_5 : tensor<i32>
      %10 = stablehlo.select %8, %9, %7 : tensor<i1>, tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.dynamic_slice %arg3, %c_6, %10, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %12 = stablehlo.dot_general %arg2, %11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %4, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<4> : tensor<i32>
      %14 = call @remainder(%13, %c_8) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_9 = stablehlo.constant dense<8> : tensor<i32>
      %15 = stablehlo.multiply %14, %c_9 : tensor<i32>
      %c_10 = stablehlo.constant dense<4> : tensor<i32>
      %16 = stablehlo.add %15, %c_10 : tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.compare  LT, %16, %c_11,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_12 = stablehlo.constant dense<32> : tensor<i32>
      %18 = stablehlo.add %16, %c_12 : tensor<i32>
      %19 = stablehlo.select %17, %18, %16 : tensor<i1>, tensor<i32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.dynamic_slice %arg3, %c_13, %19, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %21 = stablehlo.dot_general %arg2, %20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %22 = "stablehlo.collective_permute"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %23 = "stablehlo.collective_permute"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_14 = stablehlo.constant dense<2> : tensor<i32>
      %24 = stablehlo.subtract %4, %c_14 : tensor<i32>
      %c_15 = stablehlo.constant dense<4> : tensor<i32>
      %25 = call @remainder(%24, %c_15) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_16 = stablehlo.constant dense<8> : tensor<i32>
      %26 = stablehlo.multiply %25, %c_16 : tensor<i32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.compare  LT, %26, %c_17,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_18 = stablehlo.constant dense<32> : tensor<i32>
      %28 = stablehlo.add %26, %c_18 : tensor<i32>
      %29 = stablehlo.select %27, %28, %26 : tensor<i1>, tensor<i32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.dynamic_slice %arg3, %c_19, %29, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %31 = stablehlo.dot_general %arg2, %30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %32 = stablehlo.add %22, %31 : tensor<4x4xf32>
      %c_20 = stablehlo.constant dense<2> : tensor<i32>
      %33 = stablehlo.add %4, %c_20 : tensor<i32>
      %c_21 = stablehlo.constant dense<4> : tensor<i32>
      %34 = call @remainder(%33, %c_21) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_22 = stablehlo.constant dense<8> : tensor<i32>
      %35 = stablehlo.multiply %34, %c_22 : tensor<i32>
      %c_23 = stablehlo.constant dense<4> : tensor<i32>
      %36 = stablehlo.add %35, %c_23 : tensor<i32>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.compare  LT, %36, %c_24,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_25 = stablehlo.constant dense<32> : tensor<i32>
      %38 = stablehlo.add %36, %c_25 : tensor<i32>
      %39 = stablehlo.select %37, %38, %36 : tensor<i1>, tensor<i32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.dynamic_slice %arg3, %c_26, %39, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %41 = stablehlo.dot_general %arg2, %40, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %42 = stablehlo.add %23, %41 : tensor<4x4xf32>
      %43 = "stablehlo.collective_permute"(%32) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %44 = "stablehlo.collective_permute"(%42) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_27 = stablehlo.constant dense<3> : tensor<i32>
      %45 = stablehlo.subtract %4, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<4> : tensor<i32>
      %46 = call @remainder(%45, %c_28) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_29 = stablehlo.constant dense<8> : tensor<i32>
      %47 = stablehlo.multiply %46, %c_29 : tensor<i32>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %48 = stablehlo.compare  LT, %47, %c_30,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_31 = stablehlo.constant dense<32> : tensor<i32>
      %49 = stablehlo.add %47, %c_31 : tensor<i32>
      %50 = stablehlo.select %48, %49, %47 : tensor<i1>, tensor<i32>
      %c_32 = stablehlo.constant dense<0> : tensor<i32>
      %51 = stablehlo.dynamic_slice %arg3, %c_32, %50, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %52 = stablehlo.dot_general %arg2, %51, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %53 = stablehlo.add %43, %52 : tensor<4x4xf32>
      %c_33 = stablehlo.constant dense<3> : tensor<i32>
      %54 = stablehlo.add %4, %c_33 : tensor<i32>
      %c_34 = stablehlo.constant dense<4> : tensor<i32>
      %55 = call @remainder(%54, %c_34) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_35 = stablehlo.constant dense<8> : tensor<i32>
      %56 = stablehlo.multiply %55, %c_35 : tensor<i32>
      %c_36 = stablehlo.constant dense<4> : tensor<i32>
      %57 = stablehlo.add %56, %c_36 : tensor<i32>
      %c_37 = stablehlo.constant dense<0> : tensor<i32>
      %58 = stablehlo.compare  LT, %57, %c_37,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_38 = stablehlo.constant dense<32> : tensor<i32>
      %59 = stablehlo.add %57, %c_38 : tensor<i32>
      %60 = stablehlo.select %58, %59, %57 : tensor<i1>, tensor<i32>
      %c_39 = stablehlo.constant dense<0> : tensor<i32>
      %61 = stablehlo.dynamic_slice %arg3, %c_39, %60, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %62 = stablehlo.dot_general %arg2, %61, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %63 = stablehlo.add %44, %62 : tensor<4x4xf32>
      %64 = "stablehlo.collective_permute"(%53) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %65 = "stablehlo.collective_permute"(%63) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_40 = stablehlo.constant dense<4> : tensor<i32>
      %66 = stablehlo.subtract %4, %c_40 : tensor<i32>
      %c_41 = stablehlo.constant dense<4> : tensor<i32>
      %67 = call @remainder(%66, %c_41) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_42 = stablehlo.constant dense<8> : tensor<i32>
      %68 = stablehlo.multiply %67, %c_42 : tensor<i32>
      %c_43 = stablehlo.constant dense<0> : tensor<i32>
      %69 = stablehlo.compare  LT, %68, %c_43,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_44 = stablehlo.constant dense<32> : tensor<i32>
      %70 = stablehlo.add %68, %c_44 : tensor<i32>
      %71 = stablehlo.select %69, %70, %68 : tensor<i1>, tensor<i32>
      %c_45 = stablehlo.constant dense<0> : tensor<i32>
      %72 = stablehlo.dynamic_slice %arg3, %c_45, %71, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %73 = stablehlo.dot_general %arg2, %72, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %74 = stablehlo.add %64, %73 : tensor<4x4xf32>
      %c_46 = stablehlo.constant dense<4> : tensor<i32>
      %75 = stablehlo.add %4, %c_46 : tensor<i32>
      %c_47 = stablehlo.constant dense<4> : tensor<i32>
      %76 = call @remainder(%75, %c_47) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_48 = stablehlo.constant dense<8> : tensor<i32>
      %77 = stablehlo.multiply %76, %c_48 : tensor<i32>
      %c_49 = stablehlo.constant dense<4> : tensor<i32>
      %78 = stablehlo.add %77, %c_49 : tensor<i32>
      %c_50 = stablehlo.constant dense<0> : tensor<i32>
      %79 = stablehlo.compare  LT, %78, %c_50,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_51 = stablehlo.constant dense<32> : tensor<i32>
      %80 = stablehlo.add %78, %c_51 : tensor<i32>
      %81 = stablehlo.select %79, %80, %78 : tensor<i1>, tensor<i32>
      %c_52 = stablehlo.constant dense<0> : tensor<i32>
      %82 = stablehlo.dynamic_slice %arg3, %c_52, %81, sizes = [12, 4] : (tensor<12x32xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
      %83 = stablehlo.dot_general %arg2, %82, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %84 = stablehlo.add %65, %83 : tensor<4x4xf32>
      %85 = stablehlo.concatenate %74, %84, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
      sdy.return %85 : tensor<4x8xf32>
    } : (tensor<8x48xf32>, tensor<48x32xf32>) -> tensor<8x32xf32>
    return %0 : tensor<8x32xf32>
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
