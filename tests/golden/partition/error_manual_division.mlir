// devices: 4
module @jit_map {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<10x6xf32>) -> tensor<12x6xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<3x6xf32>) {
      sdy.return %a : tensor<3x6xf32>
    } : (tensor<10x6xf32>) -> tensor<12x6xf32>
    return %0 : tensor<12x6xf32>
  }
}
