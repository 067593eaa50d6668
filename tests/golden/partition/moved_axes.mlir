// devices: 4
// What must be whole gives its axes to a dimension that passes through, and gets them back: no row is gathered.
module @jit_moved_axes {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = "stablehlo.sort"(%a) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %1 = stablehlo.cholesky %b, lower = true : tensor<8x4x4xf32>
    return %0, %1 : tensor<16x64xf32>, tensor<8x4x4xf32>
  }
}
