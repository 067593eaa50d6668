// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<complex<f32>>) {
  %0 = "stablehlo.atan2"(%a, %a) : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xbf16>
  %1 = "stablehlo.atan2"(%b, %b) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(rhs), the shape
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<2x4xbf16>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xbf16> and tensor<2x4xbf16>}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2x3xbf16>, tensor<2x4xbf16>) -> tensor<2x3xbf16>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(rhs), no size 1 spreads
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<1x3xbf16>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xbf16> and tensor<1x3xbf16>}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2x3xbf16>, tensor<1x3xbf16>) -> tensor<2x3xbf16>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(rhs), the element type
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xbf16> and tensor<2x3xf32>}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2x3xbf16>, tensor<2x3xf32>) -> tensor<2x3xbf16>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(result), the shape
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<2x3xbf16>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xbf16>, but it is tensor<2x3xbf16>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x4xbf16>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(result), the element type
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<2x3xbf16>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf32>, but it is tensor<2x3xbf16>}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xf32>
  func.return
}

// -----
// I1: lhs is of floating-point or complex type, not boolean
func.func @main(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: lhs is of floating-point or complex type, not signed integer
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{is not defined for elements of type i32}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// I1: lhs is of floating-point or complex type, not unsigned integer
func.func @main(%a: tensor<2xui8>, %b: tensor<2xui8>) {
  // expected-error@+1 {{is not defined for elements of type ui8}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xbf16>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.atan2"(%a) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  func.return
}
