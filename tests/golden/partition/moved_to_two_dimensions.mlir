// devices: 32
// A factorisation needs its matrices whole. Both of their dimensions are sharded, and what
// they have goes to two others: that of the rows behind what the first dimension has, that
// of the columns to the second. And of two results one wants an axis where the operand
// cannot keep it: it goes there from the sorted dimension rather than be gathered.
module @m {
  sdy.mesh @mesh = <["x"=4, "y"=2, "z"=4]>
  func.func public @main(%a: tensor<16x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)2, "y"}, {"z"}]>}, %b: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)2, "y"}, {"z"}]>}, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %l = stablehlo.cholesky %a, lower = true : tensor<16x8x8x8xf32>
    %t:2 = "stablehlo.sort"(%b, %b) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
      %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<16x64xf32>, tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>)
    return %l, %t#0, %t#1 : tensor<16x8x8x8xf32>, tensor<16x64xf32>, tensor<16x64xf32>
  }
}
