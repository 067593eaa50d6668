// passes: tasks=v5e:1x1
func.func @main(%x: tensor<1024x512xf32>, %w: tensor<512x2048xbf16>, %b: tensor<2048xbf16>, %v: tensor<2048x512xbf16>) -> tensor<1024x512xf32> {
  %xb = stablehlo.convert %x : (tensor<1024x512xf32>) -> tensor<1024x512xbf16>
  %0 = stablehlo.dot_general %xb, %w, contracting_dims = [1] x [0] : (tensor<1024x512xbf16>, tensor<512x2048xbf16>) -> tensor<1024x2048xf32>
  %b1 = stablehlo.convert %b : (tensor<2048xbf16>) -> tensor<2048xf32>
  %b2 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<2048xf32>) -> tensor<1024x2048xf32>
  %1 = stablehlo.add %0, %b2 : tensor<1024x2048xf32>
  %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %h = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<1024x2048xf32>
  %2 = stablehlo.tanh %1 : tensor<1024x2048xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<1024x2048xf32>
  %4 = stablehlo.multiply %3, %h : tensor<1024x2048xf32>
  %5 = stablehlo.convert %4 : (tensor<1024x2048xf32>) -> tensor<1024x2048xbf16>
  %6 = stablehlo.dot_general %5, %v, contracting_dims = [1] x [0] : (tensor<1024x2048xbf16>, tensor<2048x512xbf16>) -> tensor<1024x512xf32>
  %7 = stablehlo.add %6, %x : tensor<1024x512xf32>
  return %7 : tensor<1024x512xf32>
}
// -----
module {
  func.func @main(%x: tensor<1024x512xf32>, %w: tensor<512x2048xbf16>, %b: tensor<2048xbf16>, %v: tensor<2048x512xbf16>) -> tensor<1024x512xf32> {
    %xb = stablehlo.convert %x : (tensor<1024x512xf32>) -> tensor<1024x512xbf16>
    %0 = stablehlo.dot_general %xb, %w, contracting_dims = [1] x [0] : (tensor<1024x512xbf16>, tensor<512x2048xbf16>) -> tensor<1024x2048xf32>
    %b1 = stablehlo.convert %b : (tensor<2048xbf16>) -> tensor<2048xf32>
    %b2 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<2048xf32>) -> tensor<1024x2048xf32>
    %1 = stablehlo.add %0, %b2 : tensor<1024x2048xf32>
    %2 = stablehlo.tanh %1 : tensor<1024x2048xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<1024x2048xf32>
    %4 = stablehlo.constant dense<5.0e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<1024x2048xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<1024x2048xf32>
    %7 = stablehlo.convert %6 : (tensor<1024x2048xf32>) -> tensor<1024x2048xbf16>
    %8 = stablehlo.dot_general %7, %v, contracting_dims = [1] x [0] : (tensor<1024x2048xbf16>, tensor<2048x512xbf16>) -> tensor<1024x512xf32>
    %9 = stablehlo.add %8, %x : tensor<1024x512xf32>
    return %9 : tensor<1024x512xf32>
  }
}
tasks @main {
  fusion.0: compute of convert.0 dot_general.0 convert.1 broadcast_in_dim.0 add.0 tanh.0 multiply.0 broadcast_in_dim.1 multiply.1 convert.2, mxu 2147483648, vpu 25692160, reads 4198400, beside 4096, vmem 4194304
  fusion.1: compute of dot_general.1 add.1, mxu 2147483648, vpu 524288, reads 2097152, writes 2097152, vmem 6291456
}
