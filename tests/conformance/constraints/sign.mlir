// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<bf16>, %c: tensor<0xcomplex<f32>>) {
  %0 = "stablehlo.sign"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = "stablehlo.sign"(%b) : (tensor<bf16>) -> tensor<bf16>
  %2 = "stablehlo.sign"(%c) : (tensor<0xcomplex<f32>>) -> tensor<0xcomplex<f32>>
  func.return
}

// -----
// C1: baseline_type(operand) = baseline_type(result), the shape
func.func @main(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi32>, but it is tensor<2x3xi32>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.sign"(%a) : (tensor<2x3xi32>) -> tensor<2x4xi32>
  func.return
}

// -----
// C1: baseline_type(operand) = baseline_type(result), the element type
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xi64>, but it is tensor<2xi32>}}
  %0 = "stablehlo.sign"(%a) : (tensor<2xi32>) -> tensor<2xi64>
  func.return
}

// -----
// I1: operand is of signed integer, floating-point or complex type, not boolean
func.func @main(%a: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.sign"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// I1: operand is of signed integer, floating-point or complex type, not unsigned integer
func.func @main(%a: tensor<2xui8>) {
  // expected-error@+1 {{is not defined for elements of type ui8}}
  %0 = "stablehlo.sign"(%a) : (tensor<2xui8>) -> tensor<2xui8>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.sign"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// T: one result
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.sign"(%a) : (tensor<2xi32>) -> ()
  func.return
}
