module @jit_collective_matmul_allreduce attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<1024x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<8192x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<1024x2048xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{"Y"}, {}]>] out_shardings=[<@mesh, [{"X"}, {}]>] manual_axes={"X", "Y"} (%arg2: tensor<512x2048xbf16>, %arg3: tensor<2048x2048xbf16>) {
      %1 = stablehlo.slice %arg3 [0:2048, 0:512] : (tensor<2048x2048xbf16>) -> tensor<2048x512xbf16>
      %2 = stablehlo.slice %arg3 [0:2048, 512:1024] : (tensor<2048x2048xbf16>) -> tensor<2048x512xbf16>
      %3 = stablehlo.slice %arg3 [0:2048, 1024:1536] : (tensor<2048x2048xbf16>) -> tensor<2048x512xbf16>
      %4 = stablehlo.slice %arg3 [0:2048, 1536:2048] : (tensor<2048x2048xbf16>) -> tensor<2048x512xbf16>
      %5 = stablehlo.dot_general %arg2, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<bf16>, %arg5: tensor<bf16>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<bf16>
        stablehlo.return %14 : tensor<bf16>
      }) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %7 = stablehlo.dot_general %arg2, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<bf16>, %arg5: tensor<bf16>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<bf16>
        stablehlo.return %14 : tensor<bf16>
      }) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %9 = stablehlo.dot_general %arg2, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %10 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<bf16>, %arg5: tensor<bf16>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<bf16>
        stablehlo.return %14 : tensor<bf16>
      }) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %11 = stablehlo.dot_general %arg2, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x512xbf16>) -> tensor<512x512xbf16>
      %12 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<bf16>, %arg5: tensor<bf16>):
        %14 = stablehlo.add %arg4, %arg5 : tensor<bf16>
        stablehlo.return %14 : tensor<bf16>
      }) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
      %13 = stablehlo.concatenate %6, %8, %10, %12, dim = 1 : (tensor<512x512xbf16>, tensor<512x512xbf16>, tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x2048xbf16>
      sdy.return %13 : tensor<512x2048xbf16>
    } : (tensor<1024x8192xbf16>, tensor<8192x2048xbf16>) -> tensor<1024x2048xbf16>
    return %0 : tensor<1024x2048xbf16>
  }
}
