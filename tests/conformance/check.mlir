// Checks in both of their forms, in a loop too, hold.
func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %count = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %goes_on = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes_on : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %back = stablehlo.subtract %next, %one : tensor<i32>
      check.expect_eq %back, %i : tensor<i32>, tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  stablehlo.custom_call @check.expect_eq(%count, %five) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return %count : tensor<i32>
}

// -----

// -0 equals 0; NaN is close to NaN; 3 ULP are close.
func.func @main() {
  %a = stablehlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %b = stablehlo.negate %a : tensor<2xf32>
  check.expect_eq %a, %b : tensor<2xf32>, tensor<2xf32>
  %c = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %d = stablehlo.constant dense<[0xFFC00000, 0x3F800003]> : tensor<2xf32>
  check.expect_close %c, %d : tensor<2xf32>, tensor<2xf32>
  %e = stablehlo.constant dense<[0x7FC00000, 1.0009]> : tensor<2xf32>
  check.expect_almost_eq %c, %e : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// A module of one function needs no @main; limits; constants.
func.func @limits() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.05, 1.95]> : tensor<2xf32>
  check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<2xf32>
  check.expect_almost_eq_const %a, dense<[1.05, 1.95]> : tensor<2xf32>, tolerance = 0.1
  check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<[0x3F800008, 0x40000008]> : tensor<2xf32>
  check.expect_close %a, %c, max_ulp_difference = 8, min_ulp_difference = 8 : tensor<2xf32>, tensor<2xf32>
  return
}
