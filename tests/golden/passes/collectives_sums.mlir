// passes: inline partition=4 simplify collectives=v5p:4x1x1:off,sums=on
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x8xf32>) -> tensor<64xf32>
  %3 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.reshape %5 : (tensor<8x8xf32>) -> tensor<64xf32>
  %7 = stablehlo.add %2, %6 : tensor<64xf32>
  return %7 : tensor<64xf32>
}
// -----
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<64xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.reshape %2 : (tensor<8x8xf32>) -> tensor<64xf32>
    %4 = stablehlo.reshape %0 : (tensor<8x8xf32>) -> tensor<64xf32>
    %5 = stablehlo.add %4, %3 : tensor<64xf32>
    %6 = "stablehlo.all_reduce"(%5) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %7 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) {podium.axes = "x"} : (tensor<64xf32>) -> tensor<64xf32>
    return %6 : tensor<64xf32>
  }
}
