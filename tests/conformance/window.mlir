// reduce_window with stride, padding, both dilations: padding takes part with the initial value.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %init = stablehlo.constant dense<0> : tensor<i32>
  %y = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>,
    base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>,
    padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  %z = stablehlo.constant dense<[[0, 0], [3, 4]]> : tensor<2x2xi32>
  check.expect_eq %y, %z : tensor<2x2xi32>, tensor<2x2xi32>
  return
}

// -----

// A running maximum, of an empty array too.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 3.0, 2.0, 5.0, 4.0]> : tensor<5xbf16>
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %y = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 5>,
    padding = dense<[[4, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.maximum %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<5xbf16>, tensor<bf16>) -> tensor<5xbf16>
  %z = stablehlo.constant dense<[1.0, 3.0, 3.0, 5.0, 5.0]> : tensor<5xbf16>
  check.expect_eq %y, %z : tensor<5xbf16>, tensor<5xbf16>
  %e = stablehlo.slice %x [0:0] : (tensor<5xbf16>) -> tensor<0xbf16>
  %f = "stablehlo.reduce_window"(%e, %low) <{window_dimensions = array<i64: 2>,
    padding = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.maximum %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<0xbf16>, tensor<bf16>) -> tensor<2xbf16>
  %g = stablehlo.constant dense<0xFF80> : tensor<2xbf16>
  check.expect_eq %f, %g : tensor<2xbf16>, tensor<2xbf16>
  return
}

// -----

// Two operands and a region of its own: the largest of each window and where it stands.
func.func @main() {
  %x = stablehlo.constant dense<[2, 7, 1, 8]> : tensor<4xi32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %y:2 = "stablehlo.reduce_window"(%x, %i, %low, %zero) <{window_dimensions = array<i64: 2>,
    window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %p: tensor<i32>, %b: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
    %w = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
  %z = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %j = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  check.expect_eq %y#0, %z : tensor<2xi32>, tensor<2xi32>
  check.expect_eq %y#1, %j : tensor<2xi32>, tensor<2xi32>
  return
}

// -----

// select_and_scatter: every window gives its source to its largest element.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
  %s = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %init = stablehlo.constant dense<0> : tensor<i32>
  %y = "stablehlo.select_and_scatter"(%x, %s, %init) <{window_dimensions = array<i64: 3, 1>,
    window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>
  %z = stablehlo.constant dense<[[0, 0], [0, 0], [5, 14], [7, 0]]> : tensor<4x2xi32>
  check.expect_eq %y, %z : tensor<4x2xi32>, tensor<4x2xi32>
  return
}

// -----

// convolution: strides, padding, a dilated kernel that is reversed, in NWC.
func.func @main() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0], [5.0]]]> : tensor<1x5x1xf32>
  %k = stablehlo.constant dense<[[[1.0, 2.0]], [[10.0, 20.0]]]> : tensor<2x1x2xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [2], pad = [[1, 2]], rhs_dilate = [2], reverse = [true]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x5x1xf32>, tensor<2x1x2xf32>) -> tensor<1x3x2xf32>
  %z = stablehlo.constant dense<[[[2.0, 4.0], [24.0, 48.0], [40.0, 80.0]]]> : tensor<1x3x2xf32>
  check.expect_eq %y, %z : tensor<1x3x2xf32>, tensor<1x3x2xf32>
  return
}

// -----

// products are computed in the type of what they give: of integers in a float, where a byte would overflow,
// of signed and unsigned integers.
func.func @main() {
  %x = stablehlo.constant dense<[[[100], [-128], [127], [3]]]> : tensor<1x4x1xi8>
  %k = stablehlo.constant dense<[[[127]], [[-128]]]> : tensor<2x1x1xi8>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xi8>, tensor<2x1x1xi8>) -> tensor<1x3x1xf32>
  check.expect_eq_const %y, dense<[[[29084.0], [-32512.0], [15745.0]]]> : tensor<1x3x1xf32>
  %a = stablehlo.constant dense<[300, -400]> : tensor<2xi16>
  %z = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<2xi16>, tensor<2xi16>) -> tensor<f32>
  check.expect_eq_const %z, dense<250000.0> : tensor<f32>
  %s = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %u = stablehlo.constant dense<[255, 200]> : tensor<2xui8>
  %m = stablehlo.dot_general %s, %u, contracting_dims = [0] x [0] : (tensor<2xi8>, tensor<2xui8>) -> tensor<i16>
  check.expect_eq_const %m, dense<-7240> : tensor<i16>
  %w = stablehlo.constant dense<[4294967295, 3]> : tensor<2xui32>
  %n = stablehlo.dot_general %s, %w, contracting_dims = [0] x [0] : (tensor<2xi8>, tensor<2xui32>) -> tensor<i32>
  check.expect_eq_const %n, dense<509> : tensor<i32>
  return
}

// -----
// convolution of integers in feature groups, and in batch groups.
func.func @main() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>
  %k = stablehlo.constant dense<[[[10]], [[100]]]> : tensor<2x1x1xi8>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x2x2xi8>, tensor<2x1x1xi8>) -> tensor<1x2x2xi32>
  %z = stablehlo.constant dense<[[[10, 20], [300, 400]]]> : tensor<1x2x2xi32>
  check.expect_eq %y, %z : tensor<1x2x2xi32>, tensor<1x2x2xi32>
  %b = stablehlo.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi8>
  %v = stablehlo.convolution(%b, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
    : (tensor<2x1x2xi8>, tensor<2x1x1xi8>) -> tensor<1x2x2xi32>
  check.expect_eq %v, %z : tensor<1x2x2xi32>, tensor<1x2x2xi32>
  return
}

// -----

// select_and_scatter over a wider type: bytes select, sums do not overflow.
func.func @main() {
  %x = stablehlo.constant dense<[100, 3, -7, 120]> : tensor<4xi8>
  %s = stablehlo.constant dense<[100, 90, 120]> : tensor<3xi8>
  %v = stablehlo.constant dense<1> : tensor<i8>
  %y = "stablehlo.select_and_scatter"(%x, %s, %v) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %sum = stablehlo.add %a, %a : tensor<i8>
    %zero = stablehlo.constant dense<0> : tensor<i8>
    %c = stablehlo.compare LT, %sum, %zero : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %d = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %e = stablehlo.or %c, %d : tensor<i1>
    stablehlo.return %e : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi8>, tensor<3xi8>, tensor<i8>) -> tensor<4xi32>
  check.expect_eq_const %y, dense<[101, 91, 121, 1]> : tensor<4xi32>
  return
}
