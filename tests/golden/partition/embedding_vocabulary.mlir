// devices: 4
// A table that is sharded along the vocabulary is looked up where it lies: each chip gives
// the rows it has, and they are reduced; of the gradient each takes what falls to it.
module @jit_embedding {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%table: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %tokens: tensor<6xi32>, %gradient: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %index = stablehlo.reshape %tokens : (tensor<6xi32>) -> tensor<6x1xi32>
    %0 = "stablehlo.gather"(%table, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<64x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
    %1 = "stablehlo.scatter"(%table, %index, %gradient) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<64x8xf32>
    return %0, %1 : tensor<6x8xf32>, tensor<64x8xf32>
  }
}
