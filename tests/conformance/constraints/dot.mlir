// constraints: 0

// -----
// accepted: vectors and matrices
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<3xf32>) {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = "stablehlo.dot"(%a, %c) {precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %2 = "stablehlo.dot"(%c, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  func.return
}

// -----
// T: dim(lhs, rank(lhs) - 1) = dim(rhs, 0)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{tensor<2x3xf32> and tensor<2x4xf32>: the last dimension of lhs and the first of rhs must have one size}}
  %0 = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----
// T: element_type(lhs) = element_type(rhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error@+1 {{the elements one type}}
  %0 = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  func.return
}

// -----
// T: the rank of lhs and rhs is 1 or 2
func.func @main(%a: tensor<f32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{takes vectors and matrices, not tensor<f32> and tensor<3x4xf32>}}
  %0 = "stablehlo.dot"(%a, %b) : (tensor<f32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----
// T: the rank of lhs and rhs is 1 or 2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{takes vectors and matrices, not tensor<2x3xf32> and tensor<3x4x5xf32>}}
  %0 = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3x4x5xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----
// T: shape(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{dimension 1 is 4, not 3}}
  %0 = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// T: precision_config has precisions
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{expected a precision: DEFAULT, HIGH or HIGHEST}}
  %0 = "stablehlo.dot"(%a, %b) {precision_config = ["FAST", #stablehlo<precision HIGHEST>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}
