module @jit_moe_all_gather attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<4x8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}, {"Y"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg2: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<16x12xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %out = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"X"}, {}, {"Y"}]>, <@mesh, [{"X"}, {"Y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg3: tensor<2x8x3xf32>, %arg4: tensor<8x2xf32>, %arg5: tensor<16xi32>) {
      %0 = "stablehlo.all_gather"(%arg4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<8x2xf32>) -> tensor<8x8xf32>
      %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<16x8xf32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = stablehlo.constant dense<4> : tensor<ui32>
      %4 = stablehlo.divide %2, %3 : tensor<ui32>
      %5 = stablehlo.constant dense<2> : tensor<ui32>
      %6 = stablehlo.remainder %4, %5 : tensor<ui32>
      %7 = stablehlo.convert %6 : (tensor<ui32>) -> tensor<i32>
      %8 = stablehlo.constant dense<2> : tensor<i32>
      %9 = stablehlo.multiply %7, %8 : tensor<i32>
      %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<16x3xf32>
      %12 = stablehlo.constant dense<0> : tensor<i32>
      %13:2 = stablehlo.while(%iter_1 = %12, %acc_1 = %11) : tensor<i32>, tensor<16x3xf32>
       cond {
        %14 = stablehlo.constant dense<2> : tensor<i32>
        %15 = stablehlo.compare  LT, %iter_1, %14,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %15 : tensor<i1>
      } do {
        %16 = stablehlo.add %9, %iter_1 : tensor<i32>
        %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<16xi32>
        %18 = stablehlo.compare  EQ, %arg5, %17,  SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
        %19 = stablehlo.convert %18 : (tensor<16xi1>) -> tensor<16xf32>
        %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
        %21 = stablehlo.multiply %1, %20 : tensor<16x8xf32>
        %22 = stablehlo.constant dense<0> : tensor<i32>
        %23 = stablehlo.dynamic_slice %arg3, %iter_1, %22, %22, sizes = [1, 8, 3] : (tensor<2x8x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x3xf32>
        %24 = stablehlo.reshape %23 : (tensor<1x8x3xf32>) -> tensor<8x3xf32>
        %25 = stablehlo.dot_general %21, %24, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<16x8xf32>, tensor<8x3xf32>) -> tensor<16x3xf32>
        %26 = stablehlo.add %acc_1, %25 : tensor<16x3xf32>
        %27 = stablehlo.constant dense<1> : tensor<i32>
        %28 = stablehlo.add %iter_1, %27 : tensor<i32>
        stablehlo.return %28, %26 : tensor<i32>, tensor<16x3xf32>
      }
      %29 = "stablehlo.reduce_scatter"(%13#1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg100: tensor<f32>, %arg101: tensor<f32>):
        %30 = stablehlo.add %arg100, %arg101 : tensor<f32>
        stablehlo.return %30 : tensor<f32>
      }) : (tensor<16x3xf32>) -> tensor<8x3xf32>
      sdy.return %29 : tensor<8x3xf32>
    } : (tensor<4x8x12xf32>, tensor<16x8xf32>, tensor<16xi32>) -> tensor<16x12xf32>
    return %out : tensor<16x12xf32>
  }
}
