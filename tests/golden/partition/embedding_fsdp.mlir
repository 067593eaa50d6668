// devices: 4
// An embedding, then a product whose weights are sharded over what it sums: the indices,
// which only gain a dimension of one on their way, say that the batch stays sharded, and
// the weights are gathered. XLA does the same, to which such a broadcast is a reshape.
module @jit_f {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%tokens: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %index: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<8x16x128xf32> {
    %start = stablehlo.broadcast_in_dim %index, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %x = "stablehlo.gather"(%tokens, %start) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<8x16x1xi32>) -> tensor<8x16x32xf32>
    %h = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<8x16x32xf32>, tensor<32x128xf32>) -> tensor<8x16x128xf32>
    return %h : tensor<8x16x128xf32>
  }
}
