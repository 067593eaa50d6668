// passes: tasks=v5e:1x1
func.func @main(%w: tensor<4096x4096xf32>, %m: tensor<4096x4096xf32>, %v: tensor<4096x4096xf32>, %g: tensor<4096x4096xbf16>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %rate = stablehlo.constant dense<9.000000e-01> : tensor<4096x4096xf32>
  %rest = stablehlo.constant dense<1.000000e-01> : tensor<4096x4096xf32>
  %f = stablehlo.convert %g : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %0 = stablehlo.multiply %m, %rate : tensor<4096x4096xf32>
  %1 = stablehlo.multiply %f, %rest : tensor<4096x4096xf32>
  %m1 = stablehlo.add %0, %1 : tensor<4096x4096xf32>
  %2 = stablehlo.multiply %v, %rate : tensor<4096x4096xf32>
  %3 = stablehlo.multiply %f, %f : tensor<4096x4096xf32>
  %4 = stablehlo.multiply %3, %rest : tensor<4096x4096xf32>
  %v1 = stablehlo.add %2, %4 : tensor<4096x4096xf32>
  %5 = stablehlo.rsqrt %v1 : tensor<4096x4096xf32>
  %6 = stablehlo.multiply %m1, %5 : tensor<4096x4096xf32>
  %7 = stablehlo.multiply %6, %rest : tensor<4096x4096xf32>
  %w1 = stablehlo.subtract %w, %7 : tensor<4096x4096xf32>
  return %w1, %m1, %v1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
}
// -----
module {
  func.func @main(%w: tensor<4096x4096xf32>, %m: tensor<4096x4096xf32>, %v: tensor<4096x4096xf32>, %g: tensor<4096x4096xbf16>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
    %f = stablehlo.convert %g : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
    %0 = stablehlo.constant dense<9.0e-01> : tensor<4096x4096xf32>
    %1 = stablehlo.multiply %m, %0 : tensor<4096x4096xf32>
    %2 = stablehlo.constant dense<1.0e-01> : tensor<4096x4096xf32>
    %3 = stablehlo.multiply %f, %2 : tensor<4096x4096xf32>
    %m1 = stablehlo.add %1, %3 : tensor<4096x4096xf32>
    %4 = stablehlo.multiply %v, %0 : tensor<4096x4096xf32>
    %5 = stablehlo.multiply %f, %f : tensor<4096x4096xf32>
    %6 = stablehlo.multiply %5, %2 : tensor<4096x4096xf32>
    %v1 = stablehlo.add %4, %6 : tensor<4096x4096xf32>
    %7 = stablehlo.rsqrt %v1 : tensor<4096x4096xf32>
    %8 = stablehlo.multiply %m1, %7 : tensor<4096x4096xf32>
    %9 = stablehlo.multiply %8, %2 : tensor<4096x4096xf32>
    %w1 = stablehlo.subtract %w, %9 : tensor<4096x4096xf32>
    return %w1, %m1, %v1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
  }
}
tasks @main {
  fusion.0: compute of convert.0 multiply.0 multiply.1 add.0 multiply.2 multiply.3 multiply.4 add.1 rsqrt.0 multiply.5 multiply.6 subtract.0, vpu 301989888, reads 234881024, writes 201326592
}
