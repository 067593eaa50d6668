// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<i32>, %c: tensor<0xui8>) {
  %0 = "stablehlo.not"(%a) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %1 = "stablehlo.not"(%b) : (tensor<i32>) -> tensor<i32>
  %2 = "stablehlo.not"(%c) : (tensor<0xui8>) -> tensor<0xui8>
  func.return
}

// -----
// C1: type(operand) = type(result), the shape
func.func @main(%a: tensor<2x3xi1>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi1>, but it is tensor<2x3xi1>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.not"(%a) : (tensor<2x3xi1>) -> tensor<2x4xi1>
  func.return
}

// -----
// C1: type(operand) = type(result), the element type
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xi8>, but it is tensor<2xi1>}}
  %0 = "stablehlo.not"(%a) : (tensor<2xi1>) -> tensor<2xi8>
  func.return
}

// -----
// I1: operand is of boolean or integer type, not floating-point
func.func @main(%a: tensor<2xbf16>) {
  // expected-error@+1 {{is not defined for elements of type bf16}}
  %0 = "stablehlo.not"(%a) : (tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

// -----
// I1: operand is of boolean or integer type, not complex
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{is not defined for elements of type complex<f32>}}
  %0 = "stablehlo.not"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.not"(%a, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// T: one result
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.not"(%a) : (tensor<2xi1>) -> ()
  func.return
}
