// constraints: 3

// -----
// accepted: to fewer bits, to more
func.func @main(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.reduce_precision"(%a) {exponent_bits = 1 : i32, mantissa_bits = 0 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "stablehlo.reduce_precision"(%a) {exponent_bits = 11 : i32, mantissa_bits = 52 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: type(operand) = type(output), the shape
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 is 3, not 4}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----
// C1: type(operand) = type(output), the element type
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf16>, but it is tensor<2x3xf32>}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  func.return
}

// -----
// C2: 1 <= exponent_bits
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'exponent_bits' is 0}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 0 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C3: 0 <= mantissa_bits
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'mantissa_bits' is -1}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I1: operand is of floating-point type
func.func @main(%a: tensor<2xi32>) {
  // expected-error@+1 {{takes floats, not tensor<2xi32>}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----
// I1: operand is of floating-point type
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{takes floats, not tensor<2xcomplex<f32>>}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// I2: exponent_bits is of type si32
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'exponent_bits' is of type i64; it must be i32}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i64, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I3: mantissa_bits is of type si32
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'mantissa_bits' is of type i64; it must be i32}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: exponent_bits is missing
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{lacks the attribute 'exponent_bits'}}
  %0 = "stablehlo.reduce_precision"(%a) {mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I3: mantissa_bits is an integer
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'mantissa_bits' is no integer}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
