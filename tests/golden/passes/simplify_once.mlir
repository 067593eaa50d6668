// passes: simplify
// A scan over one layer is that layer; a loop that turns twice, or an unknown number of times, stays one.
func.func public @main(%arg0: tensor<1x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  %0:3 = stablehlo.while(%i = %zero, %x = %arg1, %ys = %start) : tensor<i32>, tensor<4xf32>, tensor<1x4xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %arg0, %i, %zero, sizes = [1, 4] : (tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %x, %2 : tensor<4xf32>
    %4 = stablehlo.reshape %3 : (tensor<4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.dynamic_update_slice %ys, %4, %i, %zero : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %3, %5 : tensor<i32>, tensor<4xf32>, tensor<1x4xf32>
  }
  %7:2 = stablehlo.while(%i = %zero, %x = %0#1) : tensor<i32>, tensor<4xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.tanh %x : tensor<4xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<4xf32>
  }
  %8:2 = stablehlo.while(%i = %zero, %x = %7#1) : tensor<i32>, tensor<4xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.tanh %x : tensor<4xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<4xf32>
  }
  return %8#1, %0#2 : tensor<4xf32>, tensor<1x4xf32>
}
// -----
module {
  func.func public @main(%arg0: tensor<1x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.reshape %arg0 : (tensor<1x4xf32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<1x4xf32>
    %3:2 = stablehlo.while(%i = %zero, %x = %1) : tensor<i32>, tensor<4xf32>
    cond {
      %4 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.tanh %x : tensor<4xf32>
      %5 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<4xf32>
    }
    %4:2 = stablehlo.while(%i = %zero, %x = %3#1) : tensor<i32>, tensor<4xf32>
    cond {
      %5 = stablehlo.compare LT, %i, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = stablehlo.tanh %x : tensor<4xf32>
      %6 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %6, %5 : tensor<i32>, tensor<4xf32>
    }
    return %4#1, %2 : tensor<4xf32>, tensor<1x4xf32>
  }
}
