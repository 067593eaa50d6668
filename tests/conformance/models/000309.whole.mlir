module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x16xf32>, %arg4: tensor<16x8xf32>, %arg5: tensor<8x16xf32>, %arg6: tensor<16x8xf32>, %arg7: tensor<8xf32>, %arg8: tensor<8xf32>, %arg9: tensor<8x16xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<8x16xf32>, %arg12: tensor<8x4xi32>, %arg13: tensor<8x4xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<8xf32> {jax.result_info = "result[1]['p2']"}, tensor<8x16xf32> {jax.result_info = "result[1]['p3']"}, tensor<16x8xf32> {jax.result_info = "result[1]['p4']"}, tensor<8x16xf32> {jax.result_info = "result[1]['p5']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<8xf32> {jax.result_info = "result[2]['p2']"}, tensor<8x16xf32> {jax.result_info = "result[2]['p3']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p4']"}, tensor<8x16xf32> {jax.result_info = "result[2]['p5']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %1 = stablehlo.compare LT, %arg12, %0, SIGNED : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %3 = stablehlo.add %arg12, %2 : tensor<8x4xi32>
    %4 = stablehlo.select %1, %3, %arg12 : tensor<8x4xi1>, tensor<8x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x4xi32>) -> tensor<8x4x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x4x1xi32>) -> tensor<8x4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x4x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<8x4x8xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<8x4x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %17 = stablehlo.divide %15, %16 : tensor<8x4x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<8x4x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<8x4x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<8x4x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<8x4x1xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %25 = stablehlo.multiply %12, %24 : tensor<8x4x8xf32>
    %26 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<8x4x8xf32>
    %29:2 = call @sort(%28) : (tensor<8x4x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x8x1xui32>)
    %30 = stablehlo.add %6, %29#0 : tensor<8x4x8xf32>
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
    %44 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %46 = stablehlo.multiply %43, %45 : tensor<8x4x8xf32>
    %47 = stablehlo.dot_general %46, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %48 = stablehlo.multiply %47, %47 : tensor<8x4x16xf32>
    %49 = stablehlo.multiply %48, %47 : tensor<8x4x16xf32>
    %50 = stablehlo.multiply %47, %47 : tensor<8x4x16xf32>
    %cst_10 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<8x4x16xf32>
    %cst_11 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %54 = stablehlo.multiply %53, %49 : tensor<8x4x16xf32>
    %55 = stablehlo.add %47, %54 : tensor<8x4x16xf32>
    %cst_12 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %57 = stablehlo.multiply %56, %55 : tensor<8x4x16xf32>
    %58 = stablehlo.tanh %57 : tensor<8x4x16xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %60 = stablehlo.subtract %59, %58 : tensor<8x4x16xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %62 = stablehlo.add %61, %58 : tensor<8x4x16xf32>
    %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<8x4x16xf32>
    %65 = stablehlo.multiply %47, %64 : tensor<8x4x16xf32>
    %66 = stablehlo.dot_general %46, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %67 = stablehlo.multiply %65, %66 : tensor<8x4x16xf32>
    %68 = stablehlo.dot_general %67, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x8xf32>) -> tensor<8x4x8xf32>
    %69 = stablehlo.add %30, %68 : tensor<8x4x8xf32>
    %70 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %71 = stablehlo.dot_general %69, %70, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %72 = call @_one_hot(%arg13) : (tensor<8x4xi32>) -> tensor<8x4x16xf32>
    %73 = stablehlo.subtract %71, %72 : tensor<8x4x16xf32>
    %74 = stablehlo.multiply %73, %73 : tensor<8x4x16xf32>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %76 = stablehlo.multiply %75, %73 : tensor<8x4x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%74 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %78 = stablehlo.divide %77, %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_20 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %79 = stablehlo.divide %cst_19, %cst_20 : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %81 = stablehlo.multiply %80, %76 : tensor<8x4x16xf32>
    %82 = stablehlo.dot_general %81, %69, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %83 = stablehlo.transpose %82, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %84 = stablehlo.dot_general %81, %70, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %85 = stablehlo.transpose %83, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %86 = stablehlo.dot_general %84, %67, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x16xf32>) -> tensor<8x16xf32>
    %87 = stablehlo.transpose %86, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %88 = stablehlo.dot_general %84, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<16x8xf32>) -> tensor<8x4x16xf32>
    %89 = stablehlo.multiply %65, %88 : tensor<8x4x16xf32>
    %90 = stablehlo.multiply %88, %66 : tensor<8x4x16xf32>
    %91 = stablehlo.dot_general %89, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %92 = stablehlo.transpose %91, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %93 = stablehlo.dot_general %89, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %94 = stablehlo.multiply %47, %90 : tensor<8x4x16xf32>
    %95 = stablehlo.multiply %90, %64 : tensor<8x4x16xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %97 = stablehlo.multiply %96, %94 : tensor<8x4x16xf32>
    %98 = stablehlo.multiply %97, %60 : tensor<8x4x16xf32>
    %99 = stablehlo.multiply %98, %58 : tensor<8x4x16xf32>
    %100 = stablehlo.add %98, %99 : tensor<8x4x16xf32>
    %cst_22 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %102 = stablehlo.multiply %101, %100 : tensor<8x4x16xf32>
    %103 = stablehlo.add %95, %102 : tensor<8x4x16xf32>
    %cst_23 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %105 = stablehlo.multiply %104, %102 : tensor<8x4x16xf32>
    %106 = stablehlo.multiply %105, %52 : tensor<8x4x16xf32>
    %107 = stablehlo.add %103, %106 : tensor<8x4x16xf32>
    %108 = stablehlo.dot_general %107, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %109 = stablehlo.transpose %108, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %110 = stablehlo.dot_general %107, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %111 = stablehlo.add %93, %110 : tensor<8x4x8xf32>
    %112 = stablehlo.multiply %43, %111 : tensor<8x4x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_24) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %114 = stablehlo.reshape %113 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %115 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %116 = stablehlo.multiply %111, %115 : tensor<8x4x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%114 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %118 = stablehlo.multiply %30, %116 : tensor<8x4x8xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%118 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %120 = stablehlo.reshape %119 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %121 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %122 = stablehlo.multiply %116, %121 : tensor<8x4x8xf32>
    %123 = stablehlo.add %84, %122 : tensor<8x4x8xf32>
    %124 = stablehlo.multiply %120, %41 : tensor<8x4x1xf32>
    %cst_27 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %126 = stablehlo.divide %124, %125 : tensor<8x4x1xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %129 = stablehlo.multiply %30, %128 : tensor<8x4x8xf32>
    %130 = stablehlo.add %123, %129 : tensor<8x4x8xf32>
    %131 = stablehlo.multiply %128, %30 : tensor<8x4x8xf32>
    %132 = stablehlo.add %130, %131 : tensor<8x4x8xf32>
    %133 = call @sort_0(%29#1, %132) : (tensor<8x4x8x1xui32>, tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    %134 = stablehlo.multiply %25, %133 : tensor<8x4x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %136 = stablehlo.reshape %135 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %137 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %138 = stablehlo.multiply %133, %137 : tensor<8x4x8xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%136 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %140 = stablehlo.multiply %12, %138 : tensor<8x4x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %142 = stablehlo.reshape %141 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %143 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %144 = stablehlo.multiply %138, %143 : tensor<8x4x8xf32>
    %145 = stablehlo.multiply %142, %23 : tensor<8x4x1xf32>
    %cst_32 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %147 = stablehlo.divide %145, %146 : tensor<8x4x1xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.reduce(%147 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %150 = stablehlo.multiply %12, %149 : tensor<8x4x8xf32>
    %151 = stablehlo.add %144, %150 : tensor<8x4x8xf32>
    %152 = stablehlo.multiply %149, %12 : tensor<8x4x8xf32>
    %153 = stablehlo.add %151, %152 : tensor<8x4x8xf32>
    %154 = stablehlo.negate %153 : tensor<8x4x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %156 = stablehlo.reshape %155 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %157 = stablehlo.add %132, %153 : tensor<8x4x8xf32>
    %cst_35 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %159 = stablehlo.divide %156, %158 : tensor<8x4x1xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %160 = stablehlo.reduce(%159 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %161 = stablehlo.broadcast_in_dim %160, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %162 = stablehlo.add %157, %161 : tensor<8x4x8xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %164 = "stablehlo.scatter"(%163, %5, %162) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %221 = stablehlo.add %arg14, %arg15 : tensor<f32>
      stablehlo.return %221 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x4x1xi32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %165 = stablehlo.add %85, %164 : tensor<16x8xf32>
    %166 = stablehlo.multiply %165, %165 : tensor<16x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%166 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.add %cst_39, %167 : tensor<f32>
    %169 = stablehlo.multiply %139, %139 : tensor<8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %170 = stablehlo.reduce(%169 init: %cst_40) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %171 = stablehlo.add %168, %170 : tensor<f32>
    %172 = stablehlo.multiply %117, %117 : tensor<8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %173 = stablehlo.reduce(%172 init: %cst_41) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %174 = stablehlo.add %171, %173 : tensor<f32>
    %175 = stablehlo.multiply %109, %109 : tensor<8x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    %177 = stablehlo.add %174, %176 : tensor<f32>
    %178 = stablehlo.multiply %87, %87 : tensor<16x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %180 = stablehlo.add %177, %179 : tensor<f32>
    %181 = stablehlo.multiply %92, %92 : tensor<8x16xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    %183 = stablehlo.add %180, %182 : tensor<f32>
    %184 = stablehlo.sqrt %183 : tensor<f32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %185 = stablehlo.maximum %cst_45, %184 : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %187 = stablehlo.divide %165, %186 : tensor<16x8xf32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %188 = stablehlo.maximum %cst_46, %184 : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %190 = stablehlo.divide %139, %189 : tensor<8xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %191 = stablehlo.maximum %cst_47, %184 : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %193 = stablehlo.divide %117, %192 : tensor<8xf32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %194 = stablehlo.maximum %cst_48, %184 : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %196 = stablehlo.divide %109, %195 : tensor<8x16xf32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %197 = stablehlo.maximum %cst_49, %184 : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %199 = stablehlo.divide %87, %198 : tensor<16x8xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %200 = stablehlo.maximum %cst_50, %184 : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %200, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %202 = stablehlo.divide %92, %201 : tensor<8x16xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %204 = stablehlo.multiply %203, %187 : tensor<16x8xf32>
    %205 = stablehlo.subtract %arg0, %204 : tensor<16x8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %207 = stablehlo.multiply %206, %190 : tensor<8xf32>
    %208 = stablehlo.subtract %arg1, %207 : tensor<8xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %210 = stablehlo.multiply %209, %193 : tensor<8xf32>
    %211 = stablehlo.subtract %arg2, %210 : tensor<8xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %213 = stablehlo.multiply %212, %196 : tensor<8x16xf32>
    %214 = stablehlo.subtract %arg3, %213 : tensor<8x16xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %216 = stablehlo.multiply %215, %199 : tensor<16x8xf32>
    %217 = stablehlo.subtract %arg4, %216 : tensor<16x8xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %219 = stablehlo.multiply %218, %202 : tensor<8x16xf32>
    %220 = stablehlo.subtract %arg5, %219 : tensor<8x16xf32>
    return %78, %205, %208, %211, %214, %217, %220, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  }
  func.func private @sort(%arg0: tensor<8x4x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x8x1xui32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8x4x8xui32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.select %3, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.select %7, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<8x4x8xf32>, tensor<8x4x8xui32>) -> (tensor<8x4x8xf32>, tensor<8x4x8xui32>)
    %2 = stablehlo.broadcast_in_dim %1#1, dims = [0, 1, 2] : (tensor<8x4x8xui32>) -> tensor<8x4x8x1xui32>
    return %1#0, %2 : tensor<8x4x8xf32>, tensor<8x4x8x1xui32>
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
  func.func private @sort_0(%arg0: tensor<8x4x8x1xui32>, %arg1: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], input_batching_dims = [1, 2], scatter_indices_batching_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x4x8xf32>, tensor<8x4x8x1xui32>, tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    return %1 : tensor<8x4x8xf32>
  }
}
