// Dimensions of fewer elements than there are shards, of one, of none.
func.func public @main() -> (tensor<3x5xf32>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<3x5xf32>, tensor<0x5xf32>, tensor<3x5xf32>, tensor<1x5xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<3x5xf32>, tensor<5xi32>, tensor<2x5xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<5x2xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<15xf32>
  %c = stablehlo.constant dense<0.7> : tensor<15xf32>
  %v = stablehlo.multiply %i, %c : tensor<15xf32>
  %w = stablehlo.sine %v : tensor<15xf32>
  %x = stablehlo.reshape %w : (tensor<15xf32>) -> tensor<3x5xf32>
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %a = stablehlo.slice %x [1:3, 0:5] : (tensor<3x5xf32>) -> tensor<2x5xf32>
  %p = stablehlo.pad %x, %z, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5x5xf32>
  %r = stablehlo.reverse %x, dims = [0, 1] : tensor<3x5xf32>
  %n = stablehlo.slice %x [1:1, 0:5] : (tensor<3x5xf32>) -> tensor<0x5xf32>
  %m = stablehlo.concatenate %n, %x, dim = 0 : (tensor<0x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %o = stablehlo.slice %x [2:3, 0:5] : (tensor<3x5xf32>) -> tensor<1x5xf32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
  %j = stablehlo.concatenate %x, %o, dim = 0 : (tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %u = stablehlo.dynamic_update_slice %x, %o, %two, %one : (tensor<3x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
  %ni = stablehlo.constant dense<0> : tensor<i32>
  %lo = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k = stablehlo.iota dim = 0 : tensor<3x5xi32>
  %q:2 = stablehlo.reduce(%x init: %lo), (%k init: %ni) across dimensions = [0] : (tensor<3x5xf32>, tensor<3x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
   reducer(%d: tensor<f32>, %e: tensor<f32>) (%f: tensor<i32>, %g: tensor<i32>)  {
    %0 = stablehlo.compare GT, %d, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %d, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %f, %g, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %0, %5 : tensor<i1>
    %7 = stablehlo.select %0, %d, %e : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %f, %g : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  %y = stablehlo.dynamic_slice %x, %two, %one, sizes = [2, 5] : (tensor<3x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x5xf32>
  %b = stablehlo.slice %x [1:3, 0:5] : (tensor<3x5xf32>) -> tensor<2x5xf32>
  %h = stablehlo.slice %x [0:1, 0:5] : (tensor<3x5xf32>) -> tensor<1x5xf32>
  %roll = stablehlo.concatenate %b, %h, dim = 0 : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<3x5xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %best, %place = chlo.top_k(%t, k = 2) : tensor<5x3xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
  return %x, %a, %p, %r, %n, %m, %o, %s, %j, %u, %q#1, %y, %roll, %t, %best : tensor<3x5xf32>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<3x5xf32>, tensor<0x5xf32>, tensor<3x5xf32>, tensor<1x5xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<3x5xf32>, tensor<5xi32>, tensor<2x5xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<5x2xf32>
}

// -----

// Types without an order, and of less than a byte.
func.func public @main() -> (tensor<12x3xcomplex<f32>>, tensor<15x3xcomplex<f32>>, tensor<13x3xcomplex<f32>>, tensor<13x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<20xi4>, tensor<21xi4>, tensor<23xi4>, tensor<4xi4>, tensor<3xi4>, tensor<17xi1>, tensor<14xi1>, tensor<13x3xcomplex<f32>>) {
  %i = stablehlo.iota dim = 0 : tensor<13x3xf32>
  %j = stablehlo.iota dim = 1 : tensor<13x3xf32>
  %x = stablehlo.complex %i, %j : tensor<13x3xcomplex<f32>>
  %z = stablehlo.constant dense<(1.0, -2.0)> : tensor<complex<f32>>
  %a = stablehlo.slice %x [1:13, 0:3] : (tensor<13x3xcomplex<f32>>) -> tensor<12x3xcomplex<f32>>
  %p = stablehlo.pad %x, %z, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<13x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<15x3xcomplex<f32>>
  %r = stablehlo.reverse %x, dims = [0] : tensor<13x3xcomplex<f32>>
  %b = stablehlo.slice %x [9:13, 0:3] : (tensor<13x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
  %c = stablehlo.slice %x [0:9, 0:3] : (tensor<13x3xcomplex<f32>>) -> tensor<9x3xcomplex<f32>>
  %roll = stablehlo.concatenate %b, %c, dim = 0 : (tensor<4x3xcomplex<f32>>, tensor<9x3xcomplex<f32>>) -> tensor<13x3xcomplex<f32>>
  %few = stablehlo.slice %x [5:8, 0:3] : (tensor<13x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %sum = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 13, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[12, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%l: tensor<complex<f32>>, %m: tensor<complex<f32>>):
    %s = stablehlo.add %l, %m : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<13x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<13x3xcomplex<f32>>
  %n = stablehlo.iota dim = 0 : tensor<21xi8>
  %four = stablehlo.convert %n : (tensor<21xi8>) -> tensor<21xi4>
  %q = stablehlo.constant dense<-3> : tensor<i4>
  %d = stablehlo.slice %four [1:21] : (tensor<21xi4>) -> tensor<20xi4>
  %e = stablehlo.reverse %four, dims = [0] : tensor<21xi4>
  %f = stablehlo.pad %four, %q, low = [1], high = [1], interior = [0] : (tensor<21xi4>, tensor<i4>) -> tensor<23xi4>
  %g = stablehlo.slice %four [11:15] : (tensor<21xi4>) -> tensor<4xi4>
  %best, %place = chlo.top_k(%four, k = 3) : tensor<21xi4> -> (tensor<3xi4>, tensor<3xi32>)
  %k = stablehlo.iota dim = 0 : tensor<17xi32>
  %lim = stablehlo.constant dense<9> : tensor<17xi32>
  %o = stablehlo.compare LT, %k, %lim : (tensor<17xi32>, tensor<17xi32>) -> tensor<17xi1>
  %t = stablehlo.reverse %o, dims = [0] : tensor<17xi1>
  %u = stablehlo.slice %t [2:16] : (tensor<17xi1>) -> tensor<14xi1>
  return %a, %p, %r, %roll, %few, %d, %e, %f, %g, %best, %t, %u, %sum : tensor<12x3xcomplex<f32>>, tensor<15x3xcomplex<f32>>, tensor<13x3xcomplex<f32>>, tensor<13x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<20xi4>, tensor<21xi4>, tensor<23xi4>, tensor<4xi4>, tensor<3xi4>, tensor<17xi1>, tensor<14xi1>, tensor<13x3xcomplex<f32>>
}
