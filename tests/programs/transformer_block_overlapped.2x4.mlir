module @jit_transformer_block_overlapped attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<1024x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<2048x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"Y"}]>}, %arg2: tensor<8192x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<1024x2048xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}, {"Y"}]>, <@mesh, [{"Y"}, {}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg3: tensor<512x512xbf16>, %arg4: tensor<2048x2048xbf16>, %arg5: tensor<2048x2048xbf16>) {
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
      %10 = stablehlo.dynamic_slice %arg4, %9, %c_4, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
      %11 = stablehlo.dot_general %arg3, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
      %12 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
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
      %20 = stablehlo.dynamic_slice %arg4, %19, %c_10, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
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
      %30 = stablehlo.dynamic_slice %arg4, %29, %c_16, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
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
      %40 = stablehlo.dynamic_slice %arg4, %39, %c_22, sizes = [512, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<512x2048xbf16>
      %41 = stablehlo.dot_general %32, %40, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
      %42 = stablehlo.add %33, %41 : tensor<512x2048xbf16>
      %c_23 = stablehlo.constant dense<1> : tensor<ui32>
      %c_24 = stablehlo.constant dense<4> : tensor<ui32>
      %43 = stablehlo.partition_id : tensor<ui32>
      %44 = stablehlo.divide %43, %c_23 : tensor<ui32>
      %45 = stablehlo.remainder %44, %c_24 : tensor<ui32>
      %46 = stablehlo.convert %45 : (tensor<ui32>) -> tensor<i32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %47 = stablehlo.add %46, %c_25 : tensor<i32>
      %c_26 = stablehlo.constant dense<4> : tensor<i32>
      %48 = call @remainder(%47, %c_26) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_27 = stablehlo.constant dense<512> : tensor<i32>
      %49 = stablehlo.multiply %48, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %50 = stablehlo.compare  LT, %49, %c_28,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_29 = stablehlo.constant dense<2048> : tensor<i32>
      %51 = stablehlo.add %49, %c_29 : tensor<i32>
      %52 = stablehlo.select %50, %51, %49 : tensor<i1>, tensor<i32>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %53 = stablehlo.dynamic_slice %arg5, %c_30, %52, sizes = [2048, 512] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x512xbf16>
      %54 = stablehlo.dot_general %42, %53, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %55 = "stablehlo.collective_permute"(%54) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %c_31 = stablehlo.constant dense<2> : tensor<i32>
      %56 = stablehlo.add %46, %c_31 : tensor<i32>
      %c_32 = stablehlo.constant dense<4> : tensor<i32>
      %57 = call @remainder(%56, %c_32) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_33 = stablehlo.constant dense<512> : tensor<i32>
      %58 = stablehlo.multiply %57, %c_33 : tensor<i32>
      %c_34 = stablehlo.constant dense<0> : tensor<i32>
      %59 = stablehlo.compare  LT, %58, %c_34,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_35 = stablehlo.constant dense<2048> : tensor<i32>
      %60 = stablehlo.add %58, %c_35 : tensor<i32>
      %61 = stablehlo.select %59, %60, %58 : tensor<i1>, tensor<i32>
      %c_36 = stablehlo.constant dense<0> : tensor<i32>
      %62 = stablehlo.dynamic_slice %arg5, %c_36, %61, sizes = [2048, 512] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x512xbf16>
      %63 = stablehlo.dot_general %42, %62, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %64 = stablehlo.add %55, %63 : tensor<512x512xbf16>
      %65 = "stablehlo.collective_permute"(%64) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %c_37 = stablehlo.constant dense<3> : tensor<i32>
      %66 = stablehlo.add %46, %c_37 : tensor<i32>
      %c_38 = stablehlo.constant dense<4> : tensor<i32>
      %67 = call @remainder(%66, %c_38) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_39 = stablehlo.constant dense<512> : tensor<i32>
      %68 = stablehlo.multiply %67, %c_39 : tensor<i32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %69 = stablehlo.compare  LT, %68, %c_40,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_41 = stablehlo.constant dense<2048> : tensor<i32>
      %70 = stablehlo.add %68, %c_41 : tensor<i32>
      %71 = stablehlo.select %69, %70, %68 : tensor<i1>, tensor<i32>
      %c_42 = stablehlo.constant dense<0> : tensor<i32>
      %72 = stablehlo.dynamic_slice %arg5, %c_42, %71, sizes = [2048, 512] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x512xbf16>
      %73 = stablehlo.dot_general %42, %72, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %74 = stablehlo.add %65, %73 : tensor<512x512xbf16>
      %75 = "stablehlo.collective_permute"(%74) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %c_43 = stablehlo.constant dense<4> : tensor<i32>
      %76 = stablehlo.add %46, %c_43 : tensor<i32>
      %c_44 = stablehlo.constant dense<4> : tensor<i32>
      %77 = call @remainder(%76, %c_44) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_45 = stablehlo.constant dense<512> : tensor<i32>
      %78 = stablehlo.multiply %77, %c_45 : tensor<i32>
      %c_46 = stablehlo.constant dense<0> : tensor<i32>
      %79 = stablehlo.compare  LT, %78, %c_46,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_47 = stablehlo.constant dense<2048> : tensor<i32>
      %80 = stablehlo.add %78, %c_47 : tensor<i32>
      %81 = stablehlo.select %79, %80, %78 : tensor<i1>, tensor<i32>
      %c_48 = stablehlo.constant dense<0> : tensor<i32>
      %82 = stablehlo.dynamic_slice %arg5, %c_48, %81, sizes = [2048, 512] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x512xbf16>
      %83 = stablehlo.dot_general %42, %82, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %84 = stablehlo.add %75, %83 : tensor<512x512xbf16>
      sdy.return %84 : tensor<512x512xbf16>
    } : (tensor<1024x2048xbf16>, tensor<2048x8192xbf16>, tensor<8192x2048xbf16>) -> tensor<1024x2048xbf16>
    return %0 : tensor<1024x2048xbf16>
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
