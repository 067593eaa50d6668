// devices: 4
module @jit_f {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<6x8xf32> {
    return %a : tensor<6x8xf32>
  }
}
