// constraints: 2
// C1-C2: quantized types are refused before their shapes are looked at
// refused: quantized types are not supported

// -----
// T: result is a quantized tensor
// unimplemented
func.func @main(%a: tensor<4xf32>) {
  // expected-error@+1 {{quantized types are not supported}}
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.1:-30>>
  return
}
