// Shardy as serialized programs carry it: meshes and shardings are strings.
module @round_trip attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=2]>}"}, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<4x4xi32> {jax.result_info = "result"}) {
    %n = stablehlo.iota dim = 0 : tensor<16xi32>
    %table = stablehlo.reshape %n : (tensor<16xi32>) -> tensor<4x4xi32>
    %0 = stablehlo.custom_call @Sharding(%table) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {?}]>]>"}, mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "0 : i64"}} : (tensor<4x4xi32>) -> ()
    %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %2:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%1, %n) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {\22y\22}]>, <@mesh, [{}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22, \22y\22}>"}} : (tensor<4x4xi32>, tensor<16xi32>) -> (tensor<2x2xi32>, tensor<16xi32>)
    %3:2 = call @xla.sdy.manual_computation_body(%2#0, %2#1) : (tensor<2x2xi32>, tensor<16xi32>) -> (tensor<2x2xi32>, tensor<i32>)
    %4:2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%3#0, %3#1) {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22, \22y\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {\22y\22}]>, <@mesh, []>]>"}} : (tensor<2x2xi32>, tensor<i32>) -> (tensor<4x4xi32>, tensor<i32>)
    check.expect_eq_const %4#0, dense<[[0, 1, 102, 103], [4, 5, 106, 107],
                                       [208, 209, 310, 311], [212, 213, 314, 315]]> : tensor<4x4xi32>
    check.expect_eq_const %4#1, dense<120> : tensor<i32>
    %5 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%4#0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {\22y\22}]>]>"}} : (tensor<4x4xi32>) -> tensor<4x4xi32>
    return %5 : tensor<4x4xi32>
  }
  func.func private @xla.sdy.manual_computation_body(%x: tensor<2x2xi32>, %n: tensor<16xi32>) -> (tensor<2x2xi32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %sum = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<i32>
    %id = stablehlo.partition_id : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %hundred = stablehlo.constant dense<100> : tensor<i32>
    %h = stablehlo.multiply %i, %hundred : tensor<i32>
    %b = stablehlo.broadcast_in_dim %h, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %y = stablehlo.add %x, %b : tensor<2x2xi32>
    return %y, %sum : tensor<2x2xi32>, tensor<i32>
  }
}
