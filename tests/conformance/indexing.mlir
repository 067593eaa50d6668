// gather: rows of a matrix; a start beyond the end is clamped.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %at = stablehlo.constant dense<[[2], [0], [7], [-1]]> : tensor<4x1xi64>
  %y = "stablehlo.gather"(%x, %at) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                                          start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}>
    : (tensor<3x2xi32>, tensor<4x1xi64>) -> tensor<4x2xi32>
  %z = stablehlo.constant dense<[[5, 6], [1, 2], [5, 6], [1, 2]]> : tensor<4x2xi32>
  check.expect_eq %y, %z : tensor<4x2xi32>, tensor<4x2xi32>
  return
}

// -----

// gather with a batching dimension and a window that stays; offset dimension in front.
func.func @main() {
  %x = stablehlo.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]]> : tensor<2x2x3xf32>
  %at = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %y = "stablehlo.gather"(%x, %at) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0],
      start_index_map = [1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1, 3>}>
    : (tensor<2x2x3xf32>, tensor<2x1xi32>) -> tensor<3x2xf32>
  %z = stablehlo.constant dense<[[4.0, 7.0], [5.0, 8.0], [6.0, 9.0]]> : tensor<3x2xf32>
  check.expect_eq %y, %z : tensor<3x2xf32>, tensor<3x2xf32>
  return
}

// -----

// scatter adds where indices meet, and leaves out what lies outside, element by element.
func.func @main() {
  %x = stablehlo.constant dense<0> : tensor<5xi32>
  %at = stablehlo.constant dense<[[1], [1], [4], [-1]]> : tensor<4x1xi64>
  %u = stablehlo.constant dense<[[1, 2], [10, 20], [100, 200], [1000, 2000]]> : tensor<4x2xi32>
  %y = "stablehlo.scatter"(%x, %at, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<5xi32>, tensor<4x1xi64>, tensor<4x2xi32>) -> tensor<5xi32>
  %z = stablehlo.constant dense<[2000, 11, 22, 0, 100]> : tensor<5xi32>
  check.expect_eq %y, %z : tensor<5xi32>, tensor<5xi32>
  return
}

// -----

// scatter by a region of its own, with two inputs: the second counts.
func.func @main() {
  %x = stablehlo.constant dense<[8.0, 8.0, 8.0]> : tensor<3xf32>
  %n = stablehlo.constant dense<0> : tensor<3xi32>
  %at = stablehlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = stablehlo.constant dense<1> : tensor<3xi32>
  %y:2 = "stablehlo.scatter"(%x, %n, %at, %u, %one) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
    %d = stablehlo.subtract %a, %b : tensor<f32>
    %k = stablehlo.add %i, %j : tensor<i32>
    stablehlo.return %d, %k : tensor<f32>, tensor<i32>
  }) : (tensor<3xf32>, tensor<3xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>)
    -> (tensor<3xf32>, tensor<3xi32>)
  %z = stablehlo.constant dense<[6.0, 8.0, 4.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi32>
  check.expect_eq %y#0, %z : tensor<3xf32>, tensor<3xf32>
  check.expect_eq %y#1, %c : tensor<3xi32>, tensor<3xi32>
  return
}

// -----

// scatter that keeps the update, into columns, with batching dimensions.
func.func @main() {
  %x = stablehlo.constant dense<0> : tensor<2x3xi8>
  %at = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<[5, 6]> : tensor<2xi8>
  %y = "stablehlo.scatter"(%x, %at, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1],
      input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    stablehlo.return %b : tensor<i8>
  }) : (tensor<2x3xi8>, tensor<2x1xi32>, tensor<2xi8>) -> tensor<2x3xi8>
  %z = stablehlo.constant dense<[[0, 0, 5], [6, 0, 0]]> : tensor<2x3xi8>
  check.expect_eq %y, %z : tensor<2x3xi8>, tensor<2x3xi8>
  return
}
