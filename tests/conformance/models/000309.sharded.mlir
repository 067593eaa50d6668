module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg3: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg5: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg6: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg7: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg8: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg9: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg10: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg12: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg13: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]['p0']"}, tensor<8xf32> {jax.result_info = "result[1]['p1']"}, tensor<8xf32> {jax.result_info = "result[1]['p2']"}, tensor<8x16xf32> {jax.result_info = "result[1]['p3']"}, tensor<16x8xf32> {jax.result_info = "result[1]['p4']"}, tensor<8x16xf32> {jax.result_info = "result[1]['p5']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p0']"}, tensor<8xf32> {jax.result_info = "result[2]['p1']"}, tensor<8xf32> {jax.result_info = "result[2]['p2']"}, tensor<8x16xf32> {jax.result_info = "result[2]['p3']"}, tensor<16x8xf32> {jax.result_info = "result[2]['p4']"}, tensor<8x16xf32> {jax.result_info = "result[2]['p5']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %1 = stablehlo.compare LT, %arg12, %0, SIGNED : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
    %3 = stablehlo.add %arg12, %2 : tensor<8x4xi32>
    %4 = stablehlo.select %1, %3, %arg12 : tensor<8x4xi1>, tensor<8x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x4xi32>) -> tensor<8x4x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<8x4x1xi32>) -> tensor<8x4x8xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{?}, {"x"}, {}]> : tensor<8x4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x4x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %13 = stablehlo.subtract %7, %12 : tensor<8x4x8xf32>
    %14 = stablehlo.multiply %13, %13 : tensor<8x4x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %18 = stablehlo.divide %16, %17 : tensor<8x4x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %20 = stablehlo.add %18, %19 : tensor<8x4x1xf32>
    %21 = stablehlo.rsqrt %20 : tensor<8x4x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<8x4x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<8x4x1xf32>
    %25 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %26 = stablehlo.multiply %13, %25 : tensor<8x4x8xf32>
    %27 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %29 = stablehlo.multiply %26, %28 : tensor<8x4x8xf32>
    %30:2 = call @sort(%29) : (tensor<8x4x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x8x1xui32>)
    %31 = stablehlo.add %7, %30#0 : tensor<8x4x8xf32>
    %32 = stablehlo.multiply %31, %31 : tensor<8x4x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %36 = stablehlo.divide %34, %35 : tensor<8x4x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %38 = stablehlo.add %36, %37 : tensor<8x4x1xf32>
    %39 = stablehlo.rsqrt %38 : tensor<8x4x1xf32>
    %40 = stablehlo.divide %39, %38 : tensor<8x4x1xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<8x4x1xf32>
    %43 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %44 = stablehlo.multiply %31, %43 : tensor<8x4x8xf32>
    %45 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %47 = stablehlo.multiply %44, %46 : tensor<8x4x8xf32>
    %48:11 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %47) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>] manual_axes={"x"} (%arg14: tensor<16x8xf32>, %arg15: tensor<8xf32>, %arg16: tensor<8xf32>, %arg17: tensor<8x16xf32>, %arg18: tensor<16x8xf32>, %arg19: tensor<8x16xf32>, %arg20: tensor<2x4x8xf32>) {
      %177 = stablehlo.dot_general %arg20, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
      %178 = stablehlo.multiply %177, %177 : tensor<2x4x16xf32>
      %179 = stablehlo.multiply %178, %177 : tensor<2x4x16xf32>
      %180 = stablehlo.multiply %177, %177 : tensor<2x4x16xf32>
      %cst_48 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %181 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %182 = stablehlo.multiply %181, %180 : tensor<2x4x16xf32>
      %cst_49 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
      %183 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %184 = stablehlo.multiply %183, %179 : tensor<2x4x16xf32>
      %185 = stablehlo.add %177, %184 : tensor<2x4x16xf32>
      %cst_50 = stablehlo.constant dense<0.797884583> : tensor<f32>
      %186 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %187 = stablehlo.multiply %186, %185 : tensor<2x4x16xf32>
      %188 = stablehlo.tanh %187 : tensor<2x4x16xf32>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %189 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %190 = stablehlo.subtract %189, %188 : tensor<2x4x16xf32>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %191 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %192 = stablehlo.add %191, %188 : tensor<2x4x16xf32>
      %cst_53 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %193 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %194 = stablehlo.multiply %193, %192 : tensor<2x4x16xf32>
      %195 = stablehlo.multiply %177, %194 : tensor<2x4x16xf32>
      %196 = stablehlo.dot_general %arg20, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
      %197 = stablehlo.multiply %195, %196 : tensor<2x4x16xf32>
      %198 = stablehlo.dot_general %197, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<16x8xf32>) -> tensor<2x4x8xf32>
      %cst_54 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
      %199 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %cst_55 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %200 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<1xf32>
      sdy.return %182, %199, %188, %190, %200, %194, %177, %196, %195, %197, %198 : tensor<2x4x16xf32>, tensor<1xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<1xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<2x4x8xf32>
    } : (tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x4x8xf32>) -> (tensor<8x4x16xf32>, tensor<4xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<4xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x4x8xf32>)
    %49 = stablehlo.add %31, %48#10 : tensor<8x4x8xf32>
    %50 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %51 = stablehlo.dot_general %49, %50, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x16xf32>) -> tensor<8x4x16xf32>
    %52 = call @_one_hot(%arg13) : (tensor<8x4xi32>) -> tensor<8x4x16xf32>
    %53 = stablehlo.subtract %51, %52 : tensor<8x4x16xf32>
    %54 = stablehlo.multiply %53, %53 : tensor<8x4x16xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %56 = stablehlo.multiply %55, %53 : tensor<8x4x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%54 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %58 = stablehlo.divide %57, %cst_12 : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_14 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %59 = stablehlo.divide %cst_13, %cst_14 : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %61 = stablehlo.multiply %60, %56 : tensor<8x4x16xf32>
    %62 = stablehlo.dot_general %61, %49, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %63 = stablehlo.transpose %62, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %64 = stablehlo.dot_general %61, %50, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x16xf32>) -> tensor<8x4x8xf32>
    %65 = stablehlo.transpose %63, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %66:4 = sdy.manual_computation(%64, %arg3, %47, %48#0, %48#1, %48#2, %48#3, %48#4, %48#5, %48#6, %arg5, %48#7, %48#8, %arg4, %48#9) in_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}, {}]>] manual_axes={"x"} (%arg14: tensor<2x4x8xf32>, %arg15: tensor<8x16xf32>, %arg16: tensor<2x4x8xf32>, %arg17: tensor<2x4x16xf32>, %arg18: tensor<1xf32>, %arg19: tensor<2x4x16xf32>, %arg20: tensor<2x4x16xf32>, %arg21: tensor<1xf32>, %arg22: tensor<2x4x16xf32>, %arg23: tensor<2x4x16xf32>, %arg24: tensor<8x16xf32>, %arg25: tensor<2x4x16xf32>, %arg26: tensor<2x4x16xf32>, %arg27: tensor<16x8xf32>, %arg28: tensor<2x4x16xf32>) {
      %177 = stablehlo.reshape %arg18 : (tensor<1xf32>) -> tensor<f32>
      %178 = stablehlo.reshape %arg21 : (tensor<1xf32>) -> tensor<f32>
      %179 = stablehlo.dot_general %arg14, %arg28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x4x16xf32>) -> tensor<8x16xf32>
      %180 = stablehlo.transpose %179, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %181 = stablehlo.dot_general %arg14, %arg27, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<16x8xf32>) -> tensor<2x4x16xf32>
      %182 = stablehlo.multiply %arg26, %181 : tensor<2x4x16xf32>
      %183 = stablehlo.multiply %181, %arg25 : tensor<2x4x16xf32>
      %184 = stablehlo.dot_general %182, %arg16, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<16x8xf32>
      %185 = stablehlo.transpose %184, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %186 = stablehlo.dot_general %182, %arg24, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<8x16xf32>) -> tensor<2x4x8xf32>
      %187 = stablehlo.multiply %arg23, %183 : tensor<2x4x16xf32>
      %188 = stablehlo.multiply %183, %arg22 : tensor<2x4x16xf32>
      %189 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %190 = stablehlo.multiply %189, %187 : tensor<2x4x16xf32>
      %191 = stablehlo.multiply %190, %arg20 : tensor<2x4x16xf32>
      %192 = stablehlo.multiply %191, %arg19 : tensor<2x4x16xf32>
      %193 = stablehlo.add %191, %192 : tensor<2x4x16xf32>
      %cst_48 = stablehlo.constant dense<0.797884583> : tensor<f32>
      %194 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %195 = stablehlo.multiply %194, %193 : tensor<2x4x16xf32>
      %196 = stablehlo.add %188, %195 : tensor<2x4x16xf32>
      %197 = stablehlo.broadcast_in_dim %177, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
      %198 = stablehlo.multiply %197, %195 : tensor<2x4x16xf32>
      %199 = stablehlo.multiply %198, %arg17 : tensor<2x4x16xf32>
      %200 = stablehlo.add %196, %199 : tensor<2x4x16xf32>
      %201 = stablehlo.dot_general %200, %arg16, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<16x8xf32>
      %202 = stablehlo.transpose %201, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %203 = stablehlo.dot_general %200, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<8x16xf32>) -> tensor<2x4x8xf32>
      %204 = stablehlo.add %186, %203 : tensor<2x4x8xf32>
      %205 = "stablehlo.all_reduce"(%202) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
        %208 = stablehlo.add %arg29, %arg30 : tensor<f32>
        stablehlo.return %208 : tensor<f32>
      }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %206 = "stablehlo.all_reduce"(%180) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
        %208 = stablehlo.add %arg29, %arg30 : tensor<f32>
        stablehlo.return %208 : tensor<f32>
      }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %207 = "stablehlo.all_reduce"(%185) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
        %208 = stablehlo.add %arg29, %arg30 : tensor<f32>
        stablehlo.return %208 : tensor<f32>
      }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %205, %206, %207, %204 : tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<2x4x8xf32>
    } : (tensor<8x4x8xf32>, tensor<8x16xf32>, tensor<8x4x8xf32>, tensor<8x4x16xf32>, tensor<4xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<4xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<8x16xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<16x8xf32>, tensor<8x4x16xf32>) -> (tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x4x8xf32>)
    %67 = stablehlo.multiply %44, %66#3 : tensor<8x4x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %69 = stablehlo.reshape %68 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %70 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %71 = stablehlo.multiply %66#3, %70 : tensor<8x4x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%69 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %73 = stablehlo.multiply %31, %71 : tensor<8x4x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %75 = stablehlo.reshape %74 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %76 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %77 = stablehlo.multiply %71, %76 : tensor<8x4x8xf32>
    %78 = stablehlo.add %64, %77 : tensor<8x4x8xf32>
    %79 = stablehlo.multiply %75, %42 : tensor<8x4x1xf32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %81 = stablehlo.divide %79, %80 : tensor<8x4x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %84 = stablehlo.multiply %31, %83 : tensor<8x4x8xf32>
    %85 = stablehlo.add %78, %84 : tensor<8x4x8xf32>
    %86 = stablehlo.multiply %83, %31 : tensor<8x4x8xf32>
    %87 = stablehlo.add %85, %86 : tensor<8x4x8xf32>
    %88 = call @sort_0(%30#1, %87) : (tensor<8x4x8x1xui32>, tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    %89 = stablehlo.multiply %26, %88 : tensor<8x4x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %91 = stablehlo.reshape %90 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %92 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x4x8xf32>
    %93 = stablehlo.multiply %88, %92 : tensor<8x4x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%91 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %95 = stablehlo.multiply %13, %93 : tensor<8x4x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %97 = stablehlo.reshape %96 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %98 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x8xf32>
    %99 = stablehlo.multiply %93, %98 : tensor<8x4x8xf32>
    %100 = stablehlo.multiply %97, %24 : tensor<8x4x1xf32>
    %cst_23 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %102 = stablehlo.divide %100, %101 : tensor<8x4x1xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %105 = stablehlo.multiply %13, %104 : tensor<8x4x8xf32>
    %106 = stablehlo.add %99, %105 : tensor<8x4x8xf32>
    %107 = stablehlo.multiply %104, %13 : tensor<8x4x8xf32>
    %108 = stablehlo.add %106, %107 : tensor<8x4x8xf32>
    %109 = stablehlo.negate %108 : tensor<8x4x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = stablehlo.reduce(%109 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<8x4x8xf32>, tensor<f32>) -> tensor<8x4xf32>
    %111 = stablehlo.reshape %110 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %112 = stablehlo.add %87, %108 : tensor<8x4x8xf32>
    %cst_26 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %114 = stablehlo.divide %111, %113 : tensor<8x4x1xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x8xf32>
    %117 = stablehlo.add %112, %116 : tensor<8x4x8xf32>
    %118 = sdy.sharding_constraint %117 <@mesh, [{?}, {"x"}, {}]> : tensor<8x4x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %120 = "stablehlo.scatter"(%119, %5, %118) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %177 = stablehlo.add %arg14, %arg15 : tensor<f32>
      stablehlo.return %177 : tensor<f32>
    }) : (tensor<16x8xf32>, tensor<8x4x1xi32>, tensor<8x4x8xf32>) -> tensor<16x8xf32>
    %121 = stablehlo.add %65, %120 : tensor<16x8xf32>
    %122 = stablehlo.multiply %121, %121 : tensor<16x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.add %cst_30, %123 : tensor<f32>
    %125 = stablehlo.multiply %94, %94 : tensor<8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%125 init: %cst_31) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %127 = stablehlo.add %124, %126 : tensor<f32>
    %128 = stablehlo.multiply %72, %72 : tensor<8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_32) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %130 = stablehlo.add %127, %129 : tensor<f32>
    %131 = stablehlo.multiply %66#0, %66#0 : tensor<8x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%131 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    %133 = stablehlo.add %130, %132 : tensor<f32>
    %134 = stablehlo.multiply %66#1, %66#1 : tensor<16x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_34) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %136 = stablehlo.add %133, %135 : tensor<f32>
    %137 = stablehlo.multiply %66#2, %66#2 : tensor<8x16xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_35) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    %139 = stablehlo.add %136, %138 : tensor<f32>
    %140 = stablehlo.sqrt %139 : tensor<f32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %141 = stablehlo.maximum %cst_36, %140 : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %143 = stablehlo.divide %121, %142 : tensor<16x8xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %144 = stablehlo.maximum %cst_37, %140 : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %146 = stablehlo.divide %94, %145 : tensor<8xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %147 = stablehlo.maximum %cst_38, %140 : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %149 = stablehlo.divide %72, %148 : tensor<8xf32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %150 = stablehlo.maximum %cst_39, %140 : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %152 = stablehlo.divide %66#0, %151 : tensor<8x16xf32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %153 = stablehlo.maximum %cst_40, %140 : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %155 = stablehlo.divide %66#1, %154 : tensor<16x8xf32>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %156 = stablehlo.maximum %cst_41, %140 : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %158 = stablehlo.divide %66#2, %157 : tensor<8x16xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %160 = stablehlo.multiply %159, %143 : tensor<16x8xf32>
    %161 = stablehlo.subtract %arg0, %160 : tensor<16x8xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %163 = stablehlo.multiply %162, %146 : tensor<8xf32>
    %164 = stablehlo.subtract %arg1, %163 : tensor<8xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %166 = stablehlo.multiply %165, %149 : tensor<8xf32>
    %167 = stablehlo.subtract %arg2, %166 : tensor<8xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %169 = stablehlo.multiply %168, %152 : tensor<8x16xf32>
    %170 = stablehlo.subtract %arg3, %169 : tensor<8x16xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %172 = stablehlo.multiply %171, %155 : tensor<16x8xf32>
    %173 = stablehlo.subtract %arg4, %172 : tensor<16x8xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %175 = stablehlo.multiply %174, %158 : tensor<8x16xf32>
    %176 = stablehlo.subtract %arg5, %175 : tensor<8x16xf32>
    return %58, %161, %164, %167, %170, %173, %176, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11 : tensor<f32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  }
  func.func private @sort(%arg0: tensor<8x4x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x8x1xui32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8x4x8xui32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.select %3, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.select %7, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<8x4x8xf32>, tensor<8x4x8xui32>) -> (tensor<8x4x8xf32>, tensor<8x4x8xui32>)
    %2 = stablehlo.broadcast_in_dim %1#1, dims = [0, 1, 2] : (tensor<8x4x8xui32>) -> tensor<8x4x8x1xui32>
    return %1#0, %2 : tensor<8x4x8xf32>, tensor<8x4x8x1xui32>
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
  func.func private @sort_0(%arg0: tensor<8x4x8x1xui32>, %arg1: tensor<8x4x8xf32>) -> tensor<8x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], input_batching_dims = [1, 2], scatter_indices_batching_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x4x8xf32>, tensor<8x4x8x1xui32>, tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    return %1 : tensor<8x4x8xf32>
  }
}
