// devices: 4
// Edges of shards that the axes do not divide go to the neighbours; nothing is gathered.
module @jit_moves {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<37x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<36x6xf32>, tensor<41x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<37x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<43x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<18x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %z = stablehlo.constant dense<2.5> : tensor<f32>
    %a = stablehlo.slice %x [1:37, 0:6] : (tensor<37x6xf32>) -> tensor<36x6xf32>
    %b = stablehlo.slice %x [0:36, 0:6] : (tensor<37x6xf32>) -> tensor<36x6xf32>
    %d = stablehlo.subtract %a, %b : tensor<36x6xf32>
    %p = stablehlo.pad %x, %z, low = [3, 0], high = [1, 0], interior = [0, 0] : (tensor<37x6xf32>, tensor<f32>) -> tensor<41x6xf32>
    %r = stablehlo.reverse %x, dims = [0] : tensor<37x6xf32>
    %c = stablehlo.slice %x [34:37, 0:6] : (tensor<37x6xf32>) -> tensor<3x6xf32>
    %e = stablehlo.slice %x [0:3, 0:6] : (tensor<37x6xf32>) -> tensor<3x6xf32>
    %w = stablehlo.concatenate %c, %x, %e, dim = 0 : (tensor<3x6xf32>, tensor<37x6xf32>, tensor<3x6xf32>) -> tensor<43x6xf32>
    %t = stablehlo.slice %x [1:36:2, 0:6] : (tensor<37x6xf32>) -> tensor<18x6xf32>
    return %d, %p, %r, %w, %t : tensor<36x6xf32>, tensor<41x6xf32>, tensor<37x6xf32>, tensor<43x6xf32>, tensor<18x6xf32>
  }
}
