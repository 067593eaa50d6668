// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x3xf32>) {
  %0 = "chlo.square"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// accepted: a scalar of another type
func.func @main(%a: tensor<bf16>) {
  %0 = "chlo.square"(%a) : (tensor<bf16>) -> tensor<bf16>
  return
}

// -----
// accepted: complex numbers
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %0 = "chlo.square"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----
// T: shape(result) = shape(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{declared as tensor<3x2xf32>, but it is tensor<2x3xf32>: dimension 0 is 2, not 3}}
  %0 = "chlo.square"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----
// T: element_type(result) = element_type(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{declared as tensor<2x3xf64>, but it is tensor<2x3xf32>}}
  %0 = "chlo.square"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "chlo.square"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// T: one result
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "chlo.square"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}
