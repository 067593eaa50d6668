// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x3xf32>) {
  %0 = "chlo.is_neg_inf"(%a) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----
// T: shape(result) = shape(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{but it is tensor<2x3xi1>: dimension 0 is 2, not 3}}
  %0 = "chlo.is_neg_inf"(%a) : (tensor<2x3xf32>) -> tensor<3x2xi1>
  return
}

// -----
// T: result is of type i1
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{declared as tensor<2x3xf32>, but it is tensor<2x3xi1>}}
  %0 = "chlo.is_neg_inf"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// I1: tensor of floating-point type
func.func @main(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{takes floats, not tensor<2x3xi32>}}
  %0 = "chlo.is_neg_inf"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "chlo.is_neg_inf"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
