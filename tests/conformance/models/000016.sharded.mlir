module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg3: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg5: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg6: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg7: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg8: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg9: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg11: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x16xf32> {jax.result_info = "result[1]['p0']"}, tensor<16xf32> {jax.result_info = "result[1]['p1']"}, tensor<16x32xf32> {jax.result_info = "result[1]['p2']"}, tensor<32x16xf32> {jax.result_info = "result[1]['p3']"}, tensor<16xf32> {jax.result_info = "result[1]['p4']"}, tensor<16x16xf32> {jax.result_info = "result[2]['p0']"}, tensor<16xf32> {jax.result_info = "result[2]['p1']"}, tensor<16x32xf32> {jax.result_info = "result[2]['p2']"}, tensor<32x16xf32> {jax.result_info = "result[2]['p3']"}, tensor<16xf32> {jax.result_info = "result[2]['p4']"}) {
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
    %27 = sdy.sharding_constraint %24 <@mesh, [{}, {"x"}, {}]> : tensor<8x8x32xf32>
    %28 = stablehlo.dot_general %27, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<32x16xf32>) -> tensor<8x8x16xf32>
    %29 = stablehlo.add %6, %28 : tensor<8x8x16xf32>
    %30 = sdy.sharding_constraint %29 <@mesh, [{"x"}, {}, {}]> : tensor<8x8x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %34 = stablehlo.divide %32, %33 : tensor<8x8x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %36 = stablehlo.subtract %30, %35 : tensor<8x8x16xf32>
    %37 = stablehlo.multiply %36, %36 : tensor<8x8x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %41 = stablehlo.divide %39, %40 : tensor<8x8x1xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %43 = stablehlo.add %41, %42 : tensor<8x8x1xf32>
    %44 = stablehlo.rsqrt %43 : tensor<8x8x1xf32>
    %45 = stablehlo.divide %44, %43 : tensor<8x8x1xf32>
    %cst_10 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %47 = stablehlo.multiply %46, %45 : tensor<8x8x1xf32>
    %48 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %49 = stablehlo.multiply %36, %48 : tensor<8x8x16xf32>
    %50 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %52 = stablehlo.multiply %49, %51 : tensor<8x8x16xf32>
    %53 = call @_roll_static(%52) : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %54 = stablehlo.add %30, %53 : tensor<8x8x16xf32>
    %55 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %56 = stablehlo.dot_general %54, %55, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x16xf32>) -> tensor<8x8x16xf32>
    %57 = call @_one_hot(%arg11) : (tensor<8x8xi32>) -> tensor<8x8x16xf32>
    %58 = stablehlo.subtract %56, %57 : tensor<8x8x16xf32>
    %59 = stablehlo.multiply %58, %58 : tensor<8x8x16xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %61 = stablehlo.multiply %60, %58 : tensor<8x8x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%59 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %63 = stablehlo.divide %62, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_15 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %64 = stablehlo.divide %cst_14, %cst_15 : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %66 = stablehlo.multiply %65, %61 : tensor<8x8x16xf32>
    %67 = stablehlo.dot_general %66, %54, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x16xf32>) -> tensor<16x16xf32>
    %68 = stablehlo.transpose %67, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %69 = stablehlo.dot_general %66, %55, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x16xf32>) -> tensor<8x8x16xf32>
    %70 = stablehlo.transpose %68, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %71 = call @_roll_static_0(%69) : (tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %72 = stablehlo.multiply %49, %71 : tensor<8x8x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %74 = stablehlo.reshape %73 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %75 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %76 = stablehlo.multiply %71, %75 : tensor<8x8x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%74 init: %cst_17) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %78 = stablehlo.multiply %36, %76 : tensor<8x8x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %80 = stablehlo.reshape %79 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %81 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %82 = stablehlo.multiply %76, %81 : tensor<8x8x16xf32>
    %83 = stablehlo.multiply %80, %47 : tensor<8x8x1xf32>
    %cst_19 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %85 = stablehlo.divide %83, %84 : tensor<8x8x1xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %88 = stablehlo.multiply %36, %87 : tensor<8x8x16xf32>
    %89 = stablehlo.add %82, %88 : tensor<8x8x16xf32>
    %90 = stablehlo.multiply %87, %36 : tensor<8x8x16xf32>
    %91 = stablehlo.add %89, %90 : tensor<8x8x16xf32>
    %92 = stablehlo.negate %91 : tensor<8x8x16xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.reduce(%92 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %94 = stablehlo.reshape %93 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %95 = stablehlo.add %69, %91 : tensor<8x8x16xf32>
    %cst_22 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %97 = stablehlo.divide %94, %96 : tensor<8x8x1xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%97 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %100 = stablehlo.add %95, %99 : tensor<8x8x16xf32>
    %101 = sdy.sharding_constraint %100 <@mesh, [{"x"}, {}, {}]> : tensor<8x8x16xf32>
    %102 = stablehlo.dot_general %101, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x32xf32>) -> tensor<16x32xf32>
    %103 = stablehlo.transpose %102, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %104 = stablehlo.dot_general %101, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<32x16xf32>) -> tensor<8x8x32xf32>
    %105 = sdy.sharding_constraint %104 <@mesh, [{}, {"x"}, {}]> : tensor<8x8x32xf32>
    %106 = stablehlo.multiply %105, %26 : tensor<8x8x32xf32>
    %107 = stablehlo.multiply %106, %24 : tensor<8x8x32xf32>
    %108 = stablehlo.add %106, %107 : tensor<8x8x32xf32>
    %109 = stablehlo.dot_general %108, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<8x8x16xf32>) -> tensor<32x16xf32>
    %110 = stablehlo.transpose %109, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %111 = stablehlo.dot_general %108, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<16x32xf32>) -> tensor<8x8x16xf32>
    %112 = stablehlo.multiply %19, %111 : tensor<8x8x16xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_24) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %114 = stablehlo.reshape %113 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %115 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %116 = stablehlo.multiply %111, %115 : tensor<8x8x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%114 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %118 = stablehlo.multiply %6, %116 : tensor<8x8x16xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%118 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %120 = stablehlo.reshape %119 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %121 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %122 = stablehlo.multiply %116, %121 : tensor<8x8x16xf32>
    %123 = stablehlo.add %101, %122 : tensor<8x8x16xf32>
    %124 = stablehlo.multiply %120, %17 : tensor<8x8x1xf32>
    %cst_27 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %126 = stablehlo.divide %124, %125 : tensor<8x8x1xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %129 = stablehlo.multiply %6, %128 : tensor<8x8x16xf32>
    %130 = stablehlo.add %123, %129 : tensor<8x8x16xf32>
    %131 = stablehlo.multiply %128, %6 : tensor<8x8x16xf32>
    %132 = stablehlo.add %130, %131 : tensor<8x8x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %134 = "stablehlo.scatter"(%133, %5, %132) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %176 = stablehlo.add %arg12, %arg13 : tensor<f32>
      stablehlo.return %176 : tensor<f32>
    }) : (tensor<16x16xf32>, tensor<8x8x1xi32>, tensor<8x8x16xf32>) -> tensor<16x16xf32>
    %135 = stablehlo.add %70, %134 : tensor<16x16xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %137 = stablehlo.multiply %136, %arg5 : tensor<16x16xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %139 = stablehlo.multiply %138, %135 : tensor<16x16xf32>
    %140 = stablehlo.add %137, %139 : tensor<16x16xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %142 = stablehlo.multiply %141, %arg6 : tensor<16xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %144 = stablehlo.multiply %143, %117 : tensor<16xf32>
    %145 = stablehlo.add %142, %144 : tensor<16xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %147 = stablehlo.multiply %146, %arg7 : tensor<16x32xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %149 = stablehlo.multiply %148, %110 : tensor<16x32xf32>
    %150 = stablehlo.add %147, %149 : tensor<16x32xf32>
    %cst_36 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %152 = stablehlo.multiply %151, %arg8 : tensor<32x16xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %154 = stablehlo.multiply %153, %103 : tensor<32x16xf32>
    %155 = stablehlo.add %152, %154 : tensor<32x16xf32>
    %cst_38 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %157 = stablehlo.multiply %156, %arg9 : tensor<16xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %159 = stablehlo.multiply %158, %77 : tensor<16xf32>
    %160 = stablehlo.add %157, %159 : tensor<16xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %162 = stablehlo.multiply %161, %140 : tensor<16x16xf32>
    %163 = stablehlo.subtract %arg0, %162 : tensor<16x16xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %165 = stablehlo.multiply %164, %145 : tensor<16xf32>
    %166 = stablehlo.subtract %arg1, %165 : tensor<16xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %168 = stablehlo.multiply %167, %150 : tensor<16x32xf32>
    %169 = stablehlo.subtract %arg2, %168 : tensor<16x32xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %171 = stablehlo.multiply %170, %155 : tensor<32x16xf32>
    %172 = stablehlo.subtract %arg3, %171 : tensor<32x16xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %174 = stablehlo.multiply %173, %160 : tensor<16xf32>
    %175 = stablehlo.subtract %arg4, %174 : tensor<16xf32>
    return %63, %163, %166, %169, %172, %175, %140, %145, %150, %155, %160 : tensor<f32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>
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
