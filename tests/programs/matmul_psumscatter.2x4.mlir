module @jit_matmul_psumscatter attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=4]>
  func.func public @main(%arg0: tensor<1024x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<8192x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<1024x2048xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"X"}, {"Y"}]>, <@mesh, [{"Y"}, {}]>] out_shardings=[<@mesh, [{"X"}, {"Y"}]>] manual_axes={"X", "Y"} (%arg2: tensor<512x2048xbf16>, %arg3: tensor<2048x2048xbf16>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<512x2048xbf16>
      %2 = "stablehlo.reduce_scatter"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "X", size = 2>, <name = "Y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "Y">]>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<bf16>, %arg5: tensor<bf16>):
        %3 = stablehlo.add %arg4, %arg5 : tensor<bf16>
        stablehlo.return %3 : tensor<bf16>
      }) : (tensor<512x2048xbf16>) -> tensor<512x512xbf16>
      sdy.return %2 : tensor<512x512xbf16>
    } : (tensor<1024x8192xbf16>, tensor<8192x2048xbf16>) -> tensor<1024x2048xbf16>
    return %0 : tensor<1024x2048xbf16>
  }
}
