// constraints: 10
// C6: only for quantized types, which are not supported

// -----
// accepted: sizes that are constant, that are not
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  %s = "stablehlo.constant"() {value = dense<[4, 3, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 2, 1>,
      known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  %1 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C1: element_type(result) = element_type(operand)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x3x2xf64>, but it is tensor<4x3x2xf32>}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf64>
  func.return
}

// -----
// C2: size(broadcast_dimensions) = rank(operand)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'broadcast_dimensions' needs 2 values}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C3: broadcast_dimensions < rank(result)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension 3 of a tensor of rank 3}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 3, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C3: 0 <= broadcast_dimensions
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension -1 of a tensor of rank 3}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: -1, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C4: is_unique(broadcast_dimensions)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension 1 twice}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C5: dim(operand, d) = 1 or dim(operand, d) = dim(result, broadcast_dimensions[d])
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{dimension 1 of the operand, 3, becomes dimension 2 of the result, 2}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C7: size(output_dimensions) = rank(result)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{operand 1 is tensor<2xi64>; it must be a vector of 3 integers, one for each dimension}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C7: output_dimensions that are constant are the sizes of the result
func.func @main(%a: tensor<1x3xf32>) {
  %s = "stablehlo.constant"() {value = dense<[5, 3, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  // expected-error@+1 {{operand 1 gives dimension 0 the size 5, but the result is declared as tensor<4x3x2xf32>}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C8: is_unique(known_expanding_dimensions + known_nonexpanding_dimensions)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'known_expanding_dimensions + known_nonexpanding_dimensions' names dimension 0 twice}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C9: known_expanding_dimensions < rank(operand)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'known_expanding_dimensions' names dimension 2 of a tensor of rank 2}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 2>, known_nonexpanding_dimensions = array<i64>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C9: 0 <= known_expanding_dimensions
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'known_expanding_dimensions' names dimension -1 of a tensor of rank 2}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: -1>, known_nonexpanding_dimensions = array<i64>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C10: known_nonexpanding_dimensions < rank(operand)
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'known_nonexpanding_dimensions' names dimension 2 of a tensor of rank 2}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 2>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C10: 0 <= known_nonexpanding_dimensions
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'known_nonexpanding_dimensions' names dimension -1 of a tensor of rank 2}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: -1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// I2: output_dimensions is of integer type
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{operand 1 is tensor<3xf32>; it must be a vector of 3 integers}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// I2: output_dimensions is 1-dimensional
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3x1xi64>) {
  // expected-error@+1 {{operand 1 is tensor<3x1xi64>; it must be a vector of 3 integers}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<3x1xi64>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// T: sizes that stay unknown
// unimplemented
func.func @main(%a: tensor<1x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{only tensors of static sizes are supported: export the function for concrete sizes}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<?x3x2xf32>
  func.return
}
