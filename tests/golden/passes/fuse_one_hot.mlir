// passes: tasks=v5e:1x1
module @one_hot {
  func.func public @main(%tokens: tensor<4096xi32>, %table: tensor<2048x512xbf16>, %w: tensor<512x512xbf16>) -> (tensor<4096x512xbf16>, tensor<2048x512xbf16>) {
    %0 = stablehlo.reshape %tokens : (tensor<4096xi32>) -> tensor<4096x1xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4096x1xi32>) -> tensor<4096x2048xi32>
    %2 = stablehlo.iota dim = 1 : tensor<1x2048xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x2048xi32>) -> tensor<4096x2048xi32>
    %4 = stablehlo.compare EQ, %1, %3 : (tensor<4096x2048xi32>, tensor<4096x2048xi32>) -> tensor<4096x2048xi1>
    %5 = stablehlo.convert %4 : (tensor<4096x2048xi1>) -> tensor<4096x2048xbf16>
    %6 = stablehlo.dot_general %5, %table, contracting_dims = [1] x [0] : (tensor<4096x2048xbf16>, tensor<2048x512xbf16>) -> tensor<4096x512xbf16>
    %7 = stablehlo.dot_general %6, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %8 = stablehlo.dot_general %5, %7, contracting_dims = [0] x [0] : (tensor<4096x2048xbf16>, tensor<4096x512xbf16>) -> tensor<2048x512xbf16>
    return %6, %8 : tensor<4096x512xbf16>, tensor<2048x512xbf16>
  }
}
// -----
module @one_hot {
  func.func public @main(%tokens: tensor<4096xi32>, %table: tensor<2048x512xbf16>, %w: tensor<512x512xbf16>) -> (tensor<4096x512xbf16>, tensor<2048x512xbf16>) {
    %0 = stablehlo.reshape %tokens : (tensor<4096xi32>) -> tensor<4096x1xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4096x1xi32>) -> tensor<4096x2048xi32>
    %2 = stablehlo.iota dim = 1 : tensor<1x2048xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x2048xi32>) -> tensor<4096x2048xi32>
    %4 = stablehlo.compare EQ, %1, %3 : (tensor<4096x2048xi32>, tensor<4096x2048xi32>) -> tensor<4096x2048xi1>
    %5 = stablehlo.convert %4 : (tensor<4096x2048xi1>) -> tensor<4096x2048xbf16>
    %6 = stablehlo.dot_general %5, %table, contracting_dims = [1] x [0] : (tensor<4096x2048xbf16>, tensor<2048x512xbf16>) -> tensor<4096x512xbf16>
    %7 = stablehlo.dot_general %6, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %8 = stablehlo.dot_general %5, %7, contracting_dims = [0] x [0] : (tensor<4096x2048xbf16>, tensor<4096x512xbf16>) -> tensor<2048x512xbf16>
    return %6, %8 : tensor<4096x512xbf16>, tensor<2048x512xbf16>
  }
}
tasks @main {
  fusion.0: compute of broadcast_in_dim.0 iota.0 broadcast_in_dim.1 compare.0 convert.0 dot_general.0, mxu 8589934592, vpu 16777216, reads 2113536, writes 4194304
  dot_general.1: compute, mxu 2147483648, reads 4718592, vmem 4194304
  fusion.1: compute of broadcast_in_dim.0 iota.0 broadcast_in_dim.1 compare.0 convert.0 dot_general.2, mxu 8589934592, vpu 16777216, writes 2097152, vmem 4210688
}
