sdy.mesh @mesh = <["y"=2, "x"=2]>
func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0:3 = sdy.manual_computation(%a, %b, %a, %c, %a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>] manual_axes={"x", "y"} (%e: tensor<4x8xf32>, %f: tensor<8x16xf32>, %h: tensor<8x8xf32>, %i: tensor<16x4xf32>, %j: tensor<8x4xf32>, %k: tensor<4x16xf32>) {
    %l = "stablehlo.all_gather"(%e) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %m = stablehlo.dot_general %l, %f, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %n = "stablehlo.all_gather"(%i) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<16x4xf32>) -> tensor<16x8xf32>
    %o = stablehlo.dot_general %h, %n, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
    %d = stablehlo.dot_general %j, %k, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %r = "stablehlo.reduce_scatter"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x16xf32>) -> tensor<8x8xf32>
    sdy.return %m, %o, %r : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
  return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
