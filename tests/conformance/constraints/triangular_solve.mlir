// constraints: 4

// -----
// accepted: from the left
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// accepted: from the right, conjugated
func.func @main(%a: tensor<3x3xcomplex<f32>>, %b: tensor<5x3xcomplex<f32>>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
  return
}

// -----
// C1: element_type(a) = element_type(b)
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf64>) {
  // expected-error@+1 {{the operands are of f32 and f64; they must be of one type}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  return
}

// -----
// C2: 2 <= rank(a)
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{the operands have rank 1 and 1; they must have one rank, of 2 or more}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----
// C2: rank(a) = rank(b)
func.func @main(%a: tensor<3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{the operands have rank 2 and 3; they must have one rank, of 2 or more}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// C3: shape(a)[:-3] = shape(b)[:-3]
func.func @main(%a: tensor<4x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{dimension 0 of a has size 4, of b 2; batches must be the same}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// C3: dim(a, -2) = dim(a, -1)
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{takes square matrices; dimensions 1 and 2 of tensor<2x3x4xf32> have sizes 3 and 4}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// C3: dim(a, -1) = dim(b, -2) if left_side
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error@+1 {{dimension 1 of b has size 4; the matrices of a have 3 rows}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----
// C3: dim(a, -1) = dim(b, -1) if not left_side
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{dimension 2 of b has size 5; the matrices of a have 3 rows}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// C4: type(b) = type(result)
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{but it is tensor<2x3x5xf32>: dimension 2 is 5, not 6}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x6xf32>
  return
}

// -----
// I1: tensor of floating-point or complex type
func.func @main(%a: tensor<2x3x3xi32>, %b: tensor<2x3x5xi32>) {
  // expected-error@+1 {{takes floats or complex numbers, not tensor<2x3x3xi32>}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xi32>, tensor<2x3x5xi32>) -> tensor<2x3x5xi32>
  return
}

// -----
// I3: constant of type i1
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{'left_side' is neither true nor false}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = 1 : i64, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// T: has left_side
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{lacks the attribute 'left_side'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// I4: constant of type i1
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{'lower' is neither true nor false}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = 1 : i64, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// T: has lower
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{lacks the attribute 'lower'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// I5: constant of type i1
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{'unit_diagonal' is neither true nor false}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = 1 : i64, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// T: has unit_diagonal
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{lacks the attribute 'unit_diagonal'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// I6: enum of NO_TRANSPOSE, TRANSPOSE, and ADJOINT
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{transpose}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose BOTH>}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// I6: enum of NO_TRANSPOSE, TRANSPOSE, and ADJOINT: not of another enum
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{transpose}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = "ADJOINT"}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----
// T: two operands
func.func @main(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.triangular_solve"(%a) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}
