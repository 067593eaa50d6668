// Sizes that no axes divide: slices, differences, padding, what is joined and turned.
func.func private @inputs() -> tensor<37x6xf32> {
  %i = stablehlo.iota dim = 0 : tensor<222xf32>
  %c = stablehlo.constant dense<0.7> : tensor<222xf32>
  %v = stablehlo.multiply %i, %c : tensor<222xf32>
  %w = stablehlo.sine %v : tensor<222xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:222] : (tensor<222xf32>) -> tensor<219xf32>
  %j = stablehlo.concatenate %b, %m, dim = 0 : (tensor<3xf32>, tensor<219xf32>) -> tensor<222xf32>
  %x = stablehlo.reshape %j : (tensor<222xf32>) -> tensor<37x6xf32>
  return %x : tensor<37x6xf32>
}

func.func public @main() -> (tensor<36x6xf32>, tensor<41x6xf32>, tensor<37x6xf32>, tensor<39x6xf32>, tensor<30x4xf32>, tensor<73x6xf32>, tensor<2x6xf32>, tensor<12x6xf32>, tensor<18x6xf32>, tensor<9x3xf32>) {
  %x = call @inputs() : () -> tensor<37x6xf32>
  %a = stablehlo.slice %x [1:37, 0:6] : (tensor<37x6xf32>) -> tensor<36x6xf32>
  %b = stablehlo.slice %x [0:36, 0:6] : (tensor<37x6xf32>) -> tensor<36x6xf32>
  %d = stablehlo.subtract %a, %b : tensor<36x6xf32>
  %z = stablehlo.constant dense<2.5> : tensor<f32>
  %p = stablehlo.pad %x, %z, low = [3, 0], high = [1, 0], interior = [0, 0] : (tensor<37x6xf32>, tensor<f32>) -> tensor<41x6xf32>
  %r = stablehlo.reverse %x, dims = [0] : tensor<37x6xf32>
  %s = stablehlo.slice %x [35:37, 0:6] : (tensor<37x6xf32>) -> tensor<2x6xf32>
  %j = stablehlo.concatenate %s, %r, dim = 0 : (tensor<2x6xf32>, tensor<37x6xf32>) -> tensor<39x6xf32>
  %o = stablehlo.slice %x [4:34, 1:5] : (tensor<37x6xf32>) -> tensor<30x4xf32>
  %i = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<37x6xf32>, tensor<f32>) -> tensor<73x6xf32>
  %t = stablehlo.slice %x [2:37:3, 0:6] : (tensor<37x6xf32>) -> tensor<12x6xf32>
  %e = stablehlo.slice %x [1:36:2, 0:6] : (tensor<37x6xf32>) -> tensor<18x6xf32>
  %f = stablehlo.slice %x [3:37:4, 0:6:2] : (tensor<37x6xf32>) -> tensor<9x3xf32>
  return %d, %p, %r, %j, %o, %i, %s, %t, %e, %f : tensor<36x6xf32>, tensor<41x6xf32>, tensor<37x6xf32>, tensor<39x6xf32>, tensor<30x4xf32>, tensor<73x6xf32>, tensor<2x6xf32>, tensor<12x6xf32>, tensor<18x6xf32>, tensor<9x3xf32>
}

// -----

// Rolls, wrapped edges, several arrays joined, negative padding.
func.func private @inputs() -> tensor<19x11xf32> {
  %i = stablehlo.iota dim = 0 : tensor<209xf32>
  %c = stablehlo.constant dense<0.7> : tensor<209xf32>
  %v = stablehlo.multiply %i, %c : tensor<209xf32>
  %w = stablehlo.sine %v : tensor<209xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:209] : (tensor<209xf32>) -> tensor<206xf32>
  %j = stablehlo.concatenate %b, %m, dim = 0 : (tensor<3xf32>, tensor<206xf32>) -> tensor<209xf32>
  %x = stablehlo.reshape %j : (tensor<209xf32>) -> tensor<19x11xf32>
  return %x : tensor<19x11xf32>
}

