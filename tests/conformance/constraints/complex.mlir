// constraints: 3

// -----
// accepted: of two parts
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<f64>) {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %1 = "stablehlo.complex"(%c, %c) : (tensor<f64>, tensor<f64>) -> tensor<complex<f64>>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the shape
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{takes two tensors of one type of f32 or f64, not tensor<2x3xf32> and tensor<3x2xf32>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----
// C1: type(lhs) = type(rhs), the element type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  // expected-error@+1 {{takes two tensors of one type of f32 or f64, not tensor<2x3xf32> and tensor<2x3xf64>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----
// C2: shape(result) = shape(lhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 is 3, not 4}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x4xcomplex<f32>>
  func.return
}

// -----
// C3: element_type(result) has type complex<E> where E = element_type(lhs)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xcomplex<f64>>, but it is tensor<2x3xcomplex<f32>>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f64>>
  func.return
}

// -----
// C3: element_type(result) is complex
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf32>, but it is tensor<2x3xcomplex<f32>>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I1: lhs is of type f32 or f64
func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{takes two tensors of one type of f32 or f64, not tensor<2xbf16>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// I1: lhs is of type f32 or f64
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{takes two tensors of one type of f32 or f64, not tensor<2xi32>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// I1: lhs is of type f32 or f64
func.func @main(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{takes two tensors of one type of f32 or f64, not tensor<2xcomplex<f32>>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.complex"(%a) : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  func.return
}
