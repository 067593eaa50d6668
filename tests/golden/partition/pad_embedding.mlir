// devices: 4
module @jit_f {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%t: tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) -> (tensor<5x6xf32>, tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<9x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
    %1 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<9x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<9x6xf32>
    return %0, %1 : tensor<5x6xf32>, tensor<9x6xf32>
  }
}
