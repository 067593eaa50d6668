// constraints: 5

// -----
// accepted: features in the middle; one dimension only
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %1:3 = "stablehlo.batch_norm_grad"(%b, %b, %b, %b, %b) {epsilon = 1.0e-3 : f32, feature_index = 0 : i64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C1: feature_index < rank(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'feature_index' is 3, which is not in [0, 3)}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 3 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C1: 0 <= feature_index
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'feature_index' is -1, which is not in [0, 3)}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = -1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(scale) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf64>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 1 is tensor<3xf64>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(mean) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf64>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 2 is tensor<3xf64>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(variance) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf64>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 3 is tensor<3xf64>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(grad_output) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf64>) {
  // expected-error@+1 {{operand 4 is tensor<4x3x2xf64>; it must be tensor<4x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf64>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(grad_operand) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x3x2xf64>, but it is tensor<4x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf64>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(grad_scale) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{result 1 is declared as tensor<3xf64>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf64>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(grad_offset) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{result 2 is declared as tensor<3xf64>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf64>)
  func.return
}

// -----
// C5: size(scale) = dim(operand, feature_index)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 1 is tensor<2xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C4: shape(mean) = shape(scale)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 2 is tensor<2xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C4: shape(variance) = shape(scale)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 3 is tensor<2xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C3: shape(grad_output) = shape(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x2x2xf32>) {
  // expected-error@+1 {{operand 4 is tensor<4x2x2xf32>; it must be tensor<4x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x2x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C3: shape(grad_operand) = shape(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x2x2xf32>, but it is tensor<4x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C4: shape(grad_scale) = shape(scale)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{result 1 is declared as tensor<2xf32>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<2xf32>, tensor<3xf32>)
  func.return
}

// -----
// C4: shape(grad_offset) = shape(scale)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{result 2 is declared as tensor<2xf32>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<2xf32>)
  func.return
}

// -----
// I1: operand is of floating-point type
func.func @main(%a: tensor<4x3x2xi32>, %b: tensor<3xi32>, %c: tensor<3xi32>, %d: tensor<3xi32>, %e: tensor<4x3x2xi32>) {
  // expected-error@+1 {{takes floats, not tensor<4x3x2xi32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<4x3x2xi32>) -> (tensor<4x3x2xi32>, tensor<3xi32>, tensor<3xi32>)
  func.return
}

// -----
// I2: scale is 1-dimensional
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3x1xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{operand 1 is tensor<3x1xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// I6: epsilon is missing
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'epsilon'}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// I6: epsilon is of type f32
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{'epsilon' is no number of type f32}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f64, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// I7: feature_index is missing
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'feature_index'}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// T: the number of operands
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 5}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// T: the number of results
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<4x3x2xf32>) {
  // expected-error@+1 {{has 2 results; it gives 3}}
  %0:2 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>)
  func.return
}
