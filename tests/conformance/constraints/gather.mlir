// constraints: 23

// -----
// accepted: with batching dimensions
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// accepted: scalar indices, whole rows
func.func @main(%a: tensor<4x5xf32>, %i: tensor<7xui8>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>, indices_are_sorted = true}> : (tensor<4x5xf32>, tensor<7xui8>) -> tensor<7x5xf32>
  return
}

// -----
// accepted: slices of nothing
func.func @main(%a: tensor<4x5xf32>, %i: tensor<7x1xi64>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 5>}> : (tensor<4x5xf32>, tensor<7x1xi64>) -> tensor<7x0x5xf32>
  return
}

// -----
// C1: rank(operand) = size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{1 offset, 1 collapsed and 1 batching dimensions do not make up rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C2: 0 <= index_vector_dim
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{index_vector_dim is -1; the indices have rank 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = -1>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C2: index_vector_dim <= rank(start_indices)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{index_vector_dim is 4; the indices have rank 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C3: size(start_index_map) = dim(start_indices, index_vector_dim)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_index_map names 1 dimensions, an index has 2 components}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C3: size(start_index_map) = 1 if index_vector_dim = rank(start_indices)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_index_map names 2 dimensions, an index has 1 components}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x2x6xf32>
  return
}

// -----
// C4: is_unique(offset_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{offset_dims names dimension 2 twice}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C4: is_sorted(offset_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{offset_dims is not sorted}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C5: 0 <= offset_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{offset_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [-1, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C5: offset_dims < rank(result)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{offset_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C6: is_unique(concatenate(collapsed_slice_dims, operand_batching_dims)): collapsed
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{collapsed_slice_dims names dimension 1 twice}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C6: is_unique(concatenate(collapsed_slice_dims, operand_batching_dims)): both
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{operand_batching_dims names dimension 0, which is named already}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C7: is_sorted(collapsed_slice_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{collapsed_slice_dims is not sorted}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [3, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4, 1, 1>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x4xf32>
  return
}

// -----
// C8: 0 <= collapsed_slice_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{collapsed_slice_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [-1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C8: collapsed_slice_dims < rank(operand)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{collapsed_slice_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [4], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C9: slice_sizes[collapsed_slice_dims...] <= 1
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{a slice takes 2 of dimension 1, which is collapsed or batching; it may take 1}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C10: is_sorted(operand_batching_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x4x2xi32>) {
  // expected-error@+1 {{operand_batching_dims is not sorted}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [], operand_batching_dims = [1, 0], start_indices_batching_dims = [1, 0], start_index_map = [2, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x4x2xi32>) -> tensor<3x4x2x6xf32>
  return
}

// -----
// C11: 0 <= operand_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{operand_batching_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [-1], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C11: operand_batching_dims < rank(operand)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{operand_batching_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [4], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C12: slice_sizes[operand_batching_dims...] <= 1
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{a slice takes 2 of dimension 0, which is collapsed or batching; it may take 1}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 2, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C13: is_unique(start_indices_batching_dims)
func.func @main(%a: tensor<3x3x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_indices_batching_dims names dimension 0 twice}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x3x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C14: 0 <= start_indices_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_indices_batching_dims names dimension -1 of rank 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [-1], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C14: start_indices_batching_dims < rank(start_indices)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_indices_batching_dims names dimension 3 of rank 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C15: index_vector_dim not in start_indices_batching_dims
func.func @main(%a: tensor<2x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_indices_batching_dims names dimension 2, which is index_vector_dim}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<2x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C16: size(operand_batching_dims) == size(start_indices_batching_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{operand_batching_dims names 1 dimensions, start_indices_batching_dims 2}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0, 1], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C17: dim(operand, operand_batching_dims...) = dim(start_indices, start_indices_batching_dims...)
func.func @main(%a: tensor<5x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{dimension 0 of the operand has size 5, dimension 0 of the indices 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<5x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C18: is_unique(concatenate(start_index_map, operand_batching_dims)): the map
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_index_map names dimension 1 twice}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C18: is_unique(concatenate(start_index_map, operand_batching_dims)): both
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_index_map names dimension 0, which is named already}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C19: 0 <= start_index_map
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_index_map names dimension -1 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [-1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C19: start_index_map < rank(operand)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{start_index_map names dimension 4 of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 4], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C20: size(slice_sizes) = rank(operand)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{3 slice sizes for an operand of rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C21: 0 <= slice_sizes
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{a slice takes -1 of dimension 2, which has size 5}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, -1, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// C21: slice_sizes <= shape(operand)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{a slice takes 7 of dimension 3, which has size 6}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 7>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x7xf32>
  return
}

// -----
// C22: shape(result) = combine(batch_dim_sizes, offset_dim_sizes): a slice
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{but it is tensor<3x7x2x6xf32>: dimension 2 is 2, not 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x3x6xf32>
  return
}

// -----
// C22: shape(result) = combine(batch_dim_sizes, offset_dim_sizes): the batch
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{but it is tensor<3x7x2x6xf32>: dimension 1 is 7, not 8}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x8x2x6xf32>
  return
}

// -----
// C22: shape(result) = combine(batch_dim_sizes, offset_dim_sizes): the rank
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{declared as tensor<3x7x12xf32>, but it is tensor<3x7x2x6xf32>}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x12xf32>
  return
}

// -----
// C23: element_type(operand) = element_type(result)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{declared as tensor<3x7x2x6xf16>, but it is tensor<3x7x2x6xf32>}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf16>
  return
}

// -----
// I1: tensor
// unimplemented
func.func @main(%a: !stablehlo.token, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (!stablehlo.token, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I2: tensor of integer type
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xf32>) {
  // expected-error@+1 {{the indices are tensor<3x7x2xf32>; they must be integers}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xf32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I2: tensor of integer type: i1 is none
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi1>) {
  // expected-error@+1 {{the indices are tensor<3x7x2xi1>; they must be integers}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi1>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I3: 1-dimensional tensor constant of type si64: offset_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = 7, collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I4: 1-dimensional tensor constant of type si64: collapsed_slice_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = 7, operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I5: 1-dimensional tensor constant of type si64: operand_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = 7, start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I6: 1-dimensional tensor constant of type si64: start_indices_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = 7, start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I7: 1-dimensional tensor constant of type si64: start_index_map
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = 7, index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I8: constant of type si64
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = [0]>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I9: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{'slice_sizes' is no list of integers}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = "1"}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// I10: constant of type i1
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{'indices_are_sorted' is neither true nor false}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>, indices_are_sorted = 1 : i64}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// T: has dimension_numbers
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{lacks the attribute 'dimension_numbers'}}
  %0 = "stablehlo.gather"(%a, %i) <{slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// T: has slice_sizes
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{lacks the attribute 'slice_sizes'}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>) -> tensor<3x7x2x6xf32>
  return
}

// -----
// T: two operands
func.func @main(%a: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.gather"(%a) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, 6>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
