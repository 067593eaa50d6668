// passes: partition=4 simplify verify tasks=v7c:2x2
module @backward {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%g: tensor<8192x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %a: tensor<8192x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8192x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<4096x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) {
    %0 = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<8192x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8192x4096xbf16>
    %1 = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<8192x4096xbf16>, tensor<8192x4096xbf16>) -> tensor<4096x4096xbf16>
    %2 = stablehlo.dot_general %b, %0, contracting_dims = [0] x [0] : (tensor<8192x4096xbf16>, tensor<8192x4096xbf16>) -> tensor<4096x4096xbf16>
    %3 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [1] : (tensor<8192x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8192x4096xbf16>
    %4 = stablehlo.dot_general %a, %3, contracting_dims = [0] x [0] : (tensor<8192x4096xbf16>, tensor<8192x4096xbf16>) -> tensor<4096x4096xbf16>
    return %1, %2, %4 : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>, tensor<4096x4096xbf16>
  }
}
// -----
module @backward {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%g: tensor<2048x4096xbf16>, %a: tensor<2048x4096xbf16>, %b: tensor<2048x4096xbf16>, %w: tensor<4096x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) {
    %0 = stablehlo.dot_general %a, %g, contracting_dims = [0] x [0] : (tensor<2048x4096xbf16>, tensor<2048x4096xbf16>) -> tensor<4096x4096xbf16>
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%arg0: tensor<bf16>, %arg1: tensor<bf16>):
      %2 = stablehlo.add %arg0, %arg1 : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
    }) {podium.axes = "x", podium.async} : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    %2 = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<2048x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<2048x4096xbf16>
    %3 = stablehlo.dot_general %b, %2, contracting_dims = [0] x [0] : (tensor<2048x4096xbf16>, tensor<2048x4096xbf16>) -> tensor<4096x4096xbf16>
    %4 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [1] : (tensor<2048x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<2048x4096xbf16>
    %5 = stablehlo.dot_general %a, %4, contracting_dims = [0] x [0] : (tensor<2048x4096xbf16>, tensor<2048x4096xbf16>) -> tensor<4096x4096xbf16>
    "podium.async_done"(%1, %0) : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> ()
    %6 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
    ^bb0(%arg0: tensor<bf16>, %arg1: tensor<bf16>):
      %7 = stablehlo.add %arg0, %arg1 : tensor<bf16>
      stablehlo.return %7 : tensor<bf16>
    }) {podium.axes = "x"} : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    %7 = "stablehlo.all_reduce"(%5) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
    ^bb0(%arg0: tensor<bf16>, %arg1: tensor<bf16>):
      %8 = stablehlo.add %arg0, %arg1 : tensor<bf16>
      stablehlo.return %8 : tensor<bf16>
    }) {podium.axes = "x"} : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    return %1, %6, %7 : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>, tensor<4096x4096xbf16>
  }
}
tasks @main {
  dot_general.0: compute, mxu 68719476736, reads 33554432, writes 33554432
  all_reduce_start.0: collective start, reads 33554432, writes 33554432
  dot_general.1: compute, mxu 68719476736, reads 33554432, vmem 33554432
  dot_general.2: compute, mxu 68719476736, reads 16777216, writes 33554432, vmem 16777216
  dot_general.3: compute, mxu 68719476736, reads 33554432, vmem 33554432
  dot_general.4: compute, mxu 68719476736, writes 33554432, vmem 33554432
  all_reduce_done.0: collective done for all_reduce.0
  all_reduce.1: collective, reads 33554432, writes 33554432
  all_reduce.2: collective, reads 33554432, writes 33554432
}
