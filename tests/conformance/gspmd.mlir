// Shardings as JAX exports them without Shardy. A constraint is of no influence on values; the
// shards that a function gets are those of the string, in the order of its devices.
module @gspmd attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<16xi32>
    %table = stablehlo.reshape %n : (tensor<16xi32>) -> tensor<4x4xi32>

    // Dimension 0 is divided over the minor half of the device's number.
    %0 = stablehlo.custom_call @Sharding(%table) {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4x4xi32>) -> tensor<2x2xi32>
    %2 = call @add_device(%1) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"} : (tensor<2x2xi32>) -> tensor<4x4xi32>
    check.expect_eq_const %4, dense<[[0, 1, 202, 203], [4, 5, 206, 207],
                                     [108, 109, 310, 311], [112, 113, 314, 315]]> : tensor<4x4xi32>

    // One after the other, with devices listed one by one, and with what is left open.
    %5 = stablehlo.custom_call @Sharding(%4) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %6 = stablehlo.add %5, %5 {mhlo.sharding = "{devices=[1,4]0,2,1,3}"} : tensor<4x4xi32>
    %7 = stablehlo.custom_call @Sharding(%6) {mhlo.sharding = "{replicated}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    check.expect_eq_const %7, dense<[[0, 2, 404, 406], [8, 10, 412, 414],
                                     [216, 218, 620, 622], [224, 226, 628, 630]]> : tensor<4x4xi32>

    // Manual over the major half alone, with two operands and a sum over it.
    %8 = stablehlo.custom_call @Sharding(%table) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dims={replicated}}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %9 = stablehlo.custom_call @SPMDFullToShardShape(%8) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xi32>) -> tensor<2x4xi32>
    %10 = stablehlo.custom_call @Sharding(%n) {mhlo.sharding = "{replicated}"} : (tensor<16xi32>) -> tensor<16xi32>
    %11 = stablehlo.custom_call @SPMDFullToShardShape(%10) {mhlo.sharding = "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<16xi32>) -> tensor<16xi32>
    %12:2 = call @sum_over_rows(%9, %11) : (tensor<2x4xi32>, tensor<16xi32>) -> (tensor<2x4xi32>, tensor<16xi32>)
    %13 = stablehlo.custom_call @Sharding(%12#0) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %14 = stablehlo.custom_call @SPMDShardToFullShape(%13) {mhlo.sharding = "{replicated}"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %15 = stablehlo.custom_call @SPMDShardToFullShape(%12#1) {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={replicated}}"} : (tensor<16xi32>) -> tensor<32xi32>
    check.expect_eq_const %14, dense<[[8, 10, 12, 14], [16, 18, 20, 22]]> : tensor<2x4xi32>
    %16 = stablehlo.concatenate %n, %n, dim = 0 : (tensor<16xi32>, tensor<16xi32>) -> tensor<32xi32>
    check.expect_eq %15, %16 : tensor<32xi32>, tensor<32xi32>
    return
  }
  func.func private @add_device(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %hundred = stablehlo.constant dense<100> : tensor<i32>
    %y = stablehlo.multiply %i, %hundred : tensor<i32>
    %z = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %sum = stablehlo.add %x, %z : tensor<2x2xi32>
    return %sum : tensor<2x2xi32>
  }
  func.func private @sum_over_rows(%x: tensor<2x4xi32>, %n: tensor<16xi32>) -> (tensor<2x4xi32>, tensor<16xi32>) {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<2x4xi32>) -> tensor<2x4xi32>
    return %0, %n : tensor<2x4xi32>, tensor<16xi32>
  }
}
