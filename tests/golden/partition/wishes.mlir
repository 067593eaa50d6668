// devices: 8
// The sum is wanted by @main alone, otherwise than it would lie by its operands: these are brought to where the result lies, and the
// sum, which would have to move after them, does not.
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
    %cst = stablehlo.constant dense<2.0> : tensor<16x32xf32>
    %0 = stablehlo.multiply %arg0, %cst : tensor<16x32xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %2 = stablehlo.add %0, %1 : tensor<16x32xf32>
    return %2 : tensor<16x32xf32>
  }
}
