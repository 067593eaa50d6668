// constraints: 0

// -----
// accepted: the smaller one repeats along the first dimensions
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "chlo.broadcast_remainder"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// accepted: dimensions that the program names
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0 = "chlo.broadcast_remainder"(%a, %b) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// accepted: ones repeat
func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x3xf32>) {
  %0 = "chlo.broadcast_remainder"(%a, %b) : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: the shapes can be broadcast to each other
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{dimension 1 of the result has size 3, but dimension 0 of operand 1 has size 4}}
  %0 = "chlo.broadcast_remainder"(%a, %b) : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: the result is the shape to which both are broadcast
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{declared as tensor<4x3xf32>, but it is tensor<2x3xf32>}}
  %0 = "chlo.broadcast_remainder"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----
// T: element types are the same
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xi8>) {
  // expected-error@+1 {{element type}}
  %0 = "chlo.broadcast_remainder"(%a, %b) : (tensor<2x3xf32>, tensor<3xi8>) -> tensor<2x3xf32>
  return
}

// -----
// T: broadcast_dimensions has a value for each dimension of the smaller one
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' has 2 values; 1 are needed}}
  %0 = "chlo.broadcast_remainder"(%a, %b) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: broadcast_dimensions names dimensions of the larger one
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' names dimension 2 of a tensor of rank 2}}
  %0 = "chlo.broadcast_remainder"(%a, %b) <{broadcast_dimensions = array<i64: 2>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: two operands
func.func @main(%a: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "chlo.broadcast_remainder"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
