// passes: inline partition=1 simplify place verify
// What computes on an array of the host has it brought to the chip, once for each
// operation; a loop that starts on the host stays there.
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"}, %b: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"}) {
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %c2 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.multiply %a, %a : tensor<8x128xf32>
    %1:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<8x128xf32>
     cond {
      %2 = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %x, %b : tensor<8x128xf32>
      %3 = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<8x128xf32>
    }
    return %0, %1#1 : tensor<8x128xf32>, tensor<8x128xf32>
  }
}
// -----
module @jit_f {
  func.func public @main(%a: tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"}, %b: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32> {mhlo.memory_kind = "pinned_host"}) {
    %0 = "podium.to_device"(%a) : (tensor<8x128xf32>) -> tensor<8x128xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<8x128xf32>
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.constant dense<1> : tensor<i32>
    %5:2 = stablehlo.while(%arg0 = %2, %arg1 = %a) : tensor<i32>, tensor<8x128xf32>
    cond {
      %6 = stablehlo.compare LT, %arg0, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = "podium.to_device"(%arg1) : (tensor<8x128xf32>) -> tensor<8x128xf32>
      %7 = stablehlo.add %6, %b : tensor<8x128xf32>
      %8 = stablehlo.add %arg0, %4 : tensor<i32>
      %9 = "podium.to_host"(%7) : (tensor<8x128xf32>) -> tensor<8x128xf32>
      stablehlo.return %8, %9 : tensor<i32>, tensor<8x128xf32>
    }
    return %1, %5#1 : tensor<8x128xf32>, tensor<8x128xf32>
  }
}
