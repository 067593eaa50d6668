module @jit_scanned attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x4096xbf16>, %arg1: tensor<2x32x8x4096x128xbf16> {tf.aliasing_output = 1 : i32}, %arg2: tensor<2x32x8x4096x128xbf16> {tf.aliasing_output = 2 : i32}, %arg3: tensor<i32>, %arg4: tensor<2x14336x4096xbf16>, %arg5: tensor<2x4096x14336xbf16>, %arg6: tensor<2x4096x1024xbf16>, %arg7: tensor<2x4096xbf16>, %arg8: tensor<2x4096xbf16>, %arg9: tensor<2x4096x4096xbf16>, %arg10: tensor<2x4096x4096xbf16>, %arg11: tensor<2x4096x14336xbf16>, %arg12: tensor<2x4096x1024xbf16>) -> (tensor<32x4096xbf16> {jax.result_info = "result[0]"}, tensor<2x32x8x4096x128xbf16> {jax.result_info = "result[1]"}, tensor<2x32x8x4096x128xbf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:15 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg4, %iterArg_1 = %arg5, %iterArg_2 = %arg6, %iterArg_3 = %arg7, %iterArg_4 = %arg8, %iterArg_5 = %arg9, %iterArg_6 = %arg10, %iterArg_7 = %arg11, %iterArg_8 = %arg12, %iterArg_9 = %arg3, %iterArg_10 = %c, %iterArg_11 = %arg0, %iterArg_12 = %arg1, %iterArg_13 = %arg2) : tensor<2xi32>, tensor<2x14336x4096xbf16>, tensor<2x4096x14336xbf16>, tensor<2x4096x1024xbf16>, tensor<2x4096xbf16>, tensor<2x4096xbf16>, tensor<2x4096x4096xbf16>, tensor<2x4096x4096xbf16>, tensor<2x4096x14336xbf16>, tensor<2x4096x1024xbf16>, tensor<i32>, tensor<i32>, tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>
    cond {
      %c_14 = stablehlo.constant dense<2> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_10, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_10) : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
      %3 = func.call @dynamic_index_in_dim_0(%iterArg_0, %iterArg_10) : (tensor<2x14336x4096xbf16>, tensor<i32>) -> tensor<14336x4096xbf16>
      %4 = func.call @dynamic_index_in_dim_1(%iterArg_1, %iterArg_10) : (tensor<2x4096x14336xbf16>, tensor<i32>) -> tensor<4096x14336xbf16>
      %5 = func.call @dynamic_index_in_dim_2(%iterArg_2, %iterArg_10) : (tensor<2x4096x1024xbf16>, tensor<i32>) -> tensor<4096x1024xbf16>
      %6 = func.call @dynamic_index_in_dim_3(%iterArg_3, %iterArg_10) : (tensor<2x4096xbf16>, tensor<i32>) -> tensor<4096xbf16>
      %7 = func.call @dynamic_index_in_dim_3(%iterArg_4, %iterArg_10) : (tensor<2x4096xbf16>, tensor<i32>) -> tensor<4096xbf16>
      %8 = func.call @dynamic_index_in_dim_4(%iterArg_5, %iterArg_10) : (tensor<2x4096x4096xbf16>, tensor<i32>) -> tensor<4096x4096xbf16>
      %9 = func.call @dynamic_index_in_dim_4(%iterArg_6, %iterArg_10) : (tensor<2x4096x4096xbf16>, tensor<i32>) -> tensor<4096x4096xbf16>
      %10 = func.call @dynamic_index_in_dim_1(%iterArg_7, %iterArg_10) : (tensor<2x4096x14336xbf16>, tensor<i32>) -> tensor<4096x14336xbf16>
      %11 = func.call @dynamic_index_in_dim_2(%iterArg_8, %iterArg_10) : (tensor<2x4096x1024xbf16>, tensor<i32>) -> tensor<4096x1024xbf16>
      %12:3 = func.call @closed_call(%iterArg_9, %iterArg_11, %iterArg_12, %iterArg_13, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11) : (tensor<i32>, tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<i32>, tensor<14336x4096xbf16>, tensor<4096x14336xbf16>, tensor<4096x1024xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096x4096xbf16>, tensor<4096x4096xbf16>, tensor<4096x14336xbf16>, tensor<4096x1024xbf16>) -> (tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>)
      %c_14 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg_10, %c_14 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %13, %12#0, %12#1, %12#2 : tensor<2xi32>, tensor<2x14336x4096xbf16>, tensor<2x4096x14336xbf16>, tensor<2x4096x1024xbf16>, tensor<2x4096xbf16>, tensor<2x4096xbf16>, tensor<2x4096x4096xbf16>, tensor<2x4096x4096xbf16>, tensor<2x4096x14336xbf16>, tensor<2x4096x1024xbf16>, tensor<i32>, tensor<i32>, tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>
    }
    return %1#12, %1#13, %1#14 : tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<2x14336x4096xbf16>, %arg1: tensor<i32>) -> tensor<14336x4096xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 14336, 4096] : (tensor<2x14336x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x14336x4096xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x14336x4096xbf16>) -> tensor<14336x4096xbf16>
    return %1 : tensor<14336x4096xbf16>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<2x4096x14336xbf16>, %arg1: tensor<i32>) -> tensor<4096x14336xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4096, 14336] : (tensor<2x4096x14336xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x14336xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x4096x14336xbf16>) -> tensor<4096x14336xbf16>
    return %1 : tensor<4096x14336xbf16>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<2x4096x1024xbf16>, %arg1: tensor<i32>) -> tensor<4096x1024xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4096, 1024] : (tensor<2x4096x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x1024xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x4096x1024xbf16>) -> tensor<4096x1024xbf16>
    return %1 : tensor<4096x1024xbf16>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<2x4096xbf16>, %arg1: tensor<i32>) -> tensor<4096xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4096] : (tensor<2x4096xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x4096xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x4096xbf16>) -> tensor<4096xbf16>
    return %1 : tensor<4096xbf16>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<2x4096x4096xbf16>, %arg1: tensor<i32>) -> tensor<4096x4096xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4096, 4096] : (tensor<2x4096x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x4096xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x4096x4096xbf16>) -> tensor<4096x4096xbf16>
    return %1 : tensor<4096x4096xbf16>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<32x4096xbf16>, %arg2: tensor<2x32x8x4096x128xbf16>, %arg3: tensor<2x32x8x4096x128xbf16>, %arg4: tensor<i32>, %arg5: tensor<14336x4096xbf16>, %arg6: tensor<4096x14336xbf16>, %arg7: tensor<4096x1024xbf16>, %arg8: tensor<4096xbf16>, %arg9: tensor<4096xbf16>, %arg10: tensor<4096x4096xbf16>, %arg11: tensor<4096x4096xbf16>, %arg12: tensor<4096x14336xbf16>, %arg13: tensor<4096x1024xbf16>) -> (tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>) {
    %0 = stablehlo.convert %arg1 : (tensor<32x4096xbf16>) -> tensor<32x4096xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<32x4096xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x4096xf32>, tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_0 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<32x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %7 = stablehlo.add %5, %6 : tensor<32x1xf32>
    %8 = stablehlo.rsqrt %7 : tensor<32x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x4096xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<32x4096xf32>
    %11 = stablehlo.convert %10 : (tensor<32x4096xf32>) -> tensor<32x4096xbf16>
    %12 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<32x4096xbf16>
    %14 = stablehlo.multiply %11, %13 : tensor<32x4096xbf16>
    %15 = stablehlo.dot_general %14, %arg11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<32x4096xbf16>
    %16 = stablehlo.reshape %15 : (tensor<32x4096xbf16>) -> tensor<32x32x128xbf16>
    %17 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %18 = stablehlo.iota dim = 0 : tensor<64xf32>
    %19 = stablehlo.negate %18 : tensor<64xf32>
    %cst_2 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %21 = stablehlo.divide %19, %20 : tensor<64xf32>
    %cst_3 = stablehlo.constant dense<5.000000e+05> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %23 = stablehlo.power %22, %21 : tensor<64xf32>
    %24 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<64xf32>
    %26 = stablehlo.convert %16 : (tensor<32x32x128xbf16>) -> tensor<32x32x128xf32>
    %27 = stablehlo.slice %26 [0:32, 0:32, 0:64] : (tensor<32x32x128xf32>) -> tensor<32x32x64xf32>
    %28 = stablehlo.slice %26 [0:32, 0:32, 64:128] : (tensor<32x32x128xf32>) -> tensor<32x32x64xf32>
    %29 = stablehlo.cosine %25 : tensor<64xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %32 = stablehlo.multiply %27, %31 : tensor<32x32x64xf32>
    %33 = stablehlo.sine %25 : tensor<64xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %36 = stablehlo.multiply %28, %35 : tensor<32x32x64xf32>
    %37 = stablehlo.subtract %32, %36 : tensor<32x32x64xf32>
    %38 = stablehlo.cosine %25 : tensor<64xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %41 = stablehlo.multiply %28, %40 : tensor<32x32x64xf32>
    %42 = stablehlo.sine %25 : tensor<64xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %45 = stablehlo.multiply %27, %44 : tensor<32x32x64xf32>
    %46 = stablehlo.add %41, %45 : tensor<32x32x64xf32>
    %47 = stablehlo.concatenate %37, %46, dim = 2 : (tensor<32x32x64xf32>, tensor<32x32x64xf32>) -> tensor<32x32x128xf32>
    %48 = stablehlo.convert %47 : (tensor<32x32x128xf32>) -> tensor<32x32x128xbf16>
    %49 = stablehlo.dot_general %14, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<32x1024xbf16>
    %50 = stablehlo.reshape %49 : (tensor<32x1024xbf16>) -> tensor<32x8x128xbf16>
    %51 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %52 = stablehlo.iota dim = 0 : tensor<64xf32>
    %53 = stablehlo.negate %52 : tensor<64xf32>
    %cst_4 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %55 = stablehlo.divide %53, %54 : tensor<64xf32>
    %cst_5 = stablehlo.constant dense<5.000000e+05> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %57 = stablehlo.power %56, %55 : tensor<64xf32>
    %58 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %59 = stablehlo.multiply %58, %57 : tensor<64xf32>
    %60 = stablehlo.convert %50 : (tensor<32x8x128xbf16>) -> tensor<32x8x128xf32>
    %61 = stablehlo.slice %60 [0:32, 0:8, 0:64] : (tensor<32x8x128xf32>) -> tensor<32x8x64xf32>
    %62 = stablehlo.slice %60 [0:32, 0:8, 64:128] : (tensor<32x8x128xf32>) -> tensor<32x8x64xf32>
    %63 = stablehlo.cosine %59 : tensor<64xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %66 = stablehlo.multiply %61, %65 : tensor<32x8x64xf32>
    %67 = stablehlo.sine %59 : tensor<64xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %70 = stablehlo.multiply %62, %69 : tensor<32x8x64xf32>
    %71 = stablehlo.subtract %66, %70 : tensor<32x8x64xf32>
    %72 = stablehlo.cosine %59 : tensor<64xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %75 = stablehlo.multiply %62, %74 : tensor<32x8x64xf32>
    %76 = stablehlo.sine %59 : tensor<64xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %79 = stablehlo.multiply %61, %78 : tensor<32x8x64xf32>
    %80 = stablehlo.add %75, %79 : tensor<32x8x64xf32>
    %81 = stablehlo.concatenate %71, %80, dim = 2 : (tensor<32x8x64xf32>, tensor<32x8x64xf32>) -> tensor<32x8x128xf32>
    %82 = stablehlo.convert %81 : (tensor<32x8x128xf32>) -> tensor<32x8x128xbf16>
    %83 = stablehlo.dot_general %14, %arg13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<32x1024xbf16>
    %84 = stablehlo.reshape %83 : (tensor<32x1024xbf16>) -> tensor<32x8x128xbf16>
    %85 = stablehlo.broadcast_in_dim %82, dims = [1, 2, 4] : (tensor<32x8x128xbf16>) -> tensor<1x32x8x1x128xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %86 = stablehlo.compare LT, %arg4, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<2> : tensor<i32>
    %87 = stablehlo.add %arg4, %c_6 : tensor<i32>
    %88 = stablehlo.select %86, %87, %arg4 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %89 = stablehlo.compare LT, %arg0, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<4096> : tensor<i32>
    %90 = stablehlo.add %arg0, %c_8 : tensor<i32>
    %91 = stablehlo.select %89, %90, %arg0 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %92 = stablehlo.dynamic_update_slice %arg2, %85, %88, %c_9, %c_10, %91, %c_11 : (tensor<2x32x8x4096x128xbf16>, tensor<1x32x8x1x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x8x4096x128xbf16>
    %93 = stablehlo.broadcast_in_dim %84, dims = [1, 2, 4] : (tensor<32x8x128xbf16>) -> tensor<1x32x8x1x128xbf16>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %94 = stablehlo.compare LT, %arg4, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<2> : tensor<i32>
    %95 = stablehlo.add %arg4, %c_13 : tensor<i32>
    %96 = stablehlo.select %94, %95, %arg4 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %97 = stablehlo.compare LT, %arg0, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_15 = stablehlo.constant dense<4096> : tensor<i32>
    %98 = stablehlo.add %arg0, %c_15 : tensor<i32>
    %99 = stablehlo.select %97, %98, %arg0 : tensor<i1>, tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %100 = stablehlo.dynamic_update_slice %arg3, %93, %96, %c_16, %c_17, %99, %c_18 : (tensor<2x32x8x4096x128xbf16>, tensor<1x32x8x1x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x8x4096x128xbf16>
    %101 = call @dynamic_index_in_dim_5(%92, %arg4) : (tensor<2x32x8x4096x128xbf16>, tensor<i32>) -> tensor<32x8x4096x128xbf16>
    %102 = call @dynamic_index_in_dim_5(%100, %arg4) : (tensor<2x32x8x4096x128xbf16>, tensor<i32>) -> tensor<32x8x4096x128xbf16>
    %103 = stablehlo.reshape %48 : (tensor<32x32x128xbf16>) -> tensor<32x8x4x128xbf16>
    %104 = stablehlo.dot_general %103, %101, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<32x8x4x128xbf16>, tensor<32x8x4096x128xbf16>) -> tensor<32x8x4x4096xf32>
    %cst_19 = stablehlo.constant dense<0.0883883461> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<32x8x4x4096xf32>
    %106 = stablehlo.multiply %104, %105 : tensor<32x8x4x4096xf32>
    %107 = stablehlo.iota dim = 0 : tensor<4096xi32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [3] : (tensor<4096xi32>) -> tensor<1x1x1x4096xi32>
    %109 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i32>) -> tensor<1x1x1x4096xi32>
    %110 = stablehlo.compare LE, %108, %109, SIGNED : (tensor<1x1x1x4096xi32>, tensor<1x1x1x4096xi32>) -> tensor<1x1x1x4096xi1>
    %cst_20 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %111 = call @_where(%110, %106, %cst_20) : (tensor<1x1x1x4096xi1>, tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4x4096xf32>
    %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %112 = stablehlo.reduce(%111 init: %cst_21) applies stablehlo.maximum across dimensions = [3] : (tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<32x8x4xf32>
    %114 = stablehlo.maximum %113, %112 : tensor<32x8x4xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<32x8x4xf32>) -> tensor<32x8x4x1xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2, 3] : (tensor<32x8x4x1xf32>) -> tensor<32x8x4x4096xf32>
    %117 = stablehlo.subtract %111, %116 : tensor<32x8x4x4096xf32>
    %118 = stablehlo.exponential %117 : tensor<32x8x4x4096xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%118 init: %cst_23) applies stablehlo.add across dimensions = [3] : (tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<32x8x4xf32>) -> tensor<32x8x4x1xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2, 3] : (tensor<32x8x4x1xf32>) -> tensor<32x8x4x4096xf32>
    %122 = stablehlo.divide %118, %121 : tensor<32x8x4x4096xf32>
    %123 = stablehlo.convert %122 : (tensor<32x8x4x4096xf32>) -> tensor<32x8x4x4096xbf16>
    %124 = stablehlo.dot_general %123, %102, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x8x4x4096xbf16>, tensor<32x8x4096x128xbf16>) -> tensor<32x8x4x128xbf16>
    %125 = stablehlo.reshape %124 : (tensor<32x8x4x128xbf16>) -> tensor<32x4096xbf16>
    %126 = stablehlo.dot_general %125, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<32x4096xbf16>
    %127 = stablehlo.add %arg1, %126 : tensor<32x4096xbf16>
    %128 = stablehlo.convert %127 : (tensor<32x4096xbf16>) -> tensor<32x4096xf32>
    %129 = stablehlo.multiply %128, %128 : tensor<32x4096xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<32x4096xf32>, tensor<f32>) -> tensor<32xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_25 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %133 = stablehlo.divide %131, %132 : tensor<32x1xf32>
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %135 = stablehlo.add %133, %134 : tensor<32x1xf32>
    %136 = stablehlo.rsqrt %135 : tensor<32x1xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x4096xf32>
    %138 = stablehlo.multiply %128, %137 : tensor<32x4096xf32>
    %139 = stablehlo.convert %138 : (tensor<32x4096xf32>) -> tensor<32x4096xbf16>
    %140 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<32x4096xbf16>
    %142 = stablehlo.multiply %139, %141 : tensor<32x4096xbf16>
    %143 = stablehlo.dot_general %142, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<32x14336xbf16>
    %144 = call @silu(%143) : (tensor<32x14336xbf16>) -> tensor<32x14336xbf16>
    %145 = stablehlo.dot_general %142, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<32x14336xbf16>
    %146 = stablehlo.multiply %144, %145 : tensor<32x14336xbf16>
    %147 = stablehlo.dot_general %146, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x14336xbf16>, tensor<14336x4096xbf16>) -> tensor<32x4096xbf16>
    %148 = stablehlo.add %127, %147 : tensor<32x4096xbf16>
    return %148, %92, %100 : tensor<32x4096xbf16>, tensor<2x32x8x4096x128xbf16>, tensor<2x32x8x4096x128xbf16>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<2x32x8x4096x128xbf16>, %arg1: tensor<i32>) -> tensor<32x8x4096x128xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c_1, %c_2, %c_3, %c_4, sizes = [1, 32, 8, 4096, 128] : (tensor<2x32x8x4096x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x8x4096x128xbf16>
    %4 = stablehlo.reshape %3 : (tensor<1x32x8x4096x128xbf16>) -> tensor<32x8x4096x128xbf16>
    return %4 : tensor<32x8x4096x128xbf16>
  }
  func.func private @_where(%arg0: tensor<1x1x1x4096xi1>, %arg1: tensor<32x8x4x4096xf32>, %arg2: tensor<f32>) -> tensor<32x8x4x4096xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x4096xi1>) -> tensor<32x8x4x4096xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<32x8x4x4096xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<32x8x4x4096xi1>, tensor<32x8x4x4096xf32>
    return %3 : tensor<32x8x4x4096xf32>
  }
  func.func private @silu(%arg0: tensor<32x14336xbf16>) -> tensor<32x14336xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<32x14336xbf16>
    %1 = stablehlo.exponential %0 : tensor<32x14336xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<32x14336xbf16>
    %3 = stablehlo.add %2, %1 : tensor<32x14336xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<32x14336xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<32x14336xbf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<32x14336xbf16>
    return %6 : tensor<32x14336xbf16>
  }
}
