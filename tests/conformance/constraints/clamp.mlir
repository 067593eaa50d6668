// constraints: 4

// -----
// accepted: bounds for each element, for all
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>, %d: tensor<f32>) {
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.clamp"(%d, %b, %d) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: rank(min) = 0 or shape(min) = shape(operand)
func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{the minimum is tensor<2x1xf32>}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: rank(max) = 0 or shape(max) = shape(operand)
func.func @main(%a: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{the maximum is tensor<3x2xf32>}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<f32>, tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C3: element_type(min) = element_type(operand)
func.func @main(%a: tensor<f64>, %b: tensor<2x3xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{the minimum is tensor<f64>}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<f64>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C3: element_type(operand) = element_type(max)
func.func @main(%a: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<i32>) {
  // expected-error@+1 {{the maximum is tensor<i32>}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<f32>, tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C4: type(operand) = type(result), the shape
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 is 3, not 4}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----
// C4: type(operand) = type(result), the element type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf64>, but it is tensor<2x3xf32>}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf64>
  func.return
}

// -----
// T: three operands
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 3}}
  %0 = "stablehlo.clamp"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
