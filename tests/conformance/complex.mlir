// Complex functions at the ends of the range: nothing overflows that need not.
func.func @extremes() {
  %inf_inf = stablehlo.constant dense<[(0xFF800000, 0xFF800000), (0x7F800000, 0x7F800000)]> : tensor<2xcomplex<f32>>
  %exp = stablehlo.exponential %inf_inf : tensor<2xcomplex<f32>>
  %nan = stablehlo.constant dense<(0x7FC00000, 0x7FC00000)> : tensor<2xcomplex<f32>>
  check.expect_close %exp, %nan : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>

  %large = stablehlo.constant dense<[(1.0e308, 1.0e308), (-1.5e308, 1.5e308)]> : tensor<2xcomplex<f64>>
  %log = stablehlo.log_plus_one %large : tensor<2xcomplex<f64>>
  %log_expected = stablehlo.constant dense<[(709.542782232446, 0.78539816339744828), (709.9482473405542, 2.3561944901923448)]> : tensor<2xcomplex<f64>>
  check.expect_close %log, %log_expected : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>

  %sign = stablehlo.sign %large : tensor<2xcomplex<f64>>
  %sign_expected = stablehlo.constant dense<[(0.70710678118654757, 0.70710678118654757), (-0.70710678118654757, 0.70710678118654757)]> : tensor<2xcomplex<f64>>
  check.expect_close %sign, %sign_expected : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>

  %square = chlo.square %large : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %square_expected = stablehlo.constant dense<[(0.0, 0x7FF0000000000000), (0.0, 0xFFF0000000000000)]> : tensor<2xcomplex<f64>>
  check.expect_eq %square, %square_expected : tensor<2xcomplex<f64>>

  %y = stablehlo.constant dense<(1.0e200, 0.0)> : tensor<complex<f64>>
  %x = stablehlo.constant dense<(1.0e200, 0.0)> : tensor<complex<f64>>
  %angle = stablehlo.atan2 %y, %x : tensor<complex<f64>>
  %quarter = stablehlo.constant dense<(0.78539816339744828, 0.0)> : tensor<complex<f64>>
  check.expect_almost_eq %angle, %quarter, tolerance = 1.0e-15 : tensor<complex<f64>>
  return
}

// -----

// An infinity is 2^64 - 1 ULP from every other number, and NaN 0 from NaN.
func.func @distances() {
  %a = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<[0xFF800000, 1.0, 1.0, 0x7FC00000]> : tensor<4xf32>
  check.expect_close %a, %b, max_ulp_difference = 18446744073709551615, min_ulp_difference = 18446744073709551615 : tensor<4xf32>, tensor<4xf32>
  check.expect_close %a, %a, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}
