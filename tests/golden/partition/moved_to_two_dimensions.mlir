// devices: 32
// A factorisation needs its matrices whole. Both of their dimensions are sharded, and what
// they have goes to two others: that of the rows behind what the first dimension has, that
// of the columns to the second.
module @m {
  sdy.mesh @mesh = <["x"=4, "y"=2, "z"=4]>
  func.func public @main(%a: tensor<16x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)2, "y"}, {"z"}]>}) -> (tensor<16x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)2, "y"}, {"z"}]>}) {
    %l = stablehlo.cholesky %a, lower = true : tensor<16x8x8x8xf32>
    return %l : tensor<16x8x8x8xf32>
  }
}
