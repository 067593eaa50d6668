// constraints: 5

// -----
// accepted: parts of two dimensions, nothing of another
func.func @main(%a: tensor<3x8xf32>) {
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  %1 = "stablehlo.slice"(%a) {start_indices = array<i64: 3, 0>, limit_indices = array<i64: 3, 8>,
      strides = array<i64: 1, 8>} : (tensor<3x8xf32>) -> tensor<0x1xf32>
  func.return
}

// -----
// C1: element_type(operand) = element_type(result)
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{declared as tensor<1x2xi32>, but it is tensor<1x2xf32>}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xi32>
  func.return
}

// -----
// C2: size(start_indices) = size(limit_indices) = size(strides) = rank(operand)
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{'start_indices' has 1 values; 2 are needed}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// C2: size(limit_indices) = rank(operand)
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{'limit_indices' has 3 values; 2 are needed}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8, 1>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// C2: size(strides) = rank(operand)
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{'strides' has 0 values; 2 are needed}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// C3: 0 <= start_indices
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{takes [-1, 2) of dimension 0, which has size 3}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: -1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<3x2xf32>
  func.return
}

// -----
// C3: start_indices <= limit_indices
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{takes [2, 1) of dimension 0, which has size 3}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 2, 4>, limit_indices = array<i64: 1, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// C3: limit_indices <= shape(operand)
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{takes [4, 9) of dimension 1, which has size 8}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 9>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// C4: 0 < strides
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{the stride of dimension 1 is 0; it must be positive}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 0>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// C5: shape(result) = ceil((limit_indices - start_indices) / strides)
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{dimension 1 is 2, not 1}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x1xf32>
  func.return
}

// -----
// I2: start_indices is of type si64
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{'start_indices' must be a list of i64}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i32: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: an attribute is missing
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{lacks the attribute 'strides'}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>}
      : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: an attribute is no list of integers
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{'start_indices' is no list of integers}}
  %0 = "stablehlo.slice"(%a) {start_indices = "1, 4", limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: too many operands
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.slice"(%a, %a) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 2, 8>,
      strides = array<i64: 1, 3>} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<1x2xf32>
  func.return
}
