// passes: inline partition=4 simplify collectives=v5e:4x1
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<64x16xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<64x16xf32>) {
    %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64x16xf32>) -> tensor<64x16xf32>
    %2 = stablehlo.partition_id : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
    %n = stablehlo.constant dense<16> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.multiply %3, %n : tensor<i32>
    %5 = stablehlo.dynamic_slice %1, %4, %z, sizes = [16, 16] : (tensor<64x16xf32>, tensor<i32>, tensor<i32>) -> tensor<16x16xf32>
    sdy.return %5 : tensor<16x16xf32>
  } : (tensor<64x16xf32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
// -----
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<64x16xf32>) -> tensor<16x16xf32> {
    %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids, scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<64x16xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
