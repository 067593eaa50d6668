// constraints: 4
// C3: only for quantized types, which are not supported

// -----
// accepted: sizes that are constant, that are not
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  %s = "stablehlo.constant"() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  %1 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<6x1xf32>
  func.return
}

// -----
// C1: element_type(result) = element_type(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{result 0 is declared as tensor<3x2xf64>, but it is tensor<3x2xf32>}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf64>
  func.return
}

// -----
// C2: size(operand) = size(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{tensor<2x3xf32> has 6 elements, tensor<3x3xf32> has 9}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x3xf32>
  func.return
}

// -----
// C4: size(output_shape) = rank(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{operand 1 is tensor<2xi64>; it must be a vector of 1 integers, one for each dimension}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<6xf32>
  func.return
}

// -----
// C4: an output_shape that is constant is that of the result
func.func @main(%a: tensor<2x3xf32>) {
  %s = "stablehlo.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 1 gives dimension 0 the size 2, but the result is declared as tensor<3x2xf32>}}
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  func.return
}

// -----
// I2: output_shape is of integer type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{operand 1 is tensor<2xf32>; it must be a vector of 2 integers}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return
}

// -----
// T: sizes that stay unknown
// unimplemented
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{only tensors of static sizes are supported: export the function for concrete sizes}}
  %0 = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.dynamic_reshape"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}
