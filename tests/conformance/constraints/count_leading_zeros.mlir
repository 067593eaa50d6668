// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<ui8>) {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = "stablehlo.count_leading_zeros"(%b) : (tensor<ui8>) -> tensor<ui8>
  func.return
}

// -----
// C1: type(operand) = type(result), the shape
func.func @main(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi32>, but it is tensor<2x3xi32>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2x3xi32>) -> tensor<2x4xi32>
  func.return
}

// -----
// C1: type(operand) = type(result), the element type
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xi64>, but it is tensor<2xi32>}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2xi32>) -> tensor<2xi64>
  func.return
}

// -----
// I1: operand is of integer type, not boolean
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: operand is of integer type, not floating-point
func.func @main(%a: tensor<2xbf16>) {
  // expected-error@+1 {{is not defined for elements of type bf16}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

// -----
// I1: operand is of integer type, not complex
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{is not defined for elements of type complex<f32>}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.count_leading_zeros"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// T: one result
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.count_leading_zeros"(%a) : (tensor<2xi32>) -> ()
  func.return
}
