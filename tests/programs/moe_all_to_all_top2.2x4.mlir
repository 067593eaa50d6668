module @jit_moe_all_to_all_top2 attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<16x512x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}, {"Y"}]>}, %arg1: tensor<1024x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg2: tensor<1024x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<1024x1024xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"X"}, {}, {"Y"}]>, <@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg3: tensor<8x512x256xf32>, %arg4: tensor<512x128xf32>, %arg5: tensor<1024x2xi32>) {
      %0 = "stablehlo.all_gather"(%arg4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<512x128xf32>) -> tensor<512x512xf32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.constant dense<4> : tensor<ui32>
      %3 = stablehlo.divide %1, %2 : tensor<ui32>
      %4 = stablehlo.constant dense<2> : tensor<ui32>
      %5 = stablehlo.remainder %3, %4 : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
      %7 = stablehlo.constant dense<512> : tensor<i32>
      %8 = stablehlo.multiply %6, %7 : tensor<i32>
      %9 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.dynamic_slice %arg5, %8, %9, sizes = [512, 2] : (tensor<1024x2xi32>, tensor<i32>, tensor<i32>) -> tensor<512x2xi32>
      %11 = stablehlo.reshape %10 : (tensor<512x2xi32>) -> tensor<1024xi32>
      %12 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<512x512xf32>) -> tensor<512x2x512xf32>
      %13 = stablehlo.reshape %12 : (tensor<512x2x512xf32>) -> tensor<1024x512xf32>
      %14 = stablehlo.constant dense<8> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<i32>) -> tensor<1024xi32>
      %16 = stablehlo.divide %11, %15 : tensor<1024xi32>
      %17 = stablehlo.iota dim = 1 : tensor<1024x2xi32>
      %18 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<1024xi32>) -> tensor<1024x2xi32>
      %19 = stablehlo.compare  EQ, %18, %17,  SIGNED : (tensor<1024x2xi32>, tensor<1024x2xi32>) -> tensor<1024x2xi1>
      %20 = stablehlo.convert %19 : (tensor<1024x2xi1>) -> tensor<1024x2xf32>
      %21 = stablehlo.iota dim = 0 : tensor<1024x1024xi32>
      %22 = stablehlo.iota dim = 1 : tensor<1024x1024xi32>
      %23 = stablehlo.compare  GT, %21, %22,  SIGNED : (tensor<1024x1024xi32>, tensor<1024x1024xi32>) -> tensor<1024x1024xi1>
      %24 = stablehlo.convert %23 : (tensor<1024x1024xi1>) -> tensor<1024x1024xf32>
      %25 = stablehlo.dot_general %24, %20, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x1024xf32>, tensor<1024x2xf32>) -> tensor<1024x2xf32>
      %26 = stablehlo.convert %25 : (tensor<1024x2xf32>) -> tensor<1024x2xi32>
      %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<1024x2xi32>) -> tensor<2x1024xi32>
      %28 = stablehlo.broadcast_in_dim %27, dims = [0, 2] : (tensor<2x1024xi32>) -> tensor<2x1024x1024xi32>
      %29 = stablehlo.iota dim = 1 : tensor<2x1024x1024xi32>
      %30 = stablehlo.compare  EQ, %28, %29,  SIGNED : (tensor<2x1024x1024xi32>, tensor<2x1024x1024xi32>) -> tensor<2x1024x1024xi1>
      %31 = stablehlo.convert %30 : (tensor<2x1024x1024xi1>) -> tensor<2x1024x1024xf32>
      %32 = stablehlo.transpose %20, dims = [1, 0] : (tensor<1024x2xf32>) -> tensor<2x1024xf32>
      %33 = stablehlo.broadcast_in_dim %32, dims = [0, 2] : (tensor<2x1024xf32>) -> tensor<2x1024x1024xf32>
      %34 = stablehlo.multiply %31, %33 : tensor<2x1024x1024xf32>
      %35 = stablehlo.dot_general %34, %13, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x1024x1024xf32>, tensor<1024x512xf32>) -> tensor<2x1024x512xf32>
      %36 = stablehlo.constant dense<1> : tensor<i32>
      %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<i32>) -> tensor<1024xi32>
      %38 = stablehlo.add %11, %37 : tensor<1024xi32>
      %39 = stablehlo.convert %38 : (tensor<1024xi32>) -> tensor<1024xf32>
      %40 = stablehlo.dot_general %34, %39, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x1024x1024xf32>, tensor<1024xf32>) -> tensor<2x1024xf32>
      %41 = "stablehlo.all_to_all"(%35) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x1024x512xf32>) -> tensor<2x1024x512xf32>
      %42 = "stablehlo.all_to_all"(%40) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x1024xf32>) -> tensor<2x1024xf32>
      %43 = stablehlo.reshape %41 : (tensor<2x1024x512xf32>) -> tensor<2048x512xf32>
      %44 = stablehlo.reshape %42 : (tensor<2x1024xf32>) -> tensor<2048xf32>
      %45 = stablehlo.convert %44 : (tensor<2048xf32>) -> tensor<2048xi32>
      %46 = stablehlo.constant dense<1> : tensor<i32>
      %47 = stablehlo.partition_id : tensor<ui32>
      %48 = stablehlo.constant dense<4> : tensor<ui32>
      %49 = stablehlo.divide %47, %48 : tensor<ui32>
      %50 = stablehlo.constant dense<2> : tensor<ui32>
      %51 = stablehlo.remainder %49, %50 : tensor<ui32>
      %52 = stablehlo.convert %51 : (tensor<ui32>) -> tensor<i32>
      %53 = stablehlo.constant dense<8> : tensor<i32>
      %54 = stablehlo.multiply %52, %53 : tensor<i32>
      %55 = stablehlo.add %54, %46 : tensor<i32>
      %56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<2048x256xf32>
      %58 = stablehlo.constant dense<0> : tensor<i32>
      %59:2 = stablehlo.while(%iter_1 = %58, %acc_1 = %57) : tensor<i32>, tensor<2048x256xf32>
       cond {
        %60 = stablehlo.constant dense<8> : tensor<i32>
        %61 = stablehlo.compare  LT, %iter_1, %60,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %61 : tensor<i1>
      } do {
        %62 = stablehlo.add %55, %iter_1 : tensor<i32>
        %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<i32>) -> tensor<2048xi32>
        %64 = stablehlo.compare  EQ, %45, %63,  SIGNED : (tensor<2048xi32>, tensor<2048xi32>) -> tensor<2048xi1>
        %65 = stablehlo.convert %64 : (tensor<2048xi1>) -> tensor<2048xf32>
        %66 = stablehlo.broadcast_in_dim %65, dims = [0] : (tensor<2048xf32>) -> tensor<2048x512xf32>
        %67 = stablehlo.multiply %43, %66 : tensor<2048x512xf32>
        %68 = stablehlo.constant dense<0> : tensor<i32>
        %69 = stablehlo.dynamic_slice %arg3, %iter_1, %68, %68, sizes = [1, 512, 256] : (tensor<8x512x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x256xf32>
        %70 = stablehlo.reshape %69 : (tensor<1x512x256xf32>) -> tensor<512x256xf32>
        %71 = stablehlo.dot_general %67, %70, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2048x512xf32>, tensor<512x256xf32>) -> tensor<2048x256xf32>
        %72 = stablehlo.add %acc_1, %71 : tensor<2048x256xf32>
        %73 = stablehlo.constant dense<1> : tensor<i32>
        %74 = stablehlo.add %iter_1, %73 : tensor<i32>
        stablehlo.return %74, %72 : tensor<i32>, tensor<2048x256xf32>
      }
      %75 = stablehlo.reshape %59#1 : (tensor<2048x256xf32>) -> tensor<2x1024x256xf32>
      %76 = "stablehlo.all_to_all"(%75) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x1024x256xf32>) -> tensor<2x1024x256xf32>
      %77 = stablehlo.dot_general %34, %76, contracting_dims = [0, 1] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<2x1024x1024xf32>, tensor<2x1024x256xf32>) -> tensor<1024x256xf32>
      %78 = stablehlo.reshape %77 : (tensor<1024x256xf32>) -> tensor<512x2x256xf32>
      %79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %80 = stablehlo.reduce(%78 init: %79) applies stablehlo.add across dimensions = [1] : (tensor<512x2x256xf32>, tensor<f32>) -> tensor<512x256xf32>
      sdy.return %80 : tensor<512x256xf32>
    } : (tensor<16x512x1024xf32>, tensor<1024x512xf32>, tensor<1024x2xi32>) -> tensor<1024x1024xf32>
    return %out : tensor<1024x1024xf32>
  }
}
