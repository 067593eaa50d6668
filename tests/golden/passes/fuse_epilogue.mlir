// passes: tasks=v5e:1x1
// What a product reads beside its result: the residual, but not the weights that it converts on the way in, nor an array that it
// needs for both.
module {
  func.func @main(%x: tensor<1024x512xbf16>, %w: tensor<512x512xf32>, %r: tensor<1024x512xf32>, %s: tensor<512x512xbf16>) -> (tensor<1024x512xf32>, tensor<512x512xbf16>) {
    %v = stablehlo.convert %w : (tensor<512x512xf32>) -> tensor<512x512xbf16>
    %p = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<1024x512xbf16>, tensor<512x512xbf16>) -> tensor<1024x512xf32>
    %y = stablehlo.add %p, %r : tensor<1024x512xf32>
    %q = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %z = stablehlo.add %q, %s : tensor<512x512xbf16>
    return %y, %z : tensor<1024x512xf32>, tensor<512x512xbf16>
  }
}
// -----
module {
  func.func @main(%x: tensor<1024x512xbf16>, %w: tensor<512x512xf32>, %r: tensor<1024x512xf32>, %s: tensor<512x512xbf16>) -> (tensor<1024x512xf32>, tensor<512x512xbf16>) {
    %v = stablehlo.convert %w : (tensor<512x512xf32>) -> tensor<512x512xbf16>
    %p = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<1024x512xbf16>, tensor<512x512xbf16>) -> tensor<1024x512xf32>
    %y = stablehlo.add %p, %r : tensor<1024x512xf32>
    %q = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %z = stablehlo.add %q, %s : tensor<512x512xbf16>
    return %y, %z : tensor<1024x512xf32>, tensor<512x512xbf16>
  }
}
tasks @main {
  fusion.0: compute of convert.0 dot_general.0 add.0, mxu 536870912, vpu 786432, reads 4194304, beside 2097152, writes 2097152
  fusion.1: compute of dot_general.1 add.1, mxu 268435456, vpu 262144, reads 524288, writes 524288
}
