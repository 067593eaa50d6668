// constraints: 3
// C3: only for quantized types, which are not supported

// -----
// accepted: of other sizes, to a scalar, of none
func.func @main(%a: tensor<2x3xf32>, %b: tensor<1x1xf32>, %c: tensor<0x4xf32>) {
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<3x1x2xf32>
  %1 = "stablehlo.reshape"(%b) : (tensor<1x1xf32>) -> tensor<f32>
  %2 = "stablehlo.reshape"(%c) : (tensor<0x4xf32>) -> tensor<3x0xf32>
  func.return
}

// -----
// C1: element_type(result) = element_type(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<6xi32>, but it is tensor<6xf32>}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xi32>
  func.return
}

// -----
// C2: size(operand) = size(result)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{tensor<2x3xf32> has 6 elements, tensor<2x2xf32> has 4}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.reshape"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x1xf32>
  func.return
}
