// passes: lower
// The body swaps two values and shifts two others: the swap needs a place aside, the
// shift the right order.
module @jit_swap {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i1>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %0:4 = stablehlo.while(%a = %arg0, %b = %arg1, %s = %arg0, %t = %arg1) : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
     cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %1 = stablehlo.tanh %t : tensor<16xf32>
      stablehlo.return %b, %a, %t, %1 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    return %0#0, %0#1, %0#2, %0#3 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
