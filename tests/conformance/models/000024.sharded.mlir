module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"z"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg2: tensor<3x3x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, %arg3: tensor<2x2x4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z"}, {}]>}, %arg4: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg5: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {"y"}]>}, %arg6: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg7: tensor<3x3x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"z"}]>}, %arg8: tensor<2x2x4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x", "z"}, {}]>}, %arg9: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}]>}, %arg10: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", "z"}]>}, %arg11: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']", sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z"}, {}]>}, tensor<8xf32> {jax.result_info = "result[1]['p1']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<3x3x1x4xf32> {jax.result_info = "result[1]['p2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, tensor<2x2x4x1xf32> {jax.result_info = "result[1]['p3']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}, tensor<8xf32> {jax.result_info = "result[1]['p4']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']", sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {}]>}, tensor<8xf32> {jax.result_info = "result[2]['p1']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<3x3x1x4xf32> {jax.result_info = "result[2]['p2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"y", "z"}]>}, tensor<2x2x4x1xf32> {jax.result_info = "result[2]['p3']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}, tensor<8xf32> {jax.result_info = "result[2]['p4']", sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %1 = stablehlo.compare LT, %arg10, %0, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %3 = stablehlo.add %arg10, %2 : tensor<8x16xi32>
    %4 = stablehlo.select %1, %3, %arg10 : tensor<8x16xi1>, tensor<8x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x16x1xi32>) -> tensor<8x16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<8x16x8xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<8x16x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %17 = stablehlo.divide %15, %16 : tensor<8x16x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<8x16x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<8x16x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<8x16x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<8x16x1xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %25 = stablehlo.multiply %12, %24 : tensor<8x16x8xf32>
    %26 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<8x16x8xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<8x16x8xf32>) -> tensor<8x16x8x1xf32>
    %30 = stablehlo.convolution(%29, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<8x8x4x4xf32>
    %31 = sdy.sharding_constraint %30 <@mesh, [{"y"}, {}, {}, {?}]> : tensor<8x8x4x4xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<f32>
    %33 = "stablehlo.reduce_window"(%31, %32) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %173 = stablehlo.maximum %arg12, %arg13 : tensor<f32>
      stablehlo.return %173 : tensor<f32>
    }) : (tensor<8x8x4x4xf32>, tensor<f32>) -> tensor<8x8x4x4xf32>
    %34 = stablehlo.convolution(%33, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x4x4xf32>, tensor<2x2x4x1xf32>) -> tensor<8x16x8x1xf32>
    %35 = stablehlo.reshape %34 : (tensor<8x16x8x1xf32>) -> tensor<8x16x8xf32>
    %36 = stablehlo.add %6, %35 : tensor<8x16x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %40 = stablehlo.divide %38, %39 : tensor<8x16x1xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %42 = stablehlo.subtract %36, %41 : tensor<8x16x8xf32>
    %43 = stablehlo.multiply %42, %42 : tensor<8x16x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_10 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %47 = stablehlo.divide %45, %46 : tensor<8x16x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %49 = stablehlo.add %47, %48 : tensor<8x16x1xf32>
    %50 = stablehlo.rsqrt %49 : tensor<8x16x1xf32>
    %51 = stablehlo.divide %50, %49 : tensor<8x16x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<8x16x1xf32>
    %54 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %55 = stablehlo.multiply %42, %54 : tensor<8x16x8xf32>
    %56 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %58 = stablehlo.multiply %55, %57 : tensor<8x16x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %60 = stablehlo.divide %59, %cst_14 : tensor<f32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.compare GT, %60, %cst_15, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %62 = stablehlo.convert %61 : (tensor<i1>) -> tensor<i32>
    %63 = "stablehlo.case"(%62) ({
      %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %173 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
      %174 = stablehlo.multiply %58, %173 : tensor<8x16x8xf32>
      %175 = sdy.sharding_constraint %174 <@mesh, [{?}, {"x"}, {}]> : tensor<8x16x8xf32>
      stablehlo.return %175 : tensor<8x16x8xf32>
    }, {
      %173 = func.call @_roll_static(%58) : (tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
      stablehlo.return %173 : tensor<8x16x8xf32>
    }) : (tensor<i32>) -> tensor<8x16x8xf32>
    %64 = stablehlo.add %36, %63 : tensor<8x16x8xf32>
    %65 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %66 = stablehlo.dot_general %64, %65, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x16xf32>) -> tensor<8x16x16xf32>
    %67 = sdy.sharding_constraint %66 <@mesh, [{?}, {?}, {"x"}]> : tensor<8x16x16xf32>
    %68:3 = call @log_softmax(%67) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x1xf32>)
    %69 = stablehlo.broadcast_in_dim %arg11, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %70:2 = call @take_along_axis(%68#0, %69) : (tensor<8x16x16xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70#0 init: %cst_16) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %72 = stablehlo.divide %71, %cst_17 : tensor<f32>
    %73 = stablehlo.negate %72 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.negate %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %75 = stablehlo.divide %74, %cst_19 : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %77 = call @take_along_axis_0(%70#1, %76) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    %78 = call @log_softmax_1(%68#1, %68#2, %77) : (tensor<8x16x16xf32>, tensor<8x16x1xf32>, tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %79 = sdy.sharding_constraint %78 <@mesh, [{?}, {?}, {"x"}]> : tensor<8x16x16xf32>
    %80 = stablehlo.dot_general %79, %64, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %81 = stablehlo.transpose %80, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %82 = stablehlo.dot_general %79, %65, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %83 = stablehlo.transpose %81, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %84 = "stablehlo.case"(%62) ({
      %173 = sdy.sharding_constraint %82 <@mesh, [{?}, {"x"}, {}]> : tensor<8x16x8xf32>
      %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %174 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
      %175 = stablehlo.multiply %173, %174 : tensor<8x16x8xf32>
      stablehlo.return %175 : tensor<8x16x8xf32>
    }, {
      %173 = func.call @_roll_static_2(%82) : (tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
      stablehlo.return %173 : tensor<8x16x8xf32>
    }) : (tensor<i32>) -> tensor<8x16x8xf32>
    %85 = stablehlo.multiply %55, %84 : tensor<8x16x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %87 = stablehlo.reshape %86 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %88 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %89 = stablehlo.multiply %84, %88 : tensor<8x16x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%87 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %91 = stablehlo.multiply %42, %89 : tensor<8x16x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %93 = stablehlo.reshape %92 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %94 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %95 = stablehlo.multiply %89, %94 : tensor<8x16x8xf32>
    %96 = stablehlo.multiply %93, %53 : tensor<8x16x1xf32>
    %cst_23 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %98 = stablehlo.divide %96, %97 : tensor<8x16x1xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %101 = stablehlo.multiply %42, %100 : tensor<8x16x8xf32>
    %102 = stablehlo.add %95, %101 : tensor<8x16x8xf32>
    %103 = stablehlo.multiply %100, %42 : tensor<8x16x8xf32>
    %104 = stablehlo.add %102, %103 : tensor<8x16x8xf32>
    %105 = stablehlo.negate %104 : tensor<8x16x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.reduce(%105 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %107 = stablehlo.reshape %106 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %108 = stablehlo.add %82, %104 : tensor<8x16x8xf32>
    %cst_26 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %110 = stablehlo.divide %107, %109 : tensor<8x16x1xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %113 = stablehlo.add %108, %112 : tensor<8x16x8xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<8x16x8xf32>) -> tensor<8x16x8x1xf32>
    %115 = stablehlo.convolution(%33, %114) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x4x4xf32>, tensor<8x16x8x1xf32>) -> tensor<2x2x4x1xf32>
    %116 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<2x2x4x1xf32>
    %117 = stablehlo.convolution(%114, %116) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x8x1xf32>, tensor<2x2x4x1xf32>) -> tensor<8x8x4x4xf32>
    %cst_28 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %118 = stablehlo.pad %31, %cst_28, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<8x8x4x4xf32>, tensor<f32>) -> tensor<8x9x5x4xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = "stablehlo.select_and_scatter"(%118, %117, %cst_29) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %173 = stablehlo.compare GE, %arg12, %arg13, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %173 : tensor<i1>
    }, {
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %173 = stablehlo.add %arg12, %arg13 : tensor<f32>
      stablehlo.return %173 : tensor<f32>
    }) : (tensor<8x9x5x4xf32>, tensor<8x8x4x4xf32>, tensor<f32>) -> tensor<8x9x5x4xf32>
    %120 = stablehlo.slice %119 [0:8, 0:8, 0:4, 0:4] : (tensor<8x9x5x4xf32>) -> tensor<8x8x4x4xf32>
    %121 = sdy.sharding_constraint %120 <@mesh, [{"y"}, {}, {}, {?}]> : tensor<8x8x4x4xf32>
    %122 = stablehlo.convolution(%29, %121) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x8x1xf32>, tensor<8x8x4x4xf32>) -> tensor<3x3x1x4xf32>
    %123 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x1x4xf32>
    %124 = stablehlo.convolution(%121, %123) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x4x4xf32>, tensor<3x3x1x4xf32>) -> tensor<8x16x8x1xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_30) applies stablehlo.add across dimensions = [3] : (tensor<8x16x8x1xf32>, tensor<f32>) -> tensor<8x16x8xf32>
    %126 = stablehlo.multiply %25, %125 : tensor<8x16x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %128 = stablehlo.reshape %127 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %129 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %130 = stablehlo.multiply %125, %129 : tensor<8x16x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%128 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %132 = stablehlo.multiply %12, %130 : tensor<8x16x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%132 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %134 = stablehlo.reshape %133 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %135 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %136 = stablehlo.multiply %130, %135 : tensor<8x16x8xf32>
    %137 = stablehlo.multiply %134, %23 : tensor<8x16x1xf32>
    %cst_34 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %139 = stablehlo.divide %137, %138 : tensor<8x16x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %142 = stablehlo.multiply %12, %141 : tensor<8x16x8xf32>
    %143 = stablehlo.add %136, %142 : tensor<8x16x8xf32>
    %144 = stablehlo.multiply %141, %12 : tensor<8x16x8xf32>
    %145 = stablehlo.add %143, %144 : tensor<8x16x8xf32>
    %146 = stablehlo.negate %145 : tensor<8x16x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %148 = stablehlo.reshape %147 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %149 = stablehlo.add %113, %145 : tensor<8x16x8xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %151 = stablehlo.divide %148, %150 : tensor<8x16x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %154 = stablehlo.add %149, %153 : tensor<8x16x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %156 = "stablehlo.scatter"(%155, %5, %154) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %173 = stablehlo.add %arg12, %arg13 : tensor<f32>
      stablehlo.return %173 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x16x1xi32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %157 = stablehlo.add %83, %156 : tensor<16x8xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %159 = stablehlo.multiply %158, %157 : tensor<16x8xf32>
    %160 = stablehlo.subtract %arg0, %159 : tensor<16x8xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %162 = stablehlo.multiply %161, %131 : tensor<8xf32>
    %163 = stablehlo.subtract %arg1, %162 : tensor<8xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %165 = stablehlo.multiply %164, %122 : tensor<3x3x1x4xf32>
    %166 = stablehlo.subtract %arg2, %165 : tensor<3x3x1x4xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2x2x4x1xf32>
    %168 = stablehlo.multiply %167, %115 : tensor<2x2x4x1xf32>
    %169 = stablehlo.subtract %arg3, %168 : tensor<2x2x4x1xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %171 = stablehlo.multiply %170, %90 : tensor<8xf32>
    %172 = stablehlo.subtract %arg4, %171 : tensor<8xf32>
    return %73, %160, %163, %166, %169, %172, %arg5, %arg6, %arg7, %arg8, %arg9 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x3x1x4xf32>, tensor<2x2x4x1xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x3x1x4xf32>, tensor<2x2x4x1xf32>, tensor<8xf32>
  }
  func.func private @_roll_static(%arg0: tensor<8x16x8xf32>) -> tensor<8x16x8xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 14:16, 0:8] : (tensor<8x16x8xf32>) -> tensor<8x2x8xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:14, 0:8] : (tensor<8x16x8xf32>) -> tensor<8x14x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<8x2x8xf32>, tensor<8x14x8xf32>) -> tensor<8x16x8xf32>
    return %2 : tensor<8x16x8xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x16x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16x16xf32>
    %6 = stablehlo.exponential %5 : tensor<8x16x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x16x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %9 = stablehlo.log %8 : tensor<8x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x16x16xf32>
    return %11, %6, %8 : tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x16x16xf32>, %arg1: tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x16x1xi32>, tensor<8x16x1xi32>) -> tensor<8x16x1xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x16x1xi1>, tensor<8x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x16x1xi32>) -> tensor<8x16x1x1xi32>
    %c_1 = stablehlo.constant dense<15> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x16x1x1xi1>, tensor<i1>) -> tensor<8x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x16xf32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x16x1xi1>, tensor<8x16x1xf32>
    return %15, %5 : tensor<8x16x1xf32>, tensor<8x16x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x16xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x16xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    return %1 : tensor<8x16x16xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<8x16x16xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x16xf32>) -> tensor<8x16x16xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x16xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x16x16xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x16x16xf32>
    return %7 : tensor<8x16x16xf32>
  }
  func.func private @_roll_static_2(%arg0: tensor<8x16x8xf32>) -> tensor<8x16x8xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 0:2, 0:8] : (tensor<8x16x8xf32>) -> tensor<8x2x8xf32>
    %1 = stablehlo.slice %arg0 [0:8, 2:16, 0:8] : (tensor<8x16x8xf32>) -> tensor<8x14x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %1, %cst, low = [0, 0, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<8x14x8xf32>, tensor<f32>) -> tensor<8x16x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %0, %cst_0, low = [0, 14, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<8x2x8xf32>, tensor<f32>) -> tensor<8x16x8xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x16x8xf32>
    return %4 : tensor<8x16x8xf32>
  }
}
