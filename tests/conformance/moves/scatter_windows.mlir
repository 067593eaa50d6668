// Gradients of pooling with padding: windows of infinities and of NaN at the ends, which must
// not select what is not there.
func.func private @inputs() -> (tensor<32x24xf32>, tensor<16x24xf32>, tensor<32x12xf32>, tensor<34x24xf32>, tensor<8x24xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<816xf32>
  %c = stablehlo.constant dense<0.7> : tensor<816xf32>
  %v = stablehlo.multiply %i, %c : tensor<816xf32>
  %w = stablehlo.sine %v : tensor<816xf32>
  %y = stablehlo.reshape %w : (tensor<816xf32>) -> tensor<34x24xf32>
  %lo = stablehlo.constant dense<0xFF800000> : tensor<2x24xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<2x24xf32>
  %m = stablehlo.slice %y [2:30, 0:24] : (tensor<34x24xf32>) -> tensor<28x24xf32>
  %x = stablehlo.concatenate %lo, %m, %nan, dim = 0 : (tensor<2x24xf32>, tensor<28x24xf32>, tensor<2x24xf32>) -> tensor<32x24xf32>
  %s = stablehlo.slice %y [3:19, 0:24] : (tensor<34x24xf32>) -> tensor<16x24xf32>
  %t = stablehlo.slice %y [1:33, 5:17] : (tensor<34x24xf32>) -> tensor<32x12xf32>
  %u = stablehlo.slice %y [9:17, 0:24] : (tensor<34x24xf32>) -> tensor<8x24xf32>
  return %x, %s, %t, %y, %u : tensor<32x24xf32>, tensor<16x24xf32>, tensor<32x12xf32>, tensor<34x24xf32>, tensor<8x24xf32>
}

func.func public @main() -> (tensor<32x24xf32>, tensor<32x24xf32>, tensor<32x24xf32>, tensor<32x24xf32>, tensor<32x24xf32>) {
  %x, %s, %t, %y, %u = call @inputs() : () -> (tensor<32x24xf32>, tensor<16x24xf32>, tensor<32x12xf32>, tensor<34x24xf32>, tensor<8x24xf32>)
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %g0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_g0: tensor<f32>, %b_g0: tensor<f32>):
    %c_g0 = stablehlo.compare GE, %a_g0, %b_g0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c_g0 : tensor<i1>
  }, {
  ^bb0(%d_g0: tensor<f32>, %e_g0: tensor<f32>):
    %f_g0 = stablehlo.add %d_g0, %e_g0 : tensor<f32>
    stablehlo.return %f_g0 : tensor<f32>
  }) : (tensor<32x24xf32>, tensor<16x24xf32>, tensor<f32>) -> tensor<32x24xf32>
  %g1 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_g1: tensor<f32>, %b_g1: tensor<f32>):
    %c_g1 = stablehlo.compare GE, %a_g1, %b_g1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c_g1 : tensor<i1>
  }, {
  ^bb0(%d_g1: tensor<f32>, %e_g1: tensor<f32>):
    %f_g1 = stablehlo.add %d_g1, %e_g1 : tensor<f32>
    stablehlo.return %f_g1 : tensor<f32>
  }) : (tensor<32x24xf32>, tensor<16x24xf32>, tensor<f32>) -> tensor<32x24xf32>
  %g2 = "stablehlo.select_and_scatter"(%x, %t, %z) <{window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_g2: tensor<f32>, %b_g2: tensor<f32>):
    %c_g2 = stablehlo.compare GE, %a_g2, %b_g2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c_g2 : tensor<i1>
  }, {
  ^bb0(%d_g2: tensor<f32>, %e_g2: tensor<f32>):
    %f_g2 = stablehlo.add %d_g2, %e_g2 : tensor<f32>
    stablehlo.return %f_g2 : tensor<f32>
  }) : (tensor<32x24xf32>, tensor<32x12xf32>, tensor<f32>) -> tensor<32x24xf32>
  %g3 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_g3: tensor<f32>, %b_g3: tensor<f32>):
    %c_g3 = stablehlo.compare LE, %a_g3, %b_g3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c_g3 : tensor<i1>
  }, {
  ^bb0(%d_g3: tensor<f32>, %e_g3: tensor<f32>):
    %f_g3 = stablehlo.add %d_g3, %e_g3 : tensor<f32>
    stablehlo.return %f_g3 : tensor<f32>
  }) : (tensor<32x24xf32>, tensor<34x24xf32>, tensor<f32>) -> tensor<32x24xf32>
  %g4 = "stablehlo.select_and_scatter"(%x, %u, %z) <{window_dimensions = array<i64: 4, 3>, window_strides = array<i64: 4, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a_g4: tensor<f32>, %b_g4: tensor<f32>):
    %c_g4 = stablehlo.compare GE, %a_g4, %b_g4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c_g4 : tensor<i1>
  }, {
  ^bb0(%d_g4: tensor<f32>, %e_g4: tensor<f32>):
    %f_g4 = stablehlo.add %d_g4, %e_g4 : tensor<f32>
    stablehlo.return %f_g4 : tensor<f32>
  }) : (tensor<32x24xf32>, tensor<8x24xf32>, tensor<f32>) -> tensor<32x24xf32>
  return %g0, %g1, %g2, %g3, %g4 : tensor<32x24xf32>, tensor<32x24xf32>, tensor<32x24xf32>, tensor<32x24xf32>, tensor<32x24xf32>
}
