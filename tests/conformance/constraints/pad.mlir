// constraints: 4

// -----
// accepted: edges of both signs, between elements, of nothing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<0xf32>) {
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, -1>,
      interior_padding = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %1 = "stablehlo.pad"(%c, %b) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 2>,
      interior_padding = array<i64: 3>} : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  func.return
}

// -----
// C1: element_type(operand) = element_type(padding_value)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f64>) {
  // expected-error@+1 {{the padding value is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<f64>) -> tensor<5x9xf32>
  func.return
}

// -----
// C1: element_type(operand) = element_type(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{result 0 is declared as tensor<5x9xf64>, but it is tensor<5x9xf32>}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf64>
  func.return
}

// -----
// C2: size(edge_padding_low) = rank(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'edge_padding_low' has 1 values; 2 are needed}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  func.return
}

// -----
// C2: size(edge_padding_high) = rank(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'edge_padding_high' has 3 values; 2 are needed}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1, 1>,
      interior_padding = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  func.return
}

// -----
// C2: size(interior_padding) = rank(operand)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'interior_padding' has 0 values; 2 are needed}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  func.return
}

// -----
// C3: 0 <= interior_padding
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{the interior padding of dimension 1 is -1; it must not be negative}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64: 1, -1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  func.return
}

// -----
// C4: shape(result) = shape(operand) + edge_padding_low + max(shape(operand) - 1, 0) * interior_padding + edge_padding_high
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{dimension 1 is 9, not 8}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x8xf32>
  func.return
}

// -----
// C4: no size is negative
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{dimension 1 of size 3 padded by -2 low, -2 high, 0 interior has no size that is possible}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, -2>, edge_padding_high = array<i64: 2, -2>,
      interior_padding = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x0xf32>
  func.return
}

// -----
// I2: padding_value has no dimensions
func.func @main(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{the padding value is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
      interior_padding = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<5x9xf32>
  func.return
}

// -----
// T: interior_padding is missing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{lacks the attribute 'interior_padding'}}
  %0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  func.return
}
