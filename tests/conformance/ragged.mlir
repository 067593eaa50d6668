// ragged_dot over rows: the groups have 1, 0 and 2 rows, the last row is in none; what it holds
// does not matter.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [0x7FC00000, 8.0]]> : tensor<4x2xf32>
  %b = stablehlo.constant dense<[[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [[9.0, 9.0, 9.0], [9.0, 9.0, 9.0]],
                                 [[2.0, 0.0, 0.0], [0.0, 2.0, 1.0]]]> : tensor<3x2x3xf32>
  %sizes = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi32>
  %c = "chlo.ragged_dot"(%a, %b, %sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}>
    : (tensor<4x2xf32>, tensor<3x2x3xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  check.expect_eq_const %c, dense<[[1.0, 2.0, 3.0], [6.0, 8.0, 4.0], [10.0, 12.0, 6.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf32>
  return
}

// -----

// Over what is contracted, with a batch: a product for each group.
func.func @main() {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4]], [[5, 6, 7, 8]]]> : tensor<2x1x4xi32>
  %b = stablehlo.constant dense<[[[1], [1], [1], [1]], [[1], [10], [100], [1000]]]> : tensor<2x4x1xi32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %c = "chlo.ragged_dot"(%a, %b, %sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}>
    : (tensor<2x1x4xi32>, tensor<2x4x1xi32>, tensor<2xi64>) -> tensor<2x2x1x1xi32>
  check.expect_eq_const %c, dense<[[[[1]], [[5]]], [[[5]], [[760]]]]> : tensor<2x2x1x1xi32>

  // Over the batch: the plain product.
  %d = "chlo.ragged_dot"(%a, %b, %sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}>
    : (tensor<2x1x4xi32>, tensor<2x4x1xi32>, tensor<2xi64>) -> tensor<2x1x1xi32>
  check.expect_eq_const %d, dense<[[[10]], [[8765]]]> : tensor<2x1x1xi32>
  return
}
