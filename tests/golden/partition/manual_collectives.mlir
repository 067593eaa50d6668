// devices: 4
// x is manual, y is not: the user's collectives over x work on parts along y, and nothing is gathered for them.
module @jit_pipeline {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0:3 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>, <@mesh, [{}, {?}]>, <@mesh, [{}, {?}]>] manual_axes={"x"} (%b: tensor<4x16xf32>) {
      %1 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<4x16xf32>) -> tensor<4x16xf32>
      %2 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      %3 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x16xf32>) -> tensor<8x16xf32>
      sdy.return %1, %2, %3 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<4x16xf32>, tensor<8x16xf32>)
    return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<4x16xf32>, tensor<8x16xf32>
  }
}
