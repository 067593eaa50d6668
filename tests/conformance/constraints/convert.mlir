// constraints: 1

// -----
// accepted: between all kinds of element types
func.func @main(%a: tensor<2x3xf32>, %b: tensor<i1>) {
  %0 = "stablehlo.convert"(%a) : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %1 = "stablehlo.convert"(%b) : (tensor<i1>) -> tensor<complex<f32>>
  %2 = "stablehlo.convert"(%1) : (tensor<complex<f32>>) -> tensor<bf16>
  func.return
}

// -----
// C1: shape(operand) = shape(result)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.convert"(%a) : (tensor<2x3xf32>) -> tensor<3x2xi8>
  func.return
}

// -----
// C1: rank(operand) = rank(result)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<6xi8>, but it is tensor<2x3xi8>}}
  %0 = "stablehlo.convert"(%a) : (tensor<2x3xf32>) -> tensor<6xi8>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.convert"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi8>
  func.return
}
