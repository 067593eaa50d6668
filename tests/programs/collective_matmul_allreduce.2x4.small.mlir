module @jit_collective_matmul_allreduce attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<8x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<48x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<8x32xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{"Y"}, {}]>] out_shardings=[<@mesh, [{"X"}, {}]>] manual_axes={"X", "Y"} (%arg2: tensor<4x12xf32>, %arg3: tensor<12x32xf32>) {
      %1 = stablehlo.slice %arg3 [0:12, 0:8] : (tensor<12x32xf32>) -> tensor<12x8xf32>
      %2 = stablehlo.slice %arg3 [0:12, 8:16] : (tensor<12x32xf32>) -> tensor<12x8xf32>
      %3 = stablehlo.slice %arg3 [0:12, 16:24] : (tensor<12x32xf32>) -> tensor<12x8xf32>
      %4 = stablehlo.slice %arg3 [0:12, 24:32] : (tensor<12x32xf32>) -> tensor<12x8xf32>
      %5 = stablehlo.dot_general %arg2, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
      %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %7 = stablehlo.dot_general %arg2, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
      %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %9 = stablehlo.dot_general %arg2, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
      %10 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %11 = stablehlo.dot_general %arg2, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
      %12 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %13 = stablehlo.concatenate %6, %8, %10, %12, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x32xf32>
      sdy.return %13 : tensor<4x32xf32>
    } : (tensor<8x48xf32>, tensor<48x32xf32>) -> tensor<8x32xf32>
    return %0 : tensor<8x32xf32>
  }
}
