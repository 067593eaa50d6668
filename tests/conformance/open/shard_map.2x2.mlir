// jax.shard_map with a symbolic batch size, as jax.export writes it with Shardy: the size is handed into the manual
// computation, where each of four chips has a quarter of the rows and takes their number from them.
module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<?x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<?x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.divide %0, %c : tensor<i32>
    %2 = call @_wrapped_jax_export_main(%1, %arg0) : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %2 : tensor<?x8xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "b"}, %arg1: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<i32>, %arg3: tensor<?x8xf32>) {
      %5 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
      %6 = stablehlo.reshape %arg2 : (tensor<i32>) -> tensor<1xi32>
      %c_0 = stablehlo.constant dense<8> : tensor<1xi32>
      %7 = stablehlo.concatenate %6, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %8 = stablehlo.dynamic_broadcast_in_dim %5, %7, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
      %9 = stablehlo.subtract %arg3, %8 : tensor<?x8xf32>
      sdy.return %9 : tensor<?x8xf32>
    } : (tensor<i32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %1 = stablehlo.convert %0 : (tensor<?x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.convert %arg1 : (tensor<?x8xf32>) -> tensor<8x8xf32>
    %c = stablehlo.constant dense<2.0> : tensor<8x8xf32>
    %3 = stablehlo.subtract %2, %c : tensor<8x8xf32>
    stablehlo.custom_call @check.expect_eq(%1, %3) {has_side_effect = true} : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
    return %0 : tensor<?x8xf32>
  }
}
