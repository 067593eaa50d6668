// shard_map without Shardy over some of the axes, as JAX writes it: all dimensions are left open
// beside what is manual, every value in the body says so, and a manual computation in a manual
// computation, here of no operands, names the axes that are manual around it.
module @gspmd_partial attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<16xi32>
    %table = stablehlo.reshape %n : (tensor<16xi32>) -> tensor<4x4xi32>
    %a = stablehlo.custom_call @Sharding(%table) {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xi32>) -> tensor<2x4xi32>
    %2 = call @body(%1) : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<2x4xi32>) -> tensor<4x4xi32>
    check.expect_eq_const %4, dense<[[0, 1, 2, 3], [4, 5, 6, 7],
                                     [108, 109, 110, 111], [112, 113, 114, 115]]> : tensor<4x4xi32>
    return
  }
  // The place along the manual axis, a hundred times.
  func.func private @body(%x: tensor<2x4xi32>) -> tensor<2x4xi32> {
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %1 = call @place() : () -> tensor<i32>
    %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<i32>) -> tensor<i32>
    %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {backend_config = "", mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<2x4xi32>
    %5 = stablehlo.custom_call @Sharding(%4) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %6 = stablehlo.add %0, %5 : tensor<2x4xi32>
    return %6 : tensor<2x4xi32>
  }
  func.func private @place() -> tensor<i32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %0 = stablehlo.divide %id, %two : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %hundred = stablehlo.constant dense<100> : tensor<i32>
    %2 = stablehlo.multiply %1, %hundred : tensor<i32>
    return %2 : tensor<i32>
  }
}
