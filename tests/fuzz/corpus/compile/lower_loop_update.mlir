// passes: lower
// The loop's array lies in the result from the start and is updated in place; the counter
// too. Only the initial values are copied.
module @jit_fill {
  func.func public @main(%arg0: tensor<1024x256xf32>, %arg1: tensor<1x256xf32>) -> tensor<1024x256xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<1024> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<1024x256xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %x, %i, %c, sizes = [1, 256] : (tensor<1024x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
      %2 = stablehlo.add %1, %arg1 : tensor<1x256xf32>
      %3 = stablehlo.dynamic_update_slice %x, %2, %i, %c : (tensor<1024x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x256xf32>
      %4 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<1024x256xf32>
    }
    return %0#1 : tensor<1024x256xf32>
  }
}
