// passes: tasks=v5e:1x1
func.func @main(%a: tensor<16x1024x1024xbf16>, %out: tensor<16x1024x1024xf32>, %i: tensor<i32>, %w: tensor<1024x1024xbf16>) -> (tensor<16x1024x1024xf32>, tensor<1024x1024xbf16>, tensor<1024x2048xbf16>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %j, %zero, %zero, sizes = [1, 1024, 1024] : (tensor<16x1024x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x1024xbf16>
  %1 = stablehlo.reshape %0 : (tensor<1x1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %3 = stablehlo.reshape %2 : (tensor<1024x1024xf32>) -> tensor<1x1024x1024xf32>
  %4 = stablehlo.dynamic_update_slice %out, %3, %i, %zero, %zero : (tensor<16x1024x1024xf32>, tensor<1x1024x1024xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x1024x1024xf32>
  %5 = stablehlo.transpose %w, dims = [1, 0] : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %6 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %7 = stablehlo.dot_general %w, %6, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %8 = stablehlo.concatenate %w, %7, dim = 1 : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x2048xbf16>
  return %4, %5, %8 : tensor<16x1024x1024xf32>, tensor<1024x1024xbf16>, tensor<1024x2048xbf16>
}
// -----
module {
  func.func @main(%a: tensor<16x1024x1024xbf16>, %out: tensor<16x1024x1024xf32>, %i: tensor<i32>, %w: tensor<1024x1024xbf16>) -> (tensor<16x1024x1024xf32>, tensor<1024x1024xbf16>, tensor<1024x2048xbf16>) {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %0 : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_slice %a, %j, %1, %1, sizes = [1, 1024, 1024] : (tensor<16x1024x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x1024xbf16>
    %3 = stablehlo.reshape %2 : (tensor<1x1024x1024xbf16>) -> tensor<1024x1024xbf16>
    %4 = stablehlo.dot_general %3, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
    %5 = stablehlo.reshape %4 : (tensor<1024x1024xf32>) -> tensor<1x1024x1024xf32>
    %6 = stablehlo.dynamic_update_slice %out, %5, %i, %1, %1 : (tensor<16x1024x1024xf32>, tensor<1x1024x1024xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x1024x1024xf32>
    %7 = stablehlo.transpose %w, dims = [1, 0] : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
    %8 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
    %9 = stablehlo.dot_general %w, %8, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
    %10 = stablehlo.concatenate %w, %9, dim = 1 : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x2048xbf16>
    return %6, %7, %10 : tensor<16x1024x1024xf32>, tensor<1024x1024xbf16>, tensor<1024x2048xbf16>
  }
}
tasks @main {
  fusion.0: compute of dynamic_slice.0 dot_general.0 dynamic_update_slice.0, mxu 2147483648, reads 67108864, writes 67108864
  transpose.0: compute, writes 2097152, vmem 2097152
  fusion.1: compute of dynamic_slice.0 transpose.1 dot_general.1, mxu 2147483648, reads 2097152, vmem 4194304
  concatenate.0: compute, writes 4194304, vmem 4194304
}
