// devices: 4
// The largest three of a sharded dimension, exactly and by a sort of which three are
// taken, and the place of the largest: candidates are gathered, not the array.
module @jit_few {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2xi32>) {
    %k, %p = chlo.top_k(%x, k = 3) : tensor<2x64xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %s = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }) : (tensor<2x64xf32>) -> tensor<2x64xf32>
    %t = stablehlo.slice %s [0:2, 0:3] : (tensor<2x64xf32>) -> tensor<2x3xf32>
    %lo = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %i = stablehlo.iota dim = 1 : tensor<2x64xi32>
    %m:2 = stablehlo.reduce(%x init: %lo), (%i init: %z) across dimensions = [1] : (tensor<2x64xf32>, tensor<2x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%u: tensor<f32>, %v: tensor<f32>) (%g: tensor<i32>, %h: tensor<i32>)  {
      %0 = stablehlo.compare GT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.compare EQ, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare LT, %g, %h : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.and %1, %2 : tensor<i1>
      %4 = stablehlo.or %0, %3 : tensor<i1>
      %5 = stablehlo.select %0, %u, %v : tensor<i1>, tensor<f32>
      %6 = stablehlo.select %4, %g, %h : tensor<i1>, tensor<i32>
      stablehlo.return %5, %6 : tensor<f32>, tensor<i32>
    }
    return %k, %p, %t, %m#1 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2xi32>
  }
}
