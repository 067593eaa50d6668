// constraints: 2

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<bf16>, %c: tensor<0xcomplex<f64>>) {
  %0 = "stablehlo.abs"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = "stablehlo.abs"(%b) : (tensor<bf16>) -> tensor<bf16>
  %2 = "stablehlo.abs"(%c) : (tensor<0xcomplex<f64>>) -> tensor<0xf64>
  func.return
}

// -----
// C1: shape(result) = shape(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.abs"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----
// C2: element_type(result) = complex_element_type(element_type(operand)) if is_complex(operand)
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xcomplex<f32>>, but it is tensor<2xf32>}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// C2: element_type(result) = element_type(operand) otherwise
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf64>, but it is tensor<2xf32>}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<2xf64>
  func.return
}

// -----
// I1: operand is of signed integer, floating-point or complex type
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: operand is of signed integer, floating-point or complex type
func.func @main(%a: tensor<2xui8>) {
  // expected-error@+1 {{is not defined for elements of type ui8}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xui8>) -> tensor<2xui8>
  func.return
}

// -----
// T: one operand
func.func @main() {
  // expected-error@+1 {{has 0 operands; it takes 1}}
  %0 = "stablehlo.abs"() : () -> tensor<2xf32>
  func.return
}
