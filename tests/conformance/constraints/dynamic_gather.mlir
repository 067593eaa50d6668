// constraints: 14

// -----
// accepted: sizes that are constants
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// accepted: sizes of another integer type
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi32>) -> tensor<7x2x6xf32>
  return
}

// -----
// C1: rank(operand) = size(offset_dims) + size(collapsed_slice_dims)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{1 offset, 1 collapsed and 0 batching dimensions do not make up rank 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C2: 0 <= index_vector_dim
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{index_vector_dim is -1; the indices have rank 2}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = -1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C2: index_vector_dim <= rank(start_indices)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{index_vector_dim is 3; the indices have rank 2}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 3>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C3: size(start_index_map) = dim(start_indices, index_vector_dim)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{start_index_map names 1 dimensions, an index has 2 components}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C4: is_unique(offset_dims)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{offset_dims names dimension 1 twice}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C4: is_sorted(offset_dims)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{offset_dims is not sorted}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C5: 0 <= offset_dims < rank(result)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{offset_dims names dimension 3 of rank 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C6: is_unique(collapsed_slice_dims)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{collapsed_slice_dims names dimension 0 twice}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C6: is_sorted(collapsed_slice_dims)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{collapsed_slice_dims is not sorted}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C7: 0 <= collapsed_slice_dims < rank(operand)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{collapsed_slice_dims names dimension 3 of rank 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [3], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C8: slice_sizes[collapsed_slice_dims...] <= 1
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[2, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{a slice takes 2 of dimension 0, which is collapsed or batching; it may take 1}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C9: is_unique(start_index_map)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{start_index_map names dimension 1 twice}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C10: 0 <= start_index_map < rank(operand)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{start_index_map names dimension 3 of rank 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 3], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C11: size(slice_sizes) = rank(operand)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  // expected-error@+1 {{operand 2 has 2 values; 3 are needed}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<2xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C12: 0 <= slice_sizes
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, -2, 6]> : tensor<3xi64>
  // expected-error@+1 {{a slice takes -2 of dimension 1, which has size 5}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C12: slice_sizes <= shape(operand)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 7]> : tensor<3xi64>
  // expected-error@+1 {{a slice takes 7 of dimension 2, which has size 6}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// C13: shape(result) = combine(batch_dim_sizes, offset_dim_sizes)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{but it is tensor<7x2x6xf32>: dimension 1 is 2, not 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x3x6xf32>
  return
}

// -----
// C14: element_type(operand) = element_type(result)
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{declared as tensor<7x2x6xf16>, but it is tensor<7x2x6xf32>}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf16>
  return
}

// -----
// I2: tensor of integer type
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xf32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{the indices are tensor<7x2xf32>; they must be integers}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xf32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// I3: 1-dimensional tensor
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[[1, 2, 6]]> : tensor<1x3xi64>
  // expected-error@+1 {{the slice sizes are tensor<1x3xi64>; they must be a list of integers}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<1x3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// I3: tensor of integer type
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1.0, 2.0, 6.0]> : tensor<3xf32>
  // expected-error@+1 {{the slice sizes are tensor<3xf32>; they must be a list of integers}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xf32>) -> tensor<7x2x6xf32>
  return
}

// -----
// I8: constant of type i1
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{'indices_are_sorted' is neither true nor false}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = 1 : i64}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// T: slice_sizes is constant after folding
// unimplemented
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{operand 2 is no constant}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// T: has dimension_numbers
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{lacks the attribute 'dimension_numbers'}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<3xi64>) -> tensor<7x2x6xf32>
  return
}

// -----
// T: three operands
func.func @main(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %s = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi64>
  // expected-error@+1 {{has 2 operands; it takes 3}}
  %0 = "stablehlo.dynamic_gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x2x6xf32>
  return
}
