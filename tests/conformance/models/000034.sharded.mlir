module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg2: tensor<2x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg3: tensor<2x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg5: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg6: tensor<2x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y", "x"}]>}, %arg7: tensor<2x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg8: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg9: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<f32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<8xf32> {jax.result_info = "result[1]['p1']", sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<2x8x32xf32> {jax.result_info = "result[1]['p2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, tensor<2x32x8xf32> {jax.result_info = "result[1]['p3']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<8xf32> {jax.result_info = "result[2]['p1']", sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<2x8x32xf32> {jax.result_info = "result[2]['p2']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}, tensor<2x32x8xf32> {jax.result_info = "result[2]['p3']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) {
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
      %111 = stablehlo.compare LT, %iterArg_35, %c_40, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %111 : tensor<i1>
    } do {
      %111 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_35) : (tensor<2x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %112 = func.call @dynamic_index_in_dim_0(%iterArg_34, %iterArg_35) : (tensor<2x32x8xf32>, tensor<i32>) -> tensor<32x8xf32>
      %113:4 = func.call @closed_call(%iterArg_36, %111, %112) : (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>) -> (tensor<8x16x8xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>)
      %114 = func.call @dynamic_update_index_in_dim(%iterArg_37, %113#1, %iterArg_35) : (tensor<2x8x16x8xf32>, tensor<8x16x8xf32>, tensor<i32>) -> tensor<2x8x16x8xf32>
      %115 = func.call @dynamic_update_index_in_dim_1(%iterArg_38, %113#2, %iterArg_35) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %116 = func.call @dynamic_update_index_in_dim_1(%iterArg_39, %113#3, %iterArg_35) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %c_40 = stablehlo.constant dense<1> : tensor<i32>
      %117 = stablehlo.add %iterArg_35, %c_40 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_34, %117, %113#0, %114, %115, %116 : tensor<2x8x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>
    }
    %27 = stablehlo.add %6, %26#3 : tensor<8x16x8xf32>
    %28 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %29 = stablehlo.dot_general %27, %28, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x16xf32>) -> tensor<8x16x16xf32>
    %30 = sdy.sharding_constraint %29 <@mesh, [{"y", "x"}, {?}, {?}]> : tensor<8x16x16xf32>
    %31:3 = call @log_softmax(%30) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x1xf32>)
    %32 = stablehlo.broadcast_in_dim %arg9, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %33:2 = call @take_along_axis(%31#0, %32) : (tensor<8x16x16xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33#0 init: %cst_8) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %35 = stablehlo.divide %34, %cst_9 : tensor<f32>
    %36 = stablehlo.negate %35 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.negate %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %38 = stablehlo.divide %37, %cst_11 : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %40 = call @take_along_axis_2(%33#1, %39) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x16xf32>
    %41 = call @log_softmax_3(%31#1, %31#2, %40) : (tensor<8x16x16xf32>, tensor<8x16x1xf32>, tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %42 = sdy.sharding_constraint %41 <@mesh, [{"y", "x"}, {?}, {?}]> : tensor<8x16x16xf32>
    %43 = stablehlo.dot_general %42, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %45 = stablehlo.dot_general %42, %28, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x16xf32>, tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %46 = stablehlo.transpose %44, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x32x8xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %49:9 = stablehlo.while(%iterArg = %arg2, %iterArg_34 = %26#4, %iterArg_35 = %26#5, %iterArg_36 = %26#6, %iterArg_37 = %arg3, %iterArg_38 = %c_14, %iterArg_39 = %45, %iterArg_40 = %47, %iterArg_41 = %48) : tensor<2x8x32xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>
    cond {
      %c_42 = stablehlo.constant dense<2> : tensor<i32>
      %111 = stablehlo.compare LT, %iterArg_38, %c_42, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %111 : tensor<i1>
    } do {
      %c_42 = stablehlo.constant dense<2> : tensor<i32>
      %111 = stablehlo.subtract %c_42, %iterArg_38 : tensor<i32>
      %c_43 = stablehlo.constant dense<1> : tensor<i32>
      %112 = stablehlo.subtract %111, %c_43 : tensor<i32>
      %113 = func.call @dynamic_index_in_dim(%iterArg, %112) : (tensor<2x8x32xf32>, tensor<i32>) -> tensor<8x32xf32>
      %114 = func.call @dynamic_index_in_dim_4(%iterArg_34, %112) : (tensor<2x8x16x8xf32>, tensor<i32>) -> tensor<8x16x8xf32>
      %115 = func.call @dynamic_index_in_dim_5(%iterArg_35, %112) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %116 = func.call @dynamic_index_in_dim_5(%iterArg_36, %112) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %117 = func.call @dynamic_index_in_dim_0(%iterArg_37, %112) : (tensor<2x32x8xf32>, tensor<i32>) -> tensor<32x8xf32>
      %118:3 = func.call @closed_call_6(%iterArg_39, %113, %114, %115, %116, %117) : (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<32x8xf32>) -> (tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>)
      %119 = func.call @dynamic_update_index_in_dim_7(%iterArg_40, %118#1, %112) : (tensor<2x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<2x8x32xf32>
      %120 = func.call @dynamic_update_index_in_dim_8(%iterArg_41, %118#2, %112) : (tensor<2x32x8xf32>, tensor<32x8xf32>, tensor<i32>) -> tensor<2x32x8xf32>
      %c_44 = stablehlo.constant dense<1> : tensor<i32>
      %121 = stablehlo.add %iterArg_38, %c_44 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %121, %118#0, %119, %120 : tensor<2x8x32xf32>, tensor<2x8x16x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x8xf32>, tensor<i32>, tensor<8x16x8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>
    }
    %50 = stablehlo.multiply %19, %49#6 : tensor<8x16x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %52 = stablehlo.reshape %51 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %53 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x16x8xf32>
    %54 = stablehlo.multiply %49#6, %53 : tensor<8x16x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%52 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %56 = stablehlo.multiply %6, %54 : tensor<8x16x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<8x16x8xf32>, tensor<f32>) -> tensor<8x16xf32>
    %58 = stablehlo.reshape %57 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %59 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x8xf32>
    %60 = stablehlo.multiply %54, %59 : tensor<8x16x8xf32>
    %61 = stablehlo.add %45, %60 : tensor<8x16x8xf32>
    %62 = stablehlo.multiply %58, %17 : tensor<8x16x1xf32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %64 = stablehlo.divide %62, %63 : tensor<8x16x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x8xf32>
    %67 = stablehlo.multiply %6, %66 : tensor<8x16x8xf32>
    %68 = stablehlo.add %61, %67 : tensor<8x16x8xf32>
    %69 = stablehlo.multiply %66, %6 : tensor<8x16x8xf32>
    %70 = stablehlo.add %68, %69 : tensor<8x16x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %72 = "stablehlo.scatter"(%71, %5, %70) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %111 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %111 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x16x1xi32>, tensor<8x16x8xf32>) -> tensor<16x8xf32>
    %73 = stablehlo.add %46, %72 : tensor<16x8xf32>
    %74 = stablehlo.multiply %73, %73 : tensor<16x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.add %cst_22, %75 : tensor<f32>
    %77 = stablehlo.multiply %55, %55 : tensor<8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %79 = stablehlo.add %76, %78 : tensor<f32>
    %80 = stablehlo.multiply %49#7, %49#7 : tensor<2x8x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%80 init: %cst_24) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x32xf32>, tensor<f32>) -> tensor<f32>
    %82 = stablehlo.add %79, %81 : tensor<f32>
    %83 = stablehlo.multiply %49#8, %49#8 : tensor<2x32x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x32x8xf32>, tensor<f32>) -> tensor<f32>
    %85 = stablehlo.add %82, %84 : tensor<f32>
    %86 = stablehlo.sqrt %85 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.maximum %cst_26, %86 : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %89 = stablehlo.divide %73, %88 : tensor<16x8xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.maximum %cst_27, %86 : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %92 = stablehlo.divide %55, %91 : tensor<8xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %93 = stablehlo.maximum %cst_28, %86 : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %95 = stablehlo.divide %49#7, %94 : tensor<2x8x32xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %96 = stablehlo.maximum %cst_29, %86 : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [] : (tensor<f32>) -> tensor<2x32x8xf32>
    %98 = stablehlo.divide %49#8, %97 : tensor<2x32x8xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %100 = stablehlo.multiply %99, %89 : tensor<16x8xf32>
    %101 = stablehlo.subtract %arg0, %100 : tensor<16x8xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %103 = stablehlo.multiply %102, %92 : tensor<8xf32>
    %104 = stablehlo.subtract %arg1, %103 : tensor<8xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x8x32xf32>
    %106 = stablehlo.multiply %105, %95 : tensor<2x8x32xf32>
    %107 = stablehlo.subtract %arg2, %106 : tensor<2x8x32xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x32x8xf32>
    %109 = stablehlo.multiply %108, %98 : tensor<2x32x8xf32>
    %110 = stablehlo.subtract %arg3, %109 : tensor<2x32x8xf32>
    return %36, %101, %104, %107, %110, %arg4, %arg5, %arg6, %arg7 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<2x8x32xf32>, tensor<2x32x8xf32>
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
    %6 = sdy.sharding_constraint %5 <@mesh, [{}, {}, {"x"}]> : tensor<8x16x8xf32>
    return %6, %arg0, %1, %3 : tensor<8x16x8xf32>, tensor<8x16x8xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>
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
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}, {"x"}]> : tensor<8x16x8xf32>
    %1 = stablehlo.dot_general %0, %arg3, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x16x32xf32>) -> tensor<8x32xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %3 = stablehlo.dot_general %0, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<32x8xf32>) -> tensor<8x16x32xf32>
    %4 = stablehlo.multiply %3, %arg4 : tensor<8x16x32xf32>
    %5 = stablehlo.multiply %4, %arg3 : tensor<8x16x32xf32>
    %6 = stablehlo.add %4, %5 : tensor<8x16x32xf32>
    %7 = stablehlo.dot_general %6, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x8xf32>) -> tensor<32x8xf32>
    %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<32x8xf32>) -> tensor<8x32xf32>
    %9 = stablehlo.dot_general %6, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x32xf32>) -> tensor<8x16x8xf32>
    %10 = stablehlo.add %0, %9 : tensor<8x16x8xf32>
    return %10, %8, %2 : tensor<8x16x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>
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
