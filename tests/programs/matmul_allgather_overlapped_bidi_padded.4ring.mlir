module @jit_matmul_allgather_overlapped_bidi_padded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4], device_ids=[0, 1, 3, 2]>
  func.func public @main(%arg0: tensor<8192x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, %arg1: tensor<8192x1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<8192x1024xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg2: tensor<2048x8192xbf16>, %arg3: tensor<2048x1024xbf16>) {
      %c = stablehlo.constant dense<[0, 1, 3, 2]> : tensor<4xi32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi32>, tensor<ui32>) -> tensor<1xi32>
      %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
      %4 = stablehlo.slice %arg3 [0:1024, 0:1024] : (tensor<2048x1024xbf16>) -> tensor<1024x1024xbf16>
      %5 = stablehlo.slice %arg3 [1024:2048, 0:1024] : (tensor<2048x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_0 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.multiply %3, %c_0 : tensor<i32>
      %c_1 = stablehlo.constant dense<1024> : tensor<i32>
      %7 = stablehlo.multiply %6, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare  LT, %7, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<8192> : tensor<i32>
      %9 = stablehlo.add %7, %c_3 : tensor<i32>
      %10 = stablehlo.select %8, %9, %7 : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.dynamic_slice %arg2, %c_4, %10, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %12 = call @_pad(%11, %c_5) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_6 = stablehlo.constant dense<2> : tensor<i32>
      %13 = stablehlo.multiply %3, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %13, %c_7 : tensor<i32>
      %c_8 = stablehlo.constant dense<1024> : tensor<i32>
      %15 = stablehlo.multiply %14, %c_8 : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %16 = stablehlo.compare  LT, %15, %c_9,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<8192> : tensor<i32>
      %17 = stablehlo.add %15, %c_10 : tensor<i32>
      %18 = stablehlo.select %16, %17, %15 : tensor<i1>, tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.dynamic_slice %arg2, %c_11, %18, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %20 = call @_pad_0(%19, %c_12) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %21 = call @_pad_1(%4, %c_13) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %22 = call @_pad_2(%5, %c_14) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %23 = stablehlo.add %12, %20 : tensor<2048x2048xbf16>
      %24 = stablehlo.add %21, %22 : tensor<2048x1024xbf16>
      %25 = stablehlo.dot_general %23, %24, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %26 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %27 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [3, 1], [2, 3]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %28 = stablehlo.subtract %3, %c_15 : tensor<i32>
      %c_16 = stablehlo.constant dense<4> : tensor<i32>
      %29 = call @remainder(%28, %c_16) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_17 = stablehlo.constant dense<1> : tensor<i32>
      %30 = stablehlo.add %3, %c_17 : tensor<i32>
      %c_18 = stablehlo.constant dense<4> : tensor<i32>
      %31 = call @remainder(%30, %c_18) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_19 = stablehlo.constant dense<2> : tensor<i32>
      %32 = stablehlo.multiply %29, %c_19 : tensor<i32>
      %c_20 = stablehlo.constant dense<1024> : tensor<i32>
      %33 = stablehlo.multiply %32, %c_20 : tensor<i32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %34 = stablehlo.compare  LT, %33, %c_21,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_22 = stablehlo.constant dense<8192> : tensor<i32>
      %35 = stablehlo.add %33, %c_22 : tensor<i32>
      %36 = stablehlo.select %34, %35, %33 : tensor<i1>, tensor<i32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.dynamic_slice %arg2, %c_23, %36, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %38 = call @_pad(%37, %c_24) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_25 = stablehlo.constant dense<2> : tensor<i32>
      %39 = stablehlo.multiply %31, %c_25 : tensor<i32>
      %c_26 = stablehlo.constant dense<1> : tensor<i32>
      %40 = stablehlo.add %39, %c_26 : tensor<i32>
      %c_27 = stablehlo.constant dense<1024> : tensor<i32>
      %41 = stablehlo.multiply %40, %c_27 : tensor<i32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %42 = stablehlo.compare  LT, %41, %c_28,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_29 = stablehlo.constant dense<8192> : tensor<i32>
      %43 = stablehlo.add %41, %c_29 : tensor<i32>
      %44 = stablehlo.select %42, %43, %41 : tensor<i1>, tensor<i32>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %45 = stablehlo.dynamic_slice %arg2, %c_30, %44, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_31 = stablehlo.constant dense<0> : tensor<i32>
      %46 = call @_pad_0(%45, %c_31) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_32 = stablehlo.constant dense<0> : tensor<i32>
      %47 = call @_pad_1(%26, %c_32) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %48 = call @_pad_2(%27, %c_33) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %49 = stablehlo.add %38, %46 : tensor<2048x2048xbf16>
      %50 = stablehlo.add %47, %48 : tensor<2048x1024xbf16>
      %51 = stablehlo.dot_general %49, %50, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %52 = stablehlo.add %25, %51 : tensor<2048x1024xbf16>
      %53 = "stablehlo.collective_permute"(%26) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %54 = "stablehlo.collective_permute"(%27) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [3, 1], [2, 3]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_34 = stablehlo.constant dense<2> : tensor<i32>
      %55 = stablehlo.subtract %3, %c_34 : tensor<i32>
      %c_35 = stablehlo.constant dense<4> : tensor<i32>
      %56 = call @remainder(%55, %c_35) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_36 = stablehlo.constant dense<2> : tensor<i32>
      %57 = stablehlo.add %3, %c_36 : tensor<i32>
      %c_37 = stablehlo.constant dense<4> : tensor<i32>
      %58 = call @remainder(%57, %c_37) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_38 = stablehlo.constant dense<2> : tensor<i32>
      %59 = stablehlo.multiply %56, %c_38 : tensor<i32>
      %c_39 = stablehlo.constant dense<1024> : tensor<i32>
      %60 = stablehlo.multiply %59, %c_39 : tensor<i32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %61 = stablehlo.compare  LT, %60, %c_40,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_41 = stablehlo.constant dense<8192> : tensor<i32>
      %62 = stablehlo.add %60, %c_41 : tensor<i32>
      %63 = stablehlo.select %61, %62, %60 : tensor<i1>, tensor<i32>
      %c_42 = stablehlo.constant dense<0> : tensor<i32>
      %64 = stablehlo.dynamic_slice %arg2, %c_42, %63, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_43 = stablehlo.constant dense<0> : tensor<i32>
      %65 = call @_pad(%64, %c_43) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_44 = stablehlo.constant dense<2> : tensor<i32>
      %66 = stablehlo.multiply %58, %c_44 : tensor<i32>
      %c_45 = stablehlo.constant dense<1> : tensor<i32>
      %67 = stablehlo.add %66, %c_45 : tensor<i32>
      %c_46 = stablehlo.constant dense<1024> : tensor<i32>
      %68 = stablehlo.multiply %67, %c_46 : tensor<i32>
      %c_47 = stablehlo.constant dense<0> : tensor<i32>
      %69 = stablehlo.compare  LT, %68, %c_47,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_48 = stablehlo.constant dense<8192> : tensor<i32>
      %70 = stablehlo.add %68, %c_48 : tensor<i32>
      %71 = stablehlo.select %69, %70, %68 : tensor<i1>, tensor<i32>
      %c_49 = stablehlo.constant dense<0> : tensor<i32>
      %72 = stablehlo.dynamic_slice %arg2, %c_49, %71, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_50 = stablehlo.constant dense<0> : tensor<i32>
      %73 = call @_pad_0(%72, %c_50) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_51 = stablehlo.constant dense<0> : tensor<i32>
      %74 = call @_pad_1(%53, %c_51) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_52 = stablehlo.constant dense<0> : tensor<i32>
      %75 = call @_pad_2(%54, %c_52) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %76 = stablehlo.add %65, %73 : tensor<2048x2048xbf16>
      %77 = stablehlo.add %74, %75 : tensor<2048x1024xbf16>
      %78 = stablehlo.dot_general %76, %77, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %79 = stablehlo.add %52, %78 : tensor<2048x1024xbf16>
      %80 = "stablehlo.collective_permute"(%53) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %81 = "stablehlo.collective_permute"(%54) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [3, 1], [2, 3]]> : tensor<4x2xi64>}> : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      %c_53 = stablehlo.constant dense<3> : tensor<i32>
      %82 = stablehlo.subtract %3, %c_53 : tensor<i32>
      %c_54 = stablehlo.constant dense<4> : tensor<i32>
      %83 = call @remainder(%82, %c_54) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_55 = stablehlo.constant dense<3> : tensor<i32>
      %84 = stablehlo.add %3, %c_55 : tensor<i32>
      %c_56 = stablehlo.constant dense<4> : tensor<i32>
      %85 = call @remainder(%84, %c_56) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_57 = stablehlo.constant dense<2> : tensor<i32>
      %86 = stablehlo.multiply %83, %c_57 : tensor<i32>
      %c_58 = stablehlo.constant dense<1024> : tensor<i32>
      %87 = stablehlo.multiply %86, %c_58 : tensor<i32>
      %c_59 = stablehlo.constant dense<0> : tensor<i32>
      %88 = stablehlo.compare  LT, %87, %c_59,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_60 = stablehlo.constant dense<8192> : tensor<i32>
      %89 = stablehlo.add %87, %c_60 : tensor<i32>
      %90 = stablehlo.select %88, %89, %87 : tensor<i1>, tensor<i32>
      %c_61 = stablehlo.constant dense<0> : tensor<i32>
      %91 = stablehlo.dynamic_slice %arg2, %c_61, %90, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_62 = stablehlo.constant dense<0> : tensor<i32>
      %92 = call @_pad(%91, %c_62) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_63 = stablehlo.constant dense<2> : tensor<i32>
      %93 = stablehlo.multiply %85, %c_63 : tensor<i32>
      %c_64 = stablehlo.constant dense<1> : tensor<i32>
      %94 = stablehlo.add %93, %c_64 : tensor<i32>
      %c_65 = stablehlo.constant dense<1024> : tensor<i32>
      %95 = stablehlo.multiply %94, %c_65 : tensor<i32>
      %c_66 = stablehlo.constant dense<0> : tensor<i32>
      %96 = stablehlo.compare  LT, %95, %c_66,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_67 = stablehlo.constant dense<8192> : tensor<i32>
      %97 = stablehlo.add %95, %c_67 : tensor<i32>
      %98 = stablehlo.select %96, %97, %95 : tensor<i1>, tensor<i32>
      %c_68 = stablehlo.constant dense<0> : tensor<i32>
      %99 = stablehlo.dynamic_slice %arg2, %c_68, %98, sizes = [2048, 1024] : (tensor<2048x8192xbf16>, tensor<i32>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_69 = stablehlo.constant dense<0> : tensor<i32>
      %100 = call @_pad_0(%99, %c_69) : (tensor<2048x1024xbf16>, tensor<i32>) -> tensor<2048x2048xbf16>
      %c_70 = stablehlo.constant dense<0> : tensor<i32>
      %101 = call @_pad_1(%80, %c_70) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %c_71 = stablehlo.constant dense<0> : tensor<i32>
      %102 = call @_pad_2(%81, %c_71) : (tensor<1024x1024xbf16>, tensor<i32>) -> tensor<2048x1024xbf16>
      %103 = stablehlo.add %92, %100 : tensor<2048x2048xbf16>
      %104 = stablehlo.add %101, %102 : tensor<2048x1024xbf16>
      %105 = stablehlo.dot_general %103, %104, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
      %106 = stablehlo.add %79, %105 : tensor<2048x1024xbf16>
      sdy.return %106 : tensor<2048x1024xbf16>
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
