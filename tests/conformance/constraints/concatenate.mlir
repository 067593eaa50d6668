// constraints: 6

// -----
// accepted: three, one of them empty; only one
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {
  %0 = "stablehlo.concatenate"(%a, %b, %c) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = "stablehlo.concatenate"(%a) {dimension = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: same(element_type(inputs...))
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xf64>) {
  // expected-error@+1 {{operand 1 is tensor<2x4xf64>, operand 0 is tensor<2x3xf32>; they may differ only in dimension 1}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf64>) -> tensor<2x7xf32>
  func.return
}

// -----
// C2: same(shape(inputs...)) except for dim(inputs..., dimension)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error@+1 {{operand 1 is tensor<3x3xf32>, operand 0 is tensor<2x3xf32>; they may differ only in dimension 1}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----
// C2: same(shape(inputs...)), the rank
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3x1xf32>) {
  // expected-error@+1 {{operand 1 is tensor<2x3x1xf32>, operand 0 is tensor<2x3xf32>; they may differ only in dimension 1}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x3x1xf32>) -> tensor<2x6xf32>
  func.return
}

// -----
// C3: 0 < size(inputs)
func.func @main() {
  // expected-error@+1 {{has no operands}}
  %0 = "stablehlo.concatenate"() {dimension = 1 : i64} : () -> tensor<2x6xf32>
  func.return
}

// -----
// C4: dimension < rank(inputs[0])
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimension' is 2, which is not in [0, 2)}}
  %0 = "stablehlo.concatenate"(%a) {dimension = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C4: 0 <= dimension
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimension' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.concatenate"(%a) {dimension = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C5: element_type(result) = element_type(inputs[0])
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x7xf64>, but it is tensor<2x7xf32>}}
  %0 = "stablehlo.concatenate"(%a, %b, %c) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<2x7xf64>
  func.return
}

// -----
// C6: dim(result, dimension) = dim(inputs[0], dimension) + ...
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+1 {{dimension 1 is 7, not 8}}
  %0 = "stablehlo.concatenate"(%a, %b, %c) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  func.return
}

// -----
// C6: shape(result) = shape(inputs[0]) except for dimension
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.concatenate"(%a, %b, %c) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<3x7xf32>
  func.return
}

// -----
// I2: dimension is of type si64
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+1 {{'dimension' is of type i32; it must be i64}}
  %0 = "stablehlo.concatenate"(%a, %b, %c) {dimension = 1 : i32} : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  func.return
}

// -----
// T: dimension is missing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+1 {{lacks the attribute 'dimension'}}
  %0 = "stablehlo.concatenate"(%a, %b, %c) : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  func.return
}

// -----
// T: a scalar has no dimension
func.func @main(%a: tensor<f32>, %b: tensor<f32>) {
  // expected-error@+1 {{'dimension' is 0, which is not in [0, 0)}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
