module @jit_matmul_allgather_overlapped_bidi attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]>
  func.func public @main(%arg0: tensor<8192x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, %arg1: tensor<8192x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<8192x1024xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg2: tensor<2048x8192xbf16>, %arg3: tensor<2048x1024xbf16>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %5 = stablehlo.slice %arg3 [0:1024, 0:1024] : (tensor<2048x1024xbf16>) -> tensor<1024x1024xbf16>
      %6 = stablehlo.slice %arg3 [1024:2048, 0:1024] : (tensor<2048x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %7 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<1024> : tensor<i32>
      %8 = stablehlo.multiply %7, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.compare  LT, %8, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<8192> : tensor<i32>
      %10 = stablehlo.add %8, %c_4 : tensor<i32>
      %11 = stablehlo.select %9, %10, %8 : tensor<i1>, tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %12 = stablehlo.dynamic_slice %arg2, %c_5, %11, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %13 = stablehlo.dot_general %12, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %14 = stablehlo.multiply %4, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.add %14, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<1024> : tensor<i32>
      %16 = stablehlo.multiply %15, %c_8 : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.compare  LT, %16, %c_9,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<8192> : tensor<i32>
      %18 = stablehlo.add %16, %c_10 : tensor<i32>
      %19 = stablehlo.select %17, %18, %16 : tensor<i1>, tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.dynamic_slice %arg2, %c_11, %19, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %21 = stablehlo.dot_general %20, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %22 = stablehlo.add %13, %21 : tensor<2048x1024xbf16>
      %23 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %24 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %25 = stablehlo.subtract %4, %c_12 : tensor<i32>
      %c_13 = stablehlo.constant dense<4> : tensor<i32>
      %26 = call @remainder(%25, %c_13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_14 = stablehlo.constant dense<2> : tensor<i32>
      %27 = stablehlo.multiply %26, %c_14 : tensor<i32>
      %c_15 = stablehlo.constant dense<1024> : tensor<i32>
      %28 = stablehlo.multiply %27, %c_15 : tensor<i32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %29 = stablehlo.compare  LT, %28, %c_16,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_17 = stablehlo.constant dense<8192> : tensor<i32>
      %30 = stablehlo.add %28, %c_17 : tensor<i32>
      %31 = stablehlo.select %29, %30, %28 : tensor<i1>, tensor<i32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %32 = stablehlo.dynamic_slice %arg2, %c_18, %31, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %33 = stablehlo.dot_general %32, %23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %34 = stablehlo.add %22, %33 : tensor<2048x1024xbf16>
      %c_19 = stablehlo.constant dense<1> : tensor<i32>
      %35 = stablehlo.add %4, %c_19 : tensor<i32>
      %c_20 = stablehlo.constant dense<4> : tensor<i32>
      %36 = call @remainder(%35, %c_20) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_21 = stablehlo.constant dense<2> : tensor<i32>
      %37 = stablehlo.multiply %36, %c_21 : tensor<i32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %38 = stablehlo.add %37, %c_22 : tensor<i32>
      %c_23 = stablehlo.constant dense<1024> : tensor<i32>
      %39 = stablehlo.multiply %38, %c_23 : tensor<i32>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.compare  LT, %39, %c_24,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_25 = stablehlo.constant dense<8192> : tensor<i32>
      %41 = stablehlo.add %39, %c_25 : tensor<i32>
      %42 = stablehlo.select %40, %41, %39 : tensor<i1>, tensor<i32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %43 = stablehlo.dynamic_slice %arg2, %c_26, %42, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %44 = stablehlo.dot_general %43, %24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %45 = stablehlo.add %34, %44 : tensor<2048x1024xbf16>
      %46 = "stablehlo.collective_permute"(%23) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %47 = "stablehlo.collective_permute"(%24) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %48 = stablehlo.subtract %4, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<4> : tensor<i32>
      %49 = call @remainder(%48, %c_28) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_29 = stablehlo.constant dense<2> : tensor<i32>
      %50 = stablehlo.multiply %49, %c_29 : tensor<i32>
      %c_30 = stablehlo.constant dense<1024> : tensor<i32>
      %51 = stablehlo.multiply %50, %c_30 : tensor<i32>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %52 = stablehlo.compare  LT, %51, %c_31,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_32 = stablehlo.constant dense<8192> : tensor<i32>
      %53 = stablehlo.add %51, %c_32 : tensor<i32>
      %54 = stablehlo.select %52, %53, %51 : tensor<i1>, tensor<i32>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %55 = stablehlo.dynamic_slice %arg2, %c_33, %54, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %56 = stablehlo.dot_general %55, %46, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %57 = stablehlo.add %45, %56 : tensor<2048x1024xbf16>
      %c_34 = stablehlo.constant dense<2> : tensor<i32>
      %58 = stablehlo.add %4, %c_34 : tensor<i32>
      %c_35 = stablehlo.constant dense<4> : tensor<i32>
      %59 = call @remainder(%58, %c_35) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_36 = stablehlo.constant dense<2> : tensor<i32>
      %60 = stablehlo.multiply %59, %c_36 : tensor<i32>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %61 = stablehlo.add %60, %c_37 : tensor<i32>
      %c_38 = stablehlo.constant dense<1024> : tensor<i32>
      %62 = stablehlo.multiply %61, %c_38 : tensor<i32>
      %c_39 = stablehlo.constant dense<0> : tensor<i32>
      %63 = stablehlo.compare  LT, %62, %c_39,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_40 = stablehlo.constant dense<8192> : tensor<i32>
      %64 = stablehlo.add %62, %c_40 : tensor<i32>
      %65 = stablehlo.select %63, %64, %62 : tensor<i1>, tensor<i32>
      %c_41 = stablehlo.constant dense<0> : tensor<i32>
      %66 = stablehlo.dynamic_slice %arg2, %c_41, %65, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %67 = stablehlo.dot_general %66, %47, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %68 = stablehlo.add %57, %67 : tensor<2048x1024xbf16>
      %69 = "stablehlo.collective_permute"(%46) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %70 = "stablehlo.collective_permute"(%47) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_42 = stablehlo.constant dense<3> : tensor<i32>
      %71 = stablehlo.subtract %4, %c_42 : tensor<i32>
      %c_43 = stablehlo.constant dense<4> : tensor<i32>
      %72 = call @remainder(%71, %c_43) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_44 = stablehlo.constant dense<2> : tensor<i32>
      %73 = stablehlo.multiply %72, %c_44 : tensor<i32>
      %c_45 = stablehlo.constant dense<1024> : tensor<i32>
      %74 = stablehlo.multiply %73, %c_45 : tensor<i32>
      %c_46 = stablehlo.constant dense<0> : tensor<i32>
      %75 = stablehlo.compare  LT, %74, %c_46,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_47 = stablehlo.constant dense<8192> : tensor<i32>
      %76 = stablehlo.add %74, %c_47 : tensor<i32>
      %77 = stablehlo.select %75, %76, %74 : tensor<i1>, tensor<i32>
      %c_48 = stablehlo.constant dense<0> : tensor<i32>
      %78 = stablehlo.dynamic_slice %arg2, %c_48, %77, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %79 = stablehlo.dot_general %78, %69, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %80 = stablehlo.add %68, %79 : tensor<2048x1024xbf16>
      %c_49 = stablehlo.constant dense<3> : tensor<i32>
      %81 = stablehlo.add %4, %c_49 : tensor<i32>
      %c_50 = stablehlo.constant dense<4> : tensor<i32>
      %82 = call @remainder(%81, %c_50) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_51 = stablehlo.constant dense<2> : tensor<i32>
      %83 = stablehlo.multiply %82, %c_51 : tensor<i32>
      %c_52 = stablehlo.constant dense<1> : tensor<i32>
      %84 = stablehlo.add %83, %c_52 : tensor<i32>
      %c_53 = stablehlo.constant dense<1024> : tensor<i32>
      %85 = stablehlo.multiply %84, %c_53 : tensor<i32>
      %c_54 = stablehlo.constant dense<0> : tensor<i32>
      %86 = stablehlo.compare  LT, %85, %c_54,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_55 = stablehlo.constant dense<8192> : tensor<i32>
      %87 = stablehlo.add %85, %c_55 : tensor<i32>
      %88 = stablehlo.select %86, %87, %85 : tensor<i1>, tensor<i32>
      %c_56 = stablehlo.constant dense<0> : tensor<i32>
      %89 = stablehlo.dynamic_slice %arg2, %c_56, %88, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %90 = stablehlo.dot_general %89, %70, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2048x1024xbf16>
      %91 = stablehlo.add %80, %90 : tensor<2048x1024xbf16>
      sdy.return %91 : tensor<2048x1024xbf16>
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
