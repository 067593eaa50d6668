module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2048x8192xbf16> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8192x2048xbf16> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8192x2048xbf16>, %arg3: tensor<8192x2048xbf16>) -> (tensor<2048x8192xbf16> {jax.result_info = "result[0]['in']"}, tensor<8192x2048xbf16> {jax.result_info = "result[0]['out']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8192x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<8192x8192xbf16>
    %1 = call @relu(%0) : (tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8192x8192xbf16>
    %3 = stablehlo.compare GT, %0, %2, FLOAT : (tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) -> tensor<8192x8192xi1>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8192x8192xbf16>, tensor<8192x2048xbf16>) -> tensor<8192x2048xbf16>
    %5 = stablehlo.subtract %4, %arg3 : tensor<8192x2048xbf16>
    %6 = stablehlo.convert %5 : (tensor<8192x2048xbf16>) -> tensor<8192x2048xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8192x2048xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8192x2048xf32>
    %9 = stablehlo.multiply %8, %6 : tensor<8192x2048xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8192x2048xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<0x4B800000> : tensor<f32>
    %11 = stablehlo.divide %10, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<0x4B800000> : tensor<f32>
    %12 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<8192x2048xf32>
    %14 = stablehlo.multiply %13, %9 : tensor<8192x2048xf32>
    %15 = stablehlo.convert %14 : (tensor<8192x2048xf32>) -> tensor<8192x2048xbf16>
    %16 = stablehlo.dot_general %15, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8192x2048xbf16>, tensor<8192x8192xbf16>) -> tensor<2048x8192xbf16>
    %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<2048x8192xbf16>) -> tensor<8192x2048xbf16>
    %18 = stablehlo.dot_general %15, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8192x2048xbf16>, tensor<8192x2048xbf16>) -> tensor<8192x8192xbf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<8192x8192xbf16>
    %20 = stablehlo.select %3, %18, %19 : tensor<8192x8192xi1>, tensor<8192x8192xbf16>
    %21 = stablehlo.dot_general %20, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8192x8192xbf16>, tensor<8192x2048xbf16>) -> tensor<8192x2048xbf16>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<8192x2048xbf16>) -> tensor<2048x8192xbf16>
    %cst_6 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<2048x8192xbf16>
    %24 = stablehlo.multiply %23, %22 : tensor<2048x8192xbf16>
    %25 = stablehlo.subtract %arg0, %24 : tensor<2048x8192xbf16>
    %cst_7 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %26 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<8192x2048xbf16>
    %27 = stablehlo.multiply %26, %17 : tensor<8192x2048xbf16>
    %28 = stablehlo.subtract %arg1, %27 : tensor<8192x2048xbf16>
    return %25, %28, %11 : tensor<2048x8192xbf16>, tensor<8192x2048xbf16>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8192x8192xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8192x8192xbf16>
    return %1 : tensor<8192x8192xbf16>
  }
}
