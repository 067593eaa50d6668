// constraints: 1

// -----
// accepted: every kind of element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<ui8>, %c: tensor<0xbf16>, %d: tensor<0xcomplex<f32>>) {
  %0 = "stablehlo.subtract"(%a, %a) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = "stablehlo.subtract"(%b, %b) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  %2 = "stablehlo.subtract"(%c, %c) : (tensor<0xbf16>, tensor<0xbf16>) -> tensor<0xbf16>
  %3 = "stablehlo.subtract"(%d, %d) : (tensor<0xcomplex<f32>>, tensor<0xcomplex<f32>>) -> tensor<0xcomplex<f32>>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(rhs), the shape
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi32> and tensor<2x4xi32>}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(rhs), no size 1 spreads
func.func @main(%a: tensor<2x3xi32>, %b: tensor<1x3xi32>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi32> and tensor<1x3xi32>}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(rhs), the element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi64>) {
  // expected-error@+1 {{operands 0 and 1 must have the same type: tensor<2x3xi32> and tensor<2x3xi64>}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi64>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(result), the shape
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x4xi32>, but it is tensor<2x3xi32>: dimension 1 is 3, not 4}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x4xi32>
  func.return
}

// -----
// C1: baseline_type(lhs) = baseline_type(result), the element type
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xi64>, but it is tensor<2x3xi32>}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi64>
  func.return
}

// -----
// I1: lhs is of integer, floating-point or complex type, not boolean
func.func @main(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error@+1 {{is not defined for elements of type i1}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.subtract"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}
