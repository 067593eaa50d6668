// Parts of complex numbers, and their conjugate.
func.func @main() {
  %r = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %i = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %c = stablehlo.complex %r, %i : tensor<2xcomplex<f32>>
  %d = chlo.conj %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %x = stablehlo.real %d : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %y = stablehlo.imag %d : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %z = stablehlo.constant dense<[-2.0, -3.0]> : tensor<2xf32>
  check.expect_eq %x, %r : tensor<2xf32>, tensor<2xf32>
  check.expect_eq %y, %z : tensor<2xf32>, tensor<2xf32>
  %n = stablehlo.imag %r : (tensor<2xf32>) -> tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  check.expect_eq %n, %zero : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// bitcast_convert to smaller, larger, and sub-byte elements; the lowest bits come first.
func.func @main() {
  %x = stablehlo.constant dense<[0x01020304, 0x7FFFFFFE]> : tensor<2xi32>
  %b = stablehlo.bitcast_convert %x : (tensor<2xi32>) -> tensor<2x4xi8>
  %y = stablehlo.constant dense<[[4, 3, 2, 1], [-2, -1, -1, 127]]> : tensor<2x4xi8>
  check.expect_eq %b, %y : tensor<2x4xi8>, tensor<2x4xi8>
  %c = stablehlo.bitcast_convert %b : (tensor<2x4xi8>) -> tensor<2xi32>
  check.expect_eq %c, %x : tensor<2xi32>, tensor<2xi32>
  %s = stablehlo.constant dense<[-17, 33]> : tensor<2xi8>
  %n = stablehlo.bitcast_convert %s : (tensor<2xi8>) -> tensor<2x2xi4>
  %m = stablehlo.constant dense<[[-1, -2], [1, 2]]> : tensor<2x2xi4>
  check.expect_eq %n, %m : tensor<2x2xi4>, tensor<2x2xi4>
  %k = stablehlo.bitcast_convert %n : (tensor<2x2xi4>) -> tensor<2xi8>
  check.expect_eq %k, %s : tensor<2xi8>, tensor<2xi8>
  return
}

// -----

// reduce_precision to the numbers of f16: ties to even, overflow to infinity, underflow to 0.
func.func @main() {
  %x = stablehlo.constant dense<[1.00048828125, 1.00146484375, 65520.0, 65519.0, 1.0e-5, -3.0e-8]> : tensor<6xf32>
  %y = stablehlo.reduce_precision %x, format = e5m10 : tensor<6xf32>
  %z = stablehlo.constant dense<[1.0, 1.001953125, 0x7F800000, 65504.0, 0.0, -0.0]> : tensor<6xf32>
  check.expect_eq %y, %z : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// The neighbour of a float in the direction of another; the upper half of a product.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0.0, -1.0, 2.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[2.0, -1.0, 0.0, 2.0]> : tensor<4xf32>
  %n = chlo.next_after %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %z = stablehlo.constant dense<[0x3F800001, 0x80000001, 0xBF7FFFFF, 0x40000000]> : tensor<4xui32>
  %b = stablehlo.bitcast_convert %n : (tensor<4xf32>) -> tensor<4xui32>
  check.expect_eq %b, %z : tensor<4xui32>, tensor<4xui32>
  %p = stablehlo.constant dense<[-1, 65536, 2147483647]> : tensor<3xi32>
  %q = stablehlo.constant dense<[1, 65536, 4]> : tensor<3xi32>
  %h = chlo.mulhi %p, %q : tensor<3xi32>, tensor<3xi32> -> tensor<3xi32>
  %g = stablehlo.constant dense<[-1, 1, 1]> : tensor<3xi32>
  check.expect_eq %h, %g : tensor<3xi32>, tensor<3xi32>
  return
}

// -----

// Infinities, older forms, and sizes that are known.
func.func @main() {
  %x = stablehlo.constant dense<[0x7F800000, 0xFF800000, 1.0, 0x7FC00000]> : tensor<4xf32>
  %a = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  %p = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  %n = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  %b = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %c = stablehlo.constant dense<[true, false, false, false]> : tensor<4xi1>
  %d = stablehlo.constant dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_eq %a, %b : tensor<4xi1>, tensor<4xi1>
  check.expect_eq %p, %c : tensor<4xi1>, tensor<4xi1>
  check.expect_eq %n, %d : tensor<4xi1>, tensor<4xi1>
  %m = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %v = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %mv = stablehlo.dot %m, %v : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %w = stablehlo.constant dense<[17, 39]> : tensor<2xi32>
  check.expect_eq %mv, %w : tensor<2xi32>, tensor<2xi32>
  %o = stablehlo.broadcast %v, sizes = [2] : (tensor<2xi32>) -> tensor<2x2xi32>
  %q = stablehlo.constant dense<[[5, 6], [5, 6]]> : tensor<2x2xi32>
  check.expect_eq %o, %q : tensor<2x2xi32>, tensor<2x2xi32>
  %s = stablehlo.get_dimension_size %o, dim = 1 : (tensor<2x2xi32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  check.expect_eq %s, %two : tensor<i32>, tensor<i32>
  %to = stablehlo.constant dense<[4]> : tensor<1xi64>
  %f = stablehlo.dynamic_reshape %m, %to : (tensor<2x2xi32>, tensor<1xi64>) -> tensor<4xi32>
  %g = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq %f, %g : tensor<4xi32>, tensor<4xi32>
  %t = stablehlo.tuple %f, %v : tuple<tensor<4xi32>, tensor<2xi32>>
  %u = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xi32>, tensor<2xi32>>) -> tensor<2xi32>
  check.expect_eq %u, %v : tensor<2xi32>, tensor<2xi32>
  return
}

// What does not fit a narrow integer is its nearest end, as with wide ones.
func.func @floats_become_narrow_integers() {
  %x = stablehlo.constant dense<[100.0, -100.0, 7.9, -8.9, 1.6e+03]> : tensor<5xf32>
  %s = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi4>
  %t = stablehlo.constant dense<[7, -8, 7, -8, 7]> : tensor<5xi4>
  check.expect_eq %s, %t : tensor<5xi4>, tensor<5xi4>
  %u = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xui2>
  %v = stablehlo.constant dense<[3, 0, 3, 0, 3]> : tensor<5xui2>
  check.expect_eq %u, %v : tensor<5xui2>, tensor<5xui2>
  return
}

// Subnormal numbers keep what their own type can say; the exponent's range is the type's.
func.func @reduce_precision_of_subnormal_numbers() {
  %x = stablehlo.constant dense<[0x0001, 0x015B, 0x83D7, 0x0030]> : tensor<4xf16>
  %a = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf16>
  check.expect_eq %a, %x : tensor<4xf16>, tensor<4xf16>
  %b = stablehlo.reduce_precision %x, format = e6m4 : tensor<4xf16>
  %c = stablehlo.constant dense<[0x0000, 0x0140, 0x83C0, 0x0040]> : tensor<4xf16>
  check.expect_eq %b, %c : tensor<4xf16>, tensor<4xf16>
  %d = stablehlo.reduce_precision %x, format = e4m10 : tensor<4xf16>
  %z = stablehlo.constant dense<[0.0, 0.0, -0.0, 0.0]> : tensor<4xf16>
  check.expect_eq %d, %z : tensor<4xf16>, tensor<4xf16>
  return
}

func.func @logistic_down_to_subnormal_numbers() {
  %x = stablehlo.constant dense<[-90.5, 90.0, -1000.0]> : tensor<3xbf16>
  %a = stablehlo.logistic %x : tensor<3xbf16>
  %b = stablehlo.constant dense<[0x0005, 0x3F80, 0x0000]> : tensor<3xbf16>
  check.expect_eq %a, %b : tensor<3xbf16>, tensor<3xbf16>
  return
}

// The largest numbers of ui64, known before the program runs.
func.func @constants_of_ui64_become_floats() {
  %x = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %f = stablehlo.convert %x : (tensor<ui64>) -> tensor<f32>
  %g = stablehlo.constant dense<0x5F800000> : tensor<f32>
  check.expect_eq %f, %g : tensor<f32>, tensor<f32>
  return
}

// Complex numbers in the order of their real parts, then of their imaginary parts.
func.func @extremes_of_complex_numbers() {
  %x = stablehlo.constant dense<[[(1.0, 2.0), (1.0, 3.0)], [(-4.0, 9.0), (-4.0, -9.0)]]> : tensor<2x2xcomplex<f32>>
  %i = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %a = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  %b = stablehlo.constant dense<[(1.0, 3.0), (0.0, 0.0)]> : tensor<2xcomplex<f32>>
  check.expect_eq %a, %b : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  %c = stablehlo.reduce(%x init: %i) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<2x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %d = stablehlo.constant dense<(-4.0, -9.0)> : tensor<complex<f32>>
  check.expect_eq %c, %d : tensor<complex<f32>>, tensor<complex<f32>>
  return
}
