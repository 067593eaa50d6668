// constraints: 1

// -----
// accepted: of a dimension
func.func @main(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----
// C1: dimension < rank(operand)
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimension' is 2, which is not in [0, 2)}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 2 : i64} : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----
// C1: 0 <= dimension
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimension' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = -1 : i64} : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----
// I2: dimension is of type si64
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'dimension' is of type i32; it must be i64}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i32} : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----
// I2: dimension is missing
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{lacks the attribute 'dimension'}}
  %0 = "stablehlo.get_dimension_size"(%a) : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----
// T: result is of type i32
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<i64>, but it is tensor<i32>}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>
  func.return
}

// -----
// T: result is 0-dimensional
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<1xi32>, but it is tensor<i32>}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<1xi32>
  func.return
}

// -----
// T: sizes that stay unknown
// unimplemented
// expected-error@+1 {{argument 0 is tensor<2x?xf32>; only tensors of static sizes are supported: say what is passed}}
func.func @main(%a: tensor<2x?xf32>) {
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<2x?xf32>) -> tensor<i32>
  func.return
}
