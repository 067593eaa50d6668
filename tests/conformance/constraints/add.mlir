// constraints: 7
// C2-C7: only for quantized types, which are not supported

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<i32>, %c: tensor<0xui8>, %d: tensor<0xbf16>, %e: tensor<0xcomplex<f32>>) {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %1 = "stablehlo.add"(%b, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = "stablehlo.add"(%c, %c) : (tensor<0xui8>, tensor<0xui8>) -> tensor<0xui8>
  %3 = "stablehlo.add"(%d, %d) : (tensor<0xbf16>, tensor<0xbf16>) -> tensor<0xbf16>
  %4 = "stablehlo.add"(%e, %e) : (tensor<0xcomplex<f32>>, tensor<0xcomplex<f32>>) -> tensor<0xcomplex<f32>>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the shape
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x4xi1>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi1> and tensor<2x4xi1>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), no size 1 spreads
func.func @main(%a: tensor<2x3xi1>, %b: tensor<1x3xi1>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi1> and tensor<1x3xi1>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xi1>, tensor<1x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi8>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi1> and tensor<2x3xi8>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xi8>) -> tensor<2x3xi1>
  func.return
}

// -----
// C1: type(lhs) = type(result), the shape
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi1>, but it is tensor<2x3xi1>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x4xi1>
  func.return
}

// -----
// C1: type(lhs) = type(result), the element type
func.func @main(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xi8>, but it is tensor<2x3xi1>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi8>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xi1>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.add"(%a) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}
