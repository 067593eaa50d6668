// Calls that nothing here computes: @contract is cut along i and reduced over y, @rows keeps its rows
// whole, nothing spreads through @still.
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(
      %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %b: tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<16x16xf32>, tensor<8x32xf32>) {
    %0 = stablehlo.custom_call @contract(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k}, custom>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.custom_call @rows(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=8, j=2, k=16} need_replication={k}, custom>} : (tensor<8x32xf32>) -> tensor<16x16xf32>
    %2 = stablehlo.custom_call @still(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=32} blocked_propagation={i}, custom>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    return %0, %1, %2 : tensor<8x32xf32>, tensor<16x16xf32>, tensor<8x32xf32>
  }
}