func.func public @main() -> (tensor<19x11xf32>, tensor<25x11xf32>, tensor<49x11xf32>, tensor<14x11xf32>, tensor<19x11xf32>) {
  %x = call @inputs() : () -> tensor<19x11xf32>
  %a = stablehlo.slice %x [13:19, 0:11] : (tensor<19x11xf32>) -> tensor<6x11xf32>
  %b = stablehlo.slice %x [0:13, 0:11] : (tensor<19x11xf32>) -> tensor<13x11xf32>
  %roll = stablehlo.concatenate %a, %b, dim = 0 : (tensor<6x11xf32>, tensor<13x11xf32>) -> tensor<19x11xf32>
  %c = stablehlo.slice %x [16:19, 0:11] : (tensor<19x11xf32>) -> tensor<3x11xf32>
  %d = stablehlo.slice %x [0:3, 0:11] : (tensor<19x11xf32>) -> tensor<3x11xf32>
  %wrap = stablehlo.concatenate %c, %x, %d, dim = 0 : (tensor<3x11xf32>, tensor<19x11xf32>, tensor<3x11xf32>) -> tensor<25x11xf32>
  %y = stablehlo.negate %x : tensor<19x11xf32>
  %e = stablehlo.slice %y [4:15, 0:11] : (tensor<19x11xf32>) -> tensor<11x11xf32>
  %many = stablehlo.concatenate %x, %e, %y, dim = 0 : (tensor<19x11xf32>, tensor<11x11xf32>, tensor<19x11xf32>) -> tensor<49x11xf32>
  %z = stablehlo.constant dense<-1.0> : tensor<f32>
  %cut = stablehlo.pad %x, %z, low = [-2, 0], high = [-3, 0], interior = [0, 0] : (tensor<19x11xf32>, tensor<f32>) -> tensor<14x11xf32>
  %f = stablehlo.slice %x [0:19, 7:11] : (tensor<19x11xf32>) -> tensor<19x4xf32>
  %g = stablehlo.slice %x [0:19, 0:7] : (tensor<19x11xf32>) -> tensor<19x7xf32>
  %side = stablehlo.concatenate %f, %g, dim = 1 : (tensor<19x4xf32>, tensor<19x7xf32>) -> tensor<19x11xf32>
  return %roll, %wrap, %many, %cut, %side : tensor<19x11xf32>, tensor<25x11xf32>, tensor<49x11xf32>, tensor<14x11xf32>, tensor<19x11xf32>
}

// -----

// Windows, and cumulative maxima from both ends.
func.func private @inputs() -> tensor<29x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<87xf32>
  %c = stablehlo.constant dense<0.7> : tensor<87xf32>
  %v = stablehlo.multiply %i, %c : tensor<87xf32>
  %w = stablehlo.sine %v : tensor<87xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:87] : (tensor<87xf32>) -> tensor<84xf32>
  %j = stablehlo.concatenate %b, %m, dim = 0 : (tensor<3xf32>, tensor<84xf32>) -> tensor<87xf32>
  %x = stablehlo.reshape %j : (tensor<87xf32>) -> tensor<29x3xf32>
  return %x : tensor<29x3xf32>
}

func.func public @main() -> (tensor<29x3xf32>, tensor<15x3xf32>, tensor<9x3xf32>, tensor<29x3xf32>, tensor<29x3xf32>, tensor<57x3xf32>) {
  %x = call @inputs() : () -> tensor<29x3xf32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %q = stablehlo.constant dense<-2.0> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_a: tensor<f32>, %b_a: tensor<f32>):
    %s_a = stablehlo.maximum %a_a, %b_a : tensor<f32>
    stablehlo.return %s_a : tensor<f32>
  }) : (tensor<29x3xf32>, tensor<f32>) -> tensor<29x3xf32>
  %b = "stablehlo.reduce_window"(%x, %q) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_b: tensor<f32>, %b_b: tensor<f32>):
    %s_b = stablehlo.maximum %a_b, %b_b : tensor<f32>
    stablehlo.return %s_b : tensor<f32>
  }) : (tensor<29x3xf32>, tensor<f32>) -> tensor<15x3xf32>
  %c = "stablehlo.reduce_window"(%x, %q) <{window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 3, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_c: tensor<f32>, %b_c: tensor<f32>):
    %s_c = stablehlo.minimum %a_c, %b_c : tensor<f32>
    stablehlo.return %s_c : tensor<f32>
  }) : (tensor<29x3xf32>, tensor<f32>) -> tensor<9x3xf32>
  %d = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 29, 1>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[28, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_d: tensor<f32>, %b_d: tensor<f32>):
    %s_d = stablehlo.maximum %a_d, %b_d : tensor<f32>
    stablehlo.return %s_d : tensor<f32>
  }) : (tensor<29x3xf32>, tensor<f32>) -> tensor<29x3xf32>
  %e = "stablehlo.reduce_window"(%x, %q) <{window_dimensions = array<i64: 29, 1>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 28], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_e: tensor<f32>, %b_e: tensor<f32>):
    %s_e = stablehlo.maximum %a_e, %b_e : tensor<f32>
    stablehlo.return %s_e : tensor<f32>
  }) : (tensor<29x3xf32>, tensor<f32>) -> tensor<29x3xf32>
  %f = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_f: tensor<f32>, %b_f: tensor<f32>):
    %s_f = stablehlo.maximum %a_f, %b_f : tensor<f32>
    stablehlo.return %s_f : tensor<f32>
  }) : (tensor<29x3xf32>, tensor<f32>) -> tensor<57x3xf32>
  return %a, %b, %c, %d, %e, %f : tensor<29x3xf32>, tensor<15x3xf32>, tensor<9x3xf32>, tensor<29x3xf32>, tensor<29x3xf32>, tensor<57x3xf32>
}

