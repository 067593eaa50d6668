// constraints: 3

// -----
// accepted: a batch
func.func @main(%a: tensor<2x3x3xf32>) {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----
// accepted: upper, of complex numbers
func.func @main(%a: tensor<3x3xcomplex<f64>>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  return
}

// -----
// accepted: of nothing
func.func @main(%a: tensor<0x0xf32>) {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<0x0xf32>) -> tensor<0x0xf32>
  return
}

// -----
// C1: type(a) = type(result): the element type
func.func @main(%a: tensor<2x3x3xf32>) {
  // expected-error@+1 {{declared as tensor<2x3x3xf64>, but it is tensor<2x3x3xf32>}}
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf64>
  return
}

// -----
// C1: type(a) = type(result): the shape
func.func @main(%a: tensor<2x3x3xf32>) {
  // expected-error@+1 {{but it is tensor<2x3x3xf32>: dimension 0 is 2, not 1}}
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x3x3xf32>) -> tensor<1x3x3xf32>
  return
}

// -----
// C2: 2 <= rank(a)
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{takes matrices, of rank 2 or more, not tensor<3xf32>}}
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----
// C3: dim(a, -2) = dim(a, -1)
func.func @main(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{takes square matrices; dimensions 1 and 2 of tensor<2x3x4xf32> have sizes 3 and 4}}
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----
// I1: tensor of floating-point or complex type
func.func @main(%a: tensor<3x3xi32>) {
  // expected-error@+1 {{takes floats or complex numbers, not tensor<3x3xi32>}}
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<3x3xi32>) -> tensor<3x3xi32>
  return
}

// -----
// I2: constant of type i1
func.func @main(%a: tensor<2x3x3xf32>) {
  // expected-error@+1 {{'lower' is neither true nor false}}
  %0 = "stablehlo.cholesky"(%a) <{lower = 1 : i64}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.cholesky"(%a, %b) <{lower = true}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}
