// constraints: 2

// -----
// accepted: sizes that are constant, that are not
func.func @main(%a: tensor<2xi64>) {
  %s = "stablehlo.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "stablehlo.dynamic_iota"(%s) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  %1 = "stablehlo.dynamic_iota"(%a) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----
// C1: iota_dimension < size(output_shape)
func.func @main(%a: tensor<2xi64>) {
  // expected-error@+1 {{'iota_dimension' is 2, which is not in [0, 2)}}
  %0 = "stablehlo.dynamic_iota"(%a) {iota_dimension = 2 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: 0 <= iota_dimension
func.func @main(%a: tensor<2xi64>) {
  // expected-error@+1 {{'iota_dimension' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.dynamic_iota"(%a) {iota_dimension = -1 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: rank(result) = size(output_shape)
func.func @main(%a: tensor<2xi64>) {
  // expected-error@+1 {{operand 0 is tensor<2xi64>; it must be a vector of 3 integers, one for each dimension}}
  %0 = "stablehlo.dynamic_iota"(%a) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<2x3x1xf32>
  func.return
}

// -----
// C2: an output_shape that is constant is that of the result
func.func @main() {
  %s = "stablehlo.constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 0 gives dimension 1 the size 4, but the result is declared as tensor<2x3xf32>}}
  %0 = "stablehlo.dynamic_iota"(%s) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// I1: output_shape is of integer type
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{operand 0 is tensor<2xf32>; it must be a vector of 2 integers}}
  %0 = "stablehlo.dynamic_iota"(%a) {iota_dimension = 1 : i64} : (tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: iota_dimension is missing
func.func @main(%a: tensor<2xi64>) {
  // expected-error@+1 {{lacks the attribute 'iota_dimension'}}
  %0 = "stablehlo.dynamic_iota"(%a) : (tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// T: result is of integer, floating-point or complex type
func.func @main(%a: tensor<2xi64>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.dynamic_iota"(%a) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<2x3xi1>
  func.return
}

// -----
// T: sizes that stay unknown
// unimplemented
func.func @main(%a: tensor<2xi64>) {
  // expected-error@+1 {{only tensors of static sizes are supported: export the function for concrete sizes}}
  %0 = "stablehlo.dynamic_iota"(%a) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<2x?xf32>
  func.return
}
