// constraints: 3

// -----
// accepted: every kind of comparison
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xbf16>, %c: tensor<2x3xi32>, %d: tensor<2x3xui8>, %e: tensor<2x3xi1>, %f: tensor<2x3xcomplex<f32>>) {
  %0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>,
      compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %1 = "stablehlo.compare"(%b, %b) {comparison_direction = #stablehlo<comparison_direction GE>,
      compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xi1>
  %2 = "stablehlo.compare"(%c, %c) {comparison_direction = #stablehlo<comparison_direction GT>,
      compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %3 = "stablehlo.compare"(%d, %d) {comparison_direction = #stablehlo<comparison_direction LE>,
      compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xui8>, tensor<2x3xui8>) -> tensor<2x3xi1>
  %4 = "stablehlo.compare"(%e, %e) {comparison_direction = #stablehlo<comparison_direction NE>,
      compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %5 = "stablehlo.compare"(%f, %f) {comparison_direction = #stablehlo<comparison_direction EQ>,
      compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
  %6 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: element_type(lhs) = element_type(rhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xf32> and tensor<2x3xf64>}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xi1>
  func.return
}

// -----
// C2: shape(lhs) = shape(rhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xf32> and tensor<3x2xf32>}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// C2: shape(lhs) = shape(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xi1>
  func.return
}

// -----
// C3: SIGNED if is_signed_integer(element_type(lhs))
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{'compare_type' UNSIGNED does not fit elements of type i32}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction EQ>,
      compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  func.return
}

// -----
// C3: UNSIGNED if is_unsigned_integer(element_type(lhs))
func.func @main(%a: tensor<2x3xui8>, %b: tensor<2x3xui8>) {
  // expected-error@+1 {{'compare_type' SIGNED does not fit elements of type ui8}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction EQ>,
      compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2x3xui8>, tensor<2x3xui8>) -> tensor<2x3xi1>
  func.return
}

// -----
// C3: UNSIGNED if is_boolean(element_type(lhs))
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@+1 {{'compare_type' SIGNED does not fit elements of type i1}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction EQ>,
      compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----
// C3: FLOAT or TOTALORDER if is_float(element_type(lhs))
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{'compare_type' SIGNED does not fit elements of type f32}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction EQ>,
      compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// C3: FLOAT if is_complex(element_type(lhs))
func.func @main(%a: tensor<2x3xcomplex<f32>>, %b: tensor<2x3xcomplex<f32>>) {
  // expected-error@+1 {{'compare_type' TOTALORDER does not fit elements of type complex<f32>}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction EQ>,
      compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
  func.return
}

// -----
// I3: comparison_direction is one of EQ, NE, GE, GT, LE and LT
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{'comparison_direction' must be one of}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction NEAR>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// I3: comparison_direction is missing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{comparison_direction}}
  %0 = "stablehlo.compare"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// I4: compare_type is one of FLOAT, TOTALORDER, SIGNED and UNSIGNED
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{'compare_type' must be one of NOTYPE, FLOAT, TOTALORDER, SIGNED, UNSIGNED}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type REAL>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// -----
// T: complex numbers have no order
func.func @main(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{complex elements have no order: only EQ and NE compare them}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  func.return
}

// -----
// T: result is of boolean type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xi8>, but it is tensor<2x3xi1>}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi8>
  func.return
}
