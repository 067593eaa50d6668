// constraints: 4
// C4: only for quantized types, which are not supported

// -----
// accepted: of three dimensions, of none
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = "stablehlo.transpose"(%b) {permutation = array<i64>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// C1: element_type(result) = element_type(operand)
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x2x3xi32>, but it is tensor<4x2x3xf32>}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xi32>
  func.return
}

// -----
// C2: permutation is one of range(rank(operand)), the size
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'permutation' has 2 values; 3 are needed}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// -----
// C2: permutation is one of range(rank(operand)), a dimension there is not
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'permutation' names dimension 3 of a tensor of rank 3}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 2, 0, 3>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// -----
// C2: permutation is one of range(rank(operand)), one twice
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'permutation' names dimension 2 twice}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 2, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<4x2x4xf32>
  func.return
}

// -----
// C3: shape(result) = dim(operand, permutation...)
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{dimension 0 is 4, not 3}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  func.return
}

// -----
// I2: permutation is of type si64
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'permutation' must be a list of i64}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// -----
// I2: permutation is 1-dimensional
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'permutation' must be a list of i64}}
  %0 = "stablehlo.transpose"(%a) {permutation = dense<[[2, 0, 1]]> : tensor<1x3xi64>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// -----
// T: permutation is missing
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{lacks the attribute 'permutation'}}
  %0 = "stablehlo.transpose"(%a) : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}
