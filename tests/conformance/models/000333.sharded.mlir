module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}]>}, %arg3: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg5: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg6: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg7: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[1]['p2']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[2]['p2']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %1 = stablehlo.compare LT, %arg6, %0, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %3 = stablehlo.add %arg6, %2 : tensor<8x8xi32>
    %4 = stablehlo.select %1, %3, %arg6 : tensor<8x8xi1>, tensor<8x8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x8x1xi32>) -> tensor<8x8x8xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}, {?}, {"y"}]> : tensor<8x8x8xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<8x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<8x8x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %14 = stablehlo.add %12, %13 : tensor<8x8x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<8x8x1xf32>
    %16 = stablehlo.divide %15, %14 : tensor<8x8x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<8x8x1xf32>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x8xf32>
    %20 = stablehlo.multiply %7, %19 : tensor<8x8x8xf32>
    %21 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x8x8xf32>
    %23 = stablehlo.multiply %20, %22 : tensor<8x8x8xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x8x8x8xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %25:5 = stablehlo.while(%iterArg = %arg2, %iterArg_23 = %c_6, %iterArg_24 = %c_4, %iterArg_25 = %23, %iterArg_26 = %24) : tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8x8xf32>, tensor<2x8x8x8xf32>
    cond {
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %81 = stablehlo.compare LT, %iterArg_23, %c_27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %81 : tensor<i1>
    } do {
      %81:3 = func.call @closed_call(%iterArg, %iterArg_24, %iterArg_25) : (tensor<3x8x8xf32>, tensor<i32>, tensor<8x8x8xf32>) -> (tensor<i32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>)
      %82 = func.call @dynamic_update_index_in_dim(%iterArg_26, %81#2, %iterArg_23) : (tensor<2x8x8x8xf32>, tensor<8x8x8xf32>, tensor<i32>) -> tensor<2x8x8x8xf32>
      %c_27 = stablehlo.constant dense<1> : tensor<i32>
      %83 = stablehlo.add %iterArg_23, %c_27 : tensor<i32>
      stablehlo.return %iterArg, %83, %81#0, %81#1, %82 : tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8x8xf32>, tensor<2x8x8x8xf32>
    }
    %26 = stablehlo.add %7, %25#3 : tensor<8x8x8xf32>
    %27 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %28 = stablehlo.dot_general %26, %27, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x8xf32>, tensor<8x16xf32>) -> tensor<8x8x16xf32>
    %29 = sdy.sharding_constraint %28 <@mesh, [{?}, {?}, {"y"}]> : tensor<8x8x16xf32>
    %30 = call @_one_hot(%arg7) : (tensor<8x8xi32>) -> tensor<8x8x16xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<8x8x16xf32>
    %32 = stablehlo.multiply %31, %31 : tensor<8x8x16xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %34 = stablehlo.multiply %33, %31 : tensor<8x8x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%32 init: %cst_8) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %36 = stablehlo.divide %35, %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %37 = stablehlo.divide %cst_10, %cst_11 : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %39 = stablehlo.multiply %38, %34 : tensor<8x8x16xf32>
    %40 = sdy.sharding_constraint %39 <@mesh, [{?}, {?}, {"y"}]> : tensor<8x8x16xf32>
    %41 = stablehlo.dot_general %40, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x8xf32>) -> tensor<16x8xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %43 = stablehlo.dot_general %40, %27, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x16xf32>) -> tensor<8x8x8xf32>
    %44 = stablehlo.transpose %42, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %46:5 = stablehlo.while(%iterArg = %25#4, %iterArg_23 = %arg2, %iterArg_24 = %c_13, %iterArg_25 = %45, %iterArg_26 = %43) : tensor<2x8x8x8xf32>, tensor<3x8x8xf32>, tensor<i32>, tensor<3x8x8xf32>, tensor<8x8x8xf32>
    cond {
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %81 = stablehlo.compare LT, %iterArg_24, %c_27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %81 : tensor<i1>
    } do {
      %c_27 = stablehlo.constant dense<2> : tensor<i32>
      %81 = stablehlo.subtract %c_27, %iterArg_24 : tensor<i32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %82 = stablehlo.subtract %81, %c_28 : tensor<i32>
      %83 = func.call @dynamic_index_in_dim(%iterArg, %82) : (tensor<2x8x8x8xf32>, tensor<i32>) -> tensor<8x8x8xf32>
      %84:2 = func.call @closed_call_0(%iterArg_23, %iterArg_25, %iterArg_26, %83) : (tensor<3x8x8xf32>, tensor<3x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> (tensor<3x8x8xf32>, tensor<8x8x8xf32>)
      %c_29 = stablehlo.constant dense<1> : tensor<i32>
      %85 = stablehlo.add %iterArg_24, %c_29 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_23, %85, %84#0, %84#1 : tensor<2x8x8x8xf32>, tensor<3x8x8xf32>, tensor<i32>, tensor<3x8x8xf32>, tensor<8x8x8xf32>
    }
    %47 = stablehlo.multiply %20, %46#4 : tensor<8x8x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %49 = stablehlo.reshape %48 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %50 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x8x8xf32>
    %51 = stablehlo.multiply %46#4, %50 : tensor<8x8x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%49 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %53 = stablehlo.multiply %7, %51 : tensor<8x8x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %55 = stablehlo.reshape %54 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %56 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x8xf32>
    %57 = stablehlo.multiply %51, %56 : tensor<8x8x8xf32>
    %58 = stablehlo.add %43, %57 : tensor<8x8x8xf32>
    %59 = stablehlo.multiply %55, %18 : tensor<8x8x1xf32>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %61 = stablehlo.divide %59, %60 : tensor<8x8x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x8xf32>
    %64 = stablehlo.multiply %7, %63 : tensor<8x8x8xf32>
    %65 = stablehlo.add %58, %64 : tensor<8x8x8xf32>
    %66 = stablehlo.multiply %63, %7 : tensor<8x8x8xf32>
    %67 = stablehlo.add %65, %66 : tensor<8x8x8xf32>
    %68 = sdy.sharding_constraint %67 <@mesh, [{}, {?}, {"y"}]> : tensor<8x8x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %70 = "stablehlo.scatter"(%69, %5, %68) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %81 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %81 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x8x1xi32>, tensor<8x8x8xf32>) -> tensor<16x8xf32>
    %71 = stablehlo.add %44, %70 : tensor<16x8xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %73 = stablehlo.multiply %72, %71 : tensor<16x8xf32>
    %74 = stablehlo.subtract %arg0, %73 : tensor<16x8xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %76 = stablehlo.multiply %75, %52 : tensor<8xf32>
    %77 = stablehlo.subtract %arg1, %76 : tensor<8xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %79 = stablehlo.multiply %78, %46#3 : tensor<3x8x8xf32>
    %80 = stablehlo.subtract %arg2, %79 : tensor<3x8x8xf32>
    return %36, %74, %77, %80, %arg3, %arg4, %arg5 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x8x8xf32>, %arg1: tensor<i32>, %arg2: tensor<8x8x8xf32>) -> (tensor<i32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.convolution(%arg2, %arg0) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[2, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8x8xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<8x8x8xf32>
    %4 = stablehlo.add %arg2, %3 : tensor<8x8x8xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}, {"y"}]> : tensor<8x8x8xf32>
    return %0, %5, %arg2 : tensor<i32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>
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
    %0 = sdy.sharding_constraint %arg2 <@mesh, [{}, {}, {"y"}]> : tensor<8x8x8xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<8x8x8xf32>
    %3 = stablehlo.convolution(%arg3, %2) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[2, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<3x8x8xf32>
    %4 = stablehlo.add %arg1, %3 : tensor<3x8x8xf32>
    %5 = stablehlo.reverse %arg0, dims = [0] : tensor<3x8x8xf32>
    %6 = stablehlo.convolution(%2, %5) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {stride = [1], pad = [[0, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8x8xf32>
    %7 = stablehlo.add %0, %6 : tensor<8x8x8xf32>
    return %4, %7 : tensor<3x8x8xf32>, tensor<8x8x8xf32>
  }
}
