// constraints: 6

// -----
// accepted: nothing of a dimension; all of it; of a scalar
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x0xf32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<4x8xf32>, %f: tensor<f32>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x0xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %1 = "stablehlo.dynamic_update_slice"(%a, %e, %c, %d) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %2 = "stablehlo.dynamic_update_slice"(%f, %f) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// C1: type(operand) = type(result)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x3xf32>, %c: tensor<i32>, %d: tensor<i32>) {
  // expected-error@+1 {{dimension 0 is 4, not 2}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: element_type(update) = element_type(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x3xf64>, %c: tensor<i32>, %d: tensor<i32>) {
  // expected-error@+1 {{the update is tensor<2x3xf64>; its rank and element type must be those of the operand}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  func.return
}

// -----
// C3: rank(update) = rank(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2xf32>, %c: tensor<i32>, %d: tensor<i32>) {
  // expected-error@+1 {{the update is tensor<2xf32>; its rank and element type must be those of the operand}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  func.return
}

// -----
// C4: size(start_indices) = rank(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x3xf32>, %c: tensor<i32>) {
  // expected-error@+1 {{has 3 operands; it takes 4}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<4x8xf32>
  func.return
}

// -----
// C5: same(type(start_indices...))
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x3xf32>, %c: tensor<i32>, %d: tensor<i64>) {
  // expected-error@+1 {{start index 1 is tensor<i64>, start index 0 tensor<i32>; they must be the same}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i64>) -> tensor<4x8xf32>
  func.return
}

// -----
// C6: shape(update) <= shape(operand)
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x9xf32>, %c: tensor<i32>, %d: tensor<i32>) {
  // expected-error@+1 {{dimension 1 of the update has size 9, of the operand 8}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x9xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  func.return
}

// -----
// I3: start_indices have no dimensions
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x3xf32>, %c: tensor<1xi32>, %d: tensor<i32>) {
  // expected-error@+1 {{start index 0 is tensor<1xi32>; it must be a scalar integer}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<1xi32>, tensor<i32>) -> tensor<4x8xf32>
  func.return
}

// -----
// I3: start_indices are integers
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x3xf32>, %c: tensor<i1>, %d: tensor<i1>) {
  // expected-error@+1 {{start index 0 is tensor<i1>; it must be a scalar integer}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i1>, tensor<i1>) -> tensor<4x8xf32>
  func.return
}

// -----
// T: an operand and an update
func.func @main(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{needs an operand and an update}}
  %0 = "stablehlo.dynamic_update_slice"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}
