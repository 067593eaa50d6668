// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  %0 = "chlo.mulhi"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----
// accepted: scalars
func.func @main(%a: tensor<ui8>, %b: tensor<ui8>) {
  %0 = "chlo.mulhi"(%a, %b) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return
}

// -----
// T: shape(lhs) = shape(rhs)
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3x2xi32>) {
  // expected-error@+1 {{tensor<3x2xi32>}}
  %0 = "chlo.mulhi"(%a, %b) : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x3xi32>
  return
}

// -----
// T: element_type(lhs) = element_type(rhs)
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi64>) {
  // expected-error@+1 {{tensor<2x3xi64>}}
  %0 = "chlo.mulhi"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi64>) -> tensor<2x3xi32>
  return
}

// -----
// T: type(result) = type(lhs)
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{declared as tensor<3x2xi32>, but it is tensor<2x3xi32>}}
  %0 = "chlo.mulhi"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----
// I1: tensor of integer type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{takes signed integers}}
  %0 = "chlo.mulhi"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: two operands
func.func @main(%a: tensor<4xi32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "chlo.mulhi"(%a) : (tensor<4xi32>) -> tensor<4xi32>
  return
}
