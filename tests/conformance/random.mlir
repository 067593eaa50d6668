// rng: numbers of the range, spread over it as they should be. 65536 of them: means are within
// 5 of their own deviations.
func.func @main() {
  %n = stablehlo.constant dense<65536> : tensor<1xi64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<65536.0> : tensor<f32>
  %a = stablehlo.constant dense<-2.0> : tensor<f32>
  %b = stablehlo.constant dense<6.0> : tensor<f32>
  %u = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<65536xf32>
  %low = stablehlo.reduce(%u init: %b) applies stablehlo.minimum across dimensions = [0] : (tensor<65536xf32>, tensor<f32>) -> tensor<f32>
  %high = stablehlo.reduce(%u init: %a) applies stablehlo.maximum across dimensions = [0] : (tensor<65536xf32>, tensor<f32>) -> tensor<f32>
  %sum = stablehlo.reduce(%u init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<65536xf32>, tensor<f32>) -> tensor<f32>
  %mean = stablehlo.divide %sum, %count : tensor<f32>
  %in = stablehlo.compare GE, %low, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %in, dense<true> : tensor<i1>
  %below = stablehlo.compare LT, %high, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %below, dense<true> : tensor<i1>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %far = stablehlo.subtract %mean, %two : tensor<f32>
  %distance = stablehlo.abs %far : tensor<f32>
  %tolerance = stablehlo.constant dense<0.045> : tensor<f32>
  %near = stablehlo.compare LT, %distance, %tolerance : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %near, dense<true> : tensor<i1>

  // NORMAL of mean -2 and deviation 6: mean and mean square of what is left of them.
  %g = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<65536xf32>
  %as = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<65536xf32>
  %bs = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<65536xf32>
  %c = stablehlo.subtract %g, %as : tensor<65536xf32>
  %z = stablehlo.divide %c, %bs : tensor<65536xf32>
  %zz = stablehlo.multiply %z, %z : tensor<65536xf32>
  %zs = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<65536xf32>, tensor<f32>) -> tensor<f32>
  %zm = stablehlo.divide %zs, %count : tensor<f32>
  %zd = stablehlo.abs %zm : tensor<f32>
  %t = stablehlo.constant dense<0.02> : tensor<f32>
  %centered = stablehlo.compare LT, %zd, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %centered, dense<true> : tensor<i1>
  %vs = stablehlo.reduce(%zz init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<65536xf32>, tensor<f32>) -> tensor<f32>
  %vm = stablehlo.divide %vs, %count : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %vf = stablehlo.subtract %vm, %one : tensor<f32>
  %vd = stablehlo.abs %vf : tensor<f32>
  %t2 = stablehlo.constant dense<0.03> : tensor<f32>
  %spread = stablehlo.compare LT, %vd, %t2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %spread, dense<true> : tensor<i1>
  return
}

// -----

// Integers around zero and at the end of their type, flags, small floats; a range of one number.
func.func @main() {
  %n = stablehlo.constant dense<[3, 400]> : tensor<2xi64>
  %a = stablehlo.constant dense<-3> : tensor<i8>
  %b = stablehlo.constant dense<2> : tensor<i8>
  %i = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<2xi64>) -> tensor<3x400xi8>
  %low = stablehlo.reduce(%i init: %b) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<3x400xi8>, tensor<i8>) -> tensor<i8>
  %high = stablehlo.reduce(%i init: %a) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x400xi8>, tensor<i8>) -> tensor<i8>
  check.expect_eq_const %low, dense<-3> : tensor<i8>
  check.expect_eq_const %high, dense<1> : tensor<i8>
  %p = stablehlo.constant dense<18446744073709551614> : tensor<ui64>
  %q = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %u = stablehlo.rng %p, %q, %n, distribution = UNIFORM : (tensor<ui64>, tensor<ui64>, tensor<2xi64>) -> tensor<3x400xui64>
  check.expect_eq_const %u, dense<18446744073709551614> : tensor<3x400xui64>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %f = stablehlo.rng %false, %true, %n, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<2xi64>) -> tensor<3x400xi1>
  %any = stablehlo.reduce(%f init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x400xi1>, tensor<i1>) -> tensor<i1>
  %all = stablehlo.reduce(%f init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x400xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %any, dense<true> : tensor<i1>
  check.expect_eq_const %all, dense<false> : tensor<i1>
  %x = stablehlo.constant dense<1.0> : tensor<bf16>
  %y = stablehlo.constant dense<1.0078125> : tensor<bf16>
  %h = stablehlo.rng %x, %y, %n, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<2xi64>) -> tensor<3x400xbf16>
  check.expect_eq_const %h, dense<1.0> : tensor<3x400xbf16>
  return
}
