module @jit_matmul_allgather_overlapped_bidi_padded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
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
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %13 = call @_pad(%12, %c_6) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_7 = stablehlo.constant dense<2> : tensor<i32>
      %14 = stablehlo.multiply %4, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.add %14, %c_8 : tensor<i32>
      %c_9 = stablehlo.constant dense<1024> : tensor<i32>
      %16 = stablehlo.multiply %15, %c_9 : tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.compare  LT, %16, %c_10,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_11 = stablehlo.constant dense<8192> : tensor<i32>
      %18 = stablehlo.add %16, %c_11 : tensor<i32>
      %19 = stablehlo.select %17, %18, %16 : tensor<i1>, tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.dynamic_slice %arg2, %c_12, %19, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %21 = call @_pad_0(%20, %c_13) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %22 = call @_pad_1(%5, %c_14) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %23 = call @_pad_2(%6, %c_15) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %24 = stablehlo.add %13, %21 : tensor<2048x2048xbf16>
      %25 = stablehlo.add %22, %23 : tensor<2048x1024xbf16>
      %26 = stablehlo.dot_general %24, %25, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %27 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %28 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_16 = stablehlo.constant dense<1> : tensor<i32>
      %29 = stablehlo.subtract %4, %c_16 : tensor<i32>
      %c_17 = stablehlo.constant dense<4> : tensor<i32>
      %30 = call @remainder(%29, %c_17) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %31 = stablehlo.add %4, %c_18 : tensor<i32>
      %c_19 = stablehlo.constant dense<4> : tensor<i32>
      %32 = call @remainder(%31, %c_19) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_20 = stablehlo.constant dense<2> : tensor<i32>
      %33 = stablehlo.multiply %30, %c_20 : tensor<i32>
      %c_21 = stablehlo.constant dense<1024> : tensor<i32>
      %34 = stablehlo.multiply %33, %c_21 : tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %35 = stablehlo.compare  LT, %34, %c_22,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_23 = stablehlo.constant dense<8192> : tensor<i32>
      %36 = stablehlo.add %34, %c_23 : tensor<i32>
      %37 = stablehlo.select %35, %36, %34 : tensor<i1>, tensor<i32>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %38 = stablehlo.dynamic_slice %arg2, %c_24, %37, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_25 = stablehlo.constant dense<0> : tensor<i32>
      %39 = call @_pad(%38, %c_25) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_26 = stablehlo.constant dense<2> : tensor<i32>
      %40 = stablehlo.multiply %32, %c_26 : tensor<i32>
      %c_27 = stablehlo.constant dense<1> : tensor<i32>
      %41 = stablehlo.add %40, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<1024> : tensor<i32>
      %42 = stablehlo.multiply %41, %c_28 : tensor<i32>
      %c_29 = stablehlo.constant dense<0> : tensor<i32>
      %43 = stablehlo.compare  LT, %42, %c_29,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_30 = stablehlo.constant dense<8192> : tensor<i32>
      %44 = stablehlo.add %42, %c_30 : tensor<i32>
      %45 = stablehlo.select %43, %44, %42 : tensor<i1>, tensor<i32>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %46 = stablehlo.dynamic_slice %arg2, %c_31, %45, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_32 = stablehlo.constant dense<0> : tensor<i32>
      %47 = call @_pad_0(%46, %c_32) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %48 = call @_pad_1(%27, %c_33) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_34 = stablehlo.constant dense<0> : tensor<i32>
      %49 = call @_pad_2(%28, %c_34) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %50 = stablehlo.add %39, %47 : tensor<2048x2048xbf16>
      %51 = stablehlo.add %48, %49 : tensor<2048x1024xbf16>
      %52 = stablehlo.dot_general %50, %51, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %53 = stablehlo.add %26, %52 : tensor<2048x1024xbf16>
      %54 = "stablehlo.collective_permute"(%27) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %55 = "stablehlo.collective_permute"(%28) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_35 = stablehlo.constant dense<2> : tensor<i32>
      %56 = stablehlo.subtract %4, %c_35 : tensor<i32>
      %c_36 = stablehlo.constant dense<4> : tensor<i32>
      %57 = call @remainder(%56, %c_36) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_37 = stablehlo.constant dense<2> : tensor<i32>
      %58 = stablehlo.add %4, %c_37 : tensor<i32>
      %c_38 = stablehlo.constant dense<4> : tensor<i32>
      %59 = call @remainder(%58, %c_38) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_39 = stablehlo.constant dense<2> : tensor<i32>
      %60 = stablehlo.multiply %57, %c_39 : tensor<i32>
      %c_40 = stablehlo.constant dense<1024> : tensor<i32>
      %61 = stablehlo.multiply %60, %c_40 : tensor<i32>
      %c_41 = stablehlo.constant dense<0> : tensor<i32>
      %62 = stablehlo.compare  LT, %61, %c_41,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_42 = stablehlo.constant dense<8192> : tensor<i32>
      %63 = stablehlo.add %61, %c_42 : tensor<i32>
      %64 = stablehlo.select %62, %63, %61 : tensor<i1>, tensor<i32>
      %c_43 = stablehlo.constant dense<0> : tensor<i32>
      %65 = stablehlo.dynamic_slice %arg2, %c_43, %64, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_44 = stablehlo.constant dense<0> : tensor<i32>
      %66 = call @_pad(%65, %c_44) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_45 = stablehlo.constant dense<2> : tensor<i32>
      %67 = stablehlo.multiply %59, %c_45 : tensor<i32>
      %c_46 = stablehlo.constant dense<1> : tensor<i32>
      %68 = stablehlo.add %67, %c_46 : tensor<i32>
      %c_47 = stablehlo.constant dense<1024> : tensor<i32>
      %69 = stablehlo.multiply %68, %c_47 : tensor<i32>
      %c_48 = stablehlo.constant dense<0> : tensor<i32>
      %70 = stablehlo.compare  LT, %69, %c_48,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_49 = stablehlo.constant dense<8192> : tensor<i32>
      %71 = stablehlo.add %69, %c_49 : tensor<i32>
      %72 = stablehlo.select %70, %71, %69 : tensor<i1>, tensor<i32>
      %c_50 = stablehlo.constant dense<0> : tensor<i32>
      %73 = stablehlo.dynamic_slice %arg2, %c_50, %72, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_51 = stablehlo.constant dense<0> : tensor<i32>
      %74 = call @_pad_0(%73, %c_51) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_52 = stablehlo.constant dense<0> : tensor<i32>
      %75 = call @_pad_1(%54, %c_52) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_53 = stablehlo.constant dense<0> : tensor<i32>
      %76 = call @_pad_2(%55, %c_53) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %77 = stablehlo.add %66, %74 : tensor<2048x2048xbf16>
      %78 = stablehlo.add %75, %76 : tensor<2048x1024xbf16>
      %79 = stablehlo.dot_general %77, %78, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %80 = stablehlo.add %53, %79 : tensor<2048x1024xbf16>
      %81 = "stablehlo.collective_permute"(%54) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %82 = "stablehlo.collective_permute"(%55) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_54 = stablehlo.constant dense<3> : tensor<i32>
      %83 = stablehlo.subtract %4, %c_54 : tensor<i32>
      %c_55 = stablehlo.constant dense<4> : tensor<i32>
      %84 = call @remainder(%83, %c_55) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_56 = stablehlo.constant dense<3> : tensor<i32>
      %85 = stablehlo.add %4, %c_56 : tensor<i32>
      %c_57 = stablehlo.constant dense<4> : tensor<i32>
      %86 = call @remainder(%85, %c_57) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_58 = stablehlo.constant dense<2> : tensor<i32>
      %87 = stablehlo.multiply %84, %c_58 : tensor<i32>
      %c_59 = stablehlo.constant dense<1024> : tensor<i32>
      %88 = stablehlo.multiply %87, %c_59 : tensor<i32>
      %c_60 = stablehlo.constant dense<0> : tensor<i32>
      %89 = stablehlo.compare  LT, %88, %c_60,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_61 = stablehlo.constant dense<8192> : tensor<i32>
      %90 = stablehlo.add %88, %c_61 : tensor<i32>
      %91 = stablehlo.select %89, %90, %88 : tensor<i1>, tensor<i32>
      %c_62 = stablehlo.constant dense<0> : tensor<i32>
      %92 = stablehlo.dynamic_slice %arg2, %c_62, %91, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_63 = stablehlo.constant dense<0> : tensor<i32>
      %93 = call @_pad(%92, %c_63) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_64 = stablehlo.constant dense<2> : tensor<i32>
      %94 = stablehlo.multiply %86, %c_64 : tensor<i32>
      %c_65 = stablehlo.constant dense<1> : tensor<i32>
      %95 = stablehlo.add %94, %c_65 : tensor<i32>
      %c_66 = stablehlo.constant dense<1024> : tensor<i32>
      %96 = stablehlo.multiply %95, %c_66 : tensor<i32>
      %c_67 = stablehlo.constant dense<0> : tensor<i32>
      %97 = stablehlo.compare  LT, %96, %c_67,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_68 = stablehlo.constant dense<8192> : tensor<i32>
      %98 = stablehlo.add %96, %c_68 : tensor<i32>
      %99 = stablehlo.select %97, %98, %96 : tensor<i1>, tensor<i32>
      %c_69 = stablehlo.constant dense<0> : tensor<i32>
      %100 = stablehlo.dynamic_slice %arg2, %c_69, %99, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_70 = stablehlo.constant dense<0> : tensor<i32>
      %101 = call @_pad_0(%100, %c_70) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_71 = stablehlo.constant dense<0> : tensor<i32>
      %102 = call @_pad_1(%81, %c_71) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_72 = stablehlo.constant dense<0> : tensor<i32>
      %103 = call @_pad_2(%82, %c_72) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %104 = stablehlo.add %93, %101 : tensor<2048x2048xbf16>
      %105 = stablehlo.add %102, %103 : tensor<2048x1024xbf16>
      %106 = stablehlo.dot_general %104, %105, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %107 = stablehlo.add %80, %106 : tensor<2048x1024xbf16>
      sdy.return %107 : tensor<2048x1024xbf16>
    } : (tensor<8192x8192xbf16>, tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    return %0 : tensor<8192x1024xbf16>
  }
  func.func private @_pad(%arg0: tensor<2048x1024xbf16>, %arg1: tensor<i32>) -> tensor<2048x2048xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 1024], interior = [0, 0] : (tensor<2048x1024xbf16>, tensor<bf16>) -> tensor<2048x2048xbf16>
    return %1 : tensor<2048x2048xbf16>
  }
  func.func private @_pad_0(%arg0: tensor<2048x1024xbf16>, %arg1: tensor<i32>) -> tensor<2048x2048xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.pad %arg0, %0, low = [0, 1024], high = [0, 0], interior = [0, 0] : (tensor<2048x1024xbf16>, tensor<bf16>) -> tensor<2048x2048xbf16>
    return %1 : tensor<2048x2048xbf16>
  }
  func.func private @_pad_1(%arg0: tensor<1024x1024xbf16>, %arg1: tensor<i32>) -> tensor<2048x1024xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [1024, 0], interior = [0, 0] : (tensor<1024x1024xbf16>, tensor<bf16>) -> tensor<2048x1024xbf16>
    return %1 : tensor<2048x1024xbf16>
  }
  func.func private @_pad_2(%arg0: tensor<1024x1024xbf16>, %arg1: tensor<i32>) -> tensor<2048x1024xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.pad %arg0, %0, low = [1024, 0], high = [0, 0], interior = [0, 0] : (tensor<1024x1024xbf16>, tensor<bf16>) -> tensor<2048x1024xbf16>
    return %1 : tensor<2048x1024xbf16>
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
