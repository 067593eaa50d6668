// What shards come to, and then all of it: the place of the largest, and the largest few.
// Ties, NaN, and more than one dimension.
func.func private @inputs() -> (tensor<24x16xf32>, tensor<6x40xi32>, tensor<37xbf16>) {
  %i = stablehlo.iota dim = 0 : tensor<384xf32>
  %c = stablehlo.constant dense<0.7> : tensor<384xf32>
  %v = stablehlo.multiply %i, %c : tensor<384xf32>
  %w = stablehlo.sine %v : tensor<384xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>
  %e = stablehlo.constant dense<[-0.0, 0x7F800000, 0xFFC00000]> : tensor<3xf32>
  %m = stablehlo.slice %w [3:381] : (tensor<384xf32>) -> tensor<378xf32>
  %j = stablehlo.concatenate %b, %m, %e, dim = 0 : (tensor<3xf32>, tensor<378xf32>, tensor<3xf32>) -> tensor<384xf32>
  %x = stablehlo.reshape %j : (tensor<384xf32>) -> tensor<24x16xf32>
  %n = stablehlo.iota dim = 0 : tensor<240xi32>
  %k = stablehlo.constant dense<37> : tensor<240xi32>
  %l = stablehlo.constant dense<11> : tensor<240xi32>
  %o = stablehlo.multiply %n, %k : tensor<240xi32>
  %p = stablehlo.remainder %o, %l : tensor<240xi32>
  %q = stablehlo.reshape %p : (tensor<240xi32>) -> tensor<6x40xi32>
  %r = stablehlo.slice %w [40:77] : (tensor<384xf32>) -> tensor<37xf32>
  %s = stablehlo.convert %r : (tensor<37xf32>) -> tensor<37xbf16>
  return %x, %q, %s : tensor<24x16xf32>, tensor<6x40xi32>, tensor<37xbf16>
}

