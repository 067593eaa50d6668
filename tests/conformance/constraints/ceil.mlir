// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xbf16>) {
  %0 = "stablehlo.ceil"(%a) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  func.return
}

// -----
// C1: baseline_type(operand) = baseline_type(result), the shape
func.func @main(%a: tensor<2x3xbf16>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xbf16>, but it is tensor<2x3xbf16>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2x3xbf16>) -> tensor<2x4xbf16>
  func.return
}

// -----
// C1: baseline_type(operand) = baseline_type(result), the element type
func.func @main(%a: tensor<2xbf16>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf32>, but it is tensor<2xbf16>}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2xbf16>) -> tensor<2xf32>
  func.return
}

// -----
// I1: operand is of floating-point type, not boolean
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: operand is of floating-point type, not signed integer
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{is not defined for elements of type i32}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// I1: operand is of floating-point type, not unsigned integer
func.func @main(%a: tensor<2xui8>) {
  // expected-error@+1 {{is not defined for elements of type ui8}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2xui8>) -> tensor<2xui8>
  func.return
}

// -----
// I1: operand is of floating-point type, not complex
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{is not defined for elements of type complex<f32>}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.ceil"(%a, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

// -----
// T: one result
func.func @main(%a: tensor<2xbf16>) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.ceil"(%a) : (tensor<2xbf16>) -> ()
  func.return
}
