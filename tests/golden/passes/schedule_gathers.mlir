// passes: partition=4 simplify verify tasks=v4:2x2x1
module @layers {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%act: tensor<16384x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w0: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w1: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w2: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<16384x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %act, %w0, contracting_dims = [1] x [0] : (tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16384x4096xbf16>
    %1 = stablehlo.dot_general %0, %w1, contracting_dims = [1] x [0] : (tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16384x4096xbf16>
    %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<16384x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16384x4096xbf16>
    return %2 : tensor<16384x4096xbf16>
  }
}
// -----
module @layers {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%act: tensor<4096x4096xbf16>, %w0: tensor<4096x1024xbf16>, %w1: tensor<4096x1024xbf16>, %w2: tensor<4096x1024xbf16>) -> tensor<4096x4096xbf16> {
    %0 = "stablehlo.all_gather"(%w0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, all_gather_dim = 1 : i64, use_global_device_ids}> {podium.axes = "x"} : (tensor<4096x1024xbf16>) -> tensor<4096x4096xbf16>
    %1 = "stablehlo.all_gather"(%w1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, all_gather_dim = 1 : i64, use_global_device_ids}> {podium.axes = "x", podium.async} : (tensor<4096x1024xbf16>) -> tensor<4096x4096xbf16>
    %2 = stablehlo.dot_general %act, %0, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    %3 = "stablehlo.all_gather"(%w2) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, all_gather_dim = 1 : i64, use_global_device_ids}> {podium.axes = "x", podium.async} : (tensor<4096x1024xbf16>) -> tensor<4096x4096xbf16>
    "podium.async_done"(%1, %w1) : (tensor<4096x4096xbf16>, tensor<4096x1024xbf16>) -> ()
    %4 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    "podium.async_done"(%3, %w2) : (tensor<4096x4096xbf16>, tensor<4096x1024xbf16>) -> ()
    %5 = stablehlo.dot_general %4, %3, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    return %5 : tensor<4096x4096xbf16>
  }
}
tasks @main {
  all_gather.0: collective, reads 8388608, writes 33554432
  all_gather_start.1: collective start, reads 8388608, writes 33554432
  dot_general.0: compute, mxu 137438953472, reads 33554432, vmem 67108864
  all_gather_start.2: collective start, reads 8388608, writes 33554432
  all_gather_done.1: collective done for all_gather.1
  dot_general.1: compute, mxu 137438953472, vmem 100663296
  all_gather_done.2: collective done for all_gather.2
  dot_general.2: compute, mxu 137438953472, writes 33554432, vmem 67108864
}
