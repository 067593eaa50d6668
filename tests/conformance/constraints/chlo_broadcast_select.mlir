// constraints: 0

// -----
// accepted
func.func @main(%p: tensor<i1>, %a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "chlo.broadcast_select"(%p, %a, %b) : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// accepted: a flag for each of the last dimension
func.func @main(%p: tensor<3xi1>, %a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "chlo.broadcast_select"(%p, %a, %b) : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: the shapes can be broadcast to each other
func.func @main(%p: tensor<i1>, %a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{dimension 1 of the result has size 3, but dimension 0 of operand 2 has size 4}}
  %0 = "chlo.broadcast_select"(%p, %a, %b) : (tensor<i1>, tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: element types are the same
func.func @main(%p: tensor<i1>, %a: tensor<2x3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{element type}}
  %0 = "chlo.broadcast_select"(%p, %a, %b) : (tensor<i1>, tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----
// I1: tensor of type i1
func.func @main(%p: tensor<3xf32>, %a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{i1}}
  %0 = "chlo.broadcast_select"(%p, %a, %b) : (tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
