module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<3x3x1x4xf32>, %arg3: tensor<2x2x4x1xf32>, %arg4: tensor<8xf32>, %arg5: tensor<16x8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<3x3x1x4xf32>, %arg8: tensor<2x2x4x1xf32>, %arg9: tensor<8xf32>, %arg10: tensor<8x16xi32>, %arg11: tensor<8x16xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<3x3x1x4xf32> {jax.result_info = "result[1]['p2']"}, tensor<2x2x4x1xf32> {jax.result_info = "result[1]['p3']"}, tensor<8xf32> {jax.result_info = "result[1]['p4']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<3x3x1x4xf32> {jax.result_info = "result[2]['p2']"}, tensor<2x2x4x1xf32> {jax.result_info = "result[2]['p3']"}, tensor<8xf32> {jax.result_info = "result[2]['p4']"}) {
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
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<f32>
    %32 = "stablehlo.reduce_window"(%30, %31) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %169 = stablehlo.maximum %arg12, %arg13 : tensor<f32>
      stablehlo.return %169 : tensor<f32>
    }) : (tensor<8x8x4x4xf32>, tensor<f32>) -> tensor<8x8x4x4xf32>
    %33 = stablehlo.convolution(%32, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x4x4xf32>, tensor<2x2x4x1xf32>) -> tensor<8x16x8x1xf32>
    %34 = stablehlo.reshape %33 : (tensor<8x16x8x1xf32>) -> tensor<8x16x8xf32>
    %35 = stablehlo.add %6, %34 : tensor<8x16x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %39 = stablehlo.divide %37, %38 : tensor<8x16x1xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %41 = stablehlo.subtract %35, %40 : tensor<8x16x8xf32>
    %42 = stablehlo.multiply %41, %41 : tensor<8x16x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_10 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %46 = stablehlo.divide %44, %45 : tensor<8x16x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %48 = stablehlo.add %46, %47 : tensor<8x16x1xf32>
    %49 = stablehlo.rsqrt %48 : tensor<8x16x1xf32>
    %50 = stablehlo.divide %49, %48 : tensor<8x16x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<8x16x1xf32>
    %53 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %54 = stablehlo.multiply %41, %53 : tensor<8x16x8xf32>
    %55 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %57 = stablehlo.multiply %54, %56 : tensor<8x16x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %59 = stablehlo.divide %58, %cst_14 : tensor<f32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.compare GT, %59, %cst_15, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %61 = stablehlo.convert %60 : (tensor<i1>) -> tensor<i32>
    %62 = "stablehlo.case"(%61) ({
      %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %169 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
      %170 = stablehlo.multiply %57, %169 : tensor<8x16x8xf32>
      stablehlo.return %170 : tensor<8x16x8xf32>
    }, {
      %169 = func.call @_roll_static(%57) : (tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
      stablehlo.return %169 : tensor<8x16x8xf32>
    }) : (tensor<i32>) -> tensor<8x16x8xf32>
    %63 = stablehlo.add %35, %62 : tensor<8x16x8xf32>
    %64 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %65 = stablehlo.dot_general %63, %64, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x16xf32>) -> tensor<8x16x16xf32>
    %66:3 = call @log_softmax(%65) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x1xf32>)
    %67 = stablehlo.broadcast_in_dim %arg11, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %68:2 = call @take_along_axis(%66#0, %67) : (tensor<8x16x16xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68#0 init: %cst_16) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %70 = stablehlo.divide %69, %cst_17 : tensor<f32>
    %71 = stablehlo.negate %70 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.negate %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %73 = stablehlo.divide %72, %cst_19 : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %75 = call @take_along_axis_0(%68#1, %74) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    %76 = call @log_softmax_1(%66#1, %66#2, %75) : (tensor<8x16x16xf32>, tensor<8x16x1xf32>, tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %77 = stablehlo.dot_general %76, %63, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %78 = stablehlo.transpose %77, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %79 = stablehlo.dot_general %76, %64, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %80 = stablehlo.transpose %78, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %81 = "stablehlo.case"(%61) ({
      %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %169 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
      %170 = stablehlo.multiply %79, %169 : tensor<8x16x8xf32>
      stablehlo.return %170 : tensor<8x16x8xf32>
    }, {
      %169 = func.call @_roll_static_2(%79) : (tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
      stablehlo.return %169 : tensor<8x16x8xf32>
    }) : (tensor<i32>) -> tensor<8x16x8xf32>
    %82 = stablehlo.multiply %54, %81 : tensor<8x16x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %84 = stablehlo.reshape %83 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %85 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %86 = stablehlo.multiply %81, %85 : tensor<8x16x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%84 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %88 = stablehlo.multiply %41, %86 : tensor<8x16x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.reduce(%88 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %90 = stablehlo.reshape %89 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %91 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %92 = stablehlo.multiply %86, %91 : tensor<8x16x8xf32>
    %93 = stablehlo.multiply %90, %52 : tensor<8x16x1xf32>
    %cst_23 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %95 = stablehlo.divide %93, %94 : tensor<8x16x1xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %98 = stablehlo.multiply %41, %97 : tensor<8x16x8xf32>
    %99 = stablehlo.add %92, %98 : tensor<8x16x8xf32>
    %100 = stablehlo.multiply %97, %41 : tensor<8x16x8xf32>
    %101 = stablehlo.add %99, %100 : tensor<8x16x8xf32>
    %102 = stablehlo.negate %101 : tensor<8x16x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %104 = stablehlo.reshape %103 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %105 = stablehlo.add %79, %101 : tensor<8x16x8xf32>
    %cst_26 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %107 = stablehlo.divide %104, %106 : tensor<8x16x1xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %110 = stablehlo.add %105, %109 : tensor<8x16x8xf32>
    %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1, 2] : (tensor<8x16x8xf32>) -> tensor<8x16x8x1xf32>
    %112 = stablehlo.convolution(%32, %111) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x4x4xf32>, tensor<8x16x8x1xf32>) -> tensor<2x2x4x1xf32>
    %113 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<2x2x4x1xf32>
    %114 = stablehlo.convolution(%111, %113) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x8x1xf32>, tensor<2x2x4x1xf32>) -> tensor<8x8x4x4xf32>
    %cst_28 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %115 = stablehlo.pad %30, %cst_28, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<8x8x4x4xf32>, tensor<f32>) -> tensor<8x9x5x4xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = "stablehlo.select_and_scatter"(%115, %114, %cst_29) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %169 = stablehlo.compare GE, %arg12, %arg13, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %169 : tensor<i1>
    }, {
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %169 = stablehlo.add %arg12, %arg13 : tensor<f32>
      stablehlo.return %169 : tensor<f32>
    }) : (tensor<8x9x5x4xf32>, tensor<8x8x4x4xf32>, tensor<f32>) -> tensor<8x9x5x4xf32>
    %117 = stablehlo.slice %116 [0:8, 0:8, 0:4, 0:4] : (tensor<8x9x5x4xf32>) -> tensor<8x8x4x4xf32>
    %118 = stablehlo.convolution(%29, %117) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x16x8x1xf32>, tensor<8x8x4x4xf32>) -> tensor<3x3x1x4xf32>
    %119 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x1x4xf32>
    %120 = stablehlo.convolution(%117, %119) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x4x4xf32>, tensor<3x3x1x4xf32>) -> tensor<8x16x8x1xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.reduce(%120 init: %cst_30) applies stablehlo.add across dimensions = [3] : (tensor<8x16x8x1xf32>, tensor<f32>) -> tensor<8x16x8xf32>
    %122 = stablehlo.multiply %25, %121 : tensor<8x16x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %124 = stablehlo.reshape %123 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %125 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %126 = stablehlo.multiply %121, %125 : tensor<8x16x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%124 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %128 = stablehlo.multiply %12, %126 : tensor<8x16x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %130 = stablehlo.reshape %129 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %131 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %132 = stablehlo.multiply %126, %131 : tensor<8x16x8xf32>
    %133 = stablehlo.multiply %130, %23 : tensor<8x16x1xf32>
    %cst_34 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %135 = stablehlo.divide %133, %134 : tensor<8x16x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %138 = stablehlo.multiply %12, %137 : tensor<8x16x8xf32>
    %139 = stablehlo.add %132, %138 : tensor<8x16x8xf32>
    %140 = stablehlo.multiply %137, %12 : tensor<8x16x8xf32>
    %141 = stablehlo.add %139, %140 : tensor<8x16x8xf32>
    %142 = stablehlo.negate %141 : tensor<8x16x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%142 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %144 = stablehlo.reshape %143 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %145 = stablehlo.add %110, %141 : tensor<8x16x8xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %147 = stablehlo.divide %144, %146 : tensor<8x16x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.reduce(%147 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %150 = stablehlo.add %145, %149 : tensor<8x16x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %152 = "stablehlo.scatter"(%151, %5, %150) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %169 = stablehlo.add %arg12, %arg13 : tensor<f32>
      stablehlo.return %169 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x16x1xi32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %153 = stablehlo.add %80, %152 : tensor<16x8xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %155 = stablehlo.multiply %154, %153 : tensor<16x8xf32>
    %156 = stablehlo.subtract %arg0, %155 : tensor<16x8xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %158 = stablehlo.multiply %157, %127 : tensor<8xf32>
    %159 = stablehlo.subtract %arg1, %158 : tensor<8xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %161 = stablehlo.multiply %160, %118 : tensor<3x3x1x4xf32>
    %162 = stablehlo.subtract %arg2, %161 : tensor<3x3x1x4xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2x2x4x1xf32>
    %164 = stablehlo.multiply %163, %112 : tensor<2x2x4x1xf32>
    %165 = stablehlo.subtract %arg3, %164 : tensor<2x2x4x1xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %167 = stablehlo.multiply %166, %87 : tensor<8xf32>
    %168 = stablehlo.subtract %arg4, %167 : tensor<8xf32>
    return %71, %156, %159, %162, %165, %168, %arg5, %arg6, %arg7, %arg8, %arg9 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x3x1x4xf32>, tensor<2x2x4x1xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x3x1x4xf32>, tensor<2x2x4x1xf32>, tensor<8xf32>
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
