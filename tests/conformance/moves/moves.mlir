// Slices that begin within a shard, and strided ones.
func.func private @inputs() -> tensor<16x24xf32> {
  %i = stablehlo.iota dim = 0 : tensor<384xf32>
  %c = stablehlo.constant dense<0.7> : tensor<384xf32>
  %v = stablehlo.multiply %i, %c : tensor<384xf32>
  %w = stablehlo.sine %v : tensor<384xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:381] : (tensor<384xf32>) -> tensor<378xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<378xf32>, tensor<3xf32>) -> tensor<384xf32>
  %x = stablehlo.reshape %j : (tensor<384xf32>) -> tensor<16x24xf32>
  return %x : tensor<16x24xf32>
}

func.func public @main() -> (tensor<8x24xf32>, tensor<16x8xf32>, tensor<4x8xf32>) {
  %x = call @inputs() : () -> tensor<16x24xf32>
  %a = stablehlo.slice %x [3:11, 0:24] : (tensor<16x24xf32>) -> tensor<8x24xf32>
  %b = stablehlo.slice %x [0:16, 1:24:3] : (tensor<16x24xf32>) -> tensor<16x8xf32>
  %c = stablehlo.slice %x [5:16:3, 9:24:2] : (tensor<16x24xf32>) -> tensor<4x8xf32>
  return %a, %b, %c : tensor<8x24xf32>, tensor<16x8xf32>, tensor<4x8xf32>
}

// -----

// Padding low, high, within, and less than none.
func.func private @inputs() -> tensor<16x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.constant dense<0.7> : tensor<128xf32>
  %v = stablehlo.multiply %i, %c : tensor<128xf32>
  %w = stablehlo.sine %v : tensor<128xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:125] : (tensor<128xf32>) -> tensor<122xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<122xf32>, tensor<3xf32>) -> tensor<128xf32>
  %x = stablehlo.reshape %j : (tensor<128xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}

func.func public @main() -> (tensor<24x8xf32>, tensor<16x16xf32>, tensor<16x8xf32>) {
  %x = call @inputs() : () -> tensor<16x8xf32>
  %z = stablehlo.constant dense<2.5> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [3, 0], high = [5, 0], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<24x8xf32>
  %b = stablehlo.pad %x, %z, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x16xf32>
  %c = stablehlo.pad %x, %z, low = [-3, 2], high = [3, -2], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  return %a, %b, %c : tensor<24x8xf32>, tensor<16x16xf32>, tensor<16x8xf32>
}

// -----

// What is joined of unequal parts, what is reversed, and what is rolled.
func.func private @inputs() -> tensor<16x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.constant dense<0.7> : tensor<128xf32>
  %v = stablehlo.multiply %i, %c : tensor<128xf32>
  %w = stablehlo.sine %v : tensor<128xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:125] : (tensor<128xf32>) -> tensor<122xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<122xf32>, tensor<3xf32>) -> tensor<128xf32>
  %x = stablehlo.reshape %j : (tensor<128xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}

