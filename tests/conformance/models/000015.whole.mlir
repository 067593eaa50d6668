module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8x2x4xf32>, %arg3: tensor<2x8x2x4xf32>, %arg4: tensor<2x4x8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8x8xf32>, %arg7: tensor<8x8x16xf32>, %arg8: tensor<8x16x8xf32>, %arg9: tensor<16x8xf32>, %arg10: tensor<8xf32>, %arg11: tensor<8x2x4xf32>, %arg12: tensor<2x8x2x4xf32>, %arg13: tensor<2x4x8xf32>, %arg14: tensor<8xf32>, %arg15: tensor<8x8xf32>, %arg16: tensor<8x8x16xf32>, %arg17: tensor<8x16x8xf32>, %arg18: tensor<4x16xi32>, %arg19: tensor<4x16xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<8x2x4xf32> {jax.result_info = "result[1]['p2']"}, tensor<2x8x2x4xf32> {jax.result_info = "result[1]['p3']"}, tensor<2x4x8xf32> {jax.result_info = "result[1]['p4']"}, tensor<8xf32> {jax.result_info = "result[1]['p5']"}, tensor<8x8xf32> {jax.result_info = "result[1]['p6']"}, tensor<8x8x16xf32> {jax.result_info = "result[1]['p7']"}, tensor<8x16x8xf32> {jax.result_info = "result[1]['p8']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<8x2x4xf32> {jax.result_info = "result[2]['p2']"}, tensor<2x8x2x4xf32> {jax.result_info = "result[2]['p3']"}, tensor<2x4x8xf32> {jax.result_info = "result[2]['p4']"}, tensor<8xf32> {jax.result_info = "result[2]['p5']"}, tensor<8x8xf32> {jax.result_info = "result[2]['p6']"}, tensor<8x8x16xf32> {jax.result_info = "result[2]['p7']"}, tensor<8x16x8xf32> {jax.result_info = "result[2]['p8']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
    %1 = stablehlo.compare LT, %arg18, %0, SIGNED : (tensor<4x16xi32>, tensor<4x16xi32>) -> tensor<4x16xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
    %3 = stablehlo.add %arg18, %2 : tensor<4x16xi32>
    %4 = stablehlo.select %1, %3, %arg18 : tensor<4x16xi1>, tensor<4x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x16x1xi32>) -> tensor<4x16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<4x16x8xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<4x16x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %17 = stablehlo.divide %15, %16 : tensor<4x16x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<4x16x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<4x16x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<4x16x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<4x16x1xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %25 = stablehlo.multiply %12, %24 : tensor<4x16x8xf32>
    %26 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<4x16x8xf32>
    %29 = stablehlo.dot_general %28, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<8x2x4xf32>) -> tensor<4x16x2x4xf32>
    %30 = stablehlo.dot_general %arg3, %28, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x4xf32>, tensor<4x16x8xf32>) -> tensor<2x2x4x4x16xf32>
    %31 = stablehlo.transpose %30, dims = [0, 3, 4, 1, 2] : (tensor<2x2x4x4x16xf32>) -> tensor<2x4x16x2x4xf32>
    %32 = stablehlo.slice %31 [0:1, 0:4, 0:16, 0:2, 0:4] : (tensor<2x4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x4x16x2x4xf32>) -> tensor<4x16x2x4xf32>
    %34 = stablehlo.slice %31 [1:2, 0:4, 0:16, 0:2, 0:4] : (tensor<2x4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %35 = stablehlo.reshape %34 : (tensor<1x4x16x2x4xf32>) -> tensor<4x16x2x4xf32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 4] : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %37 = stablehlo.reshape %36 : (tensor<4x16x2x1x4xf32>) -> tensor<4x16x2x4xf32>
    %38 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 4] : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %39 = stablehlo.reshape %38 : (tensor<4x16x2x1x4xf32>) -> tensor<4x16x2x4xf32>
    %40 = stablehlo.dot_general %29, %37, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x16xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %42 = stablehlo.divide %40, %41 : tensor<4x2x16x16xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %44 = stablehlo.reshape %43 : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %46 = stablehlo.compare EQ, %42, %45, FLOAT : (tensor<4x2x16x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xi1>
    %47 = stablehlo.convert %46 : (tensor<4x2x16x16xi1>) -> tensor<4x2x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %50 = stablehlo.maximum %49, %43 : tensor<4x2x16xf32>
    %51 = stablehlo.compare EQ, %43, %50, FLOAT : (tensor<4x2x16xf32>, tensor<4x2x16xf32>) -> tensor<4x2x16xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %54 = stablehlo.select %51, %52, %53 : tensor<4x2x16xi1>, tensor<4x2x16xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %56 = stablehlo.compare EQ, %55, %50, FLOAT : (tensor<4x2x16xf32>, tensor<4x2x16xf32>) -> tensor<4x2x16xi1>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %59 = stablehlo.select %56, %57, %58 : tensor<4x2x16xi1>, tensor<4x2x16xf32>
    %60 = stablehlo.divide %54, %59 : tensor<4x2x16xf32>
    %61 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %63 = stablehlo.subtract %42, %62 : tensor<4x2x16x16xf32>
    %64 = stablehlo.exponential %63 : tensor<4x2x16x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_15) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %68 = stablehlo.divide %64, %67 : tensor<4x2x16x16xf32>
    %69 = stablehlo.multiply %66, %66 : tensor<4x2x16x1xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x2x16x1xf32>
    %71 = stablehlo.divide %70, %69 : tensor<4x2x16x1xf32>
    %72 = stablehlo.dot_general %39, %68, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x4x16xf32>
    %73 = stablehlo.dot_general %72, %arg4, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<4x16x8xf32>
    %74 = stablehlo.add %6, %73 : tensor<4x16x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %78 = stablehlo.divide %76, %77 : tensor<4x16x1xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %80 = stablehlo.subtract %74, %79 : tensor<4x16x8xf32>
    %81 = stablehlo.multiply %80, %80 : tensor<4x16x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_20 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %85 = stablehlo.divide %83, %84 : tensor<4x16x1xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %87 = stablehlo.add %85, %86 : tensor<4x16x1xf32>
    %88 = stablehlo.rsqrt %87 : tensor<4x16x1xf32>
    %89 = stablehlo.divide %88, %87 : tensor<4x16x1xf32>
    %cst_22 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %91 = stablehlo.multiply %90, %89 : tensor<4x16x1xf32>
    %92 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %93 = stablehlo.multiply %80, %92 : tensor<4x16x8xf32>
    %94 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %96 = stablehlo.multiply %93, %95 : tensor<4x16x8xf32>
    %97 = stablehlo.reshape %96 : (tensor<4x16x8xf32>) -> tensor<64x8xf32>
    %98 = stablehlo.dot_general %97, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_23) applies stablehlo.maximum across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %100 = stablehlo.reshape %99 : (tensor<64xf32>) -> tensor<64x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %102 = stablehlo.compare EQ, %98, %101, FLOAT : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xi1>
    %103 = stablehlo.convert %102 : (tensor<64x8xi1>) -> tensor<64x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %106 = stablehlo.maximum %105, %99 : tensor<64xf32>
    %107 = stablehlo.compare EQ, %99, %106, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %110 = stablehlo.select %107, %108, %109 : tensor<64xi1>, tensor<64xf32>
    %cst_28 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %112 = stablehlo.compare EQ, %111, %106, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %115 = stablehlo.select %112, %113, %114 : tensor<64xi1>, tensor<64xf32>
    %116 = stablehlo.divide %110, %115 : tensor<64xf32>
    %117 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %119 = stablehlo.subtract %98, %118 : tensor<64x8xf32>
    %120 = stablehlo.exponential %119 : tensor<64x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.reduce(%120 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %124 = stablehlo.divide %120, %123 : tensor<64x8xf32>
    %125 = stablehlo.multiply %122, %122 : tensor<64x1xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %127 = stablehlo.divide %126, %125 : tensor<64x1xf32>
    %values, %indices = chlo.top_k(%124, k = 2) : tensor<64x8xf32> -> (tensor<64x2xf32>, tensor<64x2xi32>)
    %128 = stablehlo.reshape %indices : (tensor<64x2xi32>) -> tensor<64x2x1xi32>
    %129 = call @_one_hot(%indices) : (tensor<64x2xi32>) -> tensor<64x2x8xf32>
    %130 = stablehlo.broadcast_in_dim %values, dims = [0, 1] : (tensor<64x2xf32>) -> tensor<64x2x1xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2] : (tensor<64x2x1xf32>) -> tensor<64x2x8xf32>
    %132 = stablehlo.multiply %129, %131 : tensor<64x2x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%132 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<64x2x8xf32>, tensor<f32>) -> tensor<64x8xf32>
    %134 = stablehlo.dot_general %arg7, %97, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<64x8xf32>) -> tensor<8x16x64xf32>
    %135 = stablehlo.transpose %134, dims = [0, 2, 1] : (tensor<8x16x64xf32>) -> tensor<8x64x16xf32>
    %136 = stablehlo.tanh %135 : tensor<8x64x16xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x64x16xf32>
    %138 = stablehlo.subtract %137, %136 : tensor<8x64x16xf32>
    %139 = stablehlo.dot_general %arg8, %136, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x64x16xf32>) -> tensor<8x8x64xf32>
    %140 = stablehlo.dot_general %133, %139, batching_dims = [0] x [2], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8x64xf32>) -> tensor<64x8xf32>
    %141 = stablehlo.reshape %140 : (tensor<64x8xf32>) -> tensor<4x16x8xf32>
    %142 = stablehlo.add %74, %141 : tensor<4x16x8xf32>
    %143 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %144 = stablehlo.dot_general %142, %143, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<8x16xf32>) -> tensor<4x16x16xf32>
    %145 = call @_one_hot_0(%arg19) : (tensor<4x16xi32>) -> tensor<4x16x16xf32>
    %146 = stablehlo.subtract %144, %145 : tensor<4x16x16xf32>
    %147 = stablehlo.multiply %146, %146 : tensor<4x16x16xf32>
    %cst_35 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x16x16xf32>
    %149 = stablehlo.multiply %148, %146 : tensor<4x16x16xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.reduce(%147 init: %cst_36) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_37 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %151 = stablehlo.divide %150, %cst_37 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_39 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %152 = stablehlo.divide %cst_38, %cst_39 : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %152, dims = [] : (tensor<f32>) -> tensor<4x16x16xf32>
    %154 = stablehlo.multiply %153, %149 : tensor<4x16x16xf32>
    %155 = stablehlo.dot_general %154, %142, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x16xf32>, tensor<4x16x8xf32>) -> tensor<16x8xf32>
    %156 = stablehlo.transpose %155, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %157 = stablehlo.dot_general %154, %143, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x16xf32>, tensor<8x16xf32>) -> tensor<4x16x8xf32>
    %158 = stablehlo.transpose %156, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %159 = stablehlo.reshape %157 : (tensor<4x16x8xf32>) -> tensor<64x8xf32>
    %160 = stablehlo.dot_general %159, %133, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8x8xf32>
    %161 = stablehlo.transpose %160, dims = [2, 1, 0] : (tensor<64x8x8xf32>) -> tensor<8x8x64xf32>
    %162 = stablehlo.dot_general %159, %139, batching_dims = [0] x [2], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8x64xf32>) -> tensor<64x8xf32>
    %163 = stablehlo.dot_general %161, %arg8, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x64xf32>, tensor<8x16x8xf32>) -> tensor<8x64x16xf32>
    %164 = stablehlo.dot_general %161, %136, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x64xf32>, tensor<8x64x16xf32>) -> tensor<8x8x16xf32>
    %165 = stablehlo.transpose %164, dims = [0, 2, 1] : (tensor<8x8x16xf32>) -> tensor<8x16x8xf32>
    %166 = stablehlo.multiply %163, %138 : tensor<8x64x16xf32>
    %167 = stablehlo.multiply %166, %136 : tensor<8x64x16xf32>
    %168 = stablehlo.add %166, %167 : tensor<8x64x16xf32>
    %169 = stablehlo.transpose %168, dims = [0, 2, 1] : (tensor<8x64x16xf32>) -> tensor<8x16x64xf32>
    %170 = stablehlo.dot_general %169, %arg7, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x8x16xf32>) -> tensor<64x8xf32>
    %171 = stablehlo.dot_general %169, %97, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x8xf32>) -> tensor<8x16x8xf32>
    %172 = stablehlo.transpose %171, dims = [0, 2, 1] : (tensor<8x16x8xf32>) -> tensor<8x8x16xf32>
    %173 = stablehlo.broadcast_in_dim %162, dims = [0, 2] : (tensor<64x8xf32>) -> tensor<64x2x8xf32>
    %174 = stablehlo.multiply %129, %173 : tensor<64x2x8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%174 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<64x2x8xf32>, tensor<f32>) -> tensor<64x2xf32>
    %176 = stablehlo.reshape %175 : (tensor<64x2xf32>) -> tensor<64x2x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<64x2x1xf32>, tensor<f32>) -> tensor<64x2xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<64x8xf32>
    %179 = "stablehlo.scatter"(%178, %128, %177) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %435 = stablehlo.add %arg20, %arg21 : tensor<f32>
      stablehlo.return %435 : tensor<f32>
    }) : (tensor<64x8xf32>, tensor<64x2x1xi32>, tensor<64x2xf32>) -> tensor<64x8xf32>
    %180 = stablehlo.broadcast_in_dim %127, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %181 = stablehlo.multiply %179, %180 : tensor<64x8xf32>
    %182 = stablehlo.multiply %181, %120 : tensor<64x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.reduce(%182 init: %cst_43) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %184 = stablehlo.reshape %183 : (tensor<64xf32>) -> tensor<64x1xf32>
    %185 = stablehlo.negate %184 : tensor<64x1xf32>
    %186 = stablehlo.broadcast_in_dim %122, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %187 = stablehlo.divide %179, %186 : tensor<64x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%185 init: %cst_44) applies stablehlo.add across dimensions = [1] : (tensor<64x1xf32>, tensor<f32>) -> tensor<64xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0] : (tensor<64xf32>) -> tensor<64x8xf32>
    %190 = stablehlo.add %187, %189 : tensor<64x8xf32>
    %191 = stablehlo.multiply %190, %120 : tensor<64x8xf32>
    %192 = stablehlo.dot_general %191, %97, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %193 = stablehlo.transpose %192, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %194 = stablehlo.dot_general %191, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
    %195 = stablehlo.add %170, %194 : tensor<64x8xf32>
    %196 = stablehlo.reshape %195 : (tensor<64x8xf32>) -> tensor<4x16x8xf32>
    %197 = stablehlo.multiply %93, %196 : tensor<4x16x8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%197 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %199 = stablehlo.reshape %198 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %200 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %201 = stablehlo.multiply %196, %200 : tensor<4x16x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.reduce(%199 init: %cst_46) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %203 = stablehlo.multiply %80, %201 : tensor<4x16x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.reduce(%203 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %205 = stablehlo.reshape %204 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %206 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %207 = stablehlo.multiply %201, %206 : tensor<4x16x8xf32>
    %208 = stablehlo.multiply %205, %91 : tensor<4x16x1xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %210 = stablehlo.divide %208, %209 : tensor<4x16x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %211 = stablehlo.reduce(%210 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %213 = stablehlo.multiply %80, %212 : tensor<4x16x8xf32>
    %214 = stablehlo.add %207, %213 : tensor<4x16x8xf32>
    %215 = stablehlo.multiply %212, %80 : tensor<4x16x8xf32>
    %216 = stablehlo.add %214, %215 : tensor<4x16x8xf32>
    %217 = stablehlo.negate %216 : tensor<4x16x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%217 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %219 = stablehlo.reshape %218 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %220 = stablehlo.add %157, %216 : tensor<4x16x8xf32>
    %cst_51 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %222 = stablehlo.divide %219, %221 : tensor<4x16x1xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%222 init: %cst_52) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %224 = stablehlo.broadcast_in_dim %223, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %225 = stablehlo.add %220, %224 : tensor<4x16x8xf32>
    %226 = stablehlo.dot_general %225, %72, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<4x2x4x16xf32>) -> tensor<8x2x4xf32>
    %227 = stablehlo.transpose %226, dims = [1, 2, 0] : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
    %228 = stablehlo.dot_general %225, %arg4, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<2x4x8xf32>) -> tensor<4x16x2x4xf32>
    %229 = stablehlo.transpose %228, dims = [0, 2, 3, 1] : (tensor<4x16x2x4xf32>) -> tensor<4x2x4x16xf32>
    %230 = stablehlo.dot_general %229, %39, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x16xf32>
    %231 = stablehlo.dot_general %229, %68, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x4x16xf32>
    %232 = stablehlo.transpose %231, dims = [0, 3, 1, 2] : (tensor<4x2x4x16xf32>) -> tensor<4x16x2x4xf32>
    %233 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %234 = stablehlo.multiply %230, %233 : tensor<4x2x16x16xf32>
    %235 = stablehlo.multiply %234, %64 : tensor<4x2x16x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.reduce(%235 init: %cst_53) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %237 = stablehlo.reshape %236 : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %238 = stablehlo.negate %237 : tensor<4x2x16x1xf32>
    %239 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %240 = stablehlo.divide %230, %239 : tensor<4x2x16x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.reduce(%238 init: %cst_54) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x1xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x16xf32>
    %243 = stablehlo.add %240, %242 : tensor<4x2x16x16xf32>
    %244 = stablehlo.multiply %243, %64 : tensor<4x2x16x16xf32>
    %cst_55 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %246 = stablehlo.divide %244, %245 : tensor<4x2x16x16xf32>
    %247 = stablehlo.dot_general %246, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x4xf32>
    %248 = stablehlo.transpose %247, dims = [0, 2, 1, 3] : (tensor<4x2x16x4xf32>) -> tensor<4x16x2x4xf32>
    %249 = stablehlo.dot_general %246, %37, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x4xf32>
    %250 = stablehlo.transpose %249, dims = [0, 2, 1, 3] : (tensor<4x2x16x4xf32>) -> tensor<4x16x2x4xf32>
    %251 = stablehlo.reshape %232 : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%251 init: %cst_56) applies stablehlo.add across dimensions = [3] : (tensor<4x16x2x1x4xf32>, tensor<f32>) -> tensor<4x16x2x4xf32>
    %253 = stablehlo.reshape %248 : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.reduce(%253 init: %cst_57) applies stablehlo.add across dimensions = [3] : (tensor<4x16x2x1x4xf32>, tensor<f32>) -> tensor<4x16x2x4xf32>
    %255 = stablehlo.broadcast_in_dim %252, dims = [1, 2, 3, 4] : (tensor<4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.pad %255, %cst_58, low = [1, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x4xf32>, tensor<f32>) -> tensor<2x4x16x2x4xf32>
    %257 = stablehlo.broadcast_in_dim %254, dims = [1, 2, 3, 4] : (tensor<4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.pad %257, %cst_59, low = [0, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x4xf32>, tensor<f32>) -> tensor<2x4x16x2x4xf32>
    %259 = stablehlo.add %256, %258 : tensor<2x4x16x2x4xf32>
    %260 = stablehlo.transpose %259, dims = [0, 3, 4, 1, 2] : (tensor<2x4x16x2x4xf32>) -> tensor<2x2x4x4x16xf32>
    %261 = stablehlo.dot_general %260, %arg3, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4x16xf32>, tensor<2x8x2x4xf32>) -> tensor<4x16x8xf32>
    %262 = stablehlo.dot_general %260, %28, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4x16xf32>, tensor<4x16x8xf32>) -> tensor<2x2x4x8xf32>
    %263 = stablehlo.transpose %262, dims = [0, 3, 1, 2] : (tensor<2x2x4x8xf32>) -> tensor<2x8x2x4xf32>
    %264 = stablehlo.dot_general %250, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x16x8xf32>) -> tensor<2x4x8xf32>
    %265 = stablehlo.transpose %264, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %266 = stablehlo.dot_general %250, %arg2, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<8x2x4xf32>) -> tensor<4x16x8xf32>
    %267 = stablehlo.add %261, %266 : tensor<4x16x8xf32>
    %268 = stablehlo.multiply %25, %267 : tensor<4x16x8xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %269 = stablehlo.reduce(%268 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %270 = stablehlo.reshape %269 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %271 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %272 = stablehlo.multiply %267, %271 : tensor<4x16x8xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %273 = stablehlo.reduce(%270 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %274 = stablehlo.multiply %12, %272 : tensor<4x16x8xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %275 = stablehlo.reduce(%274 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %276 = stablehlo.reshape %275 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %277 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %278 = stablehlo.multiply %272, %277 : tensor<4x16x8xf32>
    %279 = stablehlo.multiply %276, %23 : tensor<4x16x1xf32>
    %cst_63 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %281 = stablehlo.divide %279, %280 : tensor<4x16x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.reduce(%281 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %283 = stablehlo.broadcast_in_dim %282, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %284 = stablehlo.multiply %12, %283 : tensor<4x16x8xf32>
    %285 = stablehlo.add %278, %284 : tensor<4x16x8xf32>
    %286 = stablehlo.multiply %283, %12 : tensor<4x16x8xf32>
    %287 = stablehlo.add %285, %286 : tensor<4x16x8xf32>
    %288 = stablehlo.negate %287 : tensor<4x16x8xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.reduce(%288 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %290 = stablehlo.reshape %289 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %291 = stablehlo.add %225, %287 : tensor<4x16x8xf32>
    %cst_66 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %293 = stablehlo.divide %290, %292 : tensor<4x16x1xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.reduce(%293 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %295 = stablehlo.broadcast_in_dim %294, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %296 = stablehlo.add %291, %295 : tensor<4x16x8xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %298 = "stablehlo.scatter"(%297, %5, %296) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %435 = stablehlo.add %arg20, %arg21 : tensor<f32>
      stablehlo.return %435 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<4x16x1xi32>, tensor<4x16x8xf32>) -> tensor<16x8xf32>
    %299 = stablehlo.add %158, %298 : tensor<16x8xf32>
    %cst_69 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %300 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %301 = stablehlo.multiply %300, %arg9 : tensor<16x8xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %302 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %303 = stablehlo.multiply %302, %299 : tensor<16x8xf32>
    %304 = stablehlo.add %301, %303 : tensor<16x8xf32>
    %cst_71 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %306 = stablehlo.multiply %305, %arg10 : tensor<8xf32>
    %cst_72 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %307 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %308 = stablehlo.multiply %307, %273 : tensor<8xf32>
    %309 = stablehlo.add %306, %308 : tensor<8xf32>
    %cst_73 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %310 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %311 = stablehlo.multiply %310, %arg11 : tensor<8x2x4xf32>
    %cst_74 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %313 = stablehlo.multiply %312, %265 : tensor<8x2x4xf32>
    %314 = stablehlo.add %311, %313 : tensor<8x2x4xf32>
    %cst_75 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %315 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %316 = stablehlo.multiply %315, %arg12 : tensor<2x8x2x4xf32>
    %cst_76 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %318 = stablehlo.multiply %317, %263 : tensor<2x8x2x4xf32>
    %319 = stablehlo.add %316, %318 : tensor<2x8x2x4xf32>
    %cst_77 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %320 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %321 = stablehlo.multiply %320, %arg13 : tensor<2x4x8xf32>
    %cst_78 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %323 = stablehlo.multiply %322, %227 : tensor<2x4x8xf32>
    %324 = stablehlo.add %321, %323 : tensor<2x4x8xf32>
    %cst_79 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %326 = stablehlo.multiply %325, %arg14 : tensor<8xf32>
    %cst_80 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %328 = stablehlo.multiply %327, %202 : tensor<8xf32>
    %329 = stablehlo.add %326, %328 : tensor<8xf32>
    %cst_81 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %331 = stablehlo.multiply %330, %arg15 : tensor<8x8xf32>
    %cst_82 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %332 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %333 = stablehlo.multiply %332, %193 : tensor<8x8xf32>
    %334 = stablehlo.add %331, %333 : tensor<8x8xf32>
    %cst_83 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %335 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %336 = stablehlo.multiply %335, %arg16 : tensor<8x8x16xf32>
    %cst_84 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %337 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %338 = stablehlo.multiply %337, %172 : tensor<8x8x16xf32>
    %339 = stablehlo.add %336, %338 : tensor<8x8x16xf32>
    %cst_85 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %341 = stablehlo.multiply %340, %arg17 : tensor<8x16x8xf32>
    %cst_86 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %343 = stablehlo.multiply %342, %165 : tensor<8x16x8xf32>
    %344 = stablehlo.add %341, %343 : tensor<8x16x8xf32>
    %cst_87 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %346 = stablehlo.multiply %345, %304 : tensor<16x8xf32>
    %347 = stablehlo.multiply %304, %304 : tensor<16x8xf32>
    %cst_88 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %348 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %349 = stablehlo.add %348, %347 : tensor<16x8xf32>
    %350 = stablehlo.multiply %299, %299 : tensor<16x8xf32>
    %351 = stablehlo.add %349, %350 : tensor<16x8xf32>
    %352 = stablehlo.sqrt %351 : tensor<16x8xf32>
    %353 = stablehlo.divide %346, %352 : tensor<16x8xf32>
    %354 = stablehlo.subtract %arg0, %353 : tensor<16x8xf32>
    %cst_89 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %356 = stablehlo.multiply %355, %309 : tensor<8xf32>
    %357 = stablehlo.multiply %309, %309 : tensor<8xf32>
    %cst_90 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %359 = stablehlo.add %358, %357 : tensor<8xf32>
    %360 = stablehlo.multiply %273, %273 : tensor<8xf32>
    %361 = stablehlo.add %359, %360 : tensor<8xf32>
    %362 = stablehlo.sqrt %361 : tensor<8xf32>
    %363 = stablehlo.divide %356, %362 : tensor<8xf32>
    %364 = stablehlo.subtract %arg1, %363 : tensor<8xf32>
    %cst_91 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %365 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %366 = stablehlo.multiply %365, %314 : tensor<8x2x4xf32>
    %367 = stablehlo.multiply %314, %314 : tensor<8x2x4xf32>
    %cst_92 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %368 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %369 = stablehlo.add %368, %367 : tensor<8x2x4xf32>
    %370 = stablehlo.multiply %265, %265 : tensor<8x2x4xf32>
    %371 = stablehlo.add %369, %370 : tensor<8x2x4xf32>
    %372 = stablehlo.sqrt %371 : tensor<8x2x4xf32>
    %373 = stablehlo.divide %366, %372 : tensor<8x2x4xf32>
    %374 = stablehlo.subtract %arg2, %373 : tensor<8x2x4xf32>
    %cst_93 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %375 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %376 = stablehlo.multiply %375, %319 : tensor<2x8x2x4xf32>
    %377 = stablehlo.multiply %319, %319 : tensor<2x8x2x4xf32>
    %cst_94 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %378 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %379 = stablehlo.add %378, %377 : tensor<2x8x2x4xf32>
    %380 = stablehlo.multiply %263, %263 : tensor<2x8x2x4xf32>
    %381 = stablehlo.add %379, %380 : tensor<2x8x2x4xf32>
    %382 = stablehlo.sqrt %381 : tensor<2x8x2x4xf32>
    %383 = stablehlo.divide %376, %382 : tensor<2x8x2x4xf32>
    %384 = stablehlo.subtract %arg3, %383 : tensor<2x8x2x4xf32>
    %cst_95 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %386 = stablehlo.multiply %385, %324 : tensor<2x4x8xf32>
    %387 = stablehlo.multiply %324, %324 : tensor<2x4x8xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %389 = stablehlo.add %388, %387 : tensor<2x4x8xf32>
    %390 = stablehlo.multiply %227, %227 : tensor<2x4x8xf32>
    %391 = stablehlo.add %389, %390 : tensor<2x4x8xf32>
    %392 = stablehlo.sqrt %391 : tensor<2x4x8xf32>
    %393 = stablehlo.divide %386, %392 : tensor<2x4x8xf32>
    %394 = stablehlo.subtract %arg4, %393 : tensor<2x4x8xf32>
    %cst_97 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %395 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %396 = stablehlo.multiply %395, %329 : tensor<8xf32>
    %397 = stablehlo.multiply %329, %329 : tensor<8xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %398 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %399 = stablehlo.add %398, %397 : tensor<8xf32>
    %400 = stablehlo.multiply %202, %202 : tensor<8xf32>
    %401 = stablehlo.add %399, %400 : tensor<8xf32>
    %402 = stablehlo.sqrt %401 : tensor<8xf32>
    %403 = stablehlo.divide %396, %402 : tensor<8xf32>
    %404 = stablehlo.subtract %arg5, %403 : tensor<8xf32>
    %cst_99 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %405 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %406 = stablehlo.multiply %405, %334 : tensor<8x8xf32>
    %407 = stablehlo.multiply %334, %334 : tensor<8x8xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %408 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %409 = stablehlo.add %408, %407 : tensor<8x8xf32>
    %410 = stablehlo.multiply %193, %193 : tensor<8x8xf32>
    %411 = stablehlo.add %409, %410 : tensor<8x8xf32>
    %412 = stablehlo.sqrt %411 : tensor<8x8xf32>
    %413 = stablehlo.divide %406, %412 : tensor<8x8xf32>
    %414 = stablehlo.subtract %arg6, %413 : tensor<8x8xf32>
    %cst_101 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %415 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %416 = stablehlo.multiply %415, %339 : tensor<8x8x16xf32>
    %417 = stablehlo.multiply %339, %339 : tensor<8x8x16xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %419 = stablehlo.add %418, %417 : tensor<8x8x16xf32>
    %420 = stablehlo.multiply %172, %172 : tensor<8x8x16xf32>
    %421 = stablehlo.add %419, %420 : tensor<8x8x16xf32>
    %422 = stablehlo.sqrt %421 : tensor<8x8x16xf32>
    %423 = stablehlo.divide %416, %422 : tensor<8x8x16xf32>
    %424 = stablehlo.subtract %arg7, %423 : tensor<8x8x16xf32>
    %cst_103 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %425 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %426 = stablehlo.multiply %425, %344 : tensor<8x16x8xf32>
    %427 = stablehlo.multiply %344, %344 : tensor<8x16x8xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %428 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %429 = stablehlo.add %428, %427 : tensor<8x16x8xf32>
    %430 = stablehlo.multiply %165, %165 : tensor<8x16x8xf32>
    %431 = stablehlo.add %429, %430 : tensor<8x16x8xf32>
    %432 = stablehlo.sqrt %431 : tensor<8x16x8xf32>
    %433 = stablehlo.divide %426, %432 : tensor<8x16x8xf32>
    %434 = stablehlo.subtract %arg8, %433 : tensor<8x16x8xf32>
    return %151, %354, %364, %374, %384, %394, %404, %414, %424, %434, %304, %309, %314, %319, %324, %329, %334, %339, %344 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8x16xf32>, tensor<8x16x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8x16xf32>, tensor<8x16x8xf32>
  }
  func.func private @_one_hot(%arg0: tensor<64x2xi32>) -> tensor<64x2x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<64x2xi32>) -> tensor<64x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x8xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<64x2x1xi32>) -> tensor<64x2x8xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x8xi32>) -> tensor<64x2x8xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<64x2x8xi32>, tensor<64x2x8xi32>) -> tensor<64x2x8xi1>
    %5 = stablehlo.convert %4 : (tensor<64x2x8xi1>) -> tensor<64x2x8xf32>
    return %5 : tensor<64x2x8xf32>
  }
  func.func private @_one_hot_0(%arg0: tensor<4x16xi32>) -> tensor<4x16x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x16xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x16x1xi32>) -> tensor<4x16x16xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x16xi32>) -> tensor<4x16x16xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<4x16x16xi32>, tensor<4x16x16xi32>) -> tensor<4x16x16xi1>
    %5 = stablehlo.convert %4 : (tensor<4x16x16xi1>) -> tensor<4x16x16xf32>
    return %5 : tensor<4x16x16xf32>
  }
}
