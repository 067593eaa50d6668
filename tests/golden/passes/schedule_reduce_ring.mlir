// passes: tasks=v5e:2x2
func.func @main(%x: tensor<2048x4096xbf16>, %a: tensor<4096x2048xbf16>, %b: tensor<4096x2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<2048x4096xbf16>, tensor<4096x2048xbf16>) -> tensor<2048x2048xbf16>
  %1 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %2 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<2048x4096xbf16>, tensor<4096x2048xbf16>) -> tensor<2048x2048xbf16>
  %3 = stablehlo.add %1, %2 : tensor<2048x2048xbf16>
  return %3 : tensor<2048x2048xbf16>
}
// -----
module {
  func.func @main(%x: tensor<2048x4096xbf16>, %a: tensor<4096x2048xbf16>, %b: tensor<4096x2048xbf16>) -> tensor<2048x2048xbf16> {
    %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<2048x4096xbf16>, tensor<4096x2048xbf16>) -> tensor<2048x2048xbf16>
    %1 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 3], [3, 2], [2, 0]]> : tensor<4x2xi64>}> {podium.async} : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
    %2 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<2048x4096xbf16>, tensor<4096x2048xbf16>) -> tensor<2048x2048xbf16>
    "podium.async_done"(%1, %0) : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> ()
    %3 = stablehlo.add %1, %2 : tensor<2048x2048xbf16>
    return %3 : tensor<2048x2048xbf16>
  }
}
tasks @main {
  dot_general.0: compute, mxu 34359738368, reads 33554432, writes 8388608
  collective_permute_start.0: collective start, reads 8388608, writes 8388608
  dot_general.1: compute, mxu 34359738368, reads 16777216, vmem 25165824
  collective_permute_done.0: collective done for collective_permute.0
  add.0: compute, vpu 4194304, writes 8388608, vmem 16777216
}
