// constraints: 5

// -----
// accepted: by scalars of one integer type, none of a dimension; of a scalar
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<f32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 0>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x0xf32>
  %1 = "stablehlo.dynamic_slice"(%d) {slice_sizes = array<i64>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// C1: element_type(operand) = element_type(result)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xi32>, but it is tensor<2x3xf32>}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C2: size(start_indices) = rank(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{has 2 operands; it takes 3}}
  %0 = "stablehlo.dynamic_slice"(%a, %b) {slice_sizes = array<i64: 2, 3>} : (tensor<4x8xf32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: size(slice_sizes) = rank(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>) {
  // expected-error@+1 {{'slice_sizes' has 1 values; 2 are needed}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C3: same(type(start_indices...))
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i64>) {
  // expected-error@+1 {{start index 1 is tensor<i64>, start index 0 tensor<i32>; they must be the same}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x8xf32>, tensor<i32>, tensor<i64>) -> tensor<2x3xf32>
  func.return
}

// -----
// C4: slice_sizes <= shape(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>) {
  // expected-error@+1 {{takes 9 of dimension 1, which has size 8}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 9>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x9xf32>
  func.return
}

// -----
// C4: 0 <= slice_sizes
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>) {
  // expected-error@+1 {{takes -1 of dimension 1, which has size 8}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, -1>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
  func.return
}

// -----
// C5: shape(result) = slice_sizes
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>) {
  // expected-error@+1 {{dimension 1 is 3, not 4}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  func.return
}

// -----
// I2: start_indices have no dimensions
func.func @main(%a: tensor<4x8xf32>, %b: tensor<1xi32>, %c: tensor<1xi32>) {
  // expected-error@+1 {{start index 0 is tensor<1xi32>; it must be a scalar integer}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: start_indices are integers
func.func @main(%a: tensor<4x8xf32>, %b: tensor<f32>, %c: tensor<f32>) {
  // expected-error@+1 {{start index 0 is tensor<f32>; it must be a scalar integer}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// -----
// T: slice_sizes is missing
func.func @main(%a: tensor<4x8xf32>, %b: tensor<i32>, %c: tensor<i32>) {
  // expected-error@+1 {{lacks the attribute 'slice_sizes'}}
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}
