// batch_norm_training and _inference: features in the last and in the first dimension.
func.func @main() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %scale = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %offset = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %y, %mean, %variance = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{
    epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
    -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_eq_const %y, dense<[[[0.0, 1.0], [2.0, 5.0]], [[2.0, 5.0], [0.0, 1.0]]]> : tensor<2x2x2xf64>
  check.expect_eq_const %mean, dense<[2.0, 3.0]> : tensor<2xf64>
  check.expect_eq_const %variance, dense<[1.0, 1.0]> : tensor<2xf64>

  %a = stablehlo.constant dense<[[1.0, 3.0, 5.0], [2.0, 4.0, 10.0]]> : tensor<2x3xf32>
  %s = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %o = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %m = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %v = stablehlo.constant dense<[1.0, 6.0]> : tensor<2xf32>
  %b = "stablehlo.batch_norm_inference"(%a, %s, %o, %m, %v) <{
    epsilon = 3.0 : f32, feature_index = 0 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    -> tensor<2x3xf32>
  check.expect_eq_const %b, dense<[[-1.0, 0.0, 1.0], [-1.0, 1.0, 7.0]]> : tensor<2x3xf32>
  return
}

// -----

// batch_norm_grad: a gradient that is the same everywhere moves only the offset; by hand.
func.func @main() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %g = stablehlo.constant dense<0.125> : tensor<2x2x2xf64>
  %dx, %dscale, %doffset = "stablehlo.batch_norm_grad"(%x, %one, %mean, %one, %g) <{
    epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>)
    -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_eq_const %dx, dense<0.0> : tensor<2x2x2xf64>
  check.expect_eq_const %dscale, dense<0.0> : tensor<2xf64>
  check.expect_eq_const %doffset, dense<0.5> : tensor<2xf64>

  // Two elements of one feature: deviation 2, scale 2.
  %a = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %s = stablehlo.constant dense<2.0> : tensor<1xf32>
  %m = stablehlo.constant dense<2.0> : tensor<1xf32>
  %v = stablehlo.constant dense<1.0> : tensor<1xf32>
  %h = stablehlo.constant dense<[[1.0], [5.0]]> : tensor<2x1xf32>
  %da, %ds, %do = "stablehlo.batch_norm_grad"(%a, %s, %m, %v, %h) <{
    epsilon = 3.0 : f32, feature_index = 1 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>)
    -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_eq_const %da, dense<[[-1.5], [1.5]]> : tensor<2x1xf32>
  check.expect_eq_const %ds, dense<2.0> : tensor<1xf32>
  check.expect_eq_const %do, dense<6.0> : tensor<1xf32>
  return
}

// -----

// chlo.broadcast_*: dimensions of size 1, missing leading ones, and those that are named.
func.func @main() {
  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %column = stablehlo.constant dense<[[100], [200]]> : tensor<2x1xi32>
  %pair = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %scalar = stablehlo.constant dense<3> : tensor<i32>
  %0 = chlo.broadcast_add %m, %row : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
  %1 = chlo.broadcast_subtract %row, %column : (tensor<3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[-90, -80, -70], [-190, -180, -170]]> : tensor<2x3xi32>
  %2 = chlo.broadcast_multiply %m, %pair {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %2, dense<[[7, 14, 21], [32, 40, 48]]> : tensor<2x3xi32>
  %3 = chlo.broadcast_maximum %scalar, %m : (tensor<i32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %3, dense<[[3, 3, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %4 = chlo.broadcast_compare %m, %scalar {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type SIGNED>}
    : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi1>
  check.expect_eq_const %4, dense<[[true, true, false], [false, false, false]]> : tensor<2x3xi1>
  %5 = chlo.broadcast_select %4, %scalar, %row : (tensor<2x3xi1>, tensor<i32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %5, dense<[[3, 3, 30], [10, 20, 30]]> : tensor<2x3xi32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %y = stablehlo.constant dense<[[0.0], [1.0]]> : tensor<2x1xf64>
  %6 = chlo.broadcast_complex %x, %y : (tensor<2xf64>, tensor<2x1xf64>) -> tensor<2x2xcomplex<f64>>
  check.expect_eq_const %6, dense<[[(1.0, 0.0), (2.0, 0.0)], [(1.0, 1.0), (2.0, 1.0)]]> : tensor<2x2xcomplex<f64>>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %7 = chlo.broadcast_zeta %two, %x : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %7, dense<[1.6449340668482264, 0.6449340668482264]> : tensor<2xf64>
  return
}
