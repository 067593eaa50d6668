// passes: inline partition=1 simplify place verify tasks=v5e:1x1
// Each product is far faster than its way to the host: what comes next is put into the
// queue as it is made, and does not wait for the core to come by when the queue is empty.
module @jit_step {
  func.func public @main(%x: tensor<4096x512xf32>, %w: tensor<512x512xf32>) -> (tensor<4096x512xf32> {mhlo.memory_kind = "pinned_host"}, tensor<4096x512xf32> {mhlo.memory_kind = "pinned_host"}, tensor<4096x512xf32> {mhlo.memory_kind = "pinned_host"}, tensor<4096x512xf32> {mhlo.memory_kind = "device"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %1 = stablehlo.custom_call @MoveToHost(%0) : (tensor<4096x512xf32>) -> tensor<4096x512xf32>
    %2 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %3 = stablehlo.custom_call @MoveToHost(%2) : (tensor<4096x512xf32>) -> tensor<4096x512xf32>
    %4 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %5 = stablehlo.custom_call @MoveToHost(%4) : (tensor<4096x512xf32>) -> tensor<4096x512xf32>
    %6 = stablehlo.dot_general %4, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %7 = stablehlo.dot_general %6, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    return %1, %3, %5, %7 : tensor<4096x512xf32>, tensor<4096x512xf32>, tensor<4096x512xf32>, tensor<4096x512xf32>
  }
}
// -----
module @jit_step {
  func.func public @main(%x: tensor<4096x512xf32>, %w: tensor<512x512xf32>) -> (tensor<4096x512xf32> {mhlo.memory_kind = "pinned_host"}, tensor<4096x512xf32> {mhlo.memory_kind = "pinned_host"}, tensor<4096x512xf32> {mhlo.memory_kind = "pinned_host"}, tensor<4096x512xf32> {mhlo.memory_kind = "device"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %1 = "podium.to_host"(%0) {podium.async} : (tensor<4096x512xf32>) -> tensor<4096x512xf32>
    %2 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %3 = "podium.to_host"(%2) {podium.async} : (tensor<4096x512xf32>) -> tensor<4096x512xf32>
    %4 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %5 = "podium.to_host"(%4) {podium.async} : (tensor<4096x512xf32>) -> tensor<4096x512xf32>
    %6 = stablehlo.dot_general %4, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    %7 = stablehlo.dot_general %6, %w, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
    "podium.async_done"(%1, %0) : (tensor<4096x512xf32>, tensor<4096x512xf32>) -> ()
    "podium.async_done"(%3, %2) : (tensor<4096x512xf32>, tensor<4096x512xf32>) -> ()
    "podium.async_done"(%5, %4) : (tensor<4096x512xf32>, tensor<4096x512xf32>) -> ()
    return %1, %3, %5, %7 : tensor<4096x512xf32>, tensor<4096x512xf32>, tensor<4096x512xf32>, tensor<4096x512xf32>
  }
}
tasks @main {
  dot_general.0: compute, mxu 2147483648, reads 9437184, writes 8388608
  to_host_start.0: transfer start, host 8388608, reads 8388608
  dot_general.1: compute, mxu 2147483648, reads 8388608, writes 8388608, vmem 1048576
  to_host_start.1: transfer start, host 8388608, reads 8388608
  dot_general.2: compute, mxu 2147483648, reads 8388608, writes 8388608, vmem 1048576
  to_host_start.2: transfer start, host 8388608, reads 8388608
  dot_general.3: compute, mxu 2147483648, reads 8388608, vmem 9437184
  dot_general.4: compute, mxu 2147483648, writes 8388608, vmem 9437184
  to_host_done.0: transfer done for to_host.0
  to_host_done.1: transfer done for to_host.1
  to_host_done.2: transfer done for to_host.2
}
