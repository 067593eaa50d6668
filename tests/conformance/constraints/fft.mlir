// constraints: 5

// -----
// accepted: FFT
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// accepted: IFFT of two dimensions
func.func @main(%a: tensor<3x8xcomplex<f64>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 3, 8>}> : (tensor<3x8xcomplex<f64>>) -> tensor<3x8xcomplex<f64>>
  return
}

// -----
// accepted: RFFT
func.func @main(%a: tensor<3x8xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----
// accepted: IRFFT of an odd length
func.func @main(%a: tensor<3x5xcomplex<f64>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 9>}> : (tensor<3x5xcomplex<f64>>) -> tensor<3x9xf64>
  return
}

// -----
// accepted: nothing
func.func @main(%a: tensor<3x0xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 0>}> : (tensor<3x0xf32>) -> tensor<3x0xcomplex<f32>>
  return
}

// -----
// C1: size(fft_length) <= rank(operand)
func.func @main(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'fft_length' has 2 values for an operand of rank 1}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8, 8>}> : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----
// C2: FFT: element_type(operand) and element_type(result) have the same complex type
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{declared as tensor<3x8xcomplex<f64>>, but it is tensor<3x8xcomplex<f32>>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f64>>
  return
}

// -----
// C2: FFT: element_type(operand) is complex
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{takes complex numbers, not tensor<3x8xf32>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<3x8xf32>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// C2: IFFT: element_type(operand) is complex
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{takes complex numbers, not tensor<3x8xf32>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xf32>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// C2: RFFT: element_type(operand) is a floating-point type
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{takes f32 or f64, not tensor<3x8xcomplex<f32>>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----
// C2: RFFT: element_type(result) is a complex type of the same floating-point semantics
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{but it is tensor<3x5xcomplex<f32>>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f64>>
  return
}

// -----
// C2: IRFFT: element_type(operand) is complex
func.func @main(%a: tensor<3x5xf32>) {
  // expected-error@+1 {{takes complex numbers, not tensor<3x5xf32>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : (tensor<3x5xf32>) -> tensor<3x8xf32>
  return
}

// -----
// C2: IRFFT: element_type(result) is a floating-point type of the same floating-point semantics
func.func @main(%a: tensor<3x5xcomplex<f32>>) {
  // expected-error@+1 {{but it is tensor<3x8xf32>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf64>
  return
}

// -----
// C3: 1 <= size(fft_length)
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{'fft_length' has 0 values}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// C3: size(fft_length) <= 3
func.func @main(%a: tensor<2x2x2x2xcomplex<f32>>) {
  // expected-error@+1 {{'fft_length' has 4 values}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 2, 2, 2>}> : (tensor<2x2x2x2xcomplex<f32>>) -> tensor<2x2x2x2xcomplex<f32>>
  return
}

// -----
// C4: RFFT: shape(operand)[-size(fft_length):] = fft_length
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{dimension 1 of the operand has size 8; the transform needs 9}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 9>}> : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----
// C4: RFFT: shape(operand)[-size(fft_length):] = fft_length, of the first
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{dimension 0 of the operand has size 3; the transform needs 4}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4, 8>}> : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----
// C4: IRFFT: shape(result)[-size(fft_length):] = fft_length
func.func @main(%a: tensor<3x5xcomplex<f32>>) {
  // expected-error@+1 {{but it is tensor<3x8xf32>: dimension 1 is 8, not 9}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
  return
}

// -----
// C5: shape(result) = shape(operand)
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{but it is tensor<3x8xcomplex<f32>>: dimension 0 is 3, not 4}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----
// C5: RFFT: dim(result, -1) = dim(operand, -1) / 2 + 1
func.func @main(%a: tensor<3x8xf32>) {
  // expected-error@+1 {{but it is tensor<3x5xcomplex<f32>>: dimension 1 is 5, not 8}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xf32>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// C5: IRFFT: dim(operand, -1) = dim(result, -1) / 2 + 1
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{dimension 1 of the operand has size 8; the transform needs 5}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xf32>
  return
}

// -----
// I1: tensor of floating-point or complex type
func.func @main(%a: tensor<3x8xi32>) {
  // expected-error@+1 {{takes complex numbers, not tensor<3x8xi32>}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<3x8xi32>) -> tensor<3x8xi32>
  return
}

// -----
// I2: enum of FFT, IFFT, RFFT, and IRFFT
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{fft_type}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type DCT>, fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// I3: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{'fft_length' is no list of integers}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = "8"}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// T: has fft_type
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{fft_type}}
  %0 = "stablehlo.fft"(%a) <{fft_length = array<i64: 8>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// T: has fft_length
func.func @main(%a: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{lacks the attribute 'fft_length'}}
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<8xcomplex<f32>>, %b: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.fft"(%a, %b) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}
