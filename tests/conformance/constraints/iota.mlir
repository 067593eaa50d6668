// constraints: 1

// -----
// accepted: of every kind of element type that has numbers
func.func @main() {
  %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>
  %1 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xui8>
  %2 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xbf16>
  %3 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----
// C1: iota_dimension < rank(output)
func.func @main() {
  // expected-error@+1 {{'iota_dimension' is 2, which is not in [0, 2)}}
  %0 = "stablehlo.iota"() {iota_dimension = 2 : i64} : () -> tensor<2x3xf32>
  func.return
}

// -----
// C1: 0 <= iota_dimension
func.func @main() {
  // expected-error@+1 {{'iota_dimension' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.iota"() {iota_dimension = -1 : i64} : () -> tensor<2x3xf32>
  func.return
}

// -----
// C1: a scalar has no dimension
func.func @main() {
  // expected-error@+1 {{'iota_dimension' is 0, which is not in [0, 0)}}
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<f32>
  func.return
}

// -----
// T: output is of integer, floating-point or complex type, not boolean
func.func @main() {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<2xi1>
  func.return
}

// -----
// I1: iota_dimension is of type si64
func.func @main() {
  // expected-error@+1 {{'iota_dimension' is of type i32; it must be i64}}
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i32} : () -> tensor<2xf32>
  func.return
}

// -----
// I1: iota_dimension is an integer
func.func @main() {
  // expected-error@+1 {{'iota_dimension' is no integer}}
  %0 = "stablehlo.iota"() {iota_dimension = 0.0 : f64} : () -> tensor<2xf32>
  func.return
}

// -----
// T: iota_dimension is missing
func.func @main() {
  // expected-error@+1 {{lacks the attribute 'iota_dimension'}}
  %0 = "stablehlo.iota"() : () -> tensor<2xf32>
  func.return
}

// -----
// T: no operands
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 0}}
  %0 = "stablehlo.iota"(%a) {iota_dimension = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}
