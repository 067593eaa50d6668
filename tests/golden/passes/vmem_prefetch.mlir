// passes: tasks=v5e:1x1
func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %v: tensor<4096x4096xf32>, %row: tensor<8x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<8x4096xbf16>, tensor<4096x4096xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = stablehlo.dot_general %row, %0, contracting_dims = [1] x [0] : (tensor<8x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8x4096xbf16>
  %2 = stablehlo.negate %v : tensor<4096x4096xf32>
  return %0, %1, %2 : tensor<4096x4096xbf16>, tensor<8x4096xbf16>, tensor<4096x4096xf32>
}
// -----
module {
  func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %v: tensor<4096x4096xf32>, %row: tensor<8x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<8x4096xbf16>, tensor<4096x4096xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    %1 = stablehlo.dot_general %row, %0, contracting_dims = [1] x [0] : (tensor<8x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8x4096xbf16>
    %2 = stablehlo.negate %v : tensor<4096x4096xf32>
    return %0, %1, %2 : tensor<4096x4096xbf16>, tensor<8x4096xbf16>, tensor<4096x4096xf32>
  }
}
tasks @main {
  prefetch_start.0: prefetch start for negate.0, reads 67108864
  dot_general.0: compute, mxu 137438953472, reads 67108864, writes 33554432
  dot_general.1: compute, mxu 268435456, busy 4294967296, reads 33619968, writes 65536
  prefetch_done.0: prefetch done for negate.0
  negate.0: compute, vpu 16777216, writes 67108864, vmem 67108864
}
