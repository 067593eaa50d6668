module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<2x8x32xf32>, %arg3: tensor<2x32x8xf32>, %arg4: tensor<16x8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<2x8x32xf32>, %arg7: tensor<2x32x8xf32>, %arg8: tensor<8x16xi32>, %arg9: tensor<8x16xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<2x8x32xf32> {jax.result_info = "result[1]['p2']"}, tensor<2x32x8xf32> {jax.result_info = "result[1]['p3']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<2x8x32xf32> {jax.result_info = "result[2]['p2']"}, tensor<2x32x8xf32> {jax.result_info = "result[2]['p3']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %1 = stablehlo.compare LT, %arg8, %0, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %3 = stablehlo.add %arg8, %2 : tensor<8x16xi32>
    %4 = stablehlo.select %1, %3, %arg8 : tensor<8x16xi1>, tensor<8x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x16x1xi32>) -> tensor<8x16x8xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x16x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x16x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<8x16x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<8x16x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<8x16x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8x16x8xf32>
    %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8x16x8xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x8x16x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %26:7 = stablehlo.while(%iterArg = %arg2, %iterArg_34 = %arg3, %iterArg_35 = %c_7, %iterArg_36 = %22, %iterArg_37 = %23, %iterArg_38 = %24, %iterArg_39 = %25) : tensor<2x8x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>
    cond {
      %c_40 = stablehlo.constant dense<2> : tensor<i32>
      %109 = stablehlo.compare LT, %iterArg_35, %c_40, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %109 : tensor<i1>
    } do {
      %109 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_35) : (tensor<2x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %110 = func.call @dynamic_index_in_dim_0(%iterArg_34, %iterArg_35) : (tensor<2x32x8xf32>, tensor<i32>) -> tensor<32x8xf32>
      %111:4 = func.call @closed_call(%iterArg_36, %109, %110) : (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>) -> (tensor<8x16x8xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>)
      %112 = func.call @dynamic_update_index_in_dim(%iterArg_37, %111#1, %iterArg_35) : (tensor<2x8x16x8xf32>, tensor<8x16x8xf32>, tensor<i32>) -> tensor<2x8x16x8xf32>
      %113 = func.call @dynamic_update_index_in_dim_1(%iterArg_38, %111#2, %iterArg_35) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %114 = func.call @dynamic_update_index_in_dim_1(%iterArg_39, %111#3, %iterArg_35) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %c_40 = stablehlo.constant dense<1> : tensor<i32>
      %115 = stablehlo.add %iterArg_35, %c_40 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_34, %115, %111#0, %112, %113, %114 : tensor<2x8x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>
    }
    %27 = stablehlo.add %6, %26#3 : tensor<8x16x8xf32>
    %28 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %29 = stablehlo.dot_general %27, %28, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x16xf32>) -> tensor<8x16x16xf32>
    %30:3 = call @log_softmax(%29) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x1xf32>)
    %31 = stablehlo.broadcast_in_dim %arg9, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %32:2 = call @take_along_axis(%30#0, %31) : (tensor<8x16x16xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32#0 init: %cst_8) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %34 = stablehlo.divide %33, %cst_9 : tensor<f32>
    %35 = stablehlo.negate %34 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.negate %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %37 = stablehlo.divide %36, %cst_11 : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %39 = call @take_along_axis_2(%32#1, %38) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    %40 = call @log_softmax_3(%30#1, %30#2, %39) : (tensor<8x16x16xf32>, tensor<8x16x1xf32>, tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %41 = stablehlo.dot_general %40, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %43 = stablehlo.dot_general %40, %28, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %44 = stablehlo.transpose %42, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x32x8xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %47:9 = stablehlo.while(%iterArg = %arg2, %iterArg_34 = %26#4, %iterArg_35 = %26#5, %iterArg_36 = %26#6, %iterArg_37 = %arg3, %iterArg_38 = %c_14, %iterArg_39 = %43, %iterArg_40 = %45, %iterArg_41 = %46) : tensor<2x8x32xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>
    cond {
      %c_42 = stablehlo.constant dense<2> : tensor<i32>
      %109 = stablehlo.compare LT, %iterArg_38, %c_42, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %109 : tensor<i1>
    } do {
      %c_42 = stablehlo.constant dense<2> : tensor<i32>
      %109 = stablehlo.subtract %c_42, %iterArg_38 : tensor<i32>
      %c_43 = stablehlo.constant dense<1> : tensor<i32>
      %110 = stablehlo.subtract %109, %c_43 : tensor<i32>
      %111 = func.call @dynamic_index_in_dim(%iterArg, %110) : (tensor<2x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %112 = func.call @dynamic_index_in_dim_4(%iterArg_34, %110) : (tensor<2x8x16x8xf32>, tensor<i32>) -> tensor<8x16x8xf32>
      %113 = func.call @dynamic_index_in_dim_5(%iterArg_35, %110) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %114 = func.call @dynamic_index_in_dim_5(%iterArg_36, %110) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %115 = func.call @dynamic_index_in_dim_0(%iterArg_37, %110) : (tensor<2x32x8xf32>, tensor<i32>) -> tensor<32x8xf32>
      %116:3 = func.call @closed_call_6(%iterArg_39, %111, %112, %113, %114, %115) : (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<32x8xf32>) -> (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>)
      %117 = func.call @dynamic_update_index_in_dim_7(%iterArg_40, %116#1, %110) : (tensor<2x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<2x8x32xf32>
      %118 = func.call @dynamic_update_index_in_dim_8(%iterArg_41, %116#2, %110) : (tensor<2x32x8xf32>, tensor<32x8xf32>, tensor<i32>) -> tensor<2x32x8xf32>
      %c_44 = stablehlo.constant dense<1> : tensor<i32>
      %119 = stablehlo.add %iterArg_38, %c_44 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %119, %116#0, %117, %118 : tensor<2x8x32xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>
    }
    %48 = stablehlo.multiply %19, %47#6 : tensor<8x16x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %50 = stablehlo.reshape %49 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %51 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %52 = stablehlo.multiply %47#6, %51 : tensor<8x16x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%50 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %54 = stablehlo.multiply %6, %52 : tensor<8x16x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %56 = stablehlo.reshape %55 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %57 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %58 = stablehlo.multiply %52, %57 : tensor<8x16x8xf32>
    %59 = stablehlo.add %43, %58 : tensor<8x16x8xf32>
    %60 = stablehlo.multiply %56, %17 : tensor<8x16x1xf32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %62 = stablehlo.divide %60, %61 : tensor<8x16x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %65 = stablehlo.multiply %6, %64 : tensor<8x16x8xf32>
    %66 = stablehlo.add %59, %65 : tensor<8x16x8xf32>
    %67 = stablehlo.multiply %64, %6 : tensor<8x16x8xf32>
    %68 = stablehlo.add %66, %67 : tensor<8x16x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %70 = "stablehlo.scatter"(%69, %5, %68) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %109 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %109 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x16x1xi32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %71 = stablehlo.add %44, %70 : tensor<16x8xf32>
    %72 = stablehlo.multiply %71, %71 : tensor<16x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.add %cst_22, %73 : tensor<f32>
    %75 = stablehlo.multiply %53, %53 : tensor<8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %77 = stablehlo.add %74, %76 : tensor<f32>
    %78 = stablehlo.multiply %47#7, %47#7 : tensor<2x8x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_24) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x32xf32>, tensor<f32>) -> tensor<f32>
    %80 = stablehlo.add %77, %79 : tensor<f32>
    %81 = stablehlo.multiply %47#8, %47#8 : tensor<2x32x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x32x8xf32>, tensor<f32>) -> tensor<f32>
    %83 = stablehlo.add %80, %82 : tensor<f32>
    %84 = stablehlo.sqrt %83 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %85 = stablehlo.maximum %cst_26, %84 : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %87 = stablehlo.divide %71, %86 : tensor<16x8xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %88 = stablehlo.maximum %cst_27, %84 : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %90 = stablehlo.divide %53, %89 : tensor<8xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %91 = stablehlo.maximum %cst_28, %84 : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %93 = stablehlo.divide %47#7, %92 : tensor<2x8x32xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.maximum %cst_29, %84 : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<2x32x8xf32>
    %96 = stablehlo.divide %47#8, %95 : tensor<2x32x8xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %98 = stablehlo.multiply %97, %87 : tensor<16x8xf32>
    %99 = stablehlo.subtract %arg0, %98 : tensor<16x8xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %101 = stablehlo.multiply %100, %90 : tensor<8xf32>
    %102 = stablehlo.subtract %arg1, %101 : tensor<8xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %104 = stablehlo.multiply %103, %93 : tensor<2x8x32xf32>
    %105 = stablehlo.subtract %arg2, %104 : tensor<2x8x32xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x32x8xf32>
    %107 = stablehlo.multiply %106, %96 : tensor<2x32x8xf32>
    %108 = stablehlo.subtract %arg3, %107 : tensor<2x32x8xf32>
    return %35, %99, %102, %105, %108, %arg4, %arg5, %arg6, %arg7 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x8x32xf32>, %arg1: tensor<i32>) -> tensor<8x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 32] : (tensor<2x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
    return %1 : tensor<8x32xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<2x32x8xf32>, %arg1: tensor<i32>) -> tensor<32x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 32, 8] : (tensor<2x32x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x8xf32>) -> tensor<32x8xf32>
    return %1 : tensor<32x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x16x8xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<32x8xf32>) -> (tensor<8x16x8xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x32xf32>) -> tensor<8x16x32xf32>
    %1 = stablehlo.tanh %0 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x32xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<8x16x32xf32>
    %4 = stablehlo.dot_general %1, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x8xf32>) -> tensor<8x16x8xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<8x16x8xf32>
    return %5, %arg0, %1, %3 : tensor<8x16x8xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x8x16x8xf32>, %arg1: tensor<8x16x8xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x8xf32>) -> tensor<1x8x16x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x8xf32>, tensor<1x8x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x8xf32>
    return %1 : tensor<2x8x16x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<2x8x16x32xf32>, %arg1: tensor<8x16x32xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x32xf32>) -> tensor<1x8x16x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x32xf32>, tensor<1x8x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x32xf32>
    return %1 : tensor<2x8x16x32xf32>
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
  func.func private @take_along_axis_2(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x16xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x16xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    return %1 : tensor<8x16x16xf32>
  }
  func.func private @log_softmax_3(%arg0: tensor<8x16x16xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x16xf32>) -> tensor<8x16x16xf32> {
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
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<2x8x16x8xf32>, %arg1: tensor<i32>) -> tensor<8x16x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 8] : (tensor<2x8x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x8xf32>) -> tensor<8x16x8xf32>
    return %1 : tensor<8x16x8xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<2x8x16x32xf32>, %arg1: tensor<i32>) -> tensor<8x16x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 32] : (tensor<2x8x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x32xf32>) -> tensor<8x16x32xf32>
    return %1 : tensor<8x16x32xf32>
  }
  func.func private @closed_call_6(%arg0: tensor<8x16x8xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<8x16x8xf32>, %arg3: tensor<8x16x32xf32>, %arg4: tensor<8x16x32xf32>, %arg5: tensor<32x8xf32>) -> (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %2 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<32x8xf32>) -> tensor<8x16x32xf32>
    %3 = stablehlo.multiply %2, %arg4 : tensor<8x16x32xf32>
    %4 = stablehlo.multiply %3, %arg3 : tensor<8x16x32xf32>
    %5 = stablehlo.add %3, %4 : tensor<8x16x32xf32>
    %6 = stablehlo.dot_general %5, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x8xf32>) -> tensor<32x8xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<32x8xf32>) -> tensor<8x32xf32>
    %8 = stablehlo.dot_general %5, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x32xf32>) -> tensor<8x16x8xf32>
    %9 = stablehlo.add %arg0, %8 : tensor<8x16x8xf32>
    return %9, %7, %1 : tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_7(%arg0: tensor<2x8x32xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<i32>) -> tensor<2x8x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x8x32xf32>, tensor<1x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x32xf32>
    return %1 : tensor<2x8x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_8(%arg0: tensor<2x32x8xf32>, %arg1: tensor<32x8xf32>, %arg2: tensor<i32>) -> tensor<2x32x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<32x8xf32>) -> tensor<1x32x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x32x8xf32>, tensor<1x32x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x8xf32>
    return %1 : tensor<2x32x8xf32>
  }
}
