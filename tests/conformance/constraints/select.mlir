// constraints: 2

// -----
// accepted: a predicate for each element, one for all
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>, %d: tensor<i1>) {
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.select"(%d, %b, %c) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: rank(pred) = 0 or shape(pred) = shape(on_true)
func.func @main(%a: tensor<2x1xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@+1 {{the predicate is tensor<2x1xi1>; it must be tensor<i1> or have the sizes of tensor<2x3xf32>}}
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: type(on_true) = type(on_false)
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<3x2xf32>) {
  // expected-error@+1 {{operands 1 and 2 must have the same type: tensor<2x3xf32> and tensor<3x2xf32>}}
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: element_type(on_true) = element_type(on_false)
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf64>) {
  // expected-error@+1 {{operands 1 and 2 must have the same type: tensor<2x3xf32> and tensor<2x3xf64>}}
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: type(on_true) = type(result)
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 is 3, not 4}}
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----
// I1: pred is of type i1
func.func @main(%a: tensor<2x3xi8>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@+1 {{the predicate is tensor<2x3xi8>; it must be tensor<i1>}}
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2x3xi8>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// T: three operands
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 3}}
  %0 = "stablehlo.select"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
