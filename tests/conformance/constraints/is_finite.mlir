// constraints: 1

// -----
// accepted: of a tensor
func.func @main(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.is_finite"(%a) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: shape(x) = shape(y)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 is 3, not 4}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2x3xf32>) -> tensor<2x4xi1>
  func.return
}

// -----
// I1: x is of floating-point type
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{is not defined for elements of type i32}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xi32>) -> tensor<2xi1>
  func.return
}

// -----
// I1: x is of floating-point type
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{is not defined for elements of type complex<f32>}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  func.return
}

// -----
// I1: x is of floating-point type
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// T: y is of boolean type
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf32>, but it is tensor<2x3xi1>}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
