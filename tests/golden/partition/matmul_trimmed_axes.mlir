// devices: 8
// %a: x and half of y are wanted for the columns of B; what of K they leave is kept, with a reduction over it. %c: I and J
// change places in the result, and the small operands do, not the result.
module @jit_trimmed_axes {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y":(2)2}]>}, %c: tensor<128x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %d: tensor<4x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y":(2)2}]>}, tensor<128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<128x4xf32>, tensor<4x256xf32>) -> tensor<128x256xf32>
    return %0, %1 : tensor<8x16xf32>, tensor<128x256xf32>
  }
}
