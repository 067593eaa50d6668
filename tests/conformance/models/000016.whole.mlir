module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16x32xf32>, %arg3: tensor<32x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16x16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16x32xf32>, %arg8: tensor<32x16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<8x8xi32>, %arg11: tensor<8x8xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x16xf32> {jax.result_info = "result[1]['p0']"}, tensor<16xf32> {jax.result_info = "result[1]['p1']"}, tensor<16x32xf32> {jax.result_info = "result[1]['p2']"}, tensor<32x16xf32> {jax.result_info = "result[1]['p3']"}, tensor<16xf32> {jax.result_info = "result[1]['p4']"}, tensor<16x16xf32> {jax.result_info = "result[2]['p0']"}, tensor<16xf32> {jax.result_info = "result[2]['p1']"}, tensor<16x32xf32> {jax.result_info = "result[2]['p2']"}, tensor<32x16xf32> {jax.result_info = "result[2]['p3']"}, tensor<16xf32> {jax.result_info = "result[2]['p4']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %1 = stablehlo.compare LT, %arg10, %0, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %3 = stablehlo.add %arg10, %2 : tensor<8x8xi32>
    %4 = stablehlo.select %1, %3, %arg10 : tensor<8x8xi1>, tensor<8x8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<16x16xf32>, tensor<8x8x1xi32>) -> tensor<8x8x16xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x8x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x8x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<8x8x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<8x8x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<8x8x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8x8x16xf32>
    %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8x8x16xf32>
    %23 = stablehlo.dot_general %22, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x32xf32>) -> tensor<8x8x32xf32>
    %24 = stablehlo.tanh %23 : tensor<8x8x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %26 = stablehlo.subtract %25, %24 : tensor<8x8x32xf32>
    %27 = stablehlo.dot_general %24, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<32x16xf32>) -> tensor<8x8x16xf32>
    %28 = stablehlo.add %6, %27 : tensor<8x8x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %32 = stablehlo.divide %30, %31 : tensor<8x8x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %34 = stablehlo.subtract %28, %33 : tensor<8x8x16xf32>
    %35 = stablehlo.multiply %34, %34 : tensor<8x8x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %39 = stablehlo.divide %37, %38 : tensor<8x8x1xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %41 = stablehlo.add %39, %40 : tensor<8x8x1xf32>
    %42 = stablehlo.rsqrt %41 : tensor<8x8x1xf32>
    %43 = stablehlo.divide %42, %41 : tensor<8x8x1xf32>
    %cst_10 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %45 = stablehlo.multiply %44, %43 : tensor<8x8x1xf32>
    %46 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %47 = stablehlo.multiply %34, %46 : tensor<8x8x16xf32>
    %48 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %50 = stablehlo.multiply %47, %49 : tensor<8x8x16xf32>
    %51 = call @_roll_static(%50) : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %52 = stablehlo.add %28, %51 : tensor<8x8x16xf32>
    %53 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %54 = stablehlo.dot_general %52, %53, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x16xf32>) -> tensor<8x8x16xf32>
    %55 = call @_one_hot(%arg11) : (tensor<8x8xi32>) -> tensor<8x8x16xf32>
    %56 = stablehlo.subtract %54, %55 : tensor<8x8x16xf32>
    %57 = stablehlo.multiply %56, %56 : tensor<8x8x16xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %59 = stablehlo.multiply %58, %56 : tensor<8x8x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%57 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %61 = stablehlo.divide %60, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_15 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %62 = stablehlo.divide %cst_14, %cst_15 : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %64 = stablehlo.multiply %63, %59 : tensor<8x8x16xf32>
    %65 = stablehlo.dot_general %64, %52, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x16xf32>) -> tensor<16x16xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %67 = stablehlo.dot_general %64, %53, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x16xf32>) -> tensor<8x8x16xf32>
    %68 = stablehlo.transpose %66, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %69 = call @_roll_static_0(%67) : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %70 = stablehlo.multiply %47, %69 : tensor<8x8x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %72 = stablehlo.reshape %71 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %73 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %74 = stablehlo.multiply %69, %73 : tensor<8x8x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%72 init: %cst_17) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %76 = stablehlo.multiply %34, %74 : tensor<8x8x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %78 = stablehlo.reshape %77 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %79 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %80 = stablehlo.multiply %74, %79 : tensor<8x8x16xf32>
    %81 = stablehlo.multiply %78, %45 : tensor<8x8x1xf32>
    %cst_19 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %83 = stablehlo.divide %81, %82 : tensor<8x8x1xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %86 = stablehlo.multiply %34, %85 : tensor<8x8x16xf32>
    %87 = stablehlo.add %80, %86 : tensor<8x8x16xf32>
    %88 = stablehlo.multiply %85, %34 : tensor<8x8x16xf32>
    %89 = stablehlo.add %87, %88 : tensor<8x8x16xf32>
    %90 = stablehlo.negate %89 : tensor<8x8x16xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %92 = stablehlo.reshape %91 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %93 = stablehlo.add %67, %89 : tensor<8x8x16xf32>
    %cst_22 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %95 = stablehlo.divide %92, %94 : tensor<8x8x1xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %98 = stablehlo.add %93, %97 : tensor<8x8x16xf32>
    %99 = stablehlo.dot_general %98, %24, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x32xf32>) -> tensor<16x32xf32>
    %100 = stablehlo.transpose %99, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %101 = stablehlo.dot_general %98, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<32x16xf32>) -> tensor<8x8x32xf32>
    %102 = stablehlo.multiply %101, %26 : tensor<8x8x32xf32>
    %103 = stablehlo.multiply %102, %24 : tensor<8x8x32xf32>
    %104 = stablehlo.add %102, %103 : tensor<8x8x32xf32>
    %105 = stablehlo.dot_general %104, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<8x8x16xf32>) -> tensor<32x16xf32>
    %106 = stablehlo.transpose %105, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %107 = stablehlo.dot_general %104, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<16x32xf32>) -> tensor<8x8x16xf32>
    %108 = stablehlo.multiply %19, %107 : tensor<8x8x16xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%108 init: %cst_24) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %110 = stablehlo.reshape %109 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %111 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %112 = stablehlo.multiply %107, %111 : tensor<8x8x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%110 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %114 = stablehlo.multiply %6, %112 : tensor<8x8x16xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %116 = stablehlo.reshape %115 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %117 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %118 = stablehlo.multiply %112, %117 : tensor<8x8x16xf32>
    %119 = stablehlo.add %98, %118 : tensor<8x8x16xf32>
    %120 = stablehlo.multiply %116, %17 : tensor<8x8x1xf32>
    %cst_27 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %122 = stablehlo.divide %120, %121 : tensor<8x8x1xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %125 = stablehlo.multiply %6, %124 : tensor<8x8x16xf32>
    %126 = stablehlo.add %119, %125 : tensor<8x8x16xf32>
    %127 = stablehlo.multiply %124, %6 : tensor<8x8x16xf32>
    %128 = stablehlo.add %126, %127 : tensor<8x8x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %130 = "stablehlo.scatter"(%129, %5, %128) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %172 = stablehlo.add %arg12, %arg13 : tensor<f32>
      stablehlo.return %172 : tensor<f32>
    }) : (tensor<16x16xf32>, tensor<8x8x1xi32>, tensor<8x8x16xf32>) -> tensor<16x16xf32>
    %131 = stablehlo.add %68, %130 : tensor<16x16xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %133 = stablehlo.multiply %132, %arg5 : tensor<16x16xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %135 = stablehlo.multiply %134, %131 : tensor<16x16xf32>
    %136 = stablehlo.add %133, %135 : tensor<16x16xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %138 = stablehlo.multiply %137, %arg6 : tensor<16xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %140 = stablehlo.multiply %139, %113 : tensor<16xf32>
    %141 = stablehlo.add %138, %140 : tensor<16xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %143 = stablehlo.multiply %142, %arg7 : tensor<16x32xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %145 = stablehlo.multiply %144, %106 : tensor<16x32xf32>
    %146 = stablehlo.add %143, %145 : tensor<16x32xf32>
    %cst_36 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %148 = stablehlo.multiply %147, %arg8 : tensor<32x16xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %150 = stablehlo.multiply %149, %100 : tensor<32x16xf32>
    %151 = stablehlo.add %148, %150 : tensor<32x16xf32>
    %cst_38 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %153 = stablehlo.multiply %152, %arg9 : tensor<16xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %155 = stablehlo.multiply %154, %75 : tensor<16xf32>
    %156 = stablehlo.add %153, %155 : tensor<16xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %158 = stablehlo.multiply %157, %136 : tensor<16x16xf32>
    %159 = stablehlo.subtract %arg0, %158 : tensor<16x16xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %161 = stablehlo.multiply %160, %141 : tensor<16xf32>
    %162 = stablehlo.subtract %arg1, %161 : tensor<16xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %164 = stablehlo.multiply %163, %146 : tensor<16x32xf32>
    %165 = stablehlo.subtract %arg2, %164 : tensor<16x32xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %167 = stablehlo.multiply %166, %151 : tensor<32x16xf32>
    %168 = stablehlo.subtract %arg3, %167 : tensor<32x16xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %170 = stablehlo.multiply %169, %156 : tensor<16xf32>
    %171 = stablehlo.subtract %arg4, %170 : tensor<16xf32>
    return %61, %159, %162, %165, %168, %171, %136, %141, %146, %151, %156 : tensor<f32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>
  }
  func.func private @_roll_static(%arg0: tensor<8x8x16xf32>) -> tensor<8x8x16xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 6:8, 0:16] : (tensor<8x8x16xf32>) -> tensor<8x2x16xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:6, 0:16] : (tensor<8x8x16xf32>) -> tensor<8x6x16xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<8x2x16xf32>, tensor<8x6x16xf32>) -> tensor<8x8x16xf32>
    return %2 : tensor<8x8x16xf32>
  }
  func.func private @_one_hot(%arg0: tensor<8x8xi32>) -> tensor<8x8x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x16xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<8x8x1xi32>) -> tensor<8x8x16xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x16xi32>) -> tensor<8x8x16xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x8x16xi32>, tensor<8x8x16xi32>) -> tensor<8x8x16xi1>
    %5 = stablehlo.convert %4 : (tensor<8x8x16xi1>) -> tensor<8x8x16xf32>
    return %5 : tensor<8x8x16xf32>
  }
  func.func private @_roll_static_0(%arg0: tensor<8x8x16xf32>) -> tensor<8x8x16xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 0:2, 0:16] : (tensor<8x8x16xf32>) -> tensor<8x2x16xf32>
    %1 = stablehlo.slice %arg0 [0:8, 2:8, 0:16] : (tensor<8x8x16xf32>) -> tensor<8x6x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %1, %cst, low = [0, 0, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<8x6x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %0, %cst_0, low = [0, 6, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<8x2x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x8x16xf32>
    return %4 : tensor<8x8x16xf32>
  }
}
