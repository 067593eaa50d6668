module @jit_matmul_square attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=2]>
  func.func public @main(%arg0: tensor<8x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %arg1: tensor<64x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<8x32xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) {
    %0 = call @square(%arg0) : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64xbf16>, tensor<64x32xbf16>) -> tensor<8x32xbf16>
    return %1 : tensor<8x32xbf16>
  }
  func.func private @square(%arg0: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<8x64xbf16>
    return %0 : tensor<8x64xbf16>
  }
}
