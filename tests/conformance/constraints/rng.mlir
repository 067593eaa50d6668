// constraints: 3

// -----
// accepted: of floats, of integers, of flags
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<2xi64>, %d: tensor<i32>, %e: tensor<i1>) {
  %s = "stablehlo.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = "stablehlo.rng"(%d, %d, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  %2 = "stablehlo.rng"(%e, %e, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<i1>, tensor<i1>, tensor<2xi64>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: element_type(a) = element_type(result)
func.func @main(%a: tensor<f64>, %b: tensor<f32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{operand 0 is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f64>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: element_type(b) = element_type(result)
func.func @main(%a: tensor<f32>, %b: tensor<f64>, %c: tensor<2xi64>) {
  // expected-error@+1 {{operand 1 is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f64>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// C2: if rng_distribution = NORMAL, then is_float(a)
func.func @main(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{NORMAL does not make elements of type i32; it makes floats}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  func.return
}

// -----
// C3: shape(result) = shape, the rank
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{operand 2 is tensor<2xi64>; it must be a vector of 3 integers, one for each dimension}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3x1xf32>
  func.return
}

// -----
// C3: shape(result) = shape, where that is constant
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<2xi64>) {
  %s = "stablehlo.constant"() {value = dense<[3, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 2 gives dimension 0 the size 3, but the result is declared as tensor<2x3xf32>}}
  %0 = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// I1: a is 0-dimensional
func.func @main(%a: tensor<1xf32>, %b: tensor<f32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{operand 0 is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<1xf32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: b is 0-dimensional
func.func @main(%a: tensor<f32>, %b: tensor<1xf32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{operand 1 is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<1xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// I1: a is of integer, boolean or floating-point type
func.func @main(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>, %c: tensor<2xi64>) {
  // expected-error@+1 {{UNIFORM does not make elements of type complex<f32>; it makes floats, integers and flags}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<complex<f32>>, tensor<complex<f32>>, tensor<2xi64>) -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----
// I3: shape is 1-dimensional
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<1x2xi64>) {
  // expected-error@+1 {{operand 2 is tensor<1x2xi64>; it must be a vector of 2 integers}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1x2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// I4: rng_distribution is UNIFORM or NORMAL
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{must be one of UNIFORM, NORMAL}}
  %0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution GAMMA>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}

// -----
// I4: rng_distribution is missing
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{rng_distribution}}
  %0 = "stablehlo.rng"(%a, %b, %c) : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}
