module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}, {name = "z", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}]>}, %arg2: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z"}, {}]>}, %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z", "x"}]>}, %arg4: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg5: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}]>}, %arg6: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}, %arg7: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, %arg8: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}, %arg9: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}]>}, %arg10: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}, {}]>}, %arg11: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}]>}, %arg12: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}]>}, %arg13: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg14: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"y"}]>}, %arg15: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"z", "x"}]>}, %arg16: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg17: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[1]['p2']"}, tensor<8xf32> {jax.result_info = "result[1]['p3']"}, tensor<8xf32> {jax.result_info = "result[1]['p4']"}, tensor<8xf32> {jax.result_info = "result[1]['p5']"}, tensor<8x16xf32> {jax.result_info = "result[1]['p6']"}, tensor<16x8xf32> {jax.result_info = "result[1]['p7']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<3x8x8xf32> {jax.result_info = "result[2]['p2']"}, tensor<8xf32> {jax.result_info = "result[2]['p3']"}, tensor<8xf32> {jax.result_info = "result[2]['p4']"}, tensor<8xf32> {jax.result_info = "result[2]['p5']"}, tensor<8x16xf32> {jax.result_info = "result[2]['p6']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p7']"}) {
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
    %63 = sdy.sharding_constraint %62 <@mesh, [{"y"}, {}, {}]> : tensor<8x4x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_15 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %67 = stablehlo.divide %65, %66 : tensor<8x4x1xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %69 = stablehlo.subtract %63, %68 : tensor<8x4x8xf32>
    %70 = stablehlo.multiply %69, %69 : tensor<8x4x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %74 = stablehlo.divide %72, %73 : tensor<8x4x1xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %76 = stablehlo.add %74, %75 : tensor<8x4x1xf32>
    %77 = stablehlo.rsqrt %76 : tensor<8x4x1xf32>
    %78 = stablehlo.divide %77, %76 : tensor<8x4x1xf32>
    %cst_19 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %80 = stablehlo.multiply %79, %78 : tensor<8x4x1xf32>
    %81 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %82 = stablehlo.multiply %69, %81 : tensor<8x4x8xf32>
    %83 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %85 = stablehlo.multiply %82, %84 : tensor<8x4x8xf32>
    %86 = stablehlo.dot_general %85, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %87 = stablehlo.tanh %86 : tensor<8x4x16xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %89 = stablehlo.subtract %88, %87 : tensor<8x4x16xf32>
    %90:3 = sdy.manual_computation(%87, %arg7) in_shardings=[<@mesh, [{?}, {?}, {"z", ?}]>, <@mesh, [{"z", ?}, {?}]>] out_shardings=[<@mesh, [{"z", ?}, {?}]>, <@mesh, [{"z", ?}, {?}, {?}]>, <@mesh, [{?}, {?}, {?}]>] manual_axes={"z"} (%arg18: tensor<8x4x8xf32>, %arg19: tensor<8x8xf32>) {
      %241 = "stablehlo.all_gather"(%arg18) <{all_gather_dim = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<8x4x8xf32>) -> tensor<8x4x16xf32>
      %242 = "stablehlo.all_gather"(%arg19) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<16x8xf32>
      %243 = stablehlo.dot_general %241, %242, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x8xf32>) -> tensor<8x4x8xf32>
      %244 = sdy.sharding_constraint %243 <@mesh, [{?}, {?}, {?}]> : tensor<8x4x8xf32>
      sdy.return %242, %241, %244 : tensor<16x8xf32>, tensor<8x4x16xf32>, tensor<8x4x8xf32>
    } : (tensor<8x4x16xf32>, tensor<16x8xf32>) -> (tensor<32x8xf32>, tensor<16x4x16xf32>, tensor<8x4x8xf32>)
    %91 = stablehlo.add %63, %90#2 : tensor<8x4x8xf32>
    %92 = sdy.sharding_constraint %91 <@mesh, [{"x"}, {"y"}, {}]> : tensor<8x4x8xf32>
    %93 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %94 = stablehlo.dot_general %92, %93, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %95 = sdy.sharding_constraint %94 <@mesh, [{}, {"z"}, {?}]> : tensor<8x4x16xf32>
    %96 = call @_one_hot(%arg17) : (tensor<8x4xi32>) -> tensor<8x4x16xf32>
    %97 = stablehlo.subtract %95, %96 : tensor<8x4x16xf32>
    %98 = stablehlo.multiply %97, %97 : tensor<8x4x16xf32>
    %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %100 = stablehlo.multiply %99, %97 : tensor<8x4x16xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%98 init: %cst_22) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %102 = stablehlo.divide %101, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_25 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %103 = stablehlo.divide %cst_24, %cst_25 : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %105 = stablehlo.multiply %104, %100 : tensor<8x4x16xf32>
    %106 = sdy.sharding_constraint %105 <@mesh, [{}, {"z"}, {?}]> : tensor<8x4x16xf32>
    %107 = stablehlo.dot_general %106, %92, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %108 = stablehlo.transpose %107, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %109 = stablehlo.dot_general %106, %93, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %110 = stablehlo.transpose %108, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %111 = sdy.sharding_constraint %109 <@mesh, [{"x"}, {"y"}, {}]> : tensor<8x4x8xf32>
    %cst_26 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %113 = stablehlo.divide %111, %112 : tensor<8x4x8xf32>
    %114:2 = sdy.manual_computation(%113, %90#0, %90#1) in_shardings=[<@mesh, [{?}, {?}, {?}]>, <@mesh, [{"z", ?}, {?}]>, <@mesh, [{"z", ?}, {?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}, {"z", ?}]>, <@mesh, [{"z", ?}, {?}]>] manual_axes={"z"} (%arg18: tensor<8x4x8xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<8x4x16xf32>) {
      %241 = stablehlo.dot_general %arg18, %arg20, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x16xf32>) -> tensor<8x16xf32>
      %242 = sdy.sharding_constraint %241 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %243 = stablehlo.transpose %242, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %244 = sdy.sharding_constraint %243 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %245 = stablehlo.dot_general %arg18, %arg19, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<16x8xf32>) -> tensor<8x4x16xf32>
      %246 = sdy.sharding_constraint %245 <@mesh, [{?}, {?}, {?}]> : tensor<8x4x16xf32>
      %247 = "stablehlo.reduce_scatter"(%244) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
        %249 = stablehlo.add %arg21, %arg22 : tensor<f32>
        %250 = sdy.sharding_constraint %249 <@mesh, []> : tensor<f32>
        stablehlo.return %250 : tensor<f32>
      }) : (tensor<16x8xf32>) -> tensor<8x8xf32>
      %248 = "stablehlo.reduce_scatter"(%246) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, scatter_dimension = 2 : i64, use_global_device_ids}> ({
      ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
        %249 = stablehlo.add %arg21, %arg22 : tensor<f32>
        %250 = sdy.sharding_constraint %249 <@mesh, []> : tensor<f32>
        stablehlo.return %250 : tensor<f32>
      }) : (tensor<8x4x16xf32>) -> tensor<8x4x8xf32>
      sdy.return %248, %247 : tensor<8x4x8xf32>, tensor<8x8xf32>
    } : (tensor<8x4x8xf32>, tensor<32x8xf32>, tensor<16x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16x8xf32>)
    %115 = stablehlo.multiply %114#0, %89 : tensor<8x4x16xf32>
    %116 = stablehlo.multiply %115, %87 : tensor<8x4x16xf32>
    %117 = stablehlo.add %115, %116 : tensor<8x4x16xf32>
    %118 = stablehlo.dot_general %117, %85, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %119 = stablehlo.transpose %118, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %120 = stablehlo.dot_general %117, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %121 = stablehlo.multiply %82, %120 : tensor<8x4x8xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %123 = stablehlo.reshape %122 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %124 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %125 = stablehlo.multiply %120, %124 : tensor<8x4x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%123 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %127 = stablehlo.multiply %69, %125 : tensor<8x4x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.reduce(%127 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %129 = stablehlo.reshape %128 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %130 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %131 = stablehlo.multiply %125, %130 : tensor<8x4x8xf32>
    %132 = stablehlo.multiply %129, %80 : tensor<8x4x1xf32>
    %cst_30 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %134 = stablehlo.divide %132, %133 : tensor<8x4x1xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %137 = stablehlo.multiply %69, %136 : tensor<8x4x8xf32>
    %138 = stablehlo.add %131, %137 : tensor<8x4x8xf32>
    %139 = stablehlo.multiply %136, %69 : tensor<8x4x8xf32>
    %140 = stablehlo.add %138, %139 : tensor<8x4x8xf32>
    %141 = stablehlo.negate %140 : tensor<8x4x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%141 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %143 = stablehlo.reshape %142 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %144 = stablehlo.add %111, %140 : tensor<8x4x8xf32>
    %cst_33 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %146 = stablehlo.divide %143, %145 : tensor<8x4x1xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %149 = stablehlo.add %144, %148 : tensor<8x4x8xf32>
    %150 = sdy.sharding_constraint %149 <@mesh, [{"y"}, {}, {}]> : tensor<8x4x8xf32>
    %cst_35 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %152 = stablehlo.divide %150, %151 : tensor<8x4x8xf32>
    %153 = call @cumsum_1(%152) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    %154 = stablehlo.multiply %46, %153 : tensor<8x4x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_36) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %156 = stablehlo.reshape %155 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %157 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %158 = stablehlo.multiply %153, %157 : tensor<8x4x8xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%156 init: %cst_37) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %160 = stablehlo.multiply %159, %55 : tensor<8xf32>
    %161 = stablehlo.multiply %43, %158 : tensor<8x4x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.reduce(%161 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %163 = stablehlo.reshape %162 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %164 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %165 = stablehlo.multiply %158, %164 : tensor<8x4x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%163 init: %cst_39) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %167 = stablehlo.multiply %30, %165 : tensor<8x4x8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.reduce(%167 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %169 = stablehlo.reshape %168 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %170 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %171 = stablehlo.multiply %165, %170 : tensor<8x4x8xf32>
    %172 = stablehlo.multiply %169, %41 : tensor<8x4x1xf32>
    %cst_41 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %174 = stablehlo.divide %172, %173 : tensor<8x4x1xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%174 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %177 = stablehlo.multiply %30, %176 : tensor<8x4x8xf32>
    %178 = stablehlo.add %171, %177 : tensor<8x4x8xf32>
    %179 = stablehlo.multiply %176, %30 : tensor<8x4x8xf32>
    %180 = stablehlo.add %178, %179 : tensor<8x4x8xf32>
    %181 = stablehlo.negate %180 : tensor<8x4x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_43) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %183 = stablehlo.reshape %182 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %184 = stablehlo.add %150, %180 : tensor<8x4x8xf32>
    %cst_44 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %186 = stablehlo.divide %183, %185 : tensor<8x4x1xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_45) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %188 = stablehlo.broadcast_in_dim %187, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %189 = stablehlo.add %184, %188 : tensor<8x4x8xf32>
    %190 = stablehlo.convolution(%22, %189) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x8xf32>, tensor<8x4x8xf32>) -> tensor<3x8x8xf32>
    %191 = stablehlo.reverse %arg2, dims = [0] : tensor<3x8x8xf32>
    %192 = stablehlo.convolution(%189, %191) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x8xf32>, tensor<3x8x8xf32>) -> tensor<8x4x8xf32>
    %193 = stablehlo.multiply %19, %192 : tensor<8x4x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.reduce(%193 init: %cst_46) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %195 = stablehlo.reshape %194 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %196 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %197 = stablehlo.multiply %192, %196 : tensor<8x4x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%195 init: %cst_47) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %199 = stablehlo.multiply %6, %197 : tensor<8x4x8xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %200 = stablehlo.reduce(%199 init: %cst_48) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %201 = stablehlo.reshape %200 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %202 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %203 = stablehlo.multiply %197, %202 : tensor<8x4x8xf32>
    %204 = stablehlo.add %189, %203 : tensor<8x4x8xf32>
    %205 = stablehlo.multiply %201, %17 : tensor<8x4x1xf32>
    %cst_49 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %207 = stablehlo.divide %205, %206 : tensor<8x4x1xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%207 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %210 = stablehlo.multiply %6, %209 : tensor<8x4x8xf32>
    %211 = stablehlo.add %204, %210 : tensor<8x4x8xf32>
    %212 = stablehlo.multiply %209, %6 : tensor<8x4x8xf32>
    %213 = stablehlo.add %211, %212 : tensor<8x4x8xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %215 = "stablehlo.scatter"(%214, %5, %213) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %241 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %241 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x4x1xi32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %216 = stablehlo.add %110, %215 : tensor<16x8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %218 = stablehlo.multiply %217, %216 : tensor<16x8xf32>
    %219 = stablehlo.subtract %arg0, %218 : tensor<16x8xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %221 = stablehlo.multiply %220, %198 : tensor<8xf32>
    %222 = stablehlo.subtract %arg1, %221 : tensor<8xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %224 = stablehlo.multiply %223, %190 : tensor<3x8x8xf32>
    %225 = stablehlo.subtract %arg2, %224 : tensor<3x8x8xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %227 = stablehlo.multiply %226, %166 : tensor<8xf32>
    %228 = stablehlo.subtract %arg3, %227 : tensor<8xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %230 = stablehlo.multiply %229, %160 : tensor<8xf32>
    %231 = stablehlo.subtract %arg4, %230 : tensor<8xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %233 = stablehlo.multiply %232, %126 : tensor<8xf32>
    %234 = stablehlo.subtract %arg5, %233 : tensor<8xf32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %236 = stablehlo.multiply %235, %119 : tensor<8x16xf32>
    %237 = stablehlo.subtract %arg6, %236 : tensor<8x16xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %239 = stablehlo.multiply %238, %114#1 : tensor<16x8xf32>
    %240 = stablehlo.subtract %arg7, %239 : tensor<16x8xf32>
    return %102, %219, %222, %225, %228, %231, %234, %237, %240, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<3x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>
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
