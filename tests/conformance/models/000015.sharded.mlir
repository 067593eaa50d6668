module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg2: tensor<8x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}]>}, %arg3: tensor<2x8x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {}]>}, %arg4: tensor<2x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}, %arg5: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg7: tensor<8x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}, {}]>}, %arg8: tensor<8x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg9: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg10: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg11: tensor<8x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<2x8x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"y", "x"}]>}, %arg13: tensor<2x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg14: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg15: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg16: tensor<8x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "y"}]>}, %arg17: tensor<8x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>}, %arg18: tensor<4x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg19: tensor<4x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<8xf32> {jax.result_info = "result[1]['p1']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8x2x4xf32> {jax.result_info = "result[1]['p2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<2x8x2x4xf32> {jax.result_info = "result[1]['p3']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}, {}]>}, tensor<2x4x8xf32> {jax.result_info = "result[1]['p4']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}, tensor<8xf32> {jax.result_info = "result[1]['p5']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8x8xf32> {jax.result_info = "result[1]['p6']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<8x8x16xf32> {jax.result_info = "result[1]['p7']", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, tensor<8x16x8xf32> {jax.result_info = "result[1]['p8']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']", sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, tensor<8xf32> {jax.result_info = "result[2]['p1']", sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<8x2x4xf32> {jax.result_info = "result[2]['p2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}, tensor<2x8x2x4xf32> {jax.result_info = "result[2]['p3']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}, {}]>}, tensor<2x4x8xf32> {jax.result_info = "result[2]['p4']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<8xf32> {jax.result_info = "result[2]['p5']", sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<8x8xf32> {jax.result_info = "result[2]['p6']", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<8x8x16xf32> {jax.result_info = "result[2]['p7']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}, tensor<8x16x8xf32> {jax.result_info = "result[2]['p8']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
    %1 = stablehlo.compare LT, %arg18, %0, SIGNED : (tensor<4x16xi32>, tensor<4x16xi32>) -> tensor<4x16xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
    %3 = stablehlo.add %arg18, %2 : tensor<4x16xi32>
    %4 = stablehlo.select %1, %3, %arg18 : tensor<4x16xi1>, tensor<4x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x16x1xi32>) -> tensor<4x16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<4x16x8xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<4x16x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %17 = stablehlo.divide %15, %16 : tensor<4x16x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<4x16x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<4x16x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<4x16x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<4x16x1xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %25 = stablehlo.multiply %12, %24 : tensor<4x16x8xf32>
    %26 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<4x16x8xf32>
    %29 = stablehlo.dot_general %28, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<8x2x4xf32>) -> tensor<4x16x2x4xf32>
    %30 = stablehlo.dot_general %arg3, %28, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x4xf32>, tensor<4x16x8xf32>) -> tensor<2x2x4x4x16xf32>
    %31 = stablehlo.transpose %30, dims = [0, 3, 4, 1, 2] : (tensor<2x2x4x4x16xf32>) -> tensor<2x4x16x2x4xf32>
    %32 = stablehlo.slice %31 [0:1, 0:4, 0:16, 0:2, 0:4] : (tensor<2x4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x4x16x2x4xf32>) -> tensor<4x16x2x4xf32>
    %34 = stablehlo.slice %31 [1:2, 0:4, 0:16, 0:2, 0:4] : (tensor<2x4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %35 = stablehlo.reshape %34 : (tensor<1x4x16x2x4xf32>) -> tensor<4x16x2x4xf32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 4] : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %37 = stablehlo.reshape %36 : (tensor<4x16x2x1x4xf32>) -> tensor<4x16x2x4xf32>
    %38 = sdy.sharding_constraint %37 <@mesh, [{}, {}, {}, {"y", "x"}]> : tensor<4x16x2x4xf32>
    %39 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 4] : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %40 = stablehlo.reshape %39 : (tensor<4x16x2x1x4xf32>) -> tensor<4x16x2x4xf32>
    %41 = stablehlo.dot_general %29, %38, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x16xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %43 = stablehlo.divide %41, %42 : tensor<4x2x16x16xf32>
    %44 = sdy.sharding_constraint %43 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x2x16x16xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %46 = stablehlo.reshape %45 : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %48 = stablehlo.compare EQ, %44, %47, FLOAT : (tensor<4x2x16x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x16x16xi1>
    %49 = stablehlo.convert %48 : (tensor<4x2x16x16xi1>) -> tensor<4x2x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %52 = stablehlo.maximum %51, %45 : tensor<4x2x16xf32>
    %53 = stablehlo.compare EQ, %45, %52, FLOAT : (tensor<4x2x16xf32>, tensor<4x2x16xf32>) -> tensor<4x2x16xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %56 = stablehlo.select %53, %54, %55 : tensor<4x2x16xi1>, tensor<4x2x16xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %58 = stablehlo.compare EQ, %57, %52, FLOAT : (tensor<4x2x16xf32>, tensor<4x2x16xf32>) -> tensor<4x2x16xi1>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x2x16xf32>
    %61 = stablehlo.select %58, %59, %60 : tensor<4x2x16xi1>, tensor<4x2x16xf32>
    %62 = stablehlo.divide %56, %61 : tensor<4x2x16xf32>
    %63 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %65 = stablehlo.subtract %44, %64 : tensor<4x2x16x16xf32>
    %66 = stablehlo.exponential %65 : tensor<4x2x16x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_15) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %70 = stablehlo.divide %66, %69 : tensor<4x2x16x16xf32>
    %71 = stablehlo.multiply %68, %68 : tensor<4x2x16x1xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x2x16x1xf32>
    %73 = stablehlo.divide %72, %71 : tensor<4x2x16x1xf32>
    %74 = stablehlo.dot_general %40, %70, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x4x16xf32>
    %75 = stablehlo.dot_general %74, %arg4, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<4x16x8xf32>
    %76 = stablehlo.add %6, %75 : tensor<4x16x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %80 = stablehlo.divide %78, %79 : tensor<4x16x1xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %82 = stablehlo.subtract %76, %81 : tensor<4x16x8xf32>
    %83 = stablehlo.multiply %82, %82 : tensor<4x16x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %cst_20 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %87 = stablehlo.divide %85, %86 : tensor<4x16x1xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %89 = stablehlo.add %87, %88 : tensor<4x16x1xf32>
    %90 = stablehlo.rsqrt %89 : tensor<4x16x1xf32>
    %91 = stablehlo.divide %90, %89 : tensor<4x16x1xf32>
    %cst_22 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %93 = stablehlo.multiply %92, %91 : tensor<4x16x1xf32>
    %94 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %95 = stablehlo.multiply %82, %94 : tensor<4x16x8xf32>
    %96 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %98 = stablehlo.multiply %95, %97 : tensor<4x16x8xf32>
    %99 = stablehlo.reshape %98 : (tensor<4x16x8xf32>) -> tensor<64x8xf32>
    %100 = stablehlo.dot_general %99, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_23) applies stablehlo.maximum across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %102 = stablehlo.reshape %101 : (tensor<64xf32>) -> tensor<64x1xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %104 = stablehlo.compare EQ, %100, %103, FLOAT : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xi1>
    %105 = stablehlo.convert %104 : (tensor<64x8xi1>) -> tensor<64x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.reduce(%105 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %108 = stablehlo.maximum %107, %101 : tensor<64xf32>
    %109 = stablehlo.compare EQ, %101, %108, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %112 = stablehlo.select %109, %110, %111 : tensor<64xi1>, tensor<64xf32>
    %cst_28 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %114 = stablehlo.compare EQ, %113, %108, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %117 = stablehlo.select %114, %115, %116 : tensor<64xi1>, tensor<64xf32>
    %118 = stablehlo.divide %112, %117 : tensor<64xf32>
    %119 = stablehlo.broadcast_in_dim %108, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %121 = stablehlo.subtract %100, %120 : tensor<64x8xf32>
    %122 = stablehlo.exponential %121 : tensor<64x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_31) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %126 = stablehlo.divide %122, %125 : tensor<64x8xf32>
    %127 = stablehlo.multiply %124, %124 : tensor<64x1xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %129 = stablehlo.divide %128, %127 : tensor<64x1xf32>
    %values, %indices = chlo.top_k(%126, k = 2) : tensor<64x8xf32> -> (tensor<64x2xf32>, tensor<64x2xi32>)
    %130 = stablehlo.reshape %indices : (tensor<64x2xi32>) -> tensor<64x2x1xi32>
    %131 = call @_one_hot(%indices) : (tensor<64x2xi32>) -> tensor<64x2x8xf32>
    %132 = stablehlo.broadcast_in_dim %values, dims = [0, 1] : (tensor<64x2xf32>) -> tensor<64x2x1xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<64x2x1xf32>) -> tensor<64x2x8xf32>
    %134 = stablehlo.multiply %131, %133 : tensor<64x2x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<64x2x8xf32>, tensor<f32>) -> tensor<64x8xf32>
    %136 = stablehlo.dot_general %arg7, %99, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<64x8xf32>) -> tensor<8x16x64xf32>
    %137 = stablehlo.transpose %136, dims = [0, 2, 1] : (tensor<8x16x64xf32>) -> tensor<8x64x16xf32>
    %138 = stablehlo.tanh %137 : tensor<8x64x16xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x64x16xf32>
    %140 = stablehlo.subtract %139, %138 : tensor<8x64x16xf32>
    %141 = stablehlo.dot_general %arg8, %138, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8xf32>, tensor<8x64x16xf32>) -> tensor<8x8x64xf32>
    %142 = stablehlo.dot_general %135, %141, batching_dims = [0] x [2], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8x64xf32>) -> tensor<64x8xf32>
    %143 = stablehlo.reshape %142 : (tensor<64x8xf32>) -> tensor<4x16x8xf32>
    %144 = stablehlo.add %76, %143 : tensor<4x16x8xf32>
    %145 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %146 = stablehlo.dot_general %144, %145, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<8x16xf32>) -> tensor<4x16x16xf32>
    %147 = call @_one_hot_0(%arg19) : (tensor<4x16xi32>) -> tensor<4x16x16xf32>
    %148 = stablehlo.subtract %146, %147 : tensor<4x16x16xf32>
    %149 = stablehlo.multiply %148, %148 : tensor<4x16x16xf32>
    %cst_35 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x16x16xf32>
    %151 = stablehlo.multiply %150, %148 : tensor<4x16x16xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%149 init: %cst_36) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_37 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %153 = stablehlo.divide %152, %cst_37 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_39 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %154 = stablehlo.divide %cst_38, %cst_39 : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [] : (tensor<f32>) -> tensor<4x16x16xf32>
    %156 = stablehlo.multiply %155, %151 : tensor<4x16x16xf32>
    %157 = stablehlo.dot_general %156, %144, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x16xf32>, tensor<4x16x8xf32>) -> tensor<16x8xf32>
    %158 = stablehlo.transpose %157, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %159 = stablehlo.dot_general %156, %145, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x16xf32>, tensor<8x16xf32>) -> tensor<4x16x8xf32>
    %160 = stablehlo.transpose %158, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %161 = stablehlo.reshape %159 : (tensor<4x16x8xf32>) -> tensor<64x8xf32>
    %162 = stablehlo.dot_general %161, %135, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8x8xf32>
    %163 = stablehlo.transpose %162, dims = [2, 1, 0] : (tensor<64x8x8xf32>) -> tensor<8x8x64xf32>
    %164 = stablehlo.dot_general %161, %141, batching_dims = [0] x [2], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8x64xf32>) -> tensor<64x8xf32>
    %165 = stablehlo.dot_general %163, %arg8, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x64xf32>, tensor<8x16x8xf32>) -> tensor<8x64x16xf32>
    %166 = stablehlo.dot_general %163, %138, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x64xf32>, tensor<8x64x16xf32>) -> tensor<8x8x16xf32>
    %167 = stablehlo.transpose %166, dims = [0, 2, 1] : (tensor<8x8x16xf32>) -> tensor<8x16x8xf32>
    %168 = stablehlo.multiply %165, %140 : tensor<8x64x16xf32>
    %169 = stablehlo.multiply %168, %138 : tensor<8x64x16xf32>
    %170 = stablehlo.add %168, %169 : tensor<8x64x16xf32>
    %171 = stablehlo.transpose %170, dims = [0, 2, 1] : (tensor<8x64x16xf32>) -> tensor<8x16x64xf32>
    %172 = stablehlo.dot_general %171, %arg7, contracting_dims = [0, 1] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x8x16xf32>) -> tensor<64x8xf32>
    %173 = stablehlo.dot_general %171, %99, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x8xf32>) -> tensor<8x16x8xf32>
    %174 = stablehlo.transpose %173, dims = [0, 2, 1] : (tensor<8x16x8xf32>) -> tensor<8x8x16xf32>
    %175 = stablehlo.broadcast_in_dim %164, dims = [0, 2] : (tensor<64x8xf32>) -> tensor<64x2x8xf32>
    %176 = stablehlo.multiply %131, %175 : tensor<64x2x8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<64x2x8xf32>, tensor<f32>) -> tensor<64x2xf32>
    %178 = stablehlo.reshape %177 : (tensor<64x2xf32>) -> tensor<64x2x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<64x2x1xf32>, tensor<f32>) -> tensor<64x2xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<64x8xf32>
    %181 = "stablehlo.scatter"(%180, %130, %179) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %439 = stablehlo.add %arg20, %arg21 : tensor<f32>
      stablehlo.return %439 : tensor<f32>
    }) : (tensor<64x8xf32>, tensor<64x2x1xi32>, tensor<64x2xf32>) -> tensor<64x8xf32>
    %182 = stablehlo.broadcast_in_dim %129, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %183 = stablehlo.multiply %181, %182 : tensor<64x8xf32>
    %184 = stablehlo.multiply %183, %122 : tensor<64x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.reduce(%184 init: %cst_43) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
    %186 = stablehlo.reshape %185 : (tensor<64xf32>) -> tensor<64x1xf32>
    %187 = stablehlo.negate %186 : tensor<64x1xf32>
    %188 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x8xf32>
    %189 = stablehlo.divide %181, %188 : tensor<64x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%187 init: %cst_44) applies stablehlo.add across dimensions = [1] : (tensor<64x1xf32>, tensor<f32>) -> tensor<64xf32>
    %191 = stablehlo.broadcast_in_dim %190, dims = [0] : (tensor<64xf32>) -> tensor<64x8xf32>
    %192 = stablehlo.add %189, %191 : tensor<64x8xf32>
    %193 = stablehlo.multiply %192, %122 : tensor<64x8xf32>
    %194 = stablehlo.dot_general %193, %99, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %195 = stablehlo.transpose %194, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %196 = stablehlo.dot_general %193, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
    %197 = stablehlo.add %172, %196 : tensor<64x8xf32>
    %198 = stablehlo.reshape %197 : (tensor<64x8xf32>) -> tensor<4x16x8xf32>
    %199 = stablehlo.multiply %95, %198 : tensor<4x16x8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %200 = stablehlo.reduce(%199 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %201 = stablehlo.reshape %200 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %202 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %203 = stablehlo.multiply %198, %202 : tensor<4x16x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.reduce(%201 init: %cst_46) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %205 = stablehlo.multiply %82, %203 : tensor<4x16x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %206 = stablehlo.reduce(%205 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %207 = stablehlo.reshape %206 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %208 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %209 = stablehlo.multiply %203, %208 : tensor<4x16x8xf32>
    %210 = stablehlo.multiply %207, %93 : tensor<4x16x1xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %212 = stablehlo.divide %210, %211 : tensor<4x16x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%212 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %215 = stablehlo.multiply %82, %214 : tensor<4x16x8xf32>
    %216 = stablehlo.add %209, %215 : tensor<4x16x8xf32>
    %217 = stablehlo.multiply %214, %82 : tensor<4x16x8xf32>
    %218 = stablehlo.add %216, %217 : tensor<4x16x8xf32>
    %219 = stablehlo.negate %218 : tensor<4x16x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%219 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %221 = stablehlo.reshape %220 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %222 = stablehlo.add %159, %218 : tensor<4x16x8xf32>
    %cst_51 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %224 = stablehlo.divide %221, %223 : tensor<4x16x1xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %225 = stablehlo.reduce(%224 init: %cst_52) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %227 = stablehlo.add %222, %226 : tensor<4x16x8xf32>
    %228 = stablehlo.dot_general %227, %74, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<4x2x4x16xf32>) -> tensor<8x2x4xf32>
    %229 = stablehlo.transpose %228, dims = [1, 2, 0] : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
    %230 = stablehlo.dot_general %227, %arg4, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x8xf32>, tensor<2x4x8xf32>) -> tensor<4x16x2x4xf32>
    %231 = stablehlo.transpose %230, dims = [0, 2, 3, 1] : (tensor<4x16x2x4xf32>) -> tensor<4x2x4x16xf32>
    %232 = stablehlo.dot_general %231, %40, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x16xf32>
    %233 = stablehlo.dot_general %231, %70, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4x16xf32>, tensor<4x2x16x16xf32>) -> tensor<4x2x4x16xf32>
    %234 = stablehlo.transpose %233, dims = [0, 3, 1, 2] : (tensor<4x2x4x16xf32>) -> tensor<4x16x2x4xf32>
    %235 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %236 = stablehlo.multiply %232, %235 : tensor<4x2x16x16xf32>
    %237 = stablehlo.multiply %236, %66 : tensor<4x2x16x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_53) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x16xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %239 = stablehlo.reshape %238 : (tensor<4x2x16xf32>) -> tensor<4x2x16x1xf32>
    %240 = stablehlo.negate %239 : tensor<4x2x16x1xf32>
    %241 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<4x2x16x1xf32>) -> tensor<4x2x16x16xf32>
    %242 = stablehlo.divide %232, %241 : tensor<4x2x16x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.reduce(%240 init: %cst_54) applies stablehlo.add across dimensions = [3] : (tensor<4x2x16x1xf32>, tensor<f32>) -> tensor<4x2x16xf32>
    %244 = stablehlo.broadcast_in_dim %243, dims = [0, 1, 2] : (tensor<4x2x16xf32>) -> tensor<4x2x16x16xf32>
    %245 = stablehlo.add %242, %244 : tensor<4x2x16x16xf32>
    %246 = stablehlo.multiply %245, %66 : tensor<4x2x16x16xf32>
    %247 = sdy.sharding_constraint %246 <@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<4x2x16x16xf32>
    %cst_55 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x2x16x16xf32>
    %249 = stablehlo.divide %247, %248 : tensor<4x2x16x16xf32>
    %250 = stablehlo.dot_general %249, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x4xf32>
    %251 = stablehlo.transpose %250, dims = [0, 2, 1, 3] : (tensor<4x2x16x4xf32>) -> tensor<4x16x2x4xf32>
    %252 = stablehlo.dot_general %249, %38, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x16x16xf32>, tensor<4x16x2x4xf32>) -> tensor<4x2x16x4xf32>
    %253 = stablehlo.transpose %252, dims = [0, 2, 1, 3] : (tensor<4x2x16x4xf32>) -> tensor<4x16x2x4xf32>
    %254 = stablehlo.reshape %234 : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_56) applies stablehlo.add across dimensions = [3] : (tensor<4x16x2x1x4xf32>, tensor<f32>) -> tensor<4x16x2x4xf32>
    %256 = sdy.sharding_constraint %251 <@mesh, [{}, {}, {}, {"y", "x"}]> : tensor<4x16x2x4xf32>
    %257 = stablehlo.reshape %256 : (tensor<4x16x2x4xf32>) -> tensor<4x16x2x1x4xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_57) applies stablehlo.add across dimensions = [3] : (tensor<4x16x2x1x4xf32>, tensor<f32>) -> tensor<4x16x2x4xf32>
    %259 = stablehlo.broadcast_in_dim %255, dims = [1, 2, 3, 4] : (tensor<4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.pad %259, %cst_58, low = [1, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x4xf32>, tensor<f32>) -> tensor<2x4x16x2x4xf32>
    %261 = stablehlo.broadcast_in_dim %258, dims = [1, 2, 3, 4] : (tensor<4x16x2x4xf32>) -> tensor<1x4x16x2x4xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %262 = stablehlo.pad %261, %cst_59, low = [0, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x4x16x2x4xf32>, tensor<f32>) -> tensor<2x4x16x2x4xf32>
    %263 = stablehlo.add %260, %262 : tensor<2x4x16x2x4xf32>
    %264 = stablehlo.transpose %263, dims = [0, 3, 4, 1, 2] : (tensor<2x4x16x2x4xf32>) -> tensor<2x2x4x4x16xf32>
    %265 = stablehlo.dot_general %264, %arg3, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4x16xf32>, tensor<2x8x2x4xf32>) -> tensor<4x16x8xf32>
    %266 = stablehlo.dot_general %264, %28, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4x16xf32>, tensor<4x16x8xf32>) -> tensor<2x2x4x8xf32>
    %267 = stablehlo.transpose %266, dims = [0, 3, 1, 2] : (tensor<2x2x4x8xf32>) -> tensor<2x8x2x4xf32>
    %268 = stablehlo.dot_general %253, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<4x16x8xf32>) -> tensor<2x4x8xf32>
    %269 = stablehlo.transpose %268, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %270 = stablehlo.dot_general %253, %arg2, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x16x2x4xf32>, tensor<8x2x4xf32>) -> tensor<4x16x8xf32>
    %271 = stablehlo.add %265, %270 : tensor<4x16x8xf32>
    %272 = stablehlo.multiply %25, %271 : tensor<4x16x8xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %273 = stablehlo.reduce(%272 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %274 = stablehlo.reshape %273 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %275 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x16x8xf32>
    %276 = stablehlo.multiply %271, %275 : tensor<4x16x8xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %277 = stablehlo.reduce(%274 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %278 = stablehlo.multiply %12, %276 : tensor<4x16x8xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.reduce(%278 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %280 = stablehlo.reshape %279 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %281 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x8xf32>
    %282 = stablehlo.multiply %276, %281 : tensor<4x16x8xf32>
    %283 = stablehlo.multiply %280, %23 : tensor<4x16x1xf32>
    %cst_63 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %285 = stablehlo.divide %283, %284 : tensor<4x16x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %286 = stablehlo.reduce(%285 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %287 = stablehlo.broadcast_in_dim %286, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %288 = stablehlo.multiply %12, %287 : tensor<4x16x8xf32>
    %289 = stablehlo.add %282, %288 : tensor<4x16x8xf32>
    %290 = stablehlo.multiply %287, %12 : tensor<4x16x8xf32>
    %291 = stablehlo.add %289, %290 : tensor<4x16x8xf32>
    %292 = stablehlo.negate %291 : tensor<4x16x8xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.reduce(%292 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %294 = stablehlo.reshape %293 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %295 = stablehlo.add %227, %291 : tensor<4x16x8xf32>
    %cst_66 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<4x16x1xf32>
    %297 = stablehlo.divide %294, %296 : tensor<4x16x1xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %298 = stablehlo.reduce(%297 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<4x16x1xf32>, tensor<f32>) -> tensor<4x16xf32>
    %299 = stablehlo.broadcast_in_dim %298, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %300 = stablehlo.add %295, %299 : tensor<4x16x8xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %301 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %302 = "stablehlo.scatter"(%301, %5, %300) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %439 = stablehlo.add %arg20, %arg21 : tensor<f32>
      stablehlo.return %439 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<4x16x1xi32>, tensor<4x16x8xf32>) -> tensor<16x8xf32>
    %303 = stablehlo.add %160, %302 : tensor<16x8xf32>
    %cst_69 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %305 = stablehlo.multiply %304, %arg9 : tensor<16x8xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %306 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %307 = stablehlo.multiply %306, %303 : tensor<16x8xf32>
    %308 = stablehlo.add %305, %307 : tensor<16x8xf32>
    %cst_71 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %310 = stablehlo.multiply %309, %arg10 : tensor<8xf32>
    %cst_72 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %311 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %312 = stablehlo.multiply %311, %277 : tensor<8xf32>
    %313 = stablehlo.add %310, %312 : tensor<8xf32>
    %cst_73 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %315 = stablehlo.multiply %314, %arg11 : tensor<8x2x4xf32>
    %cst_74 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %316 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %317 = stablehlo.multiply %316, %269 : tensor<8x2x4xf32>
    %318 = stablehlo.add %315, %317 : tensor<8x2x4xf32>
    %cst_75 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %320 = stablehlo.multiply %319, %arg12 : tensor<2x8x2x4xf32>
    %cst_76 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %322 = stablehlo.multiply %321, %267 : tensor<2x8x2x4xf32>
    %323 = stablehlo.add %320, %322 : tensor<2x8x2x4xf32>
    %cst_77 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %325 = stablehlo.multiply %324, %arg13 : tensor<2x4x8xf32>
    %cst_78 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %326 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %327 = stablehlo.multiply %326, %229 : tensor<2x4x8xf32>
    %328 = stablehlo.add %325, %327 : tensor<2x4x8xf32>
    %cst_79 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %329 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %330 = stablehlo.multiply %329, %arg14 : tensor<8xf32>
    %cst_80 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %331 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %332 = stablehlo.multiply %331, %204 : tensor<8xf32>
    %333 = stablehlo.add %330, %332 : tensor<8xf32>
    %cst_81 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %335 = stablehlo.multiply %334, %arg15 : tensor<8x8xf32>
    %cst_82 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %336 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %337 = stablehlo.multiply %336, %195 : tensor<8x8xf32>
    %338 = stablehlo.add %335, %337 : tensor<8x8xf32>
    %cst_83 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %340 = stablehlo.multiply %339, %arg16 : tensor<8x8x16xf32>
    %cst_84 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %341 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %342 = stablehlo.multiply %341, %174 : tensor<8x8x16xf32>
    %343 = stablehlo.add %340, %342 : tensor<8x8x16xf32>
    %cst_85 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %345 = stablehlo.multiply %344, %arg17 : tensor<8x16x8xf32>
    %cst_86 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %346 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %347 = stablehlo.multiply %346, %167 : tensor<8x16x8xf32>
    %348 = stablehlo.add %345, %347 : tensor<8x16x8xf32>
    %cst_87 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %349 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %350 = stablehlo.multiply %349, %308 : tensor<16x8xf32>
    %351 = stablehlo.multiply %308, %308 : tensor<16x8xf32>
    %cst_88 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %353 = stablehlo.add %352, %351 : tensor<16x8xf32>
    %354 = stablehlo.multiply %303, %303 : tensor<16x8xf32>
    %355 = stablehlo.add %353, %354 : tensor<16x8xf32>
    %356 = stablehlo.sqrt %355 : tensor<16x8xf32>
    %357 = stablehlo.divide %350, %356 : tensor<16x8xf32>
    %358 = stablehlo.subtract %arg0, %357 : tensor<16x8xf32>
    %cst_89 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %360 = stablehlo.multiply %359, %313 : tensor<8xf32>
    %361 = stablehlo.multiply %313, %313 : tensor<8xf32>
    %cst_90 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %362 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %363 = stablehlo.add %362, %361 : tensor<8xf32>
    %364 = stablehlo.multiply %277, %277 : tensor<8xf32>
    %365 = stablehlo.add %363, %364 : tensor<8xf32>
    %366 = stablehlo.sqrt %365 : tensor<8xf32>
    %367 = stablehlo.divide %360, %366 : tensor<8xf32>
    %368 = stablehlo.subtract %arg1, %367 : tensor<8xf32>
    %cst_91 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %370 = stablehlo.multiply %369, %318 : tensor<8x2x4xf32>
    %371 = stablehlo.multiply %318, %318 : tensor<8x2x4xf32>
    %cst_92 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %372 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %373 = stablehlo.add %372, %371 : tensor<8x2x4xf32>
    %374 = stablehlo.multiply %269, %269 : tensor<8x2x4xf32>
    %375 = stablehlo.add %373, %374 : tensor<8x2x4xf32>
    %376 = stablehlo.sqrt %375 : tensor<8x2x4xf32>
    %377 = stablehlo.divide %370, %376 : tensor<8x2x4xf32>
    %378 = stablehlo.subtract %arg2, %377 : tensor<8x2x4xf32>
    %cst_93 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %380 = stablehlo.multiply %379, %323 : tensor<2x8x2x4xf32>
    %381 = stablehlo.multiply %323, %323 : tensor<2x8x2x4xf32>
    %cst_94 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %382 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<2x8x2x4xf32>
    %383 = stablehlo.add %382, %381 : tensor<2x8x2x4xf32>
    %384 = stablehlo.multiply %267, %267 : tensor<2x8x2x4xf32>
    %385 = stablehlo.add %383, %384 : tensor<2x8x2x4xf32>
    %386 = stablehlo.sqrt %385 : tensor<2x8x2x4xf32>
    %387 = stablehlo.divide %380, %386 : tensor<2x8x2x4xf32>
    %388 = stablehlo.subtract %arg3, %387 : tensor<2x8x2x4xf32>
    %cst_95 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %390 = stablehlo.multiply %389, %328 : tensor<2x4x8xf32>
    %391 = stablehlo.multiply %328, %328 : tensor<2x4x8xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %393 = stablehlo.add %392, %391 : tensor<2x4x8xf32>
    %394 = stablehlo.multiply %229, %229 : tensor<2x4x8xf32>
    %395 = stablehlo.add %393, %394 : tensor<2x4x8xf32>
    %396 = stablehlo.sqrt %395 : tensor<2x4x8xf32>
    %397 = stablehlo.divide %390, %396 : tensor<2x4x8xf32>
    %398 = stablehlo.subtract %arg4, %397 : tensor<2x4x8xf32>
    %cst_97 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %399 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %400 = stablehlo.multiply %399, %333 : tensor<8xf32>
    %401 = stablehlo.multiply %333, %333 : tensor<8xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %402 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %403 = stablehlo.add %402, %401 : tensor<8xf32>
    %404 = stablehlo.multiply %204, %204 : tensor<8xf32>
    %405 = stablehlo.add %403, %404 : tensor<8xf32>
    %406 = stablehlo.sqrt %405 : tensor<8xf32>
    %407 = stablehlo.divide %400, %406 : tensor<8xf32>
    %408 = stablehlo.subtract %arg5, %407 : tensor<8xf32>
    %cst_99 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %410 = stablehlo.multiply %409, %338 : tensor<8x8xf32>
    %411 = stablehlo.multiply %338, %338 : tensor<8x8xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %412 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %413 = stablehlo.add %412, %411 : tensor<8x8xf32>
    %414 = stablehlo.multiply %195, %195 : tensor<8x8xf32>
    %415 = stablehlo.add %413, %414 : tensor<8x8xf32>
    %416 = stablehlo.sqrt %415 : tensor<8x8xf32>
    %417 = stablehlo.divide %410, %416 : tensor<8x8xf32>
    %418 = stablehlo.subtract %arg6, %417 : tensor<8x8xf32>
    %cst_101 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %419 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %420 = stablehlo.multiply %419, %343 : tensor<8x8x16xf32>
    %421 = stablehlo.multiply %343, %343 : tensor<8x8x16xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %422 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %423 = stablehlo.add %422, %421 : tensor<8x8x16xf32>
    %424 = stablehlo.multiply %174, %174 : tensor<8x8x16xf32>
    %425 = stablehlo.add %423, %424 : tensor<8x8x16xf32>
    %426 = stablehlo.sqrt %425 : tensor<8x8x16xf32>
    %427 = stablehlo.divide %420, %426 : tensor<8x8x16xf32>
    %428 = stablehlo.subtract %arg7, %427 : tensor<8x8x16xf32>
    %cst_103 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %430 = stablehlo.multiply %429, %348 : tensor<8x16x8xf32>
    %431 = stablehlo.multiply %348, %348 : tensor<8x16x8xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8x16x8xf32>
    %433 = stablehlo.add %432, %431 : tensor<8x16x8xf32>
    %434 = stablehlo.multiply %167, %167 : tensor<8x16x8xf32>
    %435 = stablehlo.add %433, %434 : tensor<8x16x8xf32>
    %436 = stablehlo.sqrt %435 : tensor<8x16x8xf32>
    %437 = stablehlo.divide %430, %436 : tensor<8x16x8xf32>
    %438 = stablehlo.subtract %arg8, %437 : tensor<8x16x8xf32>
    return %153, %358, %368, %378, %388, %398, %408, %418, %428, %438, %308, %313, %318, %323, %328, %333, %338, %343, %348 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8x16xf32>, tensor<8x16x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8x16xf32>, tensor<8x16x8xf32>
  }
  func.func private @_one_hot(%arg0: tensor<64x2xi32>) -> tensor<64x2x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<64x2xi32>) -> tensor<64x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x8xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<64x2x1xi32>) -> tensor<64x2x8xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x8xi32>) -> tensor<64x2x8xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<64x2x8xi32>, tensor<64x2x8xi32>) -> tensor<64x2x8xi1>
    %5 = stablehlo.convert %4 : (tensor<64x2x8xi1>) -> tensor<64x2x8xf32>
    return %5 : tensor<64x2x8xf32>
  }
  func.func private @_one_hot_0(%arg0: tensor<4x16xi32>) -> tensor<4x16x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x16xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x16x1xi32>) -> tensor<4x16x16xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x16xi32>) -> tensor<4x16x16xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<4x16x16xi32>, tensor<4x16x16xi32>) -> tensor<4x16x16xi1>
    %5 = stablehlo.convert %4 : (tensor<4x16x16xi1>) -> tensor<4x16x16xf32>
    return %5 : tensor<4x16x16xf32>
  }
}
