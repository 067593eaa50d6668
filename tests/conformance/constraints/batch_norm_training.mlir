// constraints: 7

// -----
// accepted: features in the middle; one dimension only
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %1:3 = "stablehlo.batch_norm_training"(%b, %b, %b) {epsilon = 1.0e-3 : f32, feature_index = 0 : i64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C1: feature_index < rank(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{'feature_index' is 3, which is not in [0, 3)}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 3 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C1: 0 <= feature_index
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{'feature_index' is -1, which is not in [0, 3)}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = -1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(scale) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf64>, %c: tensor<3xf32>) {
  // expected-error@+1 {{operand 1 is tensor<3xf64>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf64>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(offset) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf64>) {
  // expected-error@+1 {{operand 2 is tensor<3xf64>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf64>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(output) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x3x2xf64>, but it is tensor<4x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf64>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(batch_mean) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{result 1 is declared as tensor<3xf64>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf64>, tensor<3xf32>)
  func.return
}

// -----
// C2: element_type(batch_var) = element_type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{result 2 is declared as tensor<3xf64>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf64>)
  func.return
}

// -----
// C3: size(scale) = dim(operand, feature_index)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{operand 1 is tensor<2xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C4: size(offset) = dim(operand, feature_index)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{operand 2 is tensor<2xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C7: type(output) = type(operand)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<4x2x2xf32>, but it is tensor<4x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// C5: size(batch_mean) = dim(operand, feature_index)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{result 1 is declared as tensor<2xf32>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<2xf32>, tensor<3xf32>)
  func.return
}

// -----
// C6: size(batch_var) = dim(operand, feature_index)
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{result 2 is declared as tensor<2xf32>, but it is tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<2xf32>)
  func.return
}

// -----
// I1: operand is of floating-point type
func.func @main(%a: tensor<4x3x2xi32>, %b: tensor<3xi32>, %c: tensor<3xi32>) {
  // expected-error@+1 {{takes floats, not tensor<4x3x2xi32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<4x3x2xi32>, tensor<3xi32>, tensor<3xi32>)
  func.return
}

// -----
// I2: scale is 1-dimensional
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3x1xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{operand 1 is tensor<3x1xf32>; it must be tensor<3xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3x1xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// I4: epsilon is missing
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{lacks the attribute 'epsilon'}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// I4: epsilon is of type f32
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{'epsilon' is no number of type f32}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f64, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// I5: feature_index is missing
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{lacks the attribute 'feature_index'}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// T: the number of operands
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 3}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----
// T: the number of results
func.func @main(%a: tensor<4x3x2xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{has 2 results; it gives 3}}
  %0:2 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>)
  func.return
}
