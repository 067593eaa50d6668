// devices: 4, reasons
module @jit_step {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %v: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %e: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<64xf32>, tensor<32x32xf32>, tensor<64x128xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32> loc("model.py":41:7)
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<64x32xf32> loc("model.py":52:3)
    %2 = stablehlo.exponential %1 : tensor<64x32xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32> loc("model.py":60:3)
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %5:2 = stablehlo.while(%i = %zero, %a = %e) : tensor<i32>, tensor<32x32xf32>
     cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %6 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %i, %one : tensor<i32>
      %8 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc("model.py":71:9)
      stablehlo.return %7, %8 : tensor<i32>, tensor<32x32xf32>
    } loc("model.py":70:5)
    %9 = sdy.sharding_constraint %x <@mesh, [{"y"}, {"x"}]> : tensor<64x128xf32> loc("model.py":80:3)
    return %2, %3, %5#1, %9 : tensor<64x32xf32>, tensor<64xf32>, tensor<32x32xf32>, tensor<64x128xf32>
  }
}
