// passes: simplify
func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
  %1 = stablehlo.reshape %0 : (tensor<32xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.transpose %1, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.convert %2 : tensor<4x8xf32>
  %4 = stablehlo.slice %3 [0:4, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.optimization_barrier %5 : tensor<4x8xf32>
  %7 = stablehlo.concatenate %6, dim = 0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %8 = stablehlo.pad %7, %cst, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.reverse %8, dims = [] : tensor<4x8xf32>
  %10 = stablehlo.dynamic_slice %9, %arg2, %arg2, sizes = [4, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %11 = stablehlo.negate %10 : tensor<4x8xf32>
  %12 = stablehlo.dynamic_update_slice %10, %11, %arg2, %arg2 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %c = stablehlo.constant dense<false> : tensor<i1>
  %13 = stablehlo.select %c, %12, %10 : tensor<i1>, tensor<4x8xf32>
  %14 = stablehlo.select %arg1, %12, %12 : tensor<i1>, tensor<4x8xf32>
  // Not the same: adding zero, transposing for real.
  %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %16 = stablehlo.add %10, %15 : tensor<4x8xf32>
  return %13, %14, %16 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