// -----

// Cumulative sums and a convolution, whose sums have an order.
func.func private @inputs() -> tensor<2x23x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<138xf32>
  %c = stablehlo.constant dense<0.7> : tensor<138xf32>
  %v = stablehlo.multiply %i, %c : tensor<138xf32>
  %w = stablehlo.sine %v : tensor<138xf32>
  %x = stablehlo.reshape %w : (tensor<138xf32>) -> tensor<2x23x3xf32>
  return %x : tensor<2x23x3xf32>
}

func.func public @main() -> (tensor<2x23x3xf32>, tensor<2x23x3xf32>, tensor<2x23x5xf32>, tensor<2x12x5xf32>) {
  %x = call @inputs() : () -> tensor<2x23x3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 23, 1>, window_strides = array<i64: 1, 1, 1>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [22, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a_a: tensor<f32>, %b_a: tensor<f32>):
    %s_a = stablehlo.add %a_a, %b_a : tensor<f32>
    stablehlo.return %s_a : tensor<f32>
  }) : (tensor<2x23x3xf32>, tensor<f32>) -> tensor<2x23x3xf32>
  %b = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 23, 1>, window_strides = array<i64: 1, 1, 1>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 22], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a_b: tensor<f32>, %b_b: tensor<f32>):
    %s_b = stablehlo.add %a_b, %b_b : tensor<f32>
    stablehlo.return %s_b : tensor<f32>
  }) : (tensor<2x23x3xf32>, tensor<f32>) -> tensor<2x23x3xf32>
  %i = stablehlo.iota dim = 0 : tensor<45xf32>
  %k = stablehlo.reshape %i : (tensor<45xf32>) -> tensor<3x3x5xf32>
  %c = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x23x3xf32>, tensor<3x3x5xf32>) -> tensor<2x23x5xf32>
  %d = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x23x3xf32>, tensor<3x3x5xf32>) -> tensor<2x12x5xf32>
  return %a, %b, %c, %d : tensor<2x23x3xf32>, tensor<2x23x3xf32>, tensor<2x23x5xf32>, tensor<2x12x5xf32>
}

// -----

// Indices within, at and behind the end.
func.func private @inputs() -> tensor<13x7xf32> {
  %i = stablehlo.iota dim = 0 : tensor<91xf32>
  %c = stablehlo.constant dense<0.7> : tensor<91xf32>
  %v = stablehlo.multiply %i, %c : tensor<91xf32>
  %w = stablehlo.sine %v : tensor<91xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:91] : (tensor<91xf32>) -> tensor<88xf32>
  %j = stablehlo.concatenate %b, %m, dim = 0 : (tensor<3xf32>, tensor<88xf32>) -> tensor<91xf32>
  %x = stablehlo.reshape %j : (tensor<91xf32>) -> tensor<13x7xf32>
  return %x : tensor<13x7xf32>
}

func.func public @main() -> (tensor<5x7xf32>, tensor<5x3xf32>, tensor<13x7xf32>, tensor<4xf32>, tensor<3x7xf32>) {
  %x = call @inputs() : () -> tensor<13x7xf32>
  %n = stablehlo.constant dense<11> : tensor<i32>
  %m = stablehlo.constant dense<-3> : tensor<i32>
  %o = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.dynamic_slice %x, %n, %o, sizes = [5, 7] : (tensor<13x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x7xf32>
  %b = stablehlo.dynamic_slice %x, %m, %n, sizes = [5, 3] : (tensor<13x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
  %u = stablehlo.constant dense<9.0> : tensor<4x2xf32>
  %c = stablehlo.dynamic_update_slice %x, %u, %n, %n : (tensor<13x7xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<13x7xf32>
  %i = stablehlo.constant dense<[[12, 6], [13, 7], [-1, 3], [40, -2]]> : tensor<4x2xi32>
  %d = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<13x7xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  %j = stablehlo.constant dense<[[12], [14], [5]]> : tensor<3x1xi32>
  %e = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<13x7xf32>, tensor<3x1xi32>) -> tensor<3x7xf32>
  return %a, %b, %c, %d, %e : tensor<5x7xf32>, tensor<5x3xf32>, tensor<13x7xf32>, tensor<4xf32>, tensor<3x7xf32>
}
