#loc1 = loc("train.py":12:7 to :20)
func.func @f(%arg0: tensor<4xf32> loc("x"), %arg1: tensor<i32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[[1.0, -2.5e-3], [0x7F800000, 3.0]]> : tensor<2x2xf32>
  %cst = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xf32>
  cond {
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.slice %iterArg_0 [0:4:2] : (tensor<4xf32>) -> tensor<2xf32>
    %2 = func.call @g(%1) : (tensor<2xf32>) -> tensor<4xf32> loc("jit(f)/g"(#loc1))
    stablehlo.return %iterArg, %2 : tensor<i32>, tensor<4xf32>
  }
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%0#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%0#1 init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %5 = stablehlo.power %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  return %0#1 : tensor<4xf32>
}
func.func private @g(tensor<2xf32>) -> tensor<4xf32>
