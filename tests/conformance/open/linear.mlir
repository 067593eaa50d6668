// Written by make_linear.py: JAX's linear algebra as exported for TPUs with a batch of any size.
module @jit_of_open_sizes attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<?x8xf32>) {
    %r:2 = func.call @tested(%a) : (tensor<?x8xf32>) -> (tensor<f32>, tensor<f32>)
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    check.expect_almost_eq %r#0, %zero : tensor<f32>, tensor<f32>
    check.expect_almost_eq %r#1, %zero : tensor<f32>, tensor<f32>
    return
  }
  func.func private @tested(%arg0: tensor<?x8xf32>) -> (tensor<f32>, tensor<f32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %1) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 8). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
    %3:2 = call @_wrapped_jax_export_main(%1, %arg0) : (tensor<i64>, tensor<?x8xf32>) -> (tensor<f32>, tensor<f32>)
    return %3#0, %3#1 : tensor<f32>, tensor<f32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x8xf32>) -> (tensor<f32>, tensor<f32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<8> : tensor<1xi32>
    %0 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %arg1, %2, dims = [0, 1] : (tensor<?x8xf32>, tensor<3xi32>) -> tensor<?x8x1xf32>
    %4 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %5 = stablehlo.reshape %4 : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.concatenate %5, %c_1, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %7 = stablehlo.dynamic_broadcast_in_dim %arg1, %6, dims = [0, 2] : (tensor<?x8xf32>, tensor<3xi32>) -> tensor<?x1x8xf32>
    %8 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %9 = stablehlo.reshape %8 : (tensor<i32>) -> tensor<1xi32>
    %10 = stablehlo.concatenate %9, %c_2, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %11 = stablehlo.dynamic_broadcast_in_dim %3, %10, dims = [0, 1, 2] : (tensor<?x8x1xf32>, tensor<3xi32>) -> tensor<?x8x8xf32>
    %12 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %13 = stablehlo.reshape %12 : (tensor<i32>) -> tensor<1xi32>
    %14 = stablehlo.concatenate %13, %c_2, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %15 = stablehlo.dynamic_broadcast_in_dim %7, %14, dims = [0, 1, 2] : (tensor<?x1x8xf32>, tensor<3xi32>) -> tensor<?x8x8xf32>
    %16 = stablehlo.multiply %11, %15 : tensor<?x8x8xf32>
    %17 = stablehlo.iota dim = 0 : tensor<8x8xi64>
    %18 = stablehlo.iota dim = 1 : tensor<8x8xi64>
    %19 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<8x8xi64>
    %20 = stablehlo.add %17, %19 : tensor<8x8xi64>
    %21 = stablehlo.compare EQ, %20, %18, SIGNED : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %22 = stablehlo.convert %21 : (tensor<8x8xi1>) -> tensor<8x8xf32>
    %23 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<8x8xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %26 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %27 = stablehlo.reshape %26 : (tensor<i32>) -> tensor<1xi32>
    %28 = stablehlo.concatenate %27, %c_2, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %29 = stablehlo.dynamic_broadcast_in_dim %25, %28, dims = [0, 1, 2] : (tensor<1x8x8xf32>, tensor<3xi32>) -> tensor<?x8x8xf32>
    %30 = stablehlo.add %16, %29 : tensor<?x8x8xf32>
    %31:2 = call @qr(%arg0, %30) : (tensor<i64>, tensor<?x8x8xf32>) -> (tensor<?x8x8xf32>, tensor<?x8x8xf32>)
    %32 = stablehlo.iota dim = 0 : tensor<16xi32>
    %33 = stablehlo.reshape %32 : (tensor<16xi32>) -> tensor<8x2xi32>
    %34 = stablehlo.dot_general %arg1, %33, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<?x8xf32>, tensor<8x2xi32>) -> tensor<?x2xf32>
    %35 = stablehlo.dot_general %31#0, %31#1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
    %36 = stablehlo.subtract %35, %30 : tensor<?x8x8xf32>
    %37 = stablehlo.abs %36 : tensor<?x8x8xf32>
    %38 = stablehlo.reduce(%37 init: %cst) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<?x8x8xf32>, tensor<f32>) -> tensor<f32>
    %39 = stablehlo.convert %33 : (tensor<8x2xi32>) -> tensor<8x2xf32>
    %40 = stablehlo.dot_general %arg1, %39, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
    %41 = stablehlo.subtract %34, %40 : tensor<?x2xf32>
    %42 = stablehlo.abs %41 : tensor<?x2xf32>
    %43 = stablehlo.reduce(%42 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x2xf32>, tensor<f32>) -> tensor<f32>
    return %38, %43 : tensor<f32>, tensor<f32>
  }
  func.func private @qr(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x8x8xf32>) -> (tensor<?x8x8xf32>, tensor<?x8x8xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %c_0 = stablehlo.constant dense<8> : tensor<1xi32>
    %0 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c_0, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.concatenate %4, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %6:2 = stablehlo.custom_call @Qr(%arg1, %2, %5) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>} : (tensor<?x8x8xf32>, tensor<3xi32>, tensor<2xi32>) -> (tensor<?x8x8xf32>, tensor<?x8xf32>)
    %7 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %8 = stablehlo.reshape %7 : (tensor<i32>) -> tensor<1xi32>
    %9 = stablehlo.concatenate %8, %c_0, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %10 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%6#0, %6#1, %9) {indices_of_shape_operands = dense<2> : tensor<1xi64>} : (tensor<?x8x8xf32>, tensor<?x8xf32>, tensor<3xi32>) -> tensor<?x8x8xf32>
    %11 = stablehlo.iota dim = 0 : tensor<8x8xi64>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<8x8xi64>
    %13 = stablehlo.add %11, %12 : tensor<8x8xi64>
    %14 = stablehlo.iota dim = 1 : tensor<8x8xi64>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %16 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %17 = stablehlo.reshape %16 : (tensor<i32>) -> tensor<1xi32>
    %18 = stablehlo.concatenate %17, %c_0, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %19 = stablehlo.dynamic_broadcast_in_dim %15, %18, dims = [1, 2] : (tensor<8x8xi1>, tensor<3xi32>) -> tensor<?x8x8xi1>
    %20 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %21 = stablehlo.reshape %20 : (tensor<i32>) -> tensor<1xi32>
    %22 = stablehlo.concatenate %21, %c_0, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %23 = stablehlo.dynamic_broadcast_in_dim %cst, %22, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x8x8xf32>
    %24 = stablehlo.select %19, %23, %6#0 : tensor<?x8x8xi1>, tensor<?x8x8xf32>
    return %10, %24 : tensor<?x8x8xf32>, tensor<?x8x8xf32>
  }
}
