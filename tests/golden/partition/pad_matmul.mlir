// devices: 4
// Contracted dimensions have their padding masked; others go on with it.
module @jit_f {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<9x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<6xf32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<7x5xf32>, tensor<5x6xf32>) -> tensor<7x6xf32>
    %1 = stablehlo.dot_general %c, %0, contracting_dims = [1] x [0] : (tensor<9x7xf32>, tensor<7x6xf32>) -> tensor<9x6xf32>
    %2 = stablehlo.tanh %1 : tensor<9x6xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.maximum across dimensions = [0] : (tensor<9x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %2, %4 : tensor<9x6xf32>, tensor<6xf32>
  }
}