func.func public @main() -> (tensor<24x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x8xf32>) {
  %x = call @inputs() : () -> tensor<16x8xf32>
  %h = stablehlo.slice %x [4:12, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  %a = stablehlo.concatenate %h, %x, dim = 0 : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<24x8xf32>
  %r = stablehlo.reverse %x, dims = [0, 1] : tensor<16x8xf32>
  %s = stablehlo.slice %x [15:16, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %t = stablehlo.slice %x [0:15, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
  %c = stablehlo.concatenate %s, %t, dim = 0 : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
  %u = stablehlo.slice %x [0:16, 3:8] : (tensor<16x8xf32>) -> tensor<16x5xf32>
  %v = stablehlo.slice %x [0:16, 0:3] : (tensor<16x8xf32>) -> tensor<16x3xf32>
  %d = stablehlo.concatenate %u, %v, dim = 1 : (tensor<16x5xf32>, tensor<16x3xf32>) -> tensor<16x8xf32>
  %n = stablehlo.slice %x [3:3, 0:8] : (tensor<16x8xf32>) -> tensor<0x8xf32>
  %e = stablehlo.concatenate %n, %x, %h, dim = 0 : (tensor<0x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
  return %a, %r, %c, %d, %e : tensor<24x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x8xf32>
}

// -----

// Windows of f32: pooled, strided, dilated.
func.func private @inputs() -> tensor<16x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.constant dense<0.7> : tensor<128xf32>
  %v = stablehlo.multiply %i, %c : tensor<128xf32>
  %w = stablehlo.sine %v : tensor<128xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:125] : (tensor<128xf32>) -> tensor<122xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<122xf32>, tensor<3xf32>) -> tensor<128xf32>
  %x = stablehlo.reshape %j : (tensor<128xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}

func.func public @main() -> (tensor<16x8xf32>, tensor<8x8xf32>, tensor<16x16xf32>) {
  %x = call @inputs() : () -> tensor<16x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %l) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %b = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 4, 3>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 3], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %c = "stablehlo.reduce_window"(%x, %l) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x16xf32>
  return %a, %b, %c : tensor<16x8xf32>, tensor<8x8xf32>, tensor<16x16xf32>
}

// -----

// Cumulative sums, products and maxima of f32, from either end.
func.func private @inputs() -> tensor<16x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.constant dense<0.7> : tensor<128xf32>
  %v = stablehlo.multiply %i, %c : tensor<128xf32>
  %w = stablehlo.sine %v : tensor<128xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:125] : (tensor<128xf32>) -> tensor<122xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<122xf32>, tensor<3xf32>) -> tensor<128xf32>
  %x = stablehlo.reshape %j : (tensor<128xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}

func.func public @main() -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %x = call @inputs() : () -> tensor<16x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 16, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[15, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %b = "stablehlo.reduce_window"(%x, %l) <{window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 7]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %d = "stablehlo.reduce_window"(%x, %o) <{window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.multiply %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %c = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 16, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 15], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  return %a, %b, %c, %d : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// Windows of i32: pooled, strided, dilated.
func.func private @inputs() -> tensor<16x8xi32> {
  %i = stablehlo.iota dim = 0 : tensor<128xi32>
  %c = stablehlo.constant dense<37> : tensor<128xi32>
  %d = stablehlo.constant dense<101> : tensor<128xi32>
  %v = stablehlo.multiply %i, %c : tensor<128xi32>
  %w = stablehlo.remainder %v, %d : tensor<128xi32>
  %x = stablehlo.reshape %w : (tensor<128xi32>) -> tensor<16x8xi32>
  return %x : tensor<16x8xi32>
}

func.func public @main() -> (tensor<16x8xi32>, tensor<8x8xi32>, tensor<16x16xi32>) {
  %x = call @inputs() : () -> tensor<16x8xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %l = stablehlo.constant dense<-2147483648> : tensor<i32>
  %a = "stablehlo.reduce_window"(%x, %l) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x8xi32>
  %b = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 4, 3>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 3], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<8x8xi32>
  %c = "stablehlo.reduce_window"(%x, %l) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x16xi32>
  return %a, %b, %c : tensor<16x8xi32>, tensor<8x8xi32>, tensor<16x16xi32>
}

// -----

// Cumulative sums, products and maxima of i32, from either end.
func.func private @inputs() -> tensor<16x8xi32> {
  %i = stablehlo.iota dim = 0 : tensor<128xi32>
  %c = stablehlo.constant dense<37> : tensor<128xi32>
  %d = stablehlo.constant dense<101> : tensor<128xi32>
  %v = stablehlo.multiply %i, %c : tensor<128xi32>
  %w = stablehlo.remainder %v, %d : tensor<128xi32>
  %x = stablehlo.reshape %w : (tensor<128xi32>) -> tensor<16x8xi32>
  return %x : tensor<16x8xi32>
}

