// constraints: 0

// -----
// accepted
func.func @main(%a: tensor<2x5xf32>) {
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----
// accepted: all and nothing
func.func @main(%a: tensor<5xi8>) {
  %0:2 = "chlo.top_k"(%a) <{k = 0 : i64}> : (tensor<5xi8>) -> (tensor<0xi8>, tensor<0xi32>)
  return
}

// -----
// T: 1 <= rank(operand)
func.func @main(%a: tensor<f32>) {
  // expected-error@+1 {{takes an array, not a scalar}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----
// T: 0 <= k
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{'k' is -1, which is not in [0, 6)}}
  %0:2 = "chlo.top_k"(%a) <{k = -1 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----
// T: k <= dim(operand, -1)
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{'k' is 6, which is not in [0, 6)}}
  %0:2 = "chlo.top_k"(%a) <{k = 6 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----
// T: dim(values, -1) = k
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{but it is tensor<2x3xf32>: dimension 1 is 3, not 4}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> (tensor<2x4xf32>, tensor<2x3xi32>)
  return
}

// -----
// T: shape(indices) = shape(values)
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{but it is tensor<2x3xi32>: dimension 0 is 2, not 3}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<3x3xi32>)
  return
}

// -----
// T: element_type(values) = element_type(operand)
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{declared as tensor<2x3xf64>, but it is tensor<2x3xf32>}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf64>, tensor<2x3xi32>)
  return
}

// -----
// T: element_type(indices) = i32
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{declared as tensor<2x3xi64>, but it is tensor<2x3xi32>}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----
// I1: tensor of numbers
func.func @main(%a: tensor<2x5xcomplex<f32>>) {
  // expected-error@+1 {{takes numbers that are in order, not tensor<2x5xcomplex<f32>>}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3xi32>)
  return
}

// -----
// I2: constant of type si64
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{'k' is no integer}}
  %0:2 = "chlo.top_k"(%a) <{k = "3"}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----
// I3: constant of type i1
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{'is_stable' is neither true nor false}}
  %0:2 = "chlo.top_k"(%a) <{k = 3 : i64, is_stable = 1 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----
// T: has k
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{lacks the attribute 'k'}}
  %0:2 = "chlo.top_k"(%a) : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----
// T: two results
func.func @main(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{has 1 results; it gives 2}}
  %0 = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> tensor<2x3xf32>
  return
}
