// constraints: 2

// -----
// accepted: of floats, of complex numbers
func.func @main(%a: tensor<2x3xf32>, %b: tensor<complex<f64>>) {
  %0 = "stablehlo.imag"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.imag"(%b) : (tensor<complex<f64>>) -> tensor<f64>
  func.return
}

// -----
// C1: shape(result) = shape(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.imag"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----
// C2: element_type(result) = complex_element_type(element_type(operand)) if is_complex(operand)
func.func @main(%a: tensor<2xcomplex<f64>>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf32>, but it is tensor<2xf64>}}
  %0 = "stablehlo.imag"(%a) : (tensor<2xcomplex<f64>>) -> tensor<2xf32>
  func.return
}

// -----
// C2: element_type(result) = element_type(operand) otherwise
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf64>, but it is tensor<2xf32>}}
  %0 = "stablehlo.imag"(%a) : (tensor<2xf32>) -> tensor<2xf64>
  func.return
}

// -----
// I1: operand is of floating-point or complex type
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{takes floats or complex numbers, not tensor<2xi1>}}
  %0 = "stablehlo.imag"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: operand is of floating-point or complex type
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{takes floats or complex numbers, not tensor<2xi32>}}
  %0 = "stablehlo.imag"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// T: one operand
func.func @main() {
  // expected-error@+1 {{has 0 operands; it takes 1}}
  %0 = "stablehlo.imag"() : () -> tensor<2xf32>
  func.return
}
