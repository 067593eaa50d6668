// passes: simplify
// %w is carried unchanged through both loops, %dead contributes to nothing but itself.
func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> tensor<4xf32> {
  %0:4 = stablehlo.while(%i = %arg2, %x = %arg0, %w = %arg1, %dead = %arg0) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
   cond {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:3 = stablehlo.while(%i_0 = %i, %x_1 = %x, %w_2 = %w) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
     cond {
      %c = stablehlo.constant dense<10> : tensor<i32>
      %4 = stablehlo.compare LT, %i_0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %i_0, %c : tensor<i32>
      %5 = stablehlo.multiply %x_1, %w_2 : tensor<4xf32>
      stablehlo.return %4, %5, %w_2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
    %2 = stablehlo.tanh %dead : tensor<4xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %i, %c_3 : tensor<i32>
    stablehlo.return %3, %1#1, %1#2, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
