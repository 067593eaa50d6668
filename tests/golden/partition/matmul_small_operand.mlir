// devices: 4
// A small A gives up its shards of I for some of K: B stays where it is, and partial results are scattered.
module @jit_small_operand {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8192x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8192xf32>, tensor<8192x4096xf32>) -> tensor<8x4096xf32>
    return %0 : tensor<8x4096xf32>
  }
}
