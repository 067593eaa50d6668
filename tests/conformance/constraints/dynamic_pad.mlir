// constraints: 4

// -----
// accepted: paddings that are constant
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// C1: element_type(operand) = element_type(padding_value)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f64>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{the padding value is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %i) : (tensor<2x3xf32>, tensor<f64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// C1: element_type(operand) = element_type(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{result 0 is declared as tensor<5x9xf64>, but it is tensor<5x9xf32>}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf64>
  func.return
}

// -----
// C2: size(edge_padding_low) = rank(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<3xi64>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 2 is tensor<3xi64>; it must be a vector of 2 integers, one for each dimension}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// C2: size(edge_padding_high) = rank(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<3xi64>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 3 is tensor<3xi64>; it must be a vector of 2 integers, one for each dimension}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %c, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// C2: size(interior_padding) = rank(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<3xi64>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 4 is tensor<3xi64>; it must be a vector of 2 integers, one for each dimension}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %c) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<3xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// C3: 0 <= interior_padding
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{the interior padding of dimension 1 is -1; it must not be negative}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x3xf32>
  func.return
}

// -----
// C4: shape(result) = shape(operand) + edge_padding_low + max(shape(operand) - 1, 0) * interior_padding + edge_padding_high
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{dimension 1 is 9, not 8}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x8xf32>
  func.return
}

// -----
// I2: padding_value is 0-dimensional
func.func @main(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{the padding value is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %l, %h, %i) : (tensor<2x3xf32>, tensor<1xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// I3: edge_padding_low is of integer type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<2xf32>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 2 is tensor<2xf32>; it must be a vector of 2 integers}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}

// -----
// T: paddings that stay unknown
// unimplemented
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<2xi64>) {
  %l = "stablehlo.constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 2 is no constant: export the function for concrete sizes}}
  %0 = "stablehlo.dynamic_pad"(%a, %b, %c, %h, %i) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xf32>
  func.return
}
