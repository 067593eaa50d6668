// devices: 16
// Each chip gets a row or padding; over 16, the constant would be more padding than elements.
module @jit_f {
  sdy.mesh @mesh = <["x"=16]>
  func.func public @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %1 = stablehlo.add %a, %0 : tensor<2x2xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }
}
