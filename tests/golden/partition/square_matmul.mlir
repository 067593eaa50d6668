// devices: 4
module @jit_f {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<2048x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8192xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.multiply %a, %a : tensor<8x2048xbf16>
    %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<8x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<8x8192xbf16>
    return %1 : tensor<8x8192xbf16>
  }
}
