// constraints: 3

// -----
// accepted: all, one, none
func.func @main(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "stablehlo.reverse"(%a) {dimensions = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: type(operand) = type(result), the shape
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----
// C1: type(operand) = type(result), the element type
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf64>, but it is tensor<2x3xf32>}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf64>
  func.return
}

// -----
// C2: is_unique(dimensions)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimensions' names dimension 1 twice}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C3: dimensions < rank(result)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimensions' names dimension 2 of a tensor of rank 2}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C3: 0 <= dimensions
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimensions' names dimension -1 of a tensor of rank 2}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: dimensions is of type si64
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimensions' must be a list of i64}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i32: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: dimensions is 1-dimensional
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimensions' must be a list of i64}}
  %0 = "stablehlo.reverse"(%a) {dimensions = dense<[[1]]> : tensor<1x1xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// T: dimensions is missing
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{lacks the attribute 'dimensions'}}
  %0 = "stablehlo.reverse"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
