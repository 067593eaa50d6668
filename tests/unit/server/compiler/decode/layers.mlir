module @jit_layers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x4096xbf16>, %arg1: tensor<32x8x4096x128xbf16> {tf.aliasing_output = 1 : i32}, %arg2: tensor<32x8x4096x128xbf16> {tf.aliasing_output = 2 : i32}, %arg3: tensor<32x8x4096x128xbf16> {tf.aliasing_output = 3 : i32}, %arg4: tensor<32x8x4096x128xbf16> {tf.aliasing_output = 4 : i32}, %arg5: tensor<i32>, %arg6: tensor<14336x4096xbf16>, %arg7: tensor<4096x14336xbf16>, %arg8: tensor<4096x1024xbf16>, %arg9: tensor<4096xbf16>, %arg10: tensor<4096xbf16>, %arg11: tensor<4096x4096xbf16>, %arg12: tensor<4096x4096xbf16>, %arg13: tensor<4096x14336xbf16>, %arg14: tensor<4096x1024xbf16>, %arg15: tensor<14336x4096xbf16>, %arg16: tensor<4096x14336xbf16>, %arg17: tensor<4096x1024xbf16>, %arg18: tensor<4096xbf16>, %arg19: tensor<4096xbf16>, %arg20: tensor<4096x4096xbf16>, %arg21: tensor<4096x4096xbf16>, %arg22: tensor<4096x14336xbf16>, %arg23: tensor<4096x1024xbf16>) -> (tensor<32x4096xbf16> {jax.result_info = "result[0]"}, tensor<32x8x4096x128xbf16> {jax.result_info = "result[1][0][0]"}, tensor<32x8x4096x128xbf16> {jax.result_info = "result[1][0][1]"}, tensor<32x8x4096x128xbf16> {jax.result_info = "result[1][1][0]"}, tensor<32x8x4096x128xbf16> {jax.result_info = "result[1][1][1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<32x4096xbf16>) -> tensor<32x4096xf32>
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
    %12 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<32x4096xbf16>
    %14 = stablehlo.multiply %11, %13 : tensor<32x4096xbf16>
    %15 = stablehlo.dot_general %14, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<32x4096xbf16>
    %16 = stablehlo.reshape %15 : (tensor<32x4096xbf16>) -> tensor<32x32x128xbf16>
    %17 = stablehlo.convert %arg5 : (tensor<i32>) -> tensor<f32>
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
    %49 = stablehlo.dot_general %14, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<32x1024xbf16>
    %50 = stablehlo.reshape %49 : (tensor<32x1024xbf16>) -> tensor<32x8x128xbf16>
    %51 = stablehlo.convert %arg5 : (tensor<i32>) -> tensor<f32>
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
    %83 = stablehlo.dot_general %14, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<32x1024xbf16>
    %84 = stablehlo.reshape %83 : (tensor<32x1024xbf16>) -> tensor<32x8x128xbf16>
    %85 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 3] : (tensor<32x8x128xbf16>) -> tensor<32x8x1x128xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %86 = stablehlo.compare LT, %arg5, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<4096> : tensor<i32>
    %87 = stablehlo.add %arg5, %c_6 : tensor<i32>
    %88 = stablehlo.select %86, %87, %arg5 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %89 = stablehlo.dynamic_update_slice %arg1, %85, %c_7, %c_8, %88, %c_9 : (tensor<32x8x4096x128xbf16>, tensor<32x8x1x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x8x4096x128xbf16>
    %90 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 3] : (tensor<32x8x128xbf16>) -> tensor<32x8x1x128xbf16>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %91 = stablehlo.compare LT, %arg5, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_11 = stablehlo.constant dense<4096> : tensor<i32>
    %92 = stablehlo.add %arg5, %c_11 : tensor<i32>
    %93 = stablehlo.select %91, %92, %arg5 : tensor<i1>, tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %94 = stablehlo.dynamic_update_slice %arg2, %90, %c_12, %c_13, %93, %c_14 : (tensor<32x8x4096x128xbf16>, tensor<32x8x1x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x8x4096x128xbf16>
    %95 = stablehlo.reshape %48 : (tensor<32x32x128xbf16>) -> tensor<32x8x4x128xbf16>
    %96 = stablehlo.dot_general %95, %89, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<32x8x4x128xbf16>, tensor<32x8x4096x128xbf16>) -> tensor<32x8x4x4096xf32>
    %cst_15 = stablehlo.constant dense<0.0883883461> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<32x8x4x4096xf32>
    %98 = stablehlo.multiply %96, %97 : tensor<32x8x4x4096xf32>
    %99 = stablehlo.iota dim = 0 : tensor<4096xi32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [3] : (tensor<4096xi32>) -> tensor<1x1x1x4096xi32>
    %101 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<i32>) -> tensor<1x1x1x4096xi32>
    %102 = stablehlo.compare LE, %100, %101, SIGNED : (tensor<1x1x1x4096xi32>, tensor<1x1x1x4096xi32>) -> tensor<1x1x1x4096xi1>
    %cst_16 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %103 = call @_where(%102, %98, %cst_16) : (tensor<1x1x1x4096xi1>, tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4x4096xf32>
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_17) applies stablehlo.maximum across dimensions = [3] : (tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32x8x4xf32>
    %106 = stablehlo.maximum %105, %104 : tensor<32x8x4xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2] : (tensor<32x8x4xf32>) -> tensor<32x8x4x1xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2, 3] : (tensor<32x8x4x1xf32>) -> tensor<32x8x4x4096xf32>
    %109 = stablehlo.subtract %103, %108 : tensor<32x8x4x4096xf32>
    %110 = stablehlo.exponential %109 : tensor<32x8x4x4096xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_19) applies stablehlo.add across dimensions = [3] : (tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1, 2] : (tensor<32x8x4xf32>) -> tensor<32x8x4x1xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2, 3] : (tensor<32x8x4x1xf32>) -> tensor<32x8x4x4096xf32>
    %114 = stablehlo.divide %110, %113 : tensor<32x8x4x4096xf32>
    %115 = stablehlo.convert %114 : (tensor<32x8x4x4096xf32>) -> tensor<32x8x4x4096xbf16>
    %116 = stablehlo.dot_general %115, %94, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x8x4x4096xbf16>, tensor<32x8x4096x128xbf16>) -> tensor<32x8x4x128xbf16>
    %117 = stablehlo.reshape %116 : (tensor<32x8x4x128xbf16>) -> tensor<32x4096xbf16>
    %118 = stablehlo.dot_general %117, %arg11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<32x4096xbf16>
    %119 = stablehlo.add %arg0, %118 : tensor<32x4096xbf16>
    %120 = stablehlo.convert %119 : (tensor<32x4096xbf16>) -> tensor<32x4096xf32>
    %121 = stablehlo.multiply %120, %120 : tensor<32x4096xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_20) applies stablehlo.add across dimensions = [1] : (tensor<32x4096xf32>, tensor<f32>) -> tensor<32xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_21 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %125 = stablehlo.divide %123, %124 : tensor<32x1xf32>
    %cst_22 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %127 = stablehlo.add %125, %126 : tensor<32x1xf32>
    %128 = stablehlo.rsqrt %127 : tensor<32x1xf32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x4096xf32>
    %130 = stablehlo.multiply %120, %129 : tensor<32x4096xf32>
    %131 = stablehlo.convert %130 : (tensor<32x4096xf32>) -> tensor<32x4096xbf16>
    %132 = stablehlo.broadcast_in_dim %arg10, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<32x4096xbf16>
    %134 = stablehlo.multiply %131, %133 : tensor<32x4096xbf16>
    %135 = stablehlo.dot_general %134, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<32x14336xbf16>
    %136 = call @silu(%135) : (tensor<32x14336xbf16>) -> tensor<32x14336xbf16>
    %137 = stablehlo.dot_general %134, %arg13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<32x14336xbf16>
    %138 = stablehlo.multiply %136, %137 : tensor<32x14336xbf16>
    %139 = stablehlo.dot_general %138, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x14336xbf16>, tensor<14336x4096xbf16>) -> tensor<32x4096xbf16>
    %140 = stablehlo.add %119, %139 : tensor<32x4096xbf16>
    %141 = stablehlo.convert %140 : (tensor<32x4096xbf16>) -> tensor<32x4096xf32>
    %142 = stablehlo.multiply %141, %141 : tensor<32x4096xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%142 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<32x4096xf32>, tensor<f32>) -> tensor<32xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_24 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %146 = stablehlo.divide %144, %145 : tensor<32x1xf32>
    %cst_25 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %148 = stablehlo.add %146, %147 : tensor<32x1xf32>
    %149 = stablehlo.rsqrt %148 : tensor<32x1xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x4096xf32>
    %151 = stablehlo.multiply %141, %150 : tensor<32x4096xf32>
    %152 = stablehlo.convert %151 : (tensor<32x4096xf32>) -> tensor<32x4096xbf16>
    %153 = stablehlo.broadcast_in_dim %arg18, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<32x4096xbf16>
    %155 = stablehlo.multiply %152, %154 : tensor<32x4096xbf16>
    %156 = stablehlo.dot_general %155, %arg21, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<32x4096xbf16>
    %157 = stablehlo.reshape %156 : (tensor<32x4096xbf16>) -> tensor<32x32x128xbf16>
    %158 = stablehlo.convert %arg5 : (tensor<i32>) -> tensor<f32>
    %159 = stablehlo.iota dim = 0 : tensor<64xf32>
    %160 = stablehlo.negate %159 : tensor<64xf32>
    %cst_26 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %162 = stablehlo.divide %160, %161 : tensor<64xf32>
    %cst_27 = stablehlo.constant dense<5.000000e+05> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %164 = stablehlo.power %163, %162 : tensor<64xf32>
    %165 = stablehlo.broadcast_in_dim %158, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %166 = stablehlo.multiply %165, %164 : tensor<64xf32>
    %167 = stablehlo.convert %157 : (tensor<32x32x128xbf16>) -> tensor<32x32x128xf32>
    %168 = stablehlo.slice %167 [0:32, 0:32, 0:64] : (tensor<32x32x128xf32>) -> tensor<32x32x64xf32>
    %169 = stablehlo.slice %167 [0:32, 0:32, 64:128] : (tensor<32x32x128xf32>) -> tensor<32x32x64xf32>
    %170 = stablehlo.cosine %166 : tensor<64xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %173 = stablehlo.multiply %168, %172 : tensor<32x32x64xf32>
    %174 = stablehlo.sine %166 : tensor<64xf32>
    %175 = stablehlo.broadcast_in_dim %174, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %177 = stablehlo.multiply %169, %176 : tensor<32x32x64xf32>
    %178 = stablehlo.subtract %173, %177 : tensor<32x32x64xf32>
    %179 = stablehlo.cosine %166 : tensor<64xf32>
    %180 = stablehlo.broadcast_in_dim %179, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %182 = stablehlo.multiply %169, %181 : tensor<32x32x64xf32>
    %183 = stablehlo.sine %166 : tensor<64xf32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x32x64xf32>
    %186 = stablehlo.multiply %168, %185 : tensor<32x32x64xf32>
    %187 = stablehlo.add %182, %186 : tensor<32x32x64xf32>
    %188 = stablehlo.concatenate %178, %187, dim = 2 : (tensor<32x32x64xf32>, tensor<32x32x64xf32>) -> tensor<32x32x128xf32>
    %189 = stablehlo.convert %188 : (tensor<32x32x128xf32>) -> tensor<32x32x128xbf16>
    %190 = stablehlo.dot_general %155, %arg17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<32x1024xbf16>
    %191 = stablehlo.reshape %190 : (tensor<32x1024xbf16>) -> tensor<32x8x128xbf16>
    %192 = stablehlo.convert %arg5 : (tensor<i32>) -> tensor<f32>
    %193 = stablehlo.iota dim = 0 : tensor<64xf32>
    %194 = stablehlo.negate %193 : tensor<64xf32>
    %cst_28 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %196 = stablehlo.divide %194, %195 : tensor<64xf32>
    %cst_29 = stablehlo.constant dense<5.000000e+05> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %198 = stablehlo.power %197, %196 : tensor<64xf32>
    %199 = stablehlo.broadcast_in_dim %192, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %200 = stablehlo.multiply %199, %198 : tensor<64xf32>
    %201 = stablehlo.convert %191 : (tensor<32x8x128xbf16>) -> tensor<32x8x128xf32>
    %202 = stablehlo.slice %201 [0:32, 0:8, 0:64] : (tensor<32x8x128xf32>) -> tensor<32x8x64xf32>
    %203 = stablehlo.slice %201 [0:32, 0:8, 64:128] : (tensor<32x8x128xf32>) -> tensor<32x8x64xf32>
    %204 = stablehlo.cosine %200 : tensor<64xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %207 = stablehlo.multiply %202, %206 : tensor<32x8x64xf32>
    %208 = stablehlo.sine %200 : tensor<64xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %210 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %211 = stablehlo.multiply %203, %210 : tensor<32x8x64xf32>
    %212 = stablehlo.subtract %207, %211 : tensor<32x8x64xf32>
    %213 = stablehlo.cosine %200 : tensor<64xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %216 = stablehlo.multiply %203, %215 : tensor<32x8x64xf32>
    %217 = stablehlo.sine %200 : tensor<64xf32>
    %218 = stablehlo.broadcast_in_dim %217, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<32x8x64xf32>
    %220 = stablehlo.multiply %202, %219 : tensor<32x8x64xf32>
    %221 = stablehlo.add %216, %220 : tensor<32x8x64xf32>
    %222 = stablehlo.concatenate %212, %221, dim = 2 : (tensor<32x8x64xf32>, tensor<32x8x64xf32>) -> tensor<32x8x128xf32>
    %223 = stablehlo.convert %222 : (tensor<32x8x128xf32>) -> tensor<32x8x128xbf16>
    %224 = stablehlo.dot_general %155, %arg23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<32x1024xbf16>
    %225 = stablehlo.reshape %224 : (tensor<32x1024xbf16>) -> tensor<32x8x128xbf16>
    %226 = stablehlo.broadcast_in_dim %223, dims = [0, 1, 3] : (tensor<32x8x128xbf16>) -> tensor<32x8x1x128xbf16>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %227 = stablehlo.compare LT, %arg5, %c_30, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_31 = stablehlo.constant dense<4096> : tensor<i32>
    %228 = stablehlo.add %arg5, %c_31 : tensor<i32>
    %229 = stablehlo.select %227, %228, %arg5 : tensor<i1>, tensor<i32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %230 = stablehlo.dynamic_update_slice %arg3, %226, %c_32, %c_33, %229, %c_34 : (tensor<32x8x4096x128xbf16>, tensor<32x8x1x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x8x4096x128xbf16>
    %231 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 3] : (tensor<32x8x128xbf16>) -> tensor<32x8x1x128xbf16>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %232 = stablehlo.compare LT, %arg5, %c_35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_36 = stablehlo.constant dense<4096> : tensor<i32>
    %233 = stablehlo.add %arg5, %c_36 : tensor<i32>
    %234 = stablehlo.select %232, %233, %arg5 : tensor<i1>, tensor<i32>
    %c_37 = stablehlo.constant dense<0> : tensor<i32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %235 = stablehlo.dynamic_update_slice %arg4, %231, %c_37, %c_38, %234, %c_39 : (tensor<32x8x4096x128xbf16>, tensor<32x8x1x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x8x4096x128xbf16>
    %236 = stablehlo.reshape %189 : (tensor<32x32x128xbf16>) -> tensor<32x8x4x128xbf16>
    %237 = stablehlo.dot_general %236, %230, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<32x8x4x128xbf16>, tensor<32x8x4096x128xbf16>) -> tensor<32x8x4x4096xf32>
    %cst_40 = stablehlo.constant dense<0.0883883461> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<32x8x4x4096xf32>
    %239 = stablehlo.multiply %237, %238 : tensor<32x8x4x4096xf32>
    %240 = stablehlo.iota dim = 0 : tensor<4096xi32>
    %241 = stablehlo.broadcast_in_dim %240, dims = [3] : (tensor<4096xi32>) -> tensor<1x1x1x4096xi32>
    %242 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<i32>) -> tensor<1x1x1x4096xi32>
    %243 = stablehlo.compare LE, %241, %242, SIGNED : (tensor<1x1x1x4096xi32>, tensor<1x1x1x4096xi32>) -> tensor<1x1x1x4096xi1>
    %cst_41 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %244 = call @_where(%243, %239, %cst_41) : (tensor<1x1x1x4096xi1>, tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4x4096xf32>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %245 = stablehlo.reduce(%244 init: %cst_42) applies stablehlo.maximum across dimensions = [3] : (tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4xf32>
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<32x8x4xf32>
    %247 = stablehlo.maximum %246, %245 : tensor<32x8x4xf32>
    %248 = stablehlo.broadcast_in_dim %247, dims = [0, 1, 2] : (tensor<32x8x4xf32>) -> tensor<32x8x4x1xf32>
    %249 = stablehlo.broadcast_in_dim %248, dims = [0, 1, 2, 3] : (tensor<32x8x4x1xf32>) -> tensor<32x8x4x4096xf32>
    %250 = stablehlo.subtract %244, %249 : tensor<32x8x4x4096xf32>
    %251 = stablehlo.exponential %250 : tensor<32x8x4x4096xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%251 init: %cst_44) applies stablehlo.add across dimensions = [3] : (tensor<32x8x4x4096xf32>, tensor<f32>) -> tensor<32x8x4xf32>
    %253 = stablehlo.broadcast_in_dim %252, dims = [0, 1, 2] : (tensor<32x8x4xf32>) -> tensor<32x8x4x1xf32>
    %254 = stablehlo.broadcast_in_dim %253, dims = [0, 1, 2, 3] : (tensor<32x8x4x1xf32>) -> tensor<32x8x4x4096xf32>
    %255 = stablehlo.divide %251, %254 : tensor<32x8x4x4096xf32>
    %256 = stablehlo.convert %255 : (tensor<32x8x4x4096xf32>) -> tensor<32x8x4x4096xbf16>
    %257 = stablehlo.dot_general %256, %235, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x8x4x4096xbf16>, tensor<32x8x4096x128xbf16>) -> tensor<32x8x4x128xbf16>
    %258 = stablehlo.reshape %257 : (tensor<32x8x4x128xbf16>) -> tensor<32x4096xbf16>
    %259 = stablehlo.dot_general %258, %arg20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<32x4096xbf16>
    %260 = stablehlo.add %140, %259 : tensor<32x4096xbf16>
    %261 = stablehlo.convert %260 : (tensor<32x4096xbf16>) -> tensor<32x4096xf32>
    %262 = stablehlo.multiply %261, %261 : tensor<32x4096xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_45) applies stablehlo.add across dimensions = [1] : (tensor<32x4096xf32>, tensor<f32>) -> tensor<32xf32>
    %264 = stablehlo.broadcast_in_dim %263, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %cst_46 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %266 = stablehlo.divide %264, %265 : tensor<32x1xf32>
    %cst_47 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %268 = stablehlo.add %266, %267 : tensor<32x1xf32>
    %269 = stablehlo.rsqrt %268 : tensor<32x1xf32>
    %270 = stablehlo.broadcast_in_dim %269, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x4096xf32>
    %271 = stablehlo.multiply %261, %270 : tensor<32x4096xf32>
    %272 = stablehlo.convert %271 : (tensor<32x4096xf32>) -> tensor<32x4096xbf16>
    %273 = stablehlo.broadcast_in_dim %arg19, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %274 = stablehlo.broadcast_in_dim %273, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<32x4096xbf16>
    %275 = stablehlo.multiply %272, %274 : tensor<32x4096xbf16>
    %276 = stablehlo.dot_general %275, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<32x14336xbf16>
    %277 = call @silu(%276) : (tensor<32x14336xbf16>) -> tensor<32x14336xbf16>
    %278 = stablehlo.dot_general %275, %arg22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<32x14336xbf16>
    %279 = stablehlo.multiply %277, %278 : tensor<32x14336xbf16>
    %280 = stablehlo.dot_general %279, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x14336xbf16>, tensor<14336x4096xbf16>) -> tensor<32x4096xbf16>
    %281 = stablehlo.add %260, %280 : tensor<32x4096xbf16>
    return %281, %89, %94, %230, %235 : tensor<32x4096xbf16>, tensor<32x8x4096x128xbf16>, tensor<32x8x4096x128xbf16>, tensor<32x8x4096x128xbf16>, tensor<32x8x4096x128xbf16>
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
