// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = "chlo.polygamma"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// accepted: scalars
func.func @main(%a: tensor<f64>, %b: tensor<f64>) {
  %0 = "chlo.polygamma"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}

// -----
// T: shape(lhs) = shape(rhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{tensor<3x2xf32>}}
  %0 = "chlo.polygamma"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: element_type(lhs) = element_type(rhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  // expected-error@+1 {{tensor<2x3xf64>}}
  %0 = "chlo.polygamma"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----
// T: type(result) = type(lhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{declared as tensor<3x2xf32>, but it is tensor<2x3xf32>}}
  %0 = "chlo.polygamma"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----
// I1: tensor of floating-point type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{takes floats}}
  %0 = "chlo.polygamma"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----
// I1: tensor of floating-point type: not complex
func.func @main(%a: tensor<2x3xcomplex<f32>>, %b: tensor<2x3xcomplex<f32>>) {
  // expected-error@+1 {{takes floats}}
  %0 = "chlo.polygamma"(%a, %b) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  return
}

// -----
// T: two operands
func.func @main(%a: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "chlo.polygamma"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
