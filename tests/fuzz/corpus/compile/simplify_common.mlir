// passes: simplify
func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<4xf32>
  %1 = stablehlo.tanh %arg0 : tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  // Visible in the branches; what one branch computes is not visible in the other.
  %3 = "stablehlo.if"(%arg1) ({
    %6 = stablehlo.tanh %arg0 : tensor<4xf32>
    %7 = stablehlo.negate %6 : tensor<4xf32>
    stablehlo.return %7 : tensor<4xf32>
  }, {
    %6 = stablehlo.negate %0 : tensor<4xf32>
    stablehlo.return %6 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // The same collective over another channel.
  %4 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  %5 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  %8 = stablehlo.add %4, %5 : tensor<8xf32>
  %9 = stablehlo.slice %8 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %2, %3, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
