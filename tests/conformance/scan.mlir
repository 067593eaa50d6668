// scan: sums so far along the second dimension, forwards, and the last one.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [10, 20, 30]]> : tensor<2x3xi32>
  %init = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %y:2 = chlo.scan(%x) inits(%init) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %s = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %y#0, dense<[[101, 103, 106], [210, 230, 260]]> : tensor<2x3xi32>
  check.expect_eq_const %y#1, dense<[106, 260]> : tensor<2xi32>
  return
}

// -----

// scan in reverse, without outputs that depend on the carry: squares, and the sum of them.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %y:2 = chlo.scan(%x) inits(%init) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %q = chlo.square %a : tensor<f32> -> tensor<f32>
    %s = stablehlo.add %q, %b : tensor<f32>
    stablehlo.return %b, %s : tensor<f32>, tensor<f32>
  } : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  check.expect_eq_const %y#0, dense<[13.0, 9.0, 0.0]> : tensor<3xf32>
  check.expect_eq_const %y#1, dense<14.0> : tensor<f32>
  return
}

// -----

// Nothing to scan: no outputs, and what is carried stays.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<2x0xi32>
  %init = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %y:2 = chlo.scan(%x) inits(%init) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %s = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x0xi32>, tensor<2xi32>) -> (tensor<2x0xi32>, tensor<2xi32>)
  check.expect_eq %y#0, %x : tensor<2x0xi32>, tensor<2x0xi32>
  check.expect_eq_const %y#1, dense<[100, 200]> : tensor<2xi32>
  return
}
