// passes: tasks=v5e:1x1
// Three layers have to be computed again: not one from the other, which then would have to be kept after all.
module {
  func.func @main(%x: tensor<32768x32768xbf16>, %w: tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16> {
    %h1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a1 = stablehlo.tanh %h1 : tensor<32768x32768xbf16>
    %h2 = stablehlo.dot_general %a1, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a2 = stablehlo.tanh %h2 : tensor<32768x32768xbf16>
    %h3 = stablehlo.dot_general %a2, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a3 = stablehlo.tanh %h3 : tensor<32768x32768xbf16>
    %h4 = stablehlo.dot_general %a3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a4 = stablehlo.tanh %h4 : tensor<32768x32768xbf16>
    %h5 = stablehlo.dot_general %a4, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a5 = stablehlo.tanh %h5 : tensor<32768x32768xbf16>
    %h6 = stablehlo.dot_general %a5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a6 = stablehlo.tanh %h6 : tensor<32768x32768xbf16>
    %h7 = stablehlo.dot_general %a6, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a7 = stablehlo.tanh %h7 : tensor<32768x32768xbf16>
    %h8 = stablehlo.dot_general %a7, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a8 = stablehlo.tanh %h8 : tensor<32768x32768xbf16>
    %b7 = stablehlo.dot_general %a8, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s7 = stablehlo.multiply %a7, %b7 : tensor<32768x32768xbf16>
    %b6 = stablehlo.dot_general %s7, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s6 = stablehlo.multiply %a6, %b6 : tensor<32768x32768xbf16>
    %b5 = stablehlo.dot_general %s6, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s5 = stablehlo.multiply %a5, %b5 : tensor<32768x32768xbf16>
    %b4 = stablehlo.dot_general %s5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s4 = stablehlo.multiply %a4, %b4 : tensor<32768x32768xbf16>
    %b3 = stablehlo.dot_general %s4, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s3 = stablehlo.multiply %a3, %b3 : tensor<32768x32768xbf16>
    %b2 = stablehlo.dot_general %s3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s2 = stablehlo.multiply %a2, %b2 : tensor<32768x32768xbf16>
    %b1 = stablehlo.dot_general %s2, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s1 = stablehlo.multiply %a1, %b1 : tensor<32768x32768xbf16>
    return %s1 : tensor<32768x32768xbf16>
  }
}
// -----
module {
  func.func @main(%x: tensor<32768x32768xbf16>, %w: tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16> {
    %h1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a1 = stablehlo.tanh %h1 : tensor<32768x32768xbf16>
    %h2 = stablehlo.dot_general %a1, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a2 = stablehlo.tanh %h2 : tensor<32768x32768xbf16>
    %h3 = stablehlo.dot_general %a2, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a3 = stablehlo.tanh %h3 : tensor<32768x32768xbf16>
    %h4 = stablehlo.dot_general %a3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a4 = stablehlo.tanh %h4 : tensor<32768x32768xbf16>
    %h5 = stablehlo.dot_general %a4, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a5 = stablehlo.tanh %h5 : tensor<32768x32768xbf16>
    %h6 = stablehlo.dot_general %a5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a6 = stablehlo.tanh %h6 : tensor<32768x32768xbf16>
    %h7 = stablehlo.dot_general %a6, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a7 = stablehlo.tanh %h7 : tensor<32768x32768xbf16>
    %h8 = stablehlo.dot_general %a7, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a8 = stablehlo.tanh %h8 : tensor<32768x32768xbf16>
    %b7 = stablehlo.dot_general %a8, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s7 = stablehlo.multiply %a7, %b7 : tensor<32768x32768xbf16>
    %b6 = stablehlo.dot_general %s7, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h6_0 = stablehlo.dot_general %a5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a6_0 = stablehlo.tanh %h6_0 : tensor<32768x32768xbf16>
    %s6 = stablehlo.multiply %a6_0, %b6 : tensor<32768x32768xbf16>
    %b5 = stablehlo.dot_general %s6, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s5 = stablehlo.multiply %a5, %b5 : tensor<32768x32768xbf16>
    %b4 = stablehlo.dot_general %s5, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h4_0 = stablehlo.dot_general %a3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a4_0 = stablehlo.tanh %h4_0 : tensor<32768x32768xbf16>
    %s4 = stablehlo.multiply %a4_0, %b4 : tensor<32768x32768xbf16>
    %b3 = stablehlo.dot_general %s4, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s3 = stablehlo.multiply %a3, %b3 : tensor<32768x32768xbf16>
    %b2 = stablehlo.dot_general %s3, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %h2_0 = stablehlo.dot_general %a1, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a2_0 = stablehlo.tanh %h2_0 : tensor<32768x32768xbf16>
    %s2 = stablehlo.multiply %a2_0, %b2 : tensor<32768x32768xbf16>
    %b1 = stablehlo.dot_general %s2, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s1 = stablehlo.multiply %a1, %b1 : tensor<32768x32768xbf16>
    return %s1 : tensor<32768x32768xbf16>
  }
}
tasks @main {
  fusion.0: compute of dot_general.0 tanh.0, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.1: compute of dot_general.1 tanh.1, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.2: compute of dot_general.2 tanh.2, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.3: compute of dot_general.3 tanh.3, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.4: compute of dot_general.4 tanh.4, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.5: compute of dot_general.5 tanh.5, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.6: compute of dot_general.6 tanh.6, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.7: compute of dot_general.7 tanh.7, mxu 70368744177664, vpu 8589934592, reads 4294967296, writes 2147483648
  fusion.8: compute of dot_general.8 multiply.0, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
  dot_general.9: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  fusion.9: compute of dot_general.10 tanh.8 multiply.1, mxu 70368744177664, vpu 9663676416, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.10: compute of dot_general.11 multiply.2, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
  dot_general.12: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  fusion.11: compute of dot_general.13 tanh.9 multiply.3, mxu 70368744177664, vpu 9663676416, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.12: compute of dot_general.14 multiply.4, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
  dot_general.15: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  fusion.13: compute of dot_general.16 tanh.10 multiply.5, mxu 70368744177664, vpu 9663676416, reads 6442450944, beside 2147483648, writes 2147483648
  fusion.14: compute of dot_general.17 multiply.6, mxu 70368744177664, vpu 1073741824, reads 6442450944, beside 2147483648, writes 2147483648
}
