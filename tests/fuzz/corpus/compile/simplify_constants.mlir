// passes: simplify
func.func public @main(%arg0: tensor<8xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<i1>, tensor<bf16>, tensor<ui8>, tensor<i32>, tensor<2x4xf32>) {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %c_0 = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.add %c, %c_0 : tensor<i32>
  %1 = stablehlo.multiply %0, %c_0 : tensor<i32>
  %2 = stablehlo.dynamic_slice %arg0, %1, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
  %3 = stablehlo.remainder %1, %c : tensor<i32>
  %4 = stablehlo.compare LT, %c, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %cst = stablehlo.constant dense<1.001> : tensor<f32>
  %5 = stablehlo.convert %cst : (tensor<f32>) -> tensor<bf16>
  %c_1 = stablehlo.constant dense<200> : tensor<ui8>
  %6 = stablehlo.add %c_1, %c_1 : tensor<ui8>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %7 = stablehlo.divide %c, %c_2 : tensor<i32>
  %cst_3 = stablehlo.constant dense<2.0> : tensor<4x2xf32>
  %8 = stablehlo.transpose %cst_3, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %9 = stablehlo.add %cst, %cst : tensor<f32>
  return %2, %3, %4, %5, %6, %7, %8 : tensor<2xf32>, tensor<i32>, tensor<i1>, tensor<bf16>, tensor<ui8>, tensor<i32>, tensor<2x4xf32>
}