func.func public @main() -> (tensor<24xf32>, tensor<24xi32>, tensor<16xf32>, tensor<16xi32>, tensor<bf16>, tensor<i32>, tensor<6x5xi32>, tensor<6x5xi32>, tensor<24x2xf32>, tensor<24x2xi32>, tensor<3xbf16>, tensor<3xi32>, tensor<f32>, tensor<i32>) {
  %x, %q, %s = call @inputs() : () -> (tensor<24x16xf32>, tensor<6x40xi32>, tensor<37xbf16>)
  %lo = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %hi = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %lob = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<24x16xi32>
  %a:2 = stablehlo.reduce(%x init: %lo), (%i init: %z) across dimensions = [1] : (tensor<24x16xf32>, tensor<24x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<24xf32>, tensor<24xi32>)
   reducer(%u: tensor<f32>, %v: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>)  {
    %0 = stablehlo.compare GT, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.compare NE, %u, %u, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.or %0, %1 : tensor<i1>
    %3 = stablehlo.compare EQ, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %u, %v : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %m, %n : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  %j = stablehlo.iota dim = 0 : tensor<24x16xi32>
  %b:2 = stablehlo.reduce(%x init: %hi), (%j init: %z) across dimensions = [0] : (tensor<24x16xf32>, tensor<24x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>)
   reducer(%u: tensor<f32>, %v: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>)  {
    %0 = stablehlo.compare LT, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %0, %5 : tensor<i1>
    %7 = stablehlo.select %0, %u, %v : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %m, %n : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  %k = stablehlo.iota dim = 0 : tensor<37xi32>
  %c:2 = stablehlo.reduce(%s init: %lob), (%k init: %z) across dimensions = [0] : (tensor<37xbf16>, tensor<37xi32>, tensor<bf16>, tensor<i32>) -> (tensor<bf16>, tensor<i32>)
   reducer(%u: tensor<bf16>, %v: tensor<bf16>) (%m: tensor<i32>, %n: tensor<i32>)  {
    %0 = stablehlo.compare GT, %u, %v, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %u, %v, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %4 = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %0, %5 : tensor<i1>
    %7 = stablehlo.select %0, %u, %v : tensor<i1>, tensor<bf16>
    %8 = stablehlo.select %6, %m, %n : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<bf16>, tensor<i32>
  }
  %fi = stablehlo.reshape %x : (tensor<24x16xf32>) -> tensor<384xf32>
  %fj = stablehlo.iota dim = 0 : tensor<384xi32>
  %fk = stablehlo.reshape %fj : (tensor<384xi32>) -> tensor<24x16xi32>
  %h:2 = stablehlo.reduce(%x init: %hi), (%fk init: %z) across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<24x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%u: tensor<f32>, %v: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>)  {
    %0 = stablehlo.compare LT, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %0, %5 : tensor<i1>
    %7 = stablehlo.select %0, %u, %v : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %m, %n : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  %d, %dd = chlo.top_k(%q, k = 5) : tensor<6x40xi32> -> (tensor<6x5xi32>, tensor<6x5xi32>)
  %e, %ee = chlo.top_k(%x, k = 2) : tensor<24x16xf32> -> (tensor<24x2xf32>, tensor<24x2xi32>)
  %f, %ff = chlo.top_k(%s, k = 3) : tensor<37xbf16> -> (tensor<3xbf16>, tensor<3xi32>)
  return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1, %d, %dd, %e, %ee, %f, %ff, %h#0, %h#1 : tensor<24xf32>, tensor<24xi32>, tensor<16xf32>, tensor<16xi32>, tensor<bf16>, tensor<i32>, tensor<6x5xi32>, tensor<6x5xi32>, tensor<24x2xf32>, tensor<24x2xi32>, tensor<3xbf16>, tensor<3xi32>, tensor<f32>, tensor<i32>
}

// -----

// The first few of what is sorted, as approximate top-k takes them; with ties, in order.
func.func private @inputs() -> (tensor<48x8xf32>, tensor<48x8xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<384xf32>
  %c = stablehlo.constant dense<0.7> : tensor<384xf32>
  %v = stablehlo.multiply %i, %c : tensor<384xf32>
  %w = stablehlo.sine %v : tensor<384xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0, 0.0, -0.0, 0x7F800000]> : tensor<6xf32>
  %m = stablehlo.slice %w [6:384] : (tensor<384xf32>) -> tensor<378xf32>
  %j = stablehlo.concatenate %m, %b, dim = 0 : (tensor<378xf32>, tensor<6xf32>) -> tensor<384xf32>
  %x = stablehlo.reshape %j : (tensor<384xf32>) -> tensor<48x8xf32>
  %n = stablehlo.iota dim = 0 : tensor<48x8xi32>
  return %x, %n : tensor<48x8xf32>, tensor<48x8xi32>
}

func.func public @main() -> (tensor<3x8xf32>, tensor<2x8xi32>, tensor<5x8xi32>, tensor<5x8xi32>, tensor<48x1xf32>, tensor<48x8xf32>) {
  %x, %n = call @inputs() : () -> (tensor<48x8xf32>, tensor<48x8xi32>)
  %s:2 = "stablehlo.sort"(%x, %n) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %g = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<48x8xf32>, tensor<48x8xi32>) -> (tensor<48x8xf32>, tensor<48x8xi32>)
  %0 = stablehlo.slice %s#0 [0:3, 0:8] : (tensor<48x8xf32>) -> tensor<3x8xf32>
  %1 = stablehlo.slice %s#1 [0:2, 0:8] : (tensor<48x8xi32>) -> tensor<2x8xi32>
  %q = stablehlo.constant dense<3> : tensor<48x8xi32>
  %r = stablehlo.remainder %n, %q : tensor<48x8xi32>
  %t:2 = "stablehlo.sort"(%r, %n) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<48x8xi32>, tensor<48x8xi32>) -> (tensor<48x8xi32>, tensor<48x8xi32>)
  %2 = stablehlo.slice %t#0 [0:5, 0:8] : (tensor<48x8xi32>) -> tensor<5x8xi32>
  %3 = stablehlo.slice %t#1 [0:5, 0:8] : (tensor<48x8xi32>) -> tensor<5x8xi32>
  %u = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<48x8xf32>) -> tensor<48x8xf32>
  %4 = stablehlo.slice %u [0:48, 0:1] : (tensor<48x8xf32>) -> tensor<48x1xf32>
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<48x8xf32>) -> tensor<48x8xf32>
  %z = stablehlo.slice %y [0:3, 0:8] : (tensor<48x8xf32>) -> tensor<3x8xf32>
  %k = stablehlo.constant dense<0.5> : tensor<f32>
  %p = stablehlo.pad %z, %k, low = [0, 0], high = [45, 0], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<48x8xf32>
  %e = stablehlo.add %y, %p : tensor<48x8xf32>
  return %0, %1, %2, %3, %4, %e : tensor<3x8xf32>, tensor<2x8xi32>, tensor<5x8xi32>, tensor<5x8xi32>, tensor<48x1xf32>, tensor<48x8xf32>
}
