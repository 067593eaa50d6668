// sort along the first dimension, with a second operand that follows; equal ones stay in order.
func.func @main() {
  %k = stablehlo.constant dense<[[3, 1], [1, 1], [3, 0]]> : tensor<3x2xi32>
  %v = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xui8>
  %s:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<ui8>, %q: tensor<ui8>):
    %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x2xi32>, tensor<3x2xui8>) -> (tensor<3x2xi32>, tensor<3x2xui8>)
  %x = stablehlo.constant dense<[[3, 1], [3, 1], [1, 0]]> : tensor<3x2xi32>
  %y = stablehlo.constant dense<[[0, 1], [4, 3], [2, 5]]> : tensor<3x2xui8>
  check.expect_eq %s#0, %x : tensor<3x2xi32>, tensor<3x2xi32>
  check.expect_eq %s#1, %y : tensor<3x2xui8>, tensor<3x2xui8>
  return
}

// -----

// sort by a comparator of its own: by the remainder, then descending.
func.func @main() {
  %k = stablehlo.constant dense<[7, 3, 10, 4, 9, 1, 0, 5, 8, 2, 6]> : tensor<11xi32>
  %s = "stablehlo.sort"(%k) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %ra = stablehlo.remainder %a, %three : tensor<i32>
    %rb = stablehlo.remainder %b, %three : tensor<i32>
    %less = stablehlo.compare LT, %ra, %rb : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = stablehlo.compare EQ, %ra, %rb : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %above = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %same, %above : tensor<i1>
    %c = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<11xi32>) -> tensor<11xi32>
  %x = stablehlo.constant dense<[9, 6, 3, 0, 10, 7, 4, 1, 8, 5, 2]> : tensor<11xi32>
  check.expect_eq %s, %x : tensor<11xi32>, tensor<11xi32>
  return
}

// -----

// In total order -NaN < -inf < -0 < 0 < NaN; otherwise -0 and 0 are equal and stay in order.
func.func @main() {
  %k = stablehlo.constant dense<[0x7FC00000, 0.0, -0.0, 0xFF800000, 0xFFC00000, 1.0]> : tensor<6xf32>
  %s = "stablehlo.sort"(%k) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  %x = stablehlo.constant dense<[0xFFC00000, 0xFF800000, 0x80000000, 0x00000000, 0x3F800000, 0x7FC00000]> : tensor<6xui32>
  %bits = stablehlo.bitcast_convert %s : (tensor<6xf32>) -> tensor<6xui32>
  check.expect_eq %bits, %x : tensor<6xui32>, tensor<6xui32>
  return
}

// -----

// top_k: the largest, of equal ones the first.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 5.0, -2.0], [0.0, -1.0, 3.0, 2.0]]> : tensor<2x4xbf16>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<2x4xbf16> -> (tensor<2x3xbf16>, tensor<2x3xi32>)
  %w = stablehlo.constant dense<[[5.0, 5.0, 1.0], [3.0, 2.0, 0.0]]> : tensor<2x3xbf16>
  %j = stablehlo.constant dense<[[1, 2, 0], [2, 3, 0]]> : tensor<2x3xi32>
  check.expect_eq %v, %w : tensor<2x3xbf16>, tensor<2x3xbf16>
  check.expect_eq %i, %j : tensor<2x3xi32>, tensor<2x3xi32>
  return
}

// -----

// map calls its computation for every element.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi32>
  %m = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %n: tensor<i32>):
    %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %p = stablehlo.multiply %x, %x : tensor<f32>
    %q = stablehlo.subtract %p, %f : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  %z = stablehlo.constant dense<[[0.0, 4.0], [9.0, 15.0]]> : tensor<2x2xf32>
  check.expect_eq %m, %z : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

// Narrow floats without a sign, and with a NaN in the place of -0, sort as they compare.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 0.25, 64.0]> : tensor<4xf8E8M0FNU>
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f8E8M0FNU>, %b: tensor<f8E8M0FNU>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f8E8M0FNU>, tensor<f8E8M0FNU>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU>
  %z = stablehlo.constant dense<[0.25, 1.0, 2.0, 64.0]> : tensor<4xf8E8M0FNU>
  check.expect_eq %y, %z : tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>
  %k = stablehlo.constant dense<[2.0, 0x80, -1.0, 0.0]> : tensor<4xf8E5M2FNUZ>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %l:2 = "stablehlo.sort"(%k, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f8E5M2FNUZ>, %b: tensor<f8E5M2FNUZ>, %p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf8E5M2FNUZ>, tensor<4xi32>) -> (tensor<4xf8E5M2FNUZ>, tensor<4xi32>)
  %m = stablehlo.constant dense<[2, 3, 0, 1]> : tensor<4xi32>
  check.expect_eq %l#1, %m : tensor<4xi32>, tensor<4xi32>
  %n = stablehlo.slice %k [1:2] : (tensor<4xf8E5M2FNUZ>) -> tensor<1xf8E5M2FNUZ>
  %o = stablehlo.slice %k [0:1] : (tensor<4xf8E5M2FNUZ>) -> tensor<1xf8E5M2FNUZ>
  %g = stablehlo.compare GT, %n, %o, TOTALORDER : (tensor<1xf8E5M2FNUZ>, tensor<1xf8E5M2FNUZ>) -> tensor<1xi1>
  %t = stablehlo.constant dense<true> : tensor<1xi1>
  check.expect_eq %g, %t : tensor<1xi1>, tensor<1xi1>
  return
}
