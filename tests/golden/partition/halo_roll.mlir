// devices: 4
// jnp.roll is two slices that are joined the other way round: each shard gets what the
// next ones have, and the slices themselves, which no axes divide, are never made: not
// those of one row, nor of three, nor where another array has padding, or the roll's own.
module @jit_roll {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<10x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<10x8xf32>) {
    %0 = stablehlo.slice %a [15:16, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %1 = stablehlo.slice %a [0:15, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.slice %a [13:16, 0:8] : (tensor<16x8xf32>) -> tensor<3x8xf32>
    %4 = stablehlo.slice %a [0:13, 0:8] : (tensor<16x8xf32>) -> tensor<13x8xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<3x8xf32>, tensor<13x8xf32>) -> tensor<16x8xf32>
    %6 = sdy.sharding_constraint %b <@mesh, [{"x"}, {}]> : tensor<10x8xf32>
    %7 = stablehlo.slice %6 [8:10, 0:8] : (tensor<10x8xf32>) -> tensor<2x8xf32>
    %8 = stablehlo.slice %6 [0:8, 0:8] : (tensor<10x8xf32>) -> tensor<8x8xf32>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<10x8xf32>
    return %2, %5, %9 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<10x8xf32>
  }
}
