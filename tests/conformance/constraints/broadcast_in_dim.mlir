// constraints: 6
// C6: only for quantized types, which are not supported

// -----
// accepted: a size of 1 spreads, dimensions change places, a scalar
func.func @main(%a: tensor<1x3xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  %1 = "stablehlo.broadcast_in_dim"(%b) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C1: element_type(result) = element_type(operand)
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x3x2xf64>, but it is tensor<4x3x2xf32>}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf64>
  func.return
}

// -----
// C2: size(broadcast_dimensions) = rank(operand)
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' has 1 values; 2 are needed}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C3: broadcast_dimensions < rank(result)
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension 3 of a tensor of rank 3}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 3, 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C3: 0 <= broadcast_dimensions
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension -1 of a tensor of rank 3}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: -1, 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C4: is_unique(broadcast_dimensions)
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension 1 twice}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C5: dim(operand, d) = 1 or dim(operand, d) = dim(result, broadcast_dimensions[d])
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{dimension 1 of the operand, 3, becomes dimension 2 of the result, 2}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// C5: a larger size does not become 1
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{dimension 1 of the operand, 3, becomes dimension 0 of the result, 1}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1, 0>} : (tensor<1x3xf32>) -> tensor<1x3x2xf32>
  func.return
}

// -----
// I2: broadcast_dimensions is of type si64
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' must be a list of i64}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i32: 2, 1>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// I2: broadcast_dimensions is 1-dimensional
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' must be a list of i64}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}

// -----
// T: broadcast_dimensions is missing
func.func @main(%a: tensor<1x3xf32>) {
  // expected-error@+1 {{lacks the attribute 'broadcast_dimensions'}}
  %0 = "stablehlo.broadcast_in_dim"(%a) : (tensor<1x3xf32>) -> tensor<4x3x2xf32>
  func.return
}
