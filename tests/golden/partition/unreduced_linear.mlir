// devices: 4
// Linear operations between a partial product and a result that is unreduced work on the summands; what is multiplied with is whole,
// what is added and whole is made a sum. A loop adds up summands and reduces nothing.
module @jit_unreduced_linear {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %2 = stablehlo.multiply %1, %w : tensor<4x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %6 = stablehlo.add %5, %w : tensor<4x4xf32>
    %7 = stablehlo.multiply %1, %3 : tensor<4x4xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<4x4xf32>
    %9:2 = stablehlo.while(%i = %c, %s = %z) : tensor<i32>, tensor<4x4xf32>
      cond {
      %10 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10 = stablehlo.add %i, %one : tensor<i32>
      %11 = stablehlo.add %s, %1 : tensor<4x4xf32>
      %12 = sdy.sharding_constraint %11 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
      stablehlo.return %10, %12 : tensor<i32>, tensor<4x4xf32>
    }
    return %6, %8, %9#1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}
