// devices: 4
// What is scattered and added is divided as it comes: each chip adds its updates to zeros, or, on the first chip along the axis, to
// the array. The sum is reduced where less moves than to gather the updates, and not at all where it shall be unreduced.
module @jit_scatter_add {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%i: tensor<64x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, tensor<512x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %0 = "stablehlo.scatter"(%z, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<64x1xi32>, tensor<64x8xf32>) -> tensor<4x8xf32>
    %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<64x1xi32>, tensor<64x8xf32>) -> tensor<4x8xf32>
    %large = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<512x8xf32>
    %2 = "stablehlo.scatter"(%large, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<512x8xf32>, tensor<64x1xi32>, tensor<64x8xf32>) -> tensor<512x8xf32>
    return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<512x8xf32>
  }
}
