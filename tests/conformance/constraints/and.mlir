// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<i32>, %c: tensor<0xui8>) {
  %0 = "stablehlo.and"(%a, %a) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %1 = "stablehlo.and"(%b, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = "stablehlo.and"(%c, %c) : (tensor<0xui8>, tensor<0xui8>) -> tensor<0xui8>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the shape
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x4xi1>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi1> and tensor<2x4xi1>}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), no size 1 spreads
func.func @main(%a: tensor<2x3xi1>, %b: tensor<1x3xi1>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi1> and tensor<1x3xi1>}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2x3xi1>, tensor<1x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi8>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi1> and tensor<2x3xi8>}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xi8>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: type(lhs) = type(result), the shape
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi1>, but it is tensor<2x3xi1>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x4xi1>
  func.return
}

// -----
// C1: type(lhs) = type(result), the element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xi8>, but it is tensor<2x3xi1>}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi8>
  func.return
}

// -----
// I1: lhs is of boolean or integer type, not floating-point
func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{is not defined for elements of type bf16}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  func.return
}

// -----
// I1: lhs is of boolean or integer type, not complex
func.func @main(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{is not defined for elements of type complex<f32>}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xi1>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.and"(%a) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}