func.func public @main() -> (tensor<16x8xi32>, tensor<16x8xi32>, tensor<16x8xi32>, tensor<16x8xi32>) {
  %x = call @inputs() : () -> tensor<16x8xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %o = stablehlo.constant dense<1> : tensor<i32>
  %l = stablehlo.constant dense<-2147483648> : tensor<i32>
  %a = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 16, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[15, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x8xi32>
  %b = "stablehlo.reduce_window"(%x, %l) <{window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 7]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x8xi32>
  %d = "stablehlo.reduce_window"(%x, %o) <{window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.multiply %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x8xi32>
  %c = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 16, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 15], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<16x8xi32>, tensor<i32>) -> tensor<16x8xi32>
  return %a, %b, %c, %d : tensor<16x8xi32>, tensor<16x8xi32>, tensor<16x8xi32>, tensor<16x8xi32>
}

// -----

// Convolutions along sharded rows, and with groups.
func.func private @inputs() -> tensor<2x16x8x4xi32> {
  %i = stablehlo.iota dim = 0 : tensor<1024xi32>
  %c = stablehlo.constant dense<37> : tensor<1024xi32>
  %d = stablehlo.constant dense<101> : tensor<1024xi32>
  %v = stablehlo.multiply %i, %c : tensor<1024xi32>
  %w = stablehlo.remainder %v, %d : tensor<1024xi32>
  %x = stablehlo.reshape %w : (tensor<1024xi32>) -> tensor<2x16x8x4xi32>
  return %x : tensor<2x16x8x4xi32>
}

func.func public @main() -> (tensor<2x16x8x8xi32>, tensor<2x8x4x4xi32>, tensor<2x16x8x4xi32>, tensor<1x16x8x4xi32>, tensor<2x32x8x8xi32>) {
  %x = call @inputs() : () -> tensor<2x16x8x4xi32>
  %i = stablehlo.iota dim = 0 : tensor<288xi32>
  %m = stablehlo.constant dense<7> : tensor<288xi32>
  %j = stablehlo.remainder %i, %m : tensor<288xi32>
  %k = stablehlo.reshape %j : (tensor<288xi32>) -> tensor<3x3x4x8xi32>
  %g = stablehlo.slice %k [0:3, 0:3, 0:1, 0:4] : (tensor<3x3x4x8xi32>) -> tensor<3x3x1x4xi32>
  %h = stablehlo.slice %k [0:3, 0:3, 0:2, 0:4] : (tensor<3x3x4x8xi32>) -> tensor<3x3x2x4xi32>
  %n = stablehlo.slice %k [0:3, 0:3, 0:4, 0:4] : (tensor<3x3x4x8xi32>) -> tensor<3x3x4x4xi32>
  %a = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x8x4xi32>, tensor<3x3x4x8xi32>) -> tensor<2x16x8x8xi32>
  %b = stablehlo.convolution(%x, %h) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x16x8x4xi32>, tensor<3x3x2x4xi32>) -> tensor<2x8x4x4xi32>
  %c = stablehlo.convolution(%x, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [1, 1]], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x16x8x4xi32>, tensor<3x3x1x4xi32>) -> tensor<2x16x8x4xi32>
  %d = stablehlo.convolution(%x, %n) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x16x8x4xi32>, tensor<3x3x4x4xi32>) -> tensor<1x16x8x4xi32>
  %e = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 2], [1, 1]], lhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x8x4xi32>, tensor<3x3x4x8xi32>) -> tensor<2x32x8x8xi32>
  return %a, %b, %c, %d, %e : tensor<2x16x8x8xi32>, tensor<2x8x4x4xi32>, tensor<2x16x8x4xi32>, tensor<1x16x8x4xi32>, tensor<2x32x8x8xi32>
}

// -----

