// constraints: 25

// -----
// accepted: with batching dimensions
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// accepted: windows smaller than the input, scalar indices
func.func @main(%a: tensor<4x5xf32>, %i: tensor<7xui8>, %u: tensor<7x3xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<7xui8>, tensor<7x3xf32>) -> tensor<4x5xf32>
  return
}

// -----
// accepted: two inputs
func.func @main(%a: tensor<3x4x5x6xf32>, %b: tensor<3x4x5x6xi8>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>, %v: tensor<3x7x2x6xi8>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    stablehlo.return %p, %q : tensor<f32>, tensor<i8>
  }) : (tensor<3x4x5x6xf32>, tensor<3x4x5x6xi8>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>, tensor<3x7x2x6xi8>) -> (tensor<3x4x5x6xf32>, tensor<3x4x5x6xi8>)
  return
}

// -----
// C1: same(shape(inputs...))
func.func @main(%a: tensor<3x4x5x6xf32>, %b: tensor<3x4x5x7xi8>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>, %v: tensor<3x7x2x6xi8>) {
  // expected-error@+1 {{operand 1 is tensor<3x4x5x7xi8>, operand 0 tensor<3x4x5x6xf32>; they must have one size}}
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    stablehlo.return %p, %q : tensor<f32>, tensor<i8>
  }) : (tensor<3x4x5x6xf32>, tensor<3x4x5x7xi8>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>, tensor<3x7x2x6xi8>) -> (tensor<3x4x5x6xf32>, tensor<3x4x5x7xi8>)
  return
}

// -----
// C2: rank(inputs[0]) = size(update_window_dims) + size(inserted_window_dims) + size(input_batching_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{1 update window, 1 inserted and 1 batching dimensions do not make up rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C3: same(shape(updates...))
func.func @main(%a: tensor<3x4x5x6xf32>, %b: tensor<3x4x5x6xi8>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>, %v: tensor<3x7x2x5xi8>) {
  // expected-error@+1 {{operand 4 is tensor<3x7x2x5xi8>, operand 3 tensor<3x7x2x6xf32>; they must have one size}}
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    stablehlo.return %p, %q : tensor<f32>, tensor<i8>
  }) : (tensor<3x4x5x6xf32>, tensor<3x4x5x6xi8>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>, tensor<3x7x2x5xi8>) -> (tensor<3x4x5x6xf32>, tensor<3x4x5x6xi8>)
  return
}

// -----
// C4: shape(updates[0]) = combine(update_scatter_dim_sizes, update_window_dim_sizes): indices
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x8x2x6xf32>) {
  // expected-error@+1 {{dimension 1 of the updates has size 8, dimension 1 of the indices 7}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x8x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C4: shape(updates[0]) = combine(update_scatter_dim_sizes, update_window_dim_sizes): the rank
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x12xf32>) {
  // expected-error@+1 {{the updates have rank 3; window and indices make 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x12xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C4: update_window_dim_sizes <= shape(inputs[0])
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x7xf32>) {
  // expected-error@+1 {{dimension 3 of the updates has size 7, dimension 3 of the input 6; a window must fit}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x7xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C5: 0 < size(inputs)
func.func @main(%i: tensor<3x7x2xi32>) {
  // expected-error@+1 {{has 1 operands; it takes as many inputs as updates, and the indices between them}}
  "stablehlo.scatter"(%i) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x7x2xi32>) -> ()
  return
}

