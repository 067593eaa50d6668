// constraints: 0

// -----
// accepted: expect_eq
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  "check.expect_eq"(%a, %b) {} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_eq: both are of one type
func.func @main(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'check.expect_eq': compares tensor<3xf32> with tensor<4xf32>; they must have one type}}
  "check.expect_eq"(%a, %b) {} : (tensor<3xf32>, tensor<4xf32>) -> ()
  return
}

// -----
// T: expect_eq: two operands
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_eq': has 1 operands; it takes 2}}
  "check.expect_eq"(%a) {} : (tensor<3xf32>) -> ()
  return
}

// -----
// accepted: expect_almost_eq
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  "check.expect_almost_eq"(%a, %b) {tolerance = 0.1 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_almost_eq: both are of one type
func.func @main(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'check.expect_almost_eq': compares tensor<3xf32> with tensor<4xf32>; they must have one type}}
  "check.expect_almost_eq"(%a, %b) {tolerance = 0.1 : f64} : (tensor<3xf32>, tensor<4xf32>) -> ()
  return
}

// -----
// T: expect_almost_eq: two operands
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_almost_eq': has 1 operands; it takes 2}}
  "check.expect_almost_eq"(%a) {tolerance = 0.1 : f64} : (tensor<3xf32>) -> ()
  return
}

// -----
// accepted: expect_close
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  "check.expect_close"(%a, %b) {max_ulp_difference = 3 : i64, min_ulp_difference = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_close: both are of one type
func.func @main(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'check.expect_close': compares tensor<3xf32> with tensor<4xf32>; they must have one type}}
  "check.expect_close"(%a, %b) {max_ulp_difference = 3 : i64, min_ulp_difference = 0 : i64} : (tensor<3xf32>, tensor<4xf32>) -> ()
  return
}

// -----
// T: expect_close: two operands
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_close': has 1 operands; it takes 2}}
  "check.expect_close"(%a) {max_ulp_difference = 3 : i64, min_ulp_difference = 0 : i64} : (tensor<3xf32>) -> ()
  return
}

// -----
// accepted: differences of another integer type
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  "check.expect_close"(%a, %b) {max_ulp_difference = 3 : ui64, min_ulp_difference = 0 : ui64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

// -----
// accepted: constants
func.func @main(%a: tensor<3xf32>) {
  check.expect_eq_const %a, dense<1.0> : tensor<3xf32>
  check.expect_almost_eq_const %a, dense<1.0> : tensor<3xf32>
  return
}

// -----
// T: expect_eq_const: the constant is of the type of the value
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_eq': compares tensor<3xf32> with tensor<4xf32>; they must have one type}}
  "check.expect_eq_const"(%a) {value = dense<1.0> : tensor<4xf32>} : (tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_eq_const: has a constant
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_eq_const': takes a value and dense<…> of its type}}
  "check.expect_eq_const"(%a) : (tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_almost_eq: tolerance is a number
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_almost_eq': 'tolerance' must be a number that is not negative}}
  "check.expect_almost_eq"(%a, %b) {tolerance = "x"} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_almost_eq: tolerance is not negative
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_almost_eq': 'tolerance' must be a number that is not negative}}
  "check.expect_almost_eq"(%a, %b) {tolerance = -1.0 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

// -----
// T: expect_close: ulp differences are integers
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'check.expect_close': 'max_ulp_difference' must be an integer}}
  "check.expect_close"(%a, %b) {max_ulp_difference = 1.5 : f32} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
