// Special functions where they are hard: near 0 from below, far below 0, for very large
// numbers. The values are of 60 digits.
func.func @main() {
  // Just below a pole the reflection keeps the digits of what is left; at one it is NaN.
  %x = stablehlo.constant dense<[-1.0e-20, -2.5e-01]> : tensor<2xf64>
  %digamma = chlo.digamma %x : tensor<2xf64> -> tensor<2xf64>
  %d = stablehlo.constant dense<[1.0e+20, 2.91413912021352783]> : tensor<2xf64>
  check.expect_close %digamma, %d, max_ulp_difference = 64 : tensor<2xf64>, tensor<2xf64>

  // Below 0 a whole s is needed; the sum over what is below does not take q steps.
  %s = stablehlo.constant dense<[3.0, 2.0, 2.0, 3.0]> : tensor<4xf64>
  %q = stablehlo.constant dense<[-12.75, -100000.25, -2251799813685247.5, -40.5]> : tensor<4xf64>
  %zeta = chlo.zeta %s, %q : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  %z = stablehlo.constant dense<[62.015397307079116923, 19.739198802253716759, 9.8696044010893581747, 0.00029739777827934508233]> : tensor<4xf64>
  check.expect_close %zeta, %z, max_ulp_difference = 64 : tensor<4xf64>, tensor<4xf64>
  %infinite = stablehlo.constant dense<0x7FF0000000000000> : tensor<2xf64>
  %bases = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %limit = chlo.zeta %infinite, %bases : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_eq_const %limit, dense<[1.0, 0.0]> : tensor<2xf64>

  %n = stablehlo.constant dense<1.0> : tensor<f32>
  %p = stablehlo.constant dense<-1000.25> : tensor<f32>
  %trigamma = chlo.polygamma %n, %p : tensor<f32>, tensor<f32> -> tensor<f32>
  check.expect_almost_eq_const %trigamma, dense<19.7382095516997849> : tensor<f32>

  %large = stablehlo.constant dense<[1.0e+308, -1.0e+308]> : tensor<2xf64>
  %bessel = chlo.bessel_i1e %large : tensor<2xf64> -> tensor<2xf64>
  %b = stablehlo.constant dense<[3.98942280401432678e-155, -3.98942280401432678e-155]> : tensor<2xf64>
  check.expect_close %bessel, %b, max_ulp_difference = 4 : tensor<2xf64>, tensor<2xf64>
  return
}

// -----

// Types without infinity: the largest number is none.
func.func @main() {
  %f4 = stablehlo.constant dense<[6.0, -6.0, 0.5]> : tensor<3xf4E2M1FN>
  %any = chlo.is_inf %f4 : tensor<3xf4E2M1FN> -> tensor<3xi1>
  check.expect_eq_const %any, dense<false> : tensor<3xi1>
  %f6 = stablehlo.constant dense<[7.5, -7.5, 0.5]> : tensor<3xf6E2M3FN>
  %below = chlo.is_neg_inf %f6 : tensor<3xf6E2M3FN> -> tensor<3xi1>
  check.expect_eq_const %below, dense<false> : tensor<3xi1>
  %f8 = stablehlo.constant dense<[0x78, 0xF8, 0x77]> : tensor<3xf8E4M3>
  %above = chlo.is_pos_inf %f8 : tensor<3xf8E4M3> -> tensor<3xi1>
  check.expect_eq_const %above, dense<[true, false, false]> : tensor<3xi1>
  return
}

// -----

// next_after of a byte: through 0 there is no NaN, where -0 would be one.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0x01, 0x81]> : tensor<4xf8E4M3FNUZ>
  %y = stablehlo.constant dense<[2.0, 2.0, -1.0, 1.0]> : tensor<4xf8E4M3FNUZ>
  %next = chlo.next_after %x, %y : tensor<4xf8E4M3FNUZ>, tensor<4xf8E4M3FNUZ> -> tensor<4xf8E4M3FNUZ>
  check.expect_eq_const %next, dense<[1.125, -0.9375, 0.0, 0.0]> : tensor<4xf8E4M3FNUZ>
  %a = stablehlo.constant dense<[4.0, -0.0]> : tensor<2xf4E2M1FN>
  %b = stablehlo.constant dense<[6.0, 1.0]> : tensor<2xf4E2M1FN>
  %up = chlo.next_after %a, %b : tensor<2xf4E2M1FN>, tensor<2xf4E2M1FN> -> tensor<2xf4E2M1FN>
  check.expect_eq_const %up, dense<[6.0, 0.5]> : tensor<2xf4E2M1FN>
  return
}

// -----

// clamp of complex numbers: by the real part, then by the imaginary one.
func.func @main() {
  %low = stablehlo.constant dense<(1.0, 1.0)> : tensor<complex<f32>>
  %high = stablehlo.constant dense<(2.0, 3.0)> : tensor<complex<f32>>
  %x = stablehlo.constant dense<[(0.0, 9.0), (1.0, 0.0), (1.0, 2.0), (2.0, 2.0), (2.0, 4.0), (3.0, 0.0)]> : tensor<6xcomplex<f32>>
  %y = stablehlo.clamp %low, %x, %high : (tensor<complex<f32>>, tensor<6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %y, dense<[(1.0, 1.0), (1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (2.0, 3.0), (2.0, 3.0)]> : tensor<6xcomplex<f32>>
  return
}
