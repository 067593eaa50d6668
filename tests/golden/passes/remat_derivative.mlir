// passes: tasks=v5e:1x1
// The derivative of each layer's activation stands in the forward pass, as JAX writes it, and is made where the backward pass wants it, of
// what the layer keeps. What does not fit is computed again there too, and not where the derivative stands.
module {
  func.func @main(%x: tensor<32768x32768xbf16>, %w: tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32768x32768xbf16>
    %y0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h0 = stablehlo.tanh %y0 : tensor<32768x32768xbf16>
    %d0 = stablehlo.subtract %one, %h0 : tensor<32768x32768xbf16>
    %y1 = stablehlo.dot_general %h0, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h1 = stablehlo.tanh %y1 : tensor<32768x32768xbf16>
    %d1 = stablehlo.subtract %one, %h1 : tensor<32768x32768xbf16>
    %y2 = stablehlo.dot_general %h1, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h2 = stablehlo.tanh %y2 : tensor<32768x32768xbf16>
    %d2 = stablehlo.subtract %one, %h2 : tensor<32768x32768xbf16>
    %y3 = stablehlo.dot_general %h2, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h3 = stablehlo.tanh %y3 : tensor<32768x32768xbf16>
    %d3 = stablehlo.subtract %one, %h3 : tensor<32768x32768xbf16>
    %y4 = stablehlo.dot_general %h3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h4 = stablehlo.tanh %y4 : tensor<32768x32768xbf16>
    %d4 = stablehlo.subtract %one, %h4 : tensor<32768x32768xbf16>
    %y5 = stablehlo.dot_general %h4, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h5 = stablehlo.tanh %y5 : tensor<32768x32768xbf16>
    %d5 = stablehlo.subtract %one, %h5 : tensor<32768x32768xbf16>
    %y6 = stablehlo.dot_general %h5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h6 = stablehlo.tanh %y6 : tensor<32768x32768xbf16>
    %d6 = stablehlo.subtract %one, %h6 : tensor<32768x32768xbf16>
    %m6 = stablehlo.multiply %h6, %d6 : tensor<32768x32768xbf16>
    %g6 = stablehlo.dot_general %m6, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m5 = stablehlo.multiply %g6, %d5 : tensor<32768x32768xbf16>
    %g5 = stablehlo.dot_general %m5, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m4 = stablehlo.multiply %g5, %d4 : tensor<32768x32768xbf16>
    %g4 = stablehlo.dot_general %m4, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m3 = stablehlo.multiply %g4, %d3 : tensor<32768x32768xbf16>
    %g3 = stablehlo.dot_general %m3, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m2 = stablehlo.multiply %g3, %d2 : tensor<32768x32768xbf16>
    %g2 = stablehlo.dot_general %m2, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m1 = stablehlo.multiply %g2, %d1 : tensor<32768x32768xbf16>
    %g1 = stablehlo.dot_general %m1, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m0 = stablehlo.multiply %g1, %d0 : tensor<32768x32768xbf16>
    %g0 = stablehlo.dot_general %m0, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    return %g0 : tensor<32768x32768xbf16>
  }
}
// -----
module {
  func.func @main(%x: tensor<32768x32768xbf16>, %w: tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16> {
    %y0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h0 = stablehlo.tanh %y0 : tensor<32768x32768xbf16>
    %0 = stablehlo.constant dense<1.0> : tensor<32768x32768xbf16>
    %y1 = stablehlo.dot_general %h0, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h1 = stablehlo.tanh %y1 : tensor<32768x32768xbf16>
    %y2 = stablehlo.dot_general %h1, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h2 = stablehlo.tanh %y2 : tensor<32768x32768xbf16>
    %y3 = stablehlo.dot_general %h2, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h3 = stablehlo.tanh %y3 : tensor<32768x32768xbf16>
    %y4 = stablehlo.dot_general %h3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h4 = stablehlo.tanh %y4 : tensor<32768x32768xbf16>
    %y5 = stablehlo.dot_general %h4, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h5 = stablehlo.tanh %y5 : tensor<32768x32768xbf16>
    %y6 = stablehlo.dot_general %h5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h6 = stablehlo.tanh %y6 : tensor<32768x32768xbf16>
    %d6 = stablehlo.subtract %0, %h6 : tensor<32768x32768xbf16>
    %m6 = stablehlo.multiply %h6, %d6 : tensor<32768x32768xbf16>
    %d5 = stablehlo.subtract %0, %h5 : tensor<32768x32768xbf16>
    %g6 = stablehlo.dot_general %m6, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m5 = stablehlo.multiply %g6, %d5 : tensor<32768x32768xbf16>
    %y4_0 = stablehlo.dot_general %h3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h4_0 = stablehlo.tanh %y4_0 : tensor<32768x32768xbf16>
    %d4 = stablehlo.subtract %0, %h4_0 : tensor<32768x32768xbf16>
    %g5 = stablehlo.dot_general %m5, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m4 = stablehlo.multiply %g5, %d4 : tensor<32768x32768xbf16>
    %d3 = stablehlo.subtract %0, %h3 : tensor<32768x32768xbf16>
    %g4 = stablehlo.dot_general %m4, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m3 = stablehlo.multiply %g4, %d3 : tensor<32768x32768xbf16>
    %y2_0 = stablehlo.dot_general %h1, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h2_0 = stablehlo.tanh %y2_0 : tensor<32768x32768xbf16>
    %d2 = stablehlo.subtract %0, %h2_0 : tensor<32768x32768xbf16>
    %g3 = stablehlo.dot_general %m3, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m2 = stablehlo.multiply %g3, %d2 : tensor<32768x32768xbf16>
    %d1 = stablehlo.subtract %0, %h1 : tensor<32768x32768xbf16>
    %g2 = stablehlo.dot_general %m2, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m1 = stablehlo.multiply %g2, %d1 : tensor<32768x32768xbf16>
    %y0_0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h0_0 = stablehlo.tanh %y0_0 : tensor<32768x32768xbf16>
    %d0 = stablehlo.subtract %0, %h0_0 : tensor<32768x32768xbf16>
    %g1 = stablehlo.dot_general %m1, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %m0 = stablehlo.multiply %g1, %d0 : tensor<32768x32768xbf16>
    %g0 = stablehlo.dot_general %m0, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    return %g0 : tensor<32768x32768xbf16>
  }
}
tasks @main {
  fusion.0: compute of dot_general.0 tanh.0, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.1: compute of dot_general.1 tanh.1, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.2: compute of dot_general.2 tanh.2, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.3: compute of dot_general.3 tanh.3, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.4: compute of dot_general.4 tanh.4, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.5: compute of dot_general.5 tanh.5, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.6: compute of dot_general.6 tanh.6 subtract.0 multiply.0, mxu 70368744177664, vpu 10737418240, reads 4294967296, writes 2147483648
  fusion.7: compute of subtract.1 dot_general.7 multiply.1, mxu 70368744177664, vpu 2147483648, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.8: compute of dot_general.8 tanh.7 subtract.2, mxu 70368744177664, vpu 9663676416, reads 4294967296, writes 2147483648
  fusion.9: compute of dot_general.9 multiply.2, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.10: compute of subtract.3 dot_general.10 multiply.3, mxu 70368744177664, vpu 2147483648, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.11: compute of dot_general.11 tanh.8 subtract.4, mxu 70368744177664, vpu 9663676416, reads 4294967296, writes 2147483648
  fusion.12: compute of dot_general.12 multiply.4, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.13: compute of subtract.5 dot_general.13 multiply.5, mxu 70368744177664, vpu 2147483648, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.14: compute of dot_general.14 tanh.9 subtract.6, mxu 70368744177664, vpu 9663676416, reads 4294967296, writes 2147483648
  fusion.15: compute of dot_general.15 multiply.6, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
  dot_general.16: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
}
