// constraints: 13
// C1-C13: only for quantized types, which are not supported

// -----
// accepted: every element type
func.func @main(%a0: tensor<1x3xi1>,
    %a1: tensor<2x0xi2>,
    %a2: tensor<1x3xi4>,
    %a3: tensor<2x0xi8>,
    %a4: tensor<1x3xi16>,
    %a5: tensor<2x0xi32>,
    %a6: tensor<1x3xi64>,
    %a9: tensor<2x0xui2>,
    %a10: tensor<1x3xui4>,
    %a11: tensor<2x0xui8>,
    %a12: tensor<1x3xui16>,
    %a13: tensor<2x0xui32>,
    %a14: tensor<1x3xui64>,
    %a15: tensor<2x0xf4E2M1FN>,
    %a16: tensor<1x3xf6E2M3FN>,
    %a17: tensor<2x0xf6E3M2FN>,
    %a18: tensor<1x3xf8E3M4>,
    %a19: tensor<2x0xf8E4M3>,
    %a20: tensor<1x3xf8E4M3FN>,
    %a21: tensor<2x0xf8E4M3FNUZ>,
    %a22: tensor<1x3xf8E4M3B11FNUZ>,
    %a23: tensor<2x0xf8E5M2>,
    %a24: tensor<1x3xf8E5M2FNUZ>,
    %a25: tensor<2x0xf8E8M0FNU>,
    %a26: tensor<1x3xbf16>,
    %a27: tensor<2x0xf16>,
    %a28: tensor<1x3xf32>,
    %a29: tensor<2x0xf64>,
    %a30: tensor<1x3xcomplex<f32>>,
    %a31: tensor<2x0xcomplex<f64>>) {
  func.return
}

// -----
// accepted: scalars, tuples, tokens
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<f32>>
  %1 = "stablehlo.create_token"() : () -> !stablehlo.token
  func.return %a : tensor<f32>
}

// -----
// T: a tensor has a rank
// unimplemented
// expected-error@+1 {{tensor<*xf32>}}
func.func @main(%a: tensor<*xf32>) {
  func.return
}

// -----
// T: a tensor has sizes that are known
// unimplemented
// expected-error@+1 {{argument 0 is tensor<2x?xf32>; only tensors of static sizes are supported}}
func.func @main(%a: tensor<2x?xf32>) {
  func.return
}

// -----
// T: no size is negative
// expected-error@+1 {{expected an element type}}
func.func @main(%a: tensor<-2xf32>) {
  func.return
}

// -----
// T: an integer has 2, 4, 8, 16, 32 or 64 bits
// unimplemented
// expected-error@+1 {{i7}}
func.func @main(%a: tensor<2xi7>) {
  func.return
}

// -----
// T: the parts of complex numbers are of type f32 or f64
// expected-error@+1 {{complex<i32>}}
func.func @main(%a: tensor<2xcomplex<i32>>) {
  func.return
}

// -----
// T: the parts of complex numbers are of type f32 or f64
// expected-error@+1 {{complex<bf16>}}
func.func @main(%a: tensor<2xcomplex<bf16>>) {
  func.return
}

// -----
// T: tf32 is only a type of algorithms
// unimplemented
// expected-error@+1 {{tf32}}
func.func @main(%a: tensor<2xtf32>) {
  func.return
}

// -----
// T: a type that there is not
// expected-error@+1 {{f31}}
func.func @main(%a: tensor<2xf31>) {
  func.return
}

// -----
// T: element types are no values
// unimplemented
// expected-error@+1 {{f32}}
func.func @main(%a: f32) {
  func.return
}

// -----
// T: tensors have no tensors as elements
// expected-error@+1 {{unknown element type}}
func.func @main(%a: tensor<2xtensor<f32>>) {
  func.return
}

// -----
// T: quantized elements
// unimplemented
// expected-error@+1 {{!quant.uniform<i8:f32, 0.5>}}
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  func.return
}

// -----
// T: buffers
// unimplemented
// expected-error@+1 {{memref<2xf32>}}
func.func @main(%a: memref<2xf32>) {
  func.return
}

// -----
// T: futures
// unimplemented
// expected-error@+1 {{!stablehlo.future<tensor<2xf32>>}}
func.func @main(%a: !stablehlo.future<tensor<2xf32>>) {
  func.return
}

// -----
// T: a type of StableHLO that there is not
// unimplemented
// expected-error@+1 {{!stablehlo.stream}}
func.func @main(%a: !stablehlo.stream) {
  func.return
}

// -----
// T: a tensor has less than 2^63 bytes
// expected-error@+1 {{the bytes of this tensor do not fit 64 bits}}
func.func @main(%a: tensor<4294967296x4294967296xf32>) {
  func.return
}

// -----
// T: a tensor has no more dimensions than can be handled
// expected-error@+1 {{more than 16 dimensions}}
func.func @main(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  func.return
}
