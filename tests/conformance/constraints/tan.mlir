// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<complex<f32>>) {
  %0 = "stablehlo.tan"(%a) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  %1 = "stablehlo.tan"(%b) : (tensor<complex<f32>>) -> tensor<complex<f32>>
  func.return
}

// -----
// C1: baseline_type(operand) = baseline_type(result), the shape
func.func @main(%a: tensor<2x3xbf16>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xbf16>, but it is tensor<2x3xbf16>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.tan"(%a) : (tensor<2x3xbf16>) -> tensor<2x4xbf16>
  func.return
}

// -----
// C1: baseline_type(operand) = baseline_type(result), the element type
func.func @main(%a: tensor<2xbf16>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf32>, but it is tensor<2xbf16>}}
  %0 = "stablehlo.tan"(%a) : (tensor<2xbf16>) -> tensor<2xf32>
  func.return
}

// -----
// I1: operand is of floating-point or complex type, not boolean
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.tan"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: operand is of floating-point or complex type, not signed integer
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{is not defined for elements of type i32}}
  %0 = "stablehlo.tan"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// I1: operand is of floating-point or complex type, not unsigned integer
func.func @main(%a: tensor<2xui8>) {
  // expected-error@+1 {{is not defined for elements of type ui8}}
  %0 = "stablehlo.tan"(%a) : (tensor<2xui8>) -> tensor<2xui8>
  func.return
}

// -----
// accepted: an accuracy
func.func @main(%a: tensor<f32>) {
  %0 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-3, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// T: tolerances are 0 unless the mode is TOLERANCE
func.func @main(%a: tensor<f32>) {
  // expected-error@+1 {{'result_accuracy' is HIGHEST, so that its tolerances must be 0}}
  %0 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// T: tolerances are not negative
func.func @main(%a: tensor<f32>) {
  // expected-error@+1 {{'result_accuracy' has a tolerance that is negative}}
  %0 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = -1.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// T: the mode of an accuracy is one of three
func.func @main(%a: tensor<f32>) {
  // expected-error@+1 {{expected a mode: DEFAULT, HIGHEST or TOLERANCE}}
  %0 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<LOWEST>>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.tan"(%a, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

// -----
// T: one result
func.func @main(%a: tensor<2xbf16>) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.tan"(%a) : (tensor<2xbf16>) -> ()
  func.return
}
