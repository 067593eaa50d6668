// shard_map without Shardy where the body has been put in line: its operations stand between
// those that make shards and those that make whole arrays, with nothing around them.
module @gspmd_inline attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<16xi32>
    %table = stablehlo.reshape %n : (tensor<16xi32>) -> tensor<4x4xi32>
    %three = stablehlo.constant dense<3> : tensor<i32>

    // Manual over all axes: a number of the device's own, and one that the body shares with what
    // is around it.
    %0 = stablehlo.custom_call @Sharding(%table) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4x4xi32>) -> tensor<2x2xi32>
    %id = stablehlo.partition_id : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %hundred = stablehlo.constant dense<100> : tensor<i32>
    %own = stablehlo.multiply %i, %hundred : tensor<i32>
    %plus = stablehlo.add %own, %three : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %plus, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x2xi32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<2x2xi32>) -> tensor<4x4xi32>
    check.expect_eq_const %5, dense<[[3, 4, 105, 106], [7, 8, 109, 110],
                                     [211, 212, 313, 314], [215, 216, 317, 318]]> : tensor<4x4xi32>
    %t = stablehlo.broadcast_in_dim %three, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %more = stablehlo.add %table, %t : tensor<4x4xi32>

    // Manual over the minor half: a loop in the body, two results, and a sum over the half.
    %6 = stablehlo.custom_call @Sharding(%more) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %7 = stablehlo.custom_call @SPMDFullToShardShape(%6) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<4x4xi32>) -> tensor<4x2xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %turns = stablehlo.constant dense<2> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %8:2 = stablehlo.while(%k = %zero, %x = %7) : tensor<i32>, tensor<4x2xi32>
    cond {
      %c = stablehlo.compare LT, %k, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %x1 = stablehlo.add %x, %7 : tensor<4x2xi32>
      stablehlo.return %k1, %x1 : tensor<i32>, tensor<4x2xi32>
    }
    %9 = "stablehlo.all_reduce"(%8#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%u: tensor<i32>, %v: tensor<i32>):
      %w = stablehlo.add %u, %v : tensor<i32>
      stablehlo.return %w : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %10 = stablehlo.custom_call @Sharding(%8#1) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %11 = stablehlo.custom_call @SPMDShardToFullShape(%10) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x2xi32>) -> tensor<4x4xi32>
    %12 = stablehlo.custom_call @SPMDShardToFullShape(%9) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<4x2xi32>) -> tensor<4x2xi32>
    check.expect_eq_const %11, dense<[[9, 12, 15, 18], [21, 24, 27, 30],
                                      [33, 36, 39, 42], [45, 48, 51, 54]]> : tensor<4x4xi32>
    check.expect_eq_const %12, dense<[[24, 30], [48, 54], [72, 78], [96, 102]]> : tensor<4x2xi32>

    // What comes of no shard: the devices' numbers.
    %id2 = stablehlo.partition_id : tensor<ui32>
    %i2 = stablehlo.convert %id2 : (tensor<ui32>) -> tensor<i32>
    %i3 = stablehlo.reshape %i2 : (tensor<i32>) -> tensor<1xi32>
    %13 = stablehlo.custom_call @SPMDShardToFullShape(%i3) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<1xi32>) -> tensor<4xi32>
    check.expect_eq_const %13, dense<[0, 1, 2, 3]> : tensor<4xi32>

    // Manual over the minor half, and in a loop of its body over the major half too. The loop also
    // takes the whole array that a region before it has made.
    %14 = stablehlo.custom_call @Sharding(%table) {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %15 = stablehlo.custom_call @SPMDFullToShardShape(%14) {mhlo.sharding = "{devices=[1,1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<4x4xi32>) -> tensor<2x4xi32>
    %16:2 = stablehlo.while(%k = %zero, %x = %15) : tensor<i32>, tensor<2x4xi32>
    cond {
      %c = stablehlo.compare LT, %k, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %p = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[1,2,2]<=[4] last_tile_dims={manual}}"} : (tensor<2x4xi32>) -> tensor<2x4xi32>
      %q = stablehlo.custom_call @SPMDFullToShardShape(%p) {mhlo.sharding = "{manual}"} : (tensor<2x4xi32>) -> tensor<2x2xi32>
      %r = stablehlo.add %q, %q : tensor<2x2xi32>
      %s = stablehlo.custom_call @Sharding(%r) {mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
      %y = stablehlo.custom_call @SPMDShardToFullShape(%s) {mhlo.sharding = "{devices=[1,2,2]<=[4] last_tile_dims={manual}}"} : (tensor<2x2xi32>) -> tensor<2x4xi32>
      %f = stablehlo.slice %12 [0:2, 0:1] : (tensor<4x2xi32>) -> tensor<2x1xi32>
      %g = stablehlo.broadcast_in_dim %f, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x4xi32>
      %x1 = stablehlo.add %y, %g : tensor<2x4xi32>
      stablehlo.return %k1, %x1 : tensor<i32>, tensor<2x4xi32>
    }
    %17 = stablehlo.custom_call @SPMDShardToFullShape(%16#1) {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<2x4xi32>) -> tensor<4x4xi32>
    check.expect_eq_const %17, dense<[[72, 76, 80, 84], [160, 164, 168, 172],
                                      [104, 108, 112, 116], [192, 196, 200, 204]]> : tensor<4x4xi32>

    %18 = call @branch(%table) : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %19 = stablehlo.subtract %18, %table : tensor<4x4xi32>
    %20 = stablehlo.add %table, %table : tensor<4x4xi32>
    check.expect_eq %19, %20 : tensor<4x4xi32>
    return
  }
  // In a branch, whose other values are whole, and so is what comes out.
  func.func private @branch(%table: tensor<4x4xi32>) -> tensor<4x4xi32> {
    %yes = stablehlo.constant dense<true> : tensor<i1>
    %18 = "stablehlo.if"(%yes) ({
      %p = stablehlo.custom_call @Sharding(%table) {mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
      %q = stablehlo.custom_call @SPMDFullToShardShape(%p) {mhlo.sharding = "{manual}"} : (tensor<4x4xi32>) -> tensor<1x4xi32>
      %r = stablehlo.add %q, %q : tensor<1x4xi32>
      %s = stablehlo.custom_call @Sharding(%r) {mhlo.sharding = "{manual}"} : (tensor<1x4xi32>) -> tensor<1x4xi32>
      %y = stablehlo.custom_call @SPMDShardToFullShape(%s) {mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %z = stablehlo.add %y, %table : tensor<4x4xi32>
      stablehlo.return %z : tensor<4x4xi32>
    }, {
      stablehlo.return %table : tensor<4x4xi32>
    }) : (tensor<i1>) -> tensor<4x4xi32>
    return %18 : tensor<4x4xi32>
  }
}
