// constraints: 0

// -----
// accepted: two new dimensions, none
func.func @main(%a: tensor<3xf32>) {
  %0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: 1, 2>} : (tensor<3xf32>) -> tensor<1x2x3xf32>
  %1 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64>} : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----
// T: shape(result) = broadcast_sizes + shape(operand), the rank
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<1x2x3xf32>, but it is tensor<2x3xf32>}}
  %0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<1x2x3xf32>
  func.return
}

// -----
// T: shape(result) = broadcast_sizes + shape(operand), a new size
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 1}}
  %0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<1x3xf32>
  func.return
}

// -----
// T: shape(result) = broadcast_sizes + shape(operand), an old size
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{dimension 1 is 3, not 1}}
  %0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<2x1xf32>
  func.return
}

// -----
// T: element_type(result) = element_type(operand)
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf64>, but it is tensor<2x3xf32>}}
  %0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<2x3xf64>
  func.return
}

// -----
// T: 0 <= broadcast_sizes
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{'broadcast_sizes' has -2 at 0; no size is negative}}
  %0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: -2>} : (tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// T: broadcast_sizes is missing
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{lacks the attribute 'broadcast_sizes'}}
  %0 = "stablehlo.broadcast"(%a) : (tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}
