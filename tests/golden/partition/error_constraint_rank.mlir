// devices: 4
module @jit_f {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
