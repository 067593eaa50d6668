// passes: simplify
// What jax.checkpoint computes again behind a barrier is computed again; the barrier
// itself goes, and what only it took.
module @jit_f {
  func.func public @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    %2 = stablehlo.negate %w : tensor<8x8xf32>
    %3:3 = stablehlo.optimization_barrier %x, %w, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
    %4 = stablehlo.dot_general %3#0, %3#1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<8x8xf32>
    return %1, %5 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
module @jit_f {
  func.func public @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<8x8xf32>
    return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
