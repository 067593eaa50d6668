// devices: 2
// Two uses of the gathered value share one gather, and it is not repeated in the loop.
module @jit_once {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %c = %b) : tensor<i32>, tensor<8x8xf32>
     cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>
      %3 = stablehlo.add %c, %2 : tensor<8x8xf32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<8x8xf32>
    }
    %4 = stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>
    return %0#1, %4 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
