// The same with GSPMD's annotations: custom calls about sharding carry the shapes of their results, and sizes divide by
// Python's rule.
module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x8xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) -> (tensor<?x8xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
    %1 = call @_wrapped_jax_export_main(%0, %arg0) : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %1 : tensor<?x8xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "b"}, %arg1: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %c = stablehlo.constant dense<8> : tensor<1xi32>
    %0 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = call @floor_divide(%arg0, %c_0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
    %4 = stablehlo.concatenate %3, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %5 = stablehlo.custom_call @Sharding(%arg1, %1) {backend_config = "", indices_of_shape_operands = dense<1> : tensor<1xi64>, mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %6 = stablehlo.custom_call @SPMDFullToShardShape(%5, %4) {backend_config = "", indices_of_shape_operands = dense<1> : tensor<1xi64>, mhlo.sharding = "{manual}"} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %7 = call @shmap_body(%2, %6) : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %8 = stablehlo.custom_call @Sharding(%7, %4) {backend_config = "", indices_of_shape_operands = dense<1> : tensor<1xi64>, mhlo.sharding = "{manual}"} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %9 = stablehlo.custom_call @SPMDShardToFullShape(%8, %1) {backend_config = "", indices_of_shape_operands = dense<1> : tensor<1xi64>, mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %10 = stablehlo.convert %9 : (tensor<?x8xf32>) -> tensor<8x8xf32>
    %11 = stablehlo.convert %arg1 : (tensor<?x8xf32>) -> tensor<8x8xf32>
    %cst = stablehlo.constant dense<2.0> : tensor<8x8xf32>
    %12 = stablehlo.subtract %11, %cst : tensor<8x8xf32>
    stablehlo.custom_call @check.expect_eq(%10, %12) {has_side_effect = true} : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
    return %9 : tensor<?x8xf32>
  }
  func.func private @shmap_body(%arg0: tensor<i32>, %arg1: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %c = stablehlo.constant dense<8> : tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %0, %2, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    %4 = stablehlo.subtract %arg1, %3 : tensor<?x8xf32>
    return %4 : tensor<?x8xf32>
  }
  func.func private @floor_divide(%arg0: tensor<i32> {jax.global_constant = ""}, %arg1: tensor<i32> {jax.global_constant = ""}) -> tensor<i32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<i32>
    %1 = stablehlo.sign %arg0 : tensor<i32>
    %2 = stablehlo.sign %arg1 : tensor<i32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare NE, %4, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %3, %5 : tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.subtract %0, %c_0 : tensor<i32>
    %8 = stablehlo.select %6, %7, %0 : tensor<i1>, tensor<i32>
    return %8 : tensor<i32>
  }
}
