// 00 among the dimensions of a convolution is not what comes back from the pretty form.
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 00, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x4x4x8xf32>
  return
  return
}

