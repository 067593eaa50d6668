// passes: tasks=v5e:1x1
func.func @main(%x: tensor<1024x4096xbf16>) -> (tensor<1024x4096xbf16>, tensor<1024x4096xf32>) {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<2.44140625e-04> : tensor<1024xf32>
  %f = stablehlo.convert %x : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
  %s = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
  %mean = stablehlo.multiply %s, %n : tensor<1024xf32>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
  %d = stablehlo.subtract %f, %mb : tensor<1024x4096xf32>
  %d2 = stablehlo.multiply %d, %d : tensor<1024x4096xf32>
  %v = stablehlo.reduce(%d2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
  %r = stablehlo.rsqrt %v : tensor<1024xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
  %y = stablehlo.multiply %d, %rb : tensor<1024x4096xf32>
  %o = stablehlo.convert %y : (tensor<1024x4096xf32>) -> tensor<1024x4096xbf16>
  %m = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
  %mm = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
  %e0 = stablehlo.subtract %f, %mm : tensor<1024x4096xf32>
  %e = stablehlo.exponential %e0 : tensor<1024x4096xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
  %p = stablehlo.divide %e, %tb : tensor<1024x4096xf32>
  return %o, %p : tensor<1024x4096xbf16>, tensor<1024x4096xf32>
}
// -----
module {
  func.func @main(%x: tensor<1024x4096xbf16>) -> (tensor<1024x4096xbf16>, tensor<1024x4096xf32>) {
    %f = stablehlo.convert %x : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%f init: %0) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
    %1 = stablehlo.constant dense<2.4414062e-04> : tensor<1024xf32>
    %mean = stablehlo.multiply %s, %1 : tensor<1024xf32>
    %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
    %d = stablehlo.subtract %f, %mb : tensor<1024x4096xf32>
    %d2 = stablehlo.multiply %d, %d : tensor<1024x4096xf32>
    %v = stablehlo.reduce(%d2 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
    %r = stablehlo.rsqrt %v : tensor<1024xf32>
    %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
    %y = stablehlo.multiply %d, %rb : tensor<1024x4096xf32>
    %o = stablehlo.convert %y : (tensor<1024x4096xf32>) -> tensor<1024x4096xbf16>
    %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%f init: %2) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
    %mm = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
    %e0 = stablehlo.subtract %f, %mm : tensor<1024x4096xf32>
    %e = stablehlo.exponential %e0 : tensor<1024x4096xf32>
    %t = stablehlo.reduce(%e init: %0) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
    %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<1024xf32>) -> tensor<1024x4096xf32>
    %p = stablehlo.divide %e, %tb : tensor<1024x4096xf32>
    return %o, %p : tensor<1024x4096xbf16>, tensor<1024x4096xf32>
  }
}
tasks @main {
  fusion.0: compute of convert.0 reduce.0, vpu 8388608, reads 8388608, vmem 4096
  fusion.1: compute of convert.0 multiply.0 broadcast_in_dim.0 subtract.0 multiply.1 reduce.1, vpu 16778240, vmem 8396800
  fusion.2: compute of convert.0 multiply.0 broadcast_in_dim.0 subtract.0 rsqrt.0 broadcast_in_dim.1 multiply.2 convert.1 reduce.2, vpu 20979712, writes 8388608, vmem 8400896
  fusion.3: compute of convert.0 broadcast_in_dim.2 subtract.1 exponential.0 reduce.3, vpu 54525952, vmem 25174016
  fusion.4: compute of broadcast_in_dim.3 divide.0, vpu 33554432, writes 16777216, vmem 16781312
}
