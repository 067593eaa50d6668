module @jit_moe_all_to_all attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<4x8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}, {"Y"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg2: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<16x12xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"X"}, {}, {"Y"}]>, <@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg3: tensor<2x8x3xf32>, %arg4: tensor<8x2xf32>, %arg5: tensor<16xi32>) {
      %0 = "stablehlo.all_gather"(%arg4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<8x2xf32>) -> tensor<8x8xf32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.constant dense<4> : tensor<ui32>
      %3 = stablehlo.divide %1, %2 : tensor<ui32>
      %4 = stablehlo.constant dense<2> : tensor<ui32>
      %5 = stablehlo.remainder %3, %4 : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
      %7 = stablehlo.constant dense<8> : tensor<i32>
      %8 = stablehlo.multiply %6, %7 : tensor<i32>
      %9 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.dynamic_slice %arg5, %8, sizes = [8] : (tensor<16xi32>, tensor<i32>) -> tensor<8xi32>
      %11 = stablehlo.constant dense<2> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %13 = stablehlo.divide %10, %12 : tensor<8xi32>
      %14 = stablehlo.iota dim = 1 : tensor<8x2xi32>
      %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<8xi32>) -> tensor<8x2xi32>
      %16 = stablehlo.compare  EQ, %15, %14,  SIGNED : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
      %17 = stablehlo.convert %16 : (tensor<8x2xi1>) -> tensor<8x2xf32>
      %18 = stablehlo.iota dim = 0 : tensor<8x8xi32>
      %19 = stablehlo.iota dim = 1 : tensor<8x8xi32>
      %20 = stablehlo.compare  GT, %18, %19,  SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %21 = stablehlo.convert %20 : (tensor<8x8xi1>) -> tensor<8x8xf32>
      %22 = stablehlo.dot_general %21, %17, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
      %23 = stablehlo.convert %22 : (tensor<8x2xf32>) -> tensor<8x2xi32>
      %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<8x2xi32>) -> tensor<2x8xi32>
      %25 = stablehlo.broadcast_in_dim %24, dims = [0, 2] : (tensor<2x8xi32>) -> tensor<2x8x8xi32>
      %26 = stablehlo.iota dim = 1 : tensor<2x8x8xi32>
      %27 = stablehlo.compare  EQ, %25, %26,  SIGNED : (tensor<2x8x8xi32>, tensor<2x8x8xi32>) -> tensor<2x8x8xi1>
      %28 = stablehlo.convert %27 : (tensor<2x8x8xi1>) -> tensor<2x8x8xf32>
      %29 = stablehlo.transpose %17, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
      %30 = stablehlo.broadcast_in_dim %29, dims = [0, 2] : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
      %31 = stablehlo.multiply %28, %30 : tensor<2x8x8xf32>
      %32 = stablehlo.dot_general %31, %0, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x8x8xf32>, tensor<8x8xf32>) -> tensor<2x8x8xf32>
      %33 = stablehlo.constant dense<1> : tensor<i32>
      %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %35 = stablehlo.add %10, %34 : tensor<8xi32>
      %36 = stablehlo.convert %35 : (tensor<8xi32>) -> tensor<8xf32>
      %37 = stablehlo.dot_general %31, %36, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x8x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
      %38 = "stablehlo.all_to_all"(%32) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
      %39 = "stablehlo.all_to_all"(%37) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %40 = stablehlo.reshape %38 : (tensor<2x8x8xf32>) -> tensor<16x8xf32>
      %41 = stablehlo.reshape %39 : (tensor<2x8xf32>) -> tensor<16xf32>
      %42 = stablehlo.convert %41 : (tensor<16xf32>) -> tensor<16xi32>
      %43 = stablehlo.constant dense<1> : tensor<i32>
      %44 = stablehlo.partition_id : tensor<ui32>
      %45 = stablehlo.constant dense<4> : tensor<ui32>
      %46 = stablehlo.divide %44, %45 : tensor<ui32>
      %47 = stablehlo.constant dense<2> : tensor<ui32>
      %48 = stablehlo.remainder %46, %47 : tensor<ui32>
      %49 = stablehlo.convert %48 : (tensor<ui32>) -> tensor<i32>
      %50 = stablehlo.constant dense<2> : tensor<i32>
      %51 = stablehlo.multiply %49, %50 : tensor<i32>
      %52 = stablehlo.add %51, %43 : tensor<i32>
      %53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<f32>) -> tensor<16x3xf32>
      %55 = stablehlo.constant dense<0> : tensor<i32>
      %56:2 = stablehlo.while(%iter_1 = %55, %acc_1 = %54) : tensor<i32>, tensor<16x3xf32>
       cond {
        %57 = stablehlo.constant dense<2> : tensor<i32>
        %58 = stablehlo.compare  LT, %iter_1, %57,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %58 : tensor<i1>
      } do {
        %59 = stablehlo.add %52, %iter_1 : tensor<i32>
        %60 = stablehlo.broadcast_in_dim %59, dims = [] : (tensor<i32>) -> tensor<16xi32>
        %61 = stablehlo.compare  EQ, %42, %60,  SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
        %62 = stablehlo.convert %61 : (tensor<16xi1>) -> tensor<16xf32>
        %63 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
        %64 = stablehlo.multiply %40, %63 : tensor<16x8xf32>
        %65 = stablehlo.constant dense<0> : tensor<i32>
        %66 = stablehlo.dynamic_slice %arg3, %iter_1, %65, %65, sizes = [1, 8, 3] : (tensor<2x8x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x3xf32>
        %67 = stablehlo.reshape %66 : (tensor<1x8x3xf32>) -> tensor<8x3xf32>
        %68 = stablehlo.dot_general %64, %67, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<16x8xf32>, tensor<8x3xf32>) -> tensor<16x3xf32>
        %69 = stablehlo.add %acc_1, %68 : tensor<16x3xf32>
        %70 = stablehlo.constant dense<1> : tensor<i32>
        %71 = stablehlo.add %iter_1, %70 : tensor<i32>
        stablehlo.return %71, %69 : tensor<i32>, tensor<16x3xf32>
      }
      %72 = stablehlo.reshape %56#1 : (tensor<16x3xf32>) -> tensor<2x8x3xf32>
      %73 = "stablehlo.all_to_all"(%72) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
      %74 = stablehlo.dot_general %31, %73, contracting_dims = [0, 1] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<2x8x8xf32>, tensor<2x8x3xf32>) -> tensor<8x3xf32>
      sdy.return %74 : tensor<8x3xf32>
    } : (tensor<4x8x12xf32>, tensor<16x8xf32>, tensor<16xi32>) -> tensor<16x12xf32>
    return %out : tensor<16x12xf32>
  }
}
