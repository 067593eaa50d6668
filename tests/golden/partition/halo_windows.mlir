// devices: 4
// A convolution and a pooling whose rows are sharded: the edge rows of the neighbours, and
// nothing else. Zeros beyond the ends are what chips without a neighbour receive.
module @jit_conv {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<2x32x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %k: tensor<3x3x8x16xf32>) -> (tensor<2x32x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, tensor<2x16x8x8xf32>) {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x16x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x32x16x16xf32>
    %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<2x32x16x8xf32>, tensor<f32>) -> tensor<2x16x8x8xf32>
    return %0, %1 : tensor<2x32x16x16xf32>, tensor<2x16x8x8xf32>
  }
}