// -----
// C5: size(inputs) = size(updates) = N
func.func @main(%a: tensor<3x4x5x6xf32>, %b: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{has 4 operands; it takes as many inputs as updates, and the indices between them}}
  %0 = "stablehlo.scatter"(%a, %b, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C6: element_type(updates...) = element_type(inputs...)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf16>) {
  // expected-error@+1 {{the updates are of f16, the input of f32}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf16>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C7: is_unique(update_window_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{update_window_dims names dimension 2 twice}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C7: is_sorted(update_window_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{update_window_dims is not sorted}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C8: 0 <= update_window_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{update_window_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [-1, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C8: update_window_dims < rank(updates[0])
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{update_window_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C9: is_unique(concatenate(inserted_window_dims, input_batching_dims)): inserted
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{inserted_window_dims names dimension 1 twice}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1, 1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C9: is_unique(concatenate(inserted_window_dims, input_batching_dims)): both
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{input_batching_dims names dimension 0, which is named already}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C10: is_sorted(inserted_window_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x6xf32>) {
  // expected-error@+1 {{inserted_window_dims is not sorted}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2, 1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C11: 0 <= inserted_window_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{inserted_window_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [-1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C11: inserted_window_dims < rank(inputs[0])
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{inserted_window_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [4], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C12: is_sorted(input_batching_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x4x2xi32>, %u: tensor<3x4x2x6xf32>) {
  // expected-error@+1 {{input_batching_dims is not sorted}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [], input_batching_dims = [1, 0], scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [2, 3], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x4x2xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C13: 0 <= input_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{input_batching_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [-1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C13: input_batching_dims < rank(inputs[0])
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{input_batching_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [4], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C14: is_unique(scatter_indices_batching_dims)
func.func @main(%a: tensor<3x3x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_indices_batching_dims names dimension 0 twice}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2, 3], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x3x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x3x5x6xf32>
  return
}

// -----
// C15: 0 <= scatter_indices_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_indices_batching_dims names dimension -1 of rank 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [-1], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C15: scatter_indices_batching_dims < rank(scatter_indices)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_indices_batching_dims names dimension 3 of rank 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C16: index_vector_dim not in scatter_indices_batching_dims
func.func @main(%a: tensor<2x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_indices_batching_dims names dimension 2, which is index_vector_dim}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<2x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----
// C17: size(input_batching_dims) == size(scatter_indices_batching_dims)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{input_batching_dims names 1 dimensions, scatter_indices_batching_dims 2}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C18: dim(inputs[0], input_batching_dims...) = dim(scatter_indices, scatter_indices_batching_dims...)
func.func @main(%a: tensor<5x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{dimension 0 of the input has size 5, dimension 0 of the indices 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<5x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<5x4x5x6xf32>
  return
}

// -----
// C19: size(scatter_dims_to_operand_dims) = dim(scatter_indices, index_vector_dim)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims names 1 dimensions, an index has 2 components}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C19: size(scatter_dims_to_operand_dims) = 1 if index_vector_dim = rank(scatter_indices)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x2x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims names 2 dimensions, an index has 1 components}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C20: is_unique(concatenate(scatter_dims_to_operand_dims, input_batching_dims)): the map
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims names dimension 1 twice}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C20: is_unique(concatenate(scatter_dims_to_operand_dims, input_batching_dims)): both
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims names dimension 0, which is named already}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C21: 0 <= scatter_dims_to_operand_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims names dimension -1 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [-1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C21: scatter_dims_to_operand_dims < rank(inputs[0])
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims names dimension 4 of rank 4}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 4], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C22: 0 <= index_vector_dim
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{index_vector_dim is -1; the indices have rank 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = -1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C22: index_vector_dim <= rank(scatter_indices)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{index_vector_dim is 4; the indices have rank 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 4>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// accepted: computed in a wider type
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf64>
  return
}

// -----
// C23: is_promotable(element_type(inputs[i]), Ei): no narrower type
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{argument 0 of its reduction}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %z = stablehlo.add %x, %y : tensor<f16>
    stablehlo.return %z : tensor<f16>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf16>
  return
}

// -----
// C23: update_computation takes two values for each input
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{its reduction has 1 arguments; it needs 2}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C23: update_computation takes scalars
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{argument 1 of its reduction}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<2xf32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C23: update_computation takes one element type
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{argument 1 of its reduction}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C23: update_computation returns what it takes
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      // expected-error@+1 {{value 0 must be tensor<f32>}}
    stablehlo.return %z : tensor<i1>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C23: update_computation returns one value for each input
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      // expected-error@+1 {{returns 2 values; the reduction}}
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C23: is_promotable(element_type(inputs[i]), Ei)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{argument 0 of its reduction}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// C24: shape(inputs...) = shape(results...)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{but it is tensor<3x4x5x6xf32>: dimension 1 is 4, not 5}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x5x5x6xf32>
  return
}

// -----
// C25: element_type(results[i]) = Ei for all i in [0,N)
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{declared as tensor<3x4x5x6xf64>, but it is tensor<3x4x5x6xf32>}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf64>
  return
}

// -----
// I2: tensor of integer type
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xf32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{the indices are tensor<3x7x2xf32>; they must be integers}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xf32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I4: 1-dimensional tensor constant of type si64: update_window_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = 7, inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I5: 1-dimensional tensor constant of type si64: inserted_window_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = 7, input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I6: 1-dimensional tensor constant of type si64: input_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = 7, scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I7: 1-dimensional tensor constant of type si64: scatter_indices_batching_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = 7, scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I8: 1-dimensional tensor constant of type si64: scatter_dims_to_operand_dims
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = 7, index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I9: constant of type si64
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{expected}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I10: constant of type i1
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{'indices_are_sorted' is neither true nor false}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>, indices_are_sorted = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I11: constant of type i1
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{'unique_indices' is neither true nor false}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>, unique_indices = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// I12: function
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// T: has scatter_dimension_numbers
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{lacks the attribute 'scatter_dimension_numbers'}}
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> tensor<3x4x5x6xf32>
  return
}

// -----
// T: a result for every input
func.func @main(%a: tensor<3x4x5x6xf32>, %i: tensor<3x7x2xi32>, %u: tensor<3x7x2x6xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x4x5x6xf32>, tensor<3x7x2xi32>, tensor<3x7x2x6xf32>) -> (tensor<3x4x5x6xf32>, tensor<3x4x5x6xf32>)
  return
}
