// constraints: 2

// -----
// accepted: to elements of as many bits, of fewer, of more
func.func @main(%a: tensor<2xf32>, %b: tensor<2x2xi16>, %c: tensor<3xcomplex<f32>>) {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2xi32>
  %1 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x4xui8>
  %2 = "stablehlo.bitcast_convert"(%b) : (tensor<2x2xi16>) -> tensor<2xf32>
  %3 = "stablehlo.bitcast_convert"(%c) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  func.return
}

// -----
// C1: if num_bits(E') = num_bits(E), shape(result) = shape(operand)
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<3xi32>
  func.return
}

// -----
// C1: if num_bits(E') < num_bits(E), rank(result) = R + 1
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<8xi8>, but it is tensor<2x4xi8>}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<8xi8>
  func.return
}

// -----
// C1: if num_bits(E') < num_bits(E), dim(result, i) = dim(operand, i)
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<3x4xi8>
  func.return
}

// -----
// C1: if num_bits(E') < num_bits(E), dim(result, R) * num_bits(E') = num_bits(E)
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{dimension 1 is 4, not 2}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x2xi8>
  func.return
}

// -----
// C1: if num_bits(E') > num_bits(E), rank(result) = R - 1
func.func @main(%a: tensor<2x4xi8>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x1xf32>, but it is tensor<2xf32>}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2x4xi8>) -> tensor<2x1xf32>
  func.return
}

// -----
// C1: if num_bits(E') > num_bits(E), dim(result, i) = dim(operand, i)
func.func @main(%a: tensor<2x4xi8>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2x4xi8>) -> tensor<3xf32>
  func.return
}

// -----
// C1: if num_bits(E') > num_bits(E), dim(operand, R - 1) * num_bits(E) = num_bits(E')
func.func @main(%a: tensor<2x2xi8>) {
  // expected-error@+1 {{the last dimension of tensor<2x2xi8> must have size 4 to make elements of 32 bits}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2x2xi8>) -> tensor<2xf32>
  func.return
}

// -----
// C1: if num_bits(E') > num_bits(E), the operand has dimensions
func.func @main(%a: tensor<i8>) {
  // expected-error@+1 {{the last dimension of tensor<i8> must have size 4 to make elements of 32 bits}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<i8>) -> tensor<f32>
  func.return
}

// -----
// C2: if is_complex(operand), is_complex(result)
func.func @main(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{makes tensor<2xi64> of tensor<2xcomplex<f32>>: complex elements only become complex ones}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xi64>
  func.return
}

// -----
// C2: if is_complex(result), is_complex(operand)
func.func @main(%a: tensor<2xf64>) {
  // expected-error@+1 {{makes tensor<2xcomplex<f32>> of tensor<2xf64>: complex elements only become complex ones}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf64>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.bitcast_convert"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi32>
  func.return
}
