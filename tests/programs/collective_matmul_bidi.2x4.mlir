module @jit_collective_matmul_bidi attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<1024x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<2048x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"Y"}]>}) -> (tensor<1024x8192xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}, {"Y"}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg2: tensor<512x512xbf16>, %arg3: tensor<2048x2048xbf16>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %5 = stablehlo.slice %arg2 [0:512, 0:256] : (tensor<512x512xbf16>) -> tensor<512x256xbf16>
      %6 = stablehlo.slice %arg2 [0:512, 256:512] : (tensor<512x512xbf16>) -> tensor<512x256xbf16>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<512x2048xbf16>
      %c_1 = stablehlo.constant dense<512> : tensor<i32>
      %8 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.compare  LT, %8, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<2048> : tensor<i32>
      %10 = stablehlo.add %8, %c_3 : tensor<i32>
      %11 = stablehlo.select %9, %10, %8 : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %12 = stablehlo.dynamic_slice %arg3, %11, %c_4, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %13 = stablehlo.dot_general %5, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %c_5 = stablehlo.constant dense<512> : tensor<i32>
      %14 = stablehlo.multiply %4, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<256> : tensor<i32>
      %15 = stablehlo.add %14, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %16 = stablehlo.compare  LT, %15, %c_7,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<2048> : tensor<i32>
      %17 = stablehlo.add %15, %c_8 : tensor<i32>
      %18 = stablehlo.select %16, %17, %15 : tensor<i1>, tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.dynamic_slice %arg3, %18, %c_9, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %20 = stablehlo.dot_general %6, %19, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %21 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x256xbf16>) -> tensor<512x256xbf16>
      %22 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<512x256xbf16>) -> tensor<512x256xbf16>
      %23 = stablehlo.add %7, %13 : tensor<512x2048xbf16>
      %24 = stablehlo.add %23, %20 : tensor<512x2048xbf16>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %25 = stablehlo.add %4, %c_10 : tensor<i32>
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %26 = call @remainder(%25, %c_11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %27 = stablehlo.subtract %4, %c_12 : tensor<i32>
      %c_13 = stablehlo.constant dense<4> : tensor<i32>
      %28 = call @remainder(%27, %c_13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_14 = stablehlo.constant dense<512> : tensor<i32>
      %29 = stablehlo.multiply %26, %c_14 : tensor<i32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.compare  LT, %29, %c_15,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_16 = stablehlo.constant dense<2048> : tensor<i32>
      %31 = stablehlo.add %29, %c_16 : tensor<i32>
      %32 = stablehlo.select %30, %31, %29 : tensor<i1>, tensor<i32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %33 = stablehlo.dynamic_slice %arg3, %32, %c_17, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %34 = stablehlo.dot_general %21, %33, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %c_18 = stablehlo.constant dense<512> : tensor<i32>
      %35 = stablehlo.multiply %28, %c_18 : tensor<i32>
      %c_19 = stablehlo.constant dense<256> : tensor<i32>
      %36 = stablehlo.add %35, %c_19 : tensor<i32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.compare  LT, %36, %c_20,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_21 = stablehlo.constant dense<2048> : tensor<i32>
      %38 = stablehlo.add %36, %c_21 : tensor<i32>
      %39 = stablehlo.select %37, %38, %36 : tensor<i1>, tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.dynamic_slice %arg3, %39, %c_22, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %41 = stablehlo.dot_general %22, %40, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %42 = "stablehlo.collective_permute"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x256xbf16>) -> tensor<512x256xbf16>
      %43 = "stablehlo.collective_permute"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<512x256xbf16>) -> tensor<512x256xbf16>
      %44 = stablehlo.add %24, %34 : tensor<512x2048xbf16>
      %45 = stablehlo.add %44, %41 : tensor<512x2048xbf16>
      %c_23 = stablehlo.constant dense<2> : tensor<i32>
      %46 = stablehlo.add %4, %c_23 : tensor<i32>
      %c_24 = stablehlo.constant dense<4> : tensor<i32>
      %47 = call @remainder(%46, %c_24) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_25 = stablehlo.constant dense<2> : tensor<i32>
      %48 = stablehlo.subtract %4, %c_25 : tensor<i32>
      %c_26 = stablehlo.constant dense<4> : tensor<i32>
      %49 = call @remainder(%48, %c_26) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_27 = stablehlo.constant dense<512> : tensor<i32>
      %50 = stablehlo.multiply %47, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %51 = stablehlo.compare  LT, %50, %c_28,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_29 = stablehlo.constant dense<2048> : tensor<i32>
      %52 = stablehlo.add %50, %c_29 : tensor<i32>
      %53 = stablehlo.select %51, %52, %50 : tensor<i1>, tensor<i32>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %54 = stablehlo.dynamic_slice %arg3, %53, %c_30, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %55 = stablehlo.dot_general %42, %54, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %c_31 = stablehlo.constant dense<512> : tensor<i32>
      %56 = stablehlo.multiply %49, %c_31 : tensor<i32>
      %c_32 = stablehlo.constant dense<256> : tensor<i32>
      %57 = stablehlo.add %56, %c_32 : tensor<i32>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %58 = stablehlo.compare  LT, %57, %c_33,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_34 = stablehlo.constant dense<2048> : tensor<i32>
      %59 = stablehlo.add %57, %c_34 : tensor<i32>
      %60 = stablehlo.select %58, %59, %57 : tensor<i1>, tensor<i32>
      %c_35 = stablehlo.constant dense<0> : tensor<i32>
      %61 = stablehlo.dynamic_slice %arg3, %60, %c_35, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %62 = stablehlo.dot_general %43, %61, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %63 = "stablehlo.collective_permute"(%42) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<512x256xbf16>) -> tensor<512x256xbf16>
      %64 = "stablehlo.collective_permute"(%43) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<512x256xbf16>) -> tensor<512x256xbf16>
      %65 = stablehlo.add %45, %55 : tensor<512x2048xbf16>
      %66 = stablehlo.add %65, %62 : tensor<512x2048xbf16>
      %c_36 = stablehlo.constant dense<3> : tensor<i32>
      %67 = stablehlo.add %4, %c_36 : tensor<i32>
      %c_37 = stablehlo.constant dense<4> : tensor<i32>
      %68 = call @remainder(%67, %c_37) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_38 = stablehlo.constant dense<3> : tensor<i32>
      %69 = stablehlo.subtract %4, %c_38 : tensor<i32>
      %c_39 = stablehlo.constant dense<4> : tensor<i32>
      %70 = call @remainder(%69, %c_39) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_40 = stablehlo.constant dense<512> : tensor<i32>
      %71 = stablehlo.multiply %68, %c_40 : tensor<i32>
      %c_41 = stablehlo.constant dense<0> : tensor<i32>
      %72 = stablehlo.compare  LT, %71, %c_41,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_42 = stablehlo.constant dense<2048> : tensor<i32>
      %73 = stablehlo.add %71, %c_42 : tensor<i32>
      %74 = stablehlo.select %72, %73, %71 : tensor<i1>, tensor<i32>
      %c_43 = stablehlo.constant dense<0> : tensor<i32>
      %75 = stablehlo.dynamic_slice %arg3, %74, %c_43, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %76 = stablehlo.dot_general %63, %75, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %c_44 = stablehlo.constant dense<512> : tensor<i32>
      %77 = stablehlo.multiply %70, %c_44 : tensor<i32>
      %c_45 = stablehlo.constant dense<256> : tensor<i32>
      %78 = stablehlo.add %77, %c_45 : tensor<i32>
      %c_46 = stablehlo.constant dense<0> : tensor<i32>
      %79 = stablehlo.compare  LT, %78, %c_46,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_47 = stablehlo.constant dense<2048> : tensor<i32>
      %80 = stablehlo.add %78, %c_47 : tensor<i32>
      %81 = stablehlo.select %79, %80, %78 : tensor<i1>, tensor<i32>
      %c_48 = stablehlo.constant dense<0> : tensor<i32>
      %82 = stablehlo.dynamic_slice %arg3, %81, %c_48, sizes = [256, 2048] : (tensor<2048x2048xbf16>, tensor<i32>, tensor<i32>) -> tensor<256x2048xbf16>
      %83 = stablehlo.dot_general %64, %82, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x2048xbf16>) -> tensor<512x2048xbf16>
      %84 = stablehlo.add %66, %76 : tensor<512x2048xbf16>
      %85 = stablehlo.add %84, %83 : tensor<512x2048xbf16>
      sdy.return %85 : tensor<512x2048xbf16>
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
