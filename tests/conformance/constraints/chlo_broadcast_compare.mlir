// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "chlo.broadcast_compare"(%a, %b) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return
}

// -----
// T: the shapes can be broadcast to each other
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{dimension 1 of the result has size 3, but dimension 0 of operand 1 has size 4}}
  %0 = "chlo.broadcast_compare"(%a, %b) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xi1>
  return
}

// -----
// T: result is of type i1
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{declared as tensor<2x3xf32>, but it is tensor<2x3xi1>}}
  %0 = "chlo.broadcast_compare"(%a, %b) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// T: element types are the same
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{element type}}
  %0 = "chlo.broadcast_compare"(%a, %b) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xi1>
  return
}

// -----
// T: has comparison_direction
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{comparison_direction}}
  %0 = "chlo.broadcast_compare"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return
}
