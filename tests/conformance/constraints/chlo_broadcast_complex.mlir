// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "chlo.broadcast_complex"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  return
}

// -----
// T: the shapes can be broadcast to each other
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{dimension 1 of the result has size 3, but dimension 0 of operand 1 has size 4}}
  %0 = "chlo.broadcast_complex"(%a, %b) : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xcomplex<f32>>
  return
}

// -----
// T: result is complex of the element type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{but it is tensor<2x3xcomplex<f32>>}}
  %0 = "chlo.broadcast_complex"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f64>>
  return
}

// -----
// I1: tensors of f32 or f64
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{takes two tensors}}
  %0 = "chlo.broadcast_complex"(%a, %b) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xcomplex<f32>>
  return
}