// The gradient of a kernel: contracted over the batch, which stands as features.
func.func private @inputs() -> tensor<4x16x8x2xi32> {
  %i = stablehlo.iota dim = 0 : tensor<1024xi32>
  %c = stablehlo.constant dense<37> : tensor<1024xi32>
  %d = stablehlo.constant dense<101> : tensor<1024xi32>
  %v = stablehlo.multiply %i, %c : tensor<1024xi32>
  %w = stablehlo.remainder %v, %d : tensor<1024xi32>
  %x = stablehlo.reshape %w : (tensor<1024xi32>) -> tensor<4x16x8x2xi32>
  return %x : tensor<4x16x8x2xi32>
}

func.func public @main() -> (tensor<3x3x2x4xi32>) {
  %x = call @inputs() : () -> tensor<4x16x8x2xi32>
  %i = stablehlo.iota dim = 0 : tensor<2048xi32>
  %m = stablehlo.constant dense<5> : tensor<2048xi32>
  %j = stablehlo.remainder %i, %m : tensor<2048xi32>
  %k = stablehlo.reshape %j : (tensor<2048xi32>) -> tensor<4x16x8x4xi32>
  %a = stablehlo.convolution(%x, %k) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x16x8x2xi32>, tensor<4x16x8x4xi32>) -> tensor<3x3x2x4xi32>
  return %a : tensor<3x3x2x4xi32>
}

// -----

// A maximum's pooling and its gradient.
func.func private @inputs() -> tensor<16x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.constant dense<0.7> : tensor<128xf32>
  %v = stablehlo.multiply %i, %c : tensor<128xf32>
  %w = stablehlo.sine %v : tensor<128xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:125] : (tensor<128xf32>) -> tensor<122xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<122xf32>, tensor<3xf32>) -> tensor<128xf32>
  %x = stablehlo.reshape %j : (tensor<128xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}

func.func public @main() -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %x = call @inputs() : () -> tensor<16x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %t = stablehlo.iota dim = 0 : tensor<16x8xf32>
  %a = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %b = "stablehlo.select_and_scatter"(%x, %t, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %v = stablehlo.iota dim = 0 : tensor<14x8xf32>
  %d = "stablehlo.select_and_scatter"(%x, %v, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<14x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %e = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 2, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  return %a, %b, %d, %e : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// Tables looked up and changed by indexes, some of them outside.
func.func private @inputs() -> tensor<16x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.constant dense<0.7> : tensor<128xf32>
  %v = stablehlo.multiply %i, %c : tensor<128xf32>
  %w = stablehlo.sine %v : tensor<128xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:125] : (tensor<128xf32>) -> tensor<122xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<122xf32>, tensor<3xf32>) -> tensor<128xf32>
  %x = stablehlo.reshape %j : (tensor<128xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}

func.func public @main() -> (tensor<6x8xf32>, tensor<16x8xf32>, tensor<4x2xf32>, tensor<3x8xf32>, tensor<16x8xf32>) {
  %x = call @inputs() : () -> tensor<16x8xf32>
  %i = stablehlo.constant dense<[[3], [15], [-2], [0], [40], [8]]> : tensor<6x1xi32>
  %a = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
  %b = "stablehlo.scatter"(%x, %i, %a) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<16x8xf32>
  %j = stablehlo.constant dense<[[[3, 7], [15, -1]], [[2, 2], [9, 0]], [[4, 4], [12, 5]], [[0, 0], [7, 99]]]> : tensor<4x2x2xi64>
  %c = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<16x8xf32>, tensor<4x2x2xi64>) -> tensor<4x2xf32>
  %k = stablehlo.constant dense<11> : tensor<i64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %d = stablehlo.dynamic_slice %x, %k, %z, sizes = [3, 8] : (tensor<16x8xf32>, tensor<i64>, tensor<i64>) -> tensor<3x8xf32>
  %e = stablehlo.dynamic_update_slice %x, %d, %z, %z : (tensor<16x8xf32>, tensor<3x8xf32>, tensor<i64>, tensor<i64>) -> tensor<16x8xf32>
  return %a, %b, %c, %d, %e : tensor<6x8xf32>, tensor<16x8xf32>, tensor<4x2xf32>, tensor<3x8xf32>, tensor<16x8xf32>
}
