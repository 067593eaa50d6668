// devices: 6
// Over 3x2 devices where the program has 2x3. %a is taken whole: it is gathered over its own axes. It goes out as it came in. What all
// chips have alike each cuts for itself, over the axes of the result's mesh, and partial products are scattered over those, as all
// chips have one. The last result is gathered over its own axes from what every chip has already.
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  sdy.mesh @other = <["p"=3, "q"=2]>
  func.func @main(%b: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %c: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %a: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@other, [{"p", "q"}, {}]>}) -> (tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@other, [{"p", "q"}, {}]>}, tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@other, [{"p"}, {"q"}]>}, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@other, [{"p", "q"}, {}]>}, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@other, [{"p"}, {}]>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : tensor<12x4xf32>
    %1 = stablehlo.negate %0 : tensor<12x4xf32>
    %2 = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0] : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.add %b, %b : tensor<12x12xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"x", "y"}, {}]> : tensor<12x12xf32>
    return %1, %a, %1, %2, %4 : tensor<12x4xf32>, tensor<12x4xf32>, tensor<12x4xf32>, tensor<12x12xf32>, tensor<12x12xf32>
  }
}
