// passes: tasks=v5e:1x1
// Three layers keep what tanh makes of the one before for the way back, 2 GiB each, while what they are made from is gone: the last one
// is computed again from the argument, by three kernels in a row, which together cost less than any product.
module {
  func.func @main(%x: tensor<32768x32768xbf16>, %w: tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16> {
    %a = stablehlo.tanh %x : tensor<32768x32768xbf16>
    %ra = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %b = stablehlo.exponential %a : tensor<32768x32768xbf16>
    %rb = stablehlo.dot_general %b, %ra, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %c = stablehlo.logistic %b : tensor<32768x32768xbf16>
    %rc = stablehlo.dot_general %c, %rb, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s = stablehlo.dot_general %rc, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s2 = stablehlo.dot_general %s, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p0 = stablehlo.dot_general %s2, %rc, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p1 = stablehlo.dot_general %p0, %s, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p2 = stablehlo.dot_general %p1, %s2, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p3 = stablehlo.dot_general %p2, %p0, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p4 = stablehlo.dot_general %p3, %c, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    return %p4 : tensor<32768x32768xbf16>
  }
}
// -----
module {
  func.func @main(%x: tensor<32768x32768xbf16>, %w: tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16> {
    %a = stablehlo.tanh %x : tensor<32768x32768xbf16>
    %ra = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %b = stablehlo.exponential %a : tensor<32768x32768xbf16>
    %rb = stablehlo.dot_general %b, %ra, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %c = stablehlo.logistic %b : tensor<32768x32768xbf16>
    %rc = stablehlo.dot_general %c, %rb, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s = stablehlo.dot_general %rc, %w, contracting_dims = [1] x [0] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %s2 = stablehlo.dot_general %s, %w, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p0 = stablehlo.dot_general %s2, %rc, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p1 = stablehlo.dot_general %p0, %s, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p2 = stablehlo.dot_general %p1, %s2, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %p3 = stablehlo.dot_general %p2, %p0, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    %a_0 = stablehlo.tanh %x : tensor<32768x32768xbf16>
    %b_0 = stablehlo.exponential %a_0 : tensor<32768x32768xbf16>
    %c_0 = stablehlo.logistic %b_0 : tensor<32768x32768xbf16>
    %p4 = stablehlo.dot_general %p3, %c_0, contracting_dims = [1] x [1] : (tensor<32768x32768xbf16>, tensor<32768x32768xbf16>) -> tensor<32768x32768xbf16>
    return %p4 : tensor<32768x32768xbf16>
  }
}
tasks @main {
  tanh.0: compute, vpu 8589934592, reads 2147483648, writes 2147483648
  dot_general.0: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  exponential.0: compute, vpu 10737418240, reads 2147483648, writes 2147483648
  dot_general.1: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  logistic.0: compute, vpu 19327352832, reads 2147483648, writes 2147483648
  dot_general.2: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  dot_general.3: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  dot_general.4: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  dot_general.5: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  dot_general.6: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  dot_general.7: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  dot_general.8: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
  fusion.0: compute of tanh.1 exponential.1 logistic.1, vpu 38654705664, reads 2147483648, writes 2147483648
  dot_general.9: compute, mxu 70368744177664, reads 4294967296, writes 2147483648
}
