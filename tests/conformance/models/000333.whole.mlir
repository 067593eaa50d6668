module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<3x8x8xf32>, %arg3: tensor<16x8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<3x8x8xf32>, %arg6: tensor<8x8xi32>, %arg7: tensor<8x8xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[1]['p2']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[2]['p2']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %1 = stablehlo.compare LT, %arg6, %0, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %3 = stablehlo.add %arg6, %2 : tensor<8x8xi32>
    %4 = stablehlo.select %1, %3, %arg6 : tensor<8x8xi1>, tensor<8x8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x8x1xi32>) -> tensor<8x8x8xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
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
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x8xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8x8x8xf32>
    %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x8x8xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8x8x8xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x8x8x8xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %24:5 = stablehlo.while(%iterArg = %arg2, %iterArg_23 = %c_6, %iterArg_24 = %c_4, %iterArg_25 = %22, %iterArg_26 = %23) : tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8x8xf32>, tensor<2x8x8x8xf32>
    cond {
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %77 = stablehlo.compare LT, %iterArg_23, %c_27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %77 : tensor<i1>
    } do {
      %77:3 = func.call @closed_call(%iterArg, %iterArg_24, %iterArg_25) : (tensor<3x8x8xf32>, tensor<i32>, tensor<8x8x8xf32>) -> (tensor<i32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>)
      %78 = func.call @dynamic_update_index_in_dim(%iterArg_26, %77#2, %iterArg_23) : (tensor<2x8x8x8xf32>, tensor<8x8x8xf32>, tensor<i32>) -> tensor<2x8x8x8xf32>
      %c_27 = stablehlo.constant dense<1> : tensor<i32>
      %79 = stablehlo.add %iterArg_23, %c_27 : tensor<i32>
      stablehlo.return %iterArg, %79, %77#0, %77#1, %78 : tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8x8xf32>, tensor<2x8x8x8xf32>
    }
    %25 = stablehlo.add %6, %24#3 : tensor<8x8x8xf32>
    %26 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %27 = stablehlo.dot_general %25, %26, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8xf32>, tensor<8x16xf32>) -> tensor<8x8x16xf32>
    %28 = call @_one_hot(%arg7) : (tensor<8x8xi32>) -> tensor<8x8x16xf32>
    %29 = stablehlo.subtract %27, %28 : tensor<8x8x16xf32>
    %30 = stablehlo.multiply %29, %29 : tensor<8x8x16xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %32 = stablehlo.multiply %31, %29 : tensor<8x8x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%30 init: %cst_8) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %34 = stablehlo.divide %33, %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %35 = stablehlo.divide %cst_10, %cst_11 : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %37 = stablehlo.multiply %36, %32 : tensor<8x8x16xf32>
    %38 = stablehlo.dot_general %37, %25, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x8xf32>) -> tensor<16x8xf32>
    %39 = stablehlo.transpose %38, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %40 = stablehlo.dot_general %37, %26, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x16xf32>) -> tensor<8x8x8xf32>
    %41 = stablehlo.transpose %39, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %43:5 = stablehlo.while(%iterArg = %24#4, %iterArg_23 = %arg2, %iterArg_24 = %c_13, %iterArg_25 = %42, %iterArg_26 = %40) : tensor<2x8x8x8xf32>, tensor<3x8x8xf32>, tensor<i32>, tensor<3x8x8xf32>, tensor<8x8x8xf32>
    cond {
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %77 = stablehlo.compare LT, %iterArg_24, %c_27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %77 : tensor<i1>
    } do {
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %77 = stablehlo.subtract %c_27, %iterArg_24 : tensor<i32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %78 = stablehlo.subtract %77, %c_28 : tensor<i32>
      %79 = func.call @dynamic_index_in_dim(%iterArg, %78) : (tensor<2x8x8x8xf32>, tensor<i32>) -> tensor<8x8x8xf32>
      %80:2 = func.call @closed_call_0(%iterArg_23, %iterArg_25, %iterArg_26, %79) : (tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> (tensor<3x8x8xf32>, tensor<8x8x8xf32>)
      %c_29 = stablehlo.constant dense<1> : tensor<i32>
      %81 = stablehlo.add %iterArg_24, %c_29 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_23, %81, %80#0, %80#1 : tensor<2x8x8x8xf32>, tensor<3x8x8xf32>, tensor<i32>, tensor<3x8x8xf32>, tensor<8x8x8xf32>
    }
    %44 = stablehlo.multiply %19, %43#4 : tensor<8x8x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %46 = stablehlo.reshape %45 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %47 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x8x8xf32>
    %48 = stablehlo.multiply %43#4, %47 : tensor<8x8x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%46 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %50 = stablehlo.multiply %6, %48 : tensor<8x8x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %52 = stablehlo.reshape %51 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %53 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x8xf32>
    %54 = stablehlo.multiply %48, %53 : tensor<8x8x8xf32>
    %55 = stablehlo.add %40, %54 : tensor<8x8x8xf32>
    %56 = stablehlo.multiply %52, %17 : tensor<8x8x1xf32>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %58 = stablehlo.divide %56, %57 : tensor<8x8x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x8xf32>
    %61 = stablehlo.multiply %6, %60 : tensor<8x8x8xf32>
    %62 = stablehlo.add %55, %61 : tensor<8x8x8xf32>
    %63 = stablehlo.multiply %60, %6 : tensor<8x8x8xf32>
    %64 = stablehlo.add %62, %63 : tensor<8x8x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %66 = "stablehlo.scatter"(%65, %5, %64) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %77 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %77 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x8x1xi32>, tensor<8x8x8xf32>) -> tensor<16x8xf32>
    %67 = stablehlo.add %41, %66 : tensor<16x8xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %69 = stablehlo.multiply %68, %67 : tensor<16x8xf32>
    %70 = stablehlo.subtract %arg0, %69 : tensor<16x8xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %72 = stablehlo.multiply %71, %49 : tensor<8xf32>
    %73 = stablehlo.subtract %arg1, %72 : tensor<8xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %75 = stablehlo.multiply %74, %43#3 : tensor<3x8x8xf32>
    %76 = stablehlo.subtract %arg2, %75 : tensor<3x8x8xf32>
    return %34, %70, %73, %76, %arg3, %arg4, %arg5 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x8x8xf32>, %arg1: tensor<i32>, %arg2: tensor<8x8x8xf32>) -> (tensor<i32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.convolution(%arg2, %arg0) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[2, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8x8xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<8x8x8xf32>
    %4 = stablehlo.add %arg2, %3 : tensor<8x8x8xf32>
    return %0, %4, %arg2 : tensor<i32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x8x8x8xf32>, %arg1: tensor<8x8x8xf32>, %arg2: tensor<i32>) -> tensor<2x8x8x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x8x8xf32>
    return %1 : tensor<2x8x8x8xf32>
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
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x8x8x8xf32>, %arg1: tensor<i32>) -> tensor<8x8x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 8, 8] : (tensor<2x8x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x8x8xf32>) -> tensor<8x8x8xf32>
    return %1 : tensor<8x8x8xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<3x8x8xf32>, %arg1: tensor<3x8x8xf32>, %arg2: tensor<8x8x8xf32>, %arg3: tensor<8x8x8xf32>) -> (tensor<3x8x8xf32>, tensor<8x8x8xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8xf32>
    %1 = stablehlo.multiply %0, %arg2 : tensor<8x8x8xf32>
    %2 = stablehlo.convolution(%arg3, %1) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[2, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<3x8x8xf32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x8x8xf32>
    %4 = stablehlo.reverse %arg0, dims = [0] : tensor<3x8x8xf32>
    %5 = stablehlo.convolution(%1, %4) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {stride = [1], pad = [[0, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8x8xf32>
    %6 = stablehlo.add %arg2, %5 : tensor<8x8x8xf32>
    return %3, %6 : tensor<3x8x8xf32>, tensor<8x8x8xf32>
  }
}
