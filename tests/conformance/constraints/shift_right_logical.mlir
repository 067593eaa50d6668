// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<ui8>) {
  %0 = "stablehlo.shift_right_logical"(%a, %a) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = "stablehlo.shift_right_logical"(%b, %b) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the shape
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi32> and tensor<2x4xi32>}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), no size 1 spreads
func.func @main(%a: tensor<2x3xi32>, %b: tensor<1x3xi32>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi32> and tensor<1x3xi32>}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi64>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi32> and tensor<2x3xi64>}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi64>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: type(lhs) = type(result), the shape
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi32>, but it is tensor<2x3xi32>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x4xi32>
  func.return
}

// -----
// C1: type(lhs) = type(result), the element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xi64>, but it is tensor<2x3xi32>}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi64>
  func.return
}

// -----
// I1: lhs is of integer type, not boolean
func.func @main(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: lhs is of integer type, not floating-point
func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{is not defined for elements of type bf16}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

// -----
// I1: lhs is of integer type, not complex
func.func @main(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{is not defined for elements of type complex<f32>}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.shift_right_logical"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}
