// constraints: 1

// -----
// accepted: a splat, all elements, none
func.func @main() {
  %0 = "stablehlo.constant"() {value = dense<1.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %1 = "stablehlo.constant"() {value = dense<[[1, -2]]> : tensor<1x2xi8>} : () -> tensor<1x2xi8>
  %2 = "stablehlo.constant"() {value = dense<> : tensor<0xi1>} : () -> tensor<0xi1>
  func.return
}

// -----
// C1: type(value) = type(output), the shape
func.func @main() {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.constant"() {value = dense<1.0> : tensor<2x3xf32>} : () -> tensor<3x2xf32>
  func.return
}

// -----
// C1: type(value) = type(output), the element type
func.func @main() {
  // expected-error@+1 {{result 0 is declared as tensor<2xui32>, but it is tensor<2xi32>}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<2xui32>
  func.return
}

// -----
// I1: value is a constant of a tensor type
func.func @main() {
  // expected-error@+1 {{its 'value' must be dense<}}
  %0 = "stablehlo.constant"() {value = 1.0 : f32} : () -> tensor<f32>
  func.return
}

// -----
// I1: value is missing
func.func @main() {
  // expected-error@+1 {{its 'value' must be dense<}}
  %0 = "stablehlo.constant"() : () -> tensor<f32>
  func.return
}

// -----
// T: no operands
func.func @main(%a: tensor<f32>) {
  // expected-error@+1 {{has 1 operands; it takes 0}}
  %0 = "stablehlo.constant"(%a) {value = dense<1.0> : tensor<f32>} : (tensor<f32>) -> tensor<f32>
  func.return
}
