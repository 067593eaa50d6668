// devices: 4
// A cache that is sharded along its positions is updated and read where it lies: each
// chip writes what falls into its shard, and gives what it has of what is read.
module @jit_cache {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%cache: tensor<64x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %new: tensor<2x8xbf16>, %at: tensor<i32>) -> (tensor<64x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<1x8xbf16>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %cache, %new, %at, %zero : (tensor<64x8xbf16>, tensor<2x8xbf16>, tensor<i32>, tensor<i32>) -> tensor<64x8xbf16>
    %1 = stablehlo.dynamic_slice %cache, %at, %zero, sizes = [1, 8] : (tensor<64x8xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x8xbf16>
    return %0, %1 : tensor<64x8xbf16>, tensor<1x8xbf16>
  }
}
