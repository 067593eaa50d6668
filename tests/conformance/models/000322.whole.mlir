module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<3x8x8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<16x8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<3x8x8xf32>, %arg11: tensor<8xf32>, %arg12: tensor<8xf32>, %arg13: tensor<8xf32>, %arg14: tensor<8x16xf32>, %arg15: tensor<16x8xf32>, %arg16: tensor<8x4xi32>, %arg17: tensor<8x4xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[1]['p2']"}, tensor<8xf32> {jax.result_info = "result[1]['p3']"}, tensor<8xf32> {jax.result_info = "result[1]['p4']"}, tensor<8xf32> {jax.result_info = "result[1]['p5']"}, tensor<8x16xf32> {jax.result_info = "result[1]['p6']"}, tensor<16x8xf32> {jax.result_info = "result[1]['p7']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[2]['p2']"}, tensor<8xf32> {jax.result_info = "result[2]['p3']"}, tensor<8xf32> {jax.result_info = "result[2]['p4']"}, tensor<8xf32> {jax.result_info = "result[2]['p5']"}, tensor<8x16xf32> {jax.result_info = "result[2]['p6']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p7']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %1 = stablehlo.compare LT, %arg16, %0, SIGNED : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %3 = stablehlo.add %arg16, %2 : tensor<8x4xi32>
    %4 = stablehlo.select %1, %3, %arg16 : tensor<8x4xi1>, tensor<8x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x4xi32>) -> tensor<8x4x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x4x1xi32>) -> tensor<8x4x8xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x4x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x4x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<8x4x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<8x4x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<8x4x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8x4x8xf32>
    %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8x4x8xf32>
    %23 = stablehlo.convolution(%22, %arg2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x8xf32>, tensor<3x8x8xf32>) -> tensor<8x4x8xf32>
    %24 = stablehlo.add %6, %23 : tensor<8x4x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %28 = stablehlo.divide %26, %27 : tensor<8x4x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %30 = stablehlo.subtract %24, %29 : tensor<8x4x8xf32>
    %31 = stablehlo.multiply %30, %30 : tensor<8x4x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %35 = stablehlo.divide %33, %34 : tensor<8x4x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %37 = stablehlo.add %35, %36 : tensor<8x4x1xf32>
    %38 = stablehlo.rsqrt %37 : tensor<8x4x1xf32>
    %39 = stablehlo.divide %38, %37 : tensor<8x4x1xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<8x4x1xf32>
    %42 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %43 = stablehlo.multiply %30, %42 : tensor<8x4x8xf32>
    %44 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %46 = stablehlo.multiply %43, %45 : tensor<8x4x8xf32>
    %47 = stablehlo.negate %arg4 : tensor<8xf32>
    %48 = stablehlo.exponential %47 : tensor<8xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %50 = stablehlo.add %49, %48 : tensor<8xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %52 = stablehlo.divide %51, %50 : tensor<8xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %54 = stablehlo.subtract %53, %52 : tensor<8xf32>
    %55 = stablehlo.multiply %52, %54 : tensor<8xf32>
    %56 = stablehlo.broadcast_in_dim %52, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %58 = stablehlo.multiply %46, %57 : tensor<8x4x8xf32>
    %59 = call @cumsum(%58) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    %cst_13 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %61 = stablehlo.divide %59, %60 : tensor<8x4x8xf32>
    %62 = stablehlo.add %24, %61 : tensor<8x4x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_15 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %66 = stablehlo.divide %64, %65 : tensor<8x4x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %68 = stablehlo.subtract %62, %67 : tensor<8x4x8xf32>
    %69 = stablehlo.multiply %68, %68 : tensor<8x4x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.reduce(%69 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %73 = stablehlo.divide %71, %72 : tensor<8x4x1xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %75 = stablehlo.add %73, %74 : tensor<8x4x1xf32>
    %76 = stablehlo.rsqrt %75 : tensor<8x4x1xf32>
    %77 = stablehlo.divide %76, %75 : tensor<8x4x1xf32>
    %cst_19 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<8x4x1xf32>
    %80 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %81 = stablehlo.multiply %68, %80 : tensor<8x4x8xf32>
    %82 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %84 = stablehlo.multiply %81, %83 : tensor<8x4x8xf32>
    %85 = stablehlo.dot_general %84, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %86 = stablehlo.tanh %85 : tensor<8x4x16xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %88 = stablehlo.subtract %87, %86 : tensor<8x4x16xf32>
    %89 = stablehlo.dot_general %86, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x8xf32>) -> tensor<8x4x8xf32>
    %90 = stablehlo.add %62, %89 : tensor<8x4x8xf32>
    %91 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %92 = stablehlo.dot_general %90, %91, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %93 = call @_one_hot(%arg17) : (tensor<8x4xi32>) -> tensor<8x4x16xf32>
    %94 = stablehlo.subtract %92, %93 : tensor<8x4x16xf32>
    %95 = stablehlo.multiply %94, %94 : tensor<8x4x16xf32>
    %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %97 = stablehlo.multiply %96, %94 : tensor<8x4x16xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%95 init: %cst_22) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %99 = stablehlo.divide %98, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_25 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %100 = stablehlo.divide %cst_24, %cst_25 : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %102 = stablehlo.multiply %101, %97 : tensor<8x4x16xf32>
    %103 = stablehlo.dot_general %102, %90, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %104 = stablehlo.transpose %103, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %105 = stablehlo.dot_general %102, %91, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %106 = stablehlo.transpose %104, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %107 = stablehlo.dot_general %105, %86, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x16xf32>) -> tensor<8x16xf32>
    %108 = stablehlo.transpose %107, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %109 = stablehlo.dot_general %105, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<16x8xf32>) -> tensor<8x4x16xf32>
    %110 = stablehlo.multiply %109, %88 : tensor<8x4x16xf32>
    %111 = stablehlo.multiply %110, %86 : tensor<8x4x16xf32>
    %112 = stablehlo.add %110, %111 : tensor<8x4x16xf32>
    %113 = stablehlo.dot_general %112, %84, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %114 = stablehlo.transpose %113, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %115 = stablehlo.dot_general %112, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %116 = stablehlo.multiply %81, %115 : tensor<8x4x8xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_26) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %118 = stablehlo.reshape %117 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %119 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %120 = stablehlo.multiply %115, %119 : tensor<8x4x8xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.reduce(%118 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %122 = stablehlo.multiply %68, %120 : tensor<8x4x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %124 = stablehlo.reshape %123 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %125 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %126 = stablehlo.multiply %120, %125 : tensor<8x4x8xf32>
    %127 = stablehlo.multiply %124, %79 : tensor<8x4x1xf32>
    %cst_29 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %129 = stablehlo.divide %127, %128 : tensor<8x4x1xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_30) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %132 = stablehlo.multiply %68, %131 : tensor<8x4x8xf32>
    %133 = stablehlo.add %126, %132 : tensor<8x4x8xf32>
    %134 = stablehlo.multiply %131, %68 : tensor<8x4x8xf32>
    %135 = stablehlo.add %133, %134 : tensor<8x4x8xf32>
    %136 = stablehlo.negate %135 : tensor<8x4x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %138 = stablehlo.reshape %137 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %139 = stablehlo.add %105, %135 : tensor<8x4x8xf32>
    %cst_32 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %141 = stablehlo.divide %138, %140 : tensor<8x4x1xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%141 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %144 = stablehlo.add %139, %143 : tensor<8x4x8xf32>
    %cst_34 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %146 = stablehlo.divide %144, %145 : tensor<8x4x8xf32>
    %147 = call @cumsum_1(%146) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    %148 = stablehlo.multiply %46, %147 : tensor<8x4x8xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.reduce(%148 init: %cst_35) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %150 = stablehlo.reshape %149 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %151 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %152 = stablehlo.multiply %147, %151 : tensor<8x4x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.reduce(%150 init: %cst_36) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %154 = stablehlo.multiply %153, %55 : tensor<8xf32>
    %155 = stablehlo.multiply %43, %152 : tensor<8x4x8xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.reduce(%155 init: %cst_37) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %157 = stablehlo.reshape %156 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %158 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %159 = stablehlo.multiply %152, %158 : tensor<8x4x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %160 = stablehlo.reduce(%157 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %161 = stablehlo.multiply %30, %159 : tensor<8x4x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.reduce(%161 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %163 = stablehlo.reshape %162 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %164 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %165 = stablehlo.multiply %159, %164 : tensor<8x4x8xf32>
    %166 = stablehlo.multiply %163, %41 : tensor<8x4x1xf32>
    %cst_40 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %168 = stablehlo.divide %166, %167 : tensor<8x4x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %171 = stablehlo.multiply %30, %170 : tensor<8x4x8xf32>
    %172 = stablehlo.add %165, %171 : tensor<8x4x8xf32>
    %173 = stablehlo.multiply %170, %30 : tensor<8x4x8xf32>
    %174 = stablehlo.add %172, %173 : tensor<8x4x8xf32>
    %175 = stablehlo.negate %174 : tensor<8x4x8xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %177 = stablehlo.reshape %176 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %178 = stablehlo.add %144, %174 : tensor<8x4x8xf32>
    %cst_43 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %180 = stablehlo.divide %177, %179 : tensor<8x4x1xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %181 = stablehlo.reduce(%180 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %183 = stablehlo.add %178, %182 : tensor<8x4x8xf32>
    %184 = stablehlo.convolution(%22, %183) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> tensor<3x8x8xf32>
    %185 = stablehlo.reverse %arg2, dims = [0] : tensor<3x8x8xf32>
    %186 = stablehlo.convolution(%183, %185) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x8xf32>, tensor<3x8x8xf32>) -> tensor<8x4x8xf32>
    %187 = stablehlo.multiply %19, %186 : tensor<8x4x8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%187 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %189 = stablehlo.reshape %188 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %190 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %191 = stablehlo.multiply %186, %190 : tensor<8x4x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%189 init: %cst_46) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %193 = stablehlo.multiply %6, %191 : tensor<8x4x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.reduce(%193 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %195 = stablehlo.reshape %194 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %196 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %197 = stablehlo.multiply %191, %196 : tensor<8x4x8xf32>
    %198 = stablehlo.add %183, %197 : tensor<8x4x8xf32>
    %199 = stablehlo.multiply %195, %17 : tensor<8x4x1xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %201 = stablehlo.divide %199, %200 : tensor<8x4x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.reduce(%201 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %204 = stablehlo.multiply %6, %203 : tensor<8x4x8xf32>
    %205 = stablehlo.add %198, %204 : tensor<8x4x8xf32>
    %206 = stablehlo.multiply %203, %6 : tensor<8x4x8xf32>
    %207 = stablehlo.add %205, %206 : tensor<8x4x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %209 = "stablehlo.scatter"(%208, %5, %207) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %235 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %235 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x4x1xi32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %210 = stablehlo.add %106, %209 : tensor<16x8xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %212 = stablehlo.multiply %211, %210 : tensor<16x8xf32>
    %213 = stablehlo.subtract %arg0, %212 : tensor<16x8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %215 = stablehlo.multiply %214, %192 : tensor<8xf32>
    %216 = stablehlo.subtract %arg1, %215 : tensor<8xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %218 = stablehlo.multiply %217, %184 : tensor<3x8x8xf32>
    %219 = stablehlo.subtract %arg2, %218 : tensor<3x8x8xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %221 = stablehlo.multiply %220, %160 : tensor<8xf32>
    %222 = stablehlo.subtract %arg3, %221 : tensor<8xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %224 = stablehlo.multiply %223, %154 : tensor<8xf32>
    %225 = stablehlo.subtract %arg4, %224 : tensor<8xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %227 = stablehlo.multiply %226, %121 : tensor<8xf32>
    %228 = stablehlo.subtract %arg5, %227 : tensor<8xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %230 = stablehlo.multiply %229, %114 : tensor<8x16xf32>
    %231 = stablehlo.subtract %arg6, %230 : tensor<8x16xf32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %233 = stablehlo.multiply %232, %108 : tensor<16x8xf32>
    %234 = stablehlo.subtract %arg7, %233 : tensor<16x8xf32>
    return %99, %213, %216, %219, %222, %225, %228, %231, %234, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    return %0 : tensor<8x4x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [3, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 4, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4x8xf32>
    return %1 : tensor<8x4x8xf32>
  }
  func.func private @_one_hot(%arg0: tensor<8x4xi32>) -> tensor<8x4x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<8x4xi32>) -> tensor<8x4x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x16xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<8x4x1xi32>) -> tensor<8x4x16xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x16xi32>) -> tensor<8x4x16xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x4x16xi32>, tensor<8x4x16xi32>) -> tensor<8x4x16xi1>
    %5 = stablehlo.convert %4 : (tensor<8x4x16xi1>) -> tensor<8x4x16xf32>
    return %5 : tensor<8x4x16xf32>
  }
  func.func private @cumsum_1(%arg0: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %0 = call @cumsum_2(%arg0) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    return %0 : tensor<8x4x8xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 3], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 4, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4x8xf32>
    return %1 : tensor<8x4x8xf32>
  }
}
