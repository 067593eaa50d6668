// Manual computations over some of the mesh's axes: what their shardings leave open is the
// compiler's to shard, but never over a manual axis, which the body has whole on every chip.
module @manual attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>

  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<32xi32>
    %a = stablehlo.reshape %n : (tensor<32xi32>) -> tensor<4x8xi32>
    %twice = stablehlo.add %a, %a : tensor<4x8xi32>
    %rows = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<4x8xi32>
    %other_rows = sdy.reshard %a <@mesh, [{"y"}, {}]> : tensor<4x8xi32>

    // The manual axis comes from the result's use.
    %g = sdy.manual_computation(%rows) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"y"} (%p: tensor<4x4xi32>) {
      %q = "stablehlo.all_gather"(%p) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x4xi32>) -> tensor<4x8xi32>
      sdy.return %q : tensor<4x8xi32>
    } : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %g0 = sdy.reshard %g <@mesh, [{"y"}, {}]> : tensor<4x8xi32>
    %g1 = sdy.reshard %g0 <@mesh, [{"y"}, {"x"}]> : tensor<4x8xi32>
    check.expect_eq %g1, %a : tensor<4x8xi32>

    // It comes from the operand, where the operand's other dimension has it.
    %d = sdy.manual_computation(%other_rows) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {"y", ?}]>] manual_axes={"y"} (%p: tensor<4x4xi32>) {
      %q = stablehlo.add %p, %p : tensor<4x4xi32>
      sdy.return %q : tensor<4x4xi32>
    } : (tensor<4x8xi32>) -> tensor<4x8xi32>
    check.expect_eq %d, %twice : tensor<4x8xi32>

    // It comes from the operand, whose sharding does not name it at all.
    %s = sdy.manual_computation(%other_rows) in_shardings=[<@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"y"} (%p: tensor<4x8xi32>) {
      %q = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<i32>, %v: tensor<i32>):
        %w = stablehlo.add %u, %v : tensor<i32>
        %w0 = sdy.sharding_constraint %w <@mesh, []> : tensor<i32>
        stablehlo.return %w0 : tensor<i32>
      }) : (tensor<4x8xi32>) -> tensor<4x8xi32>
      sdy.return %q : tensor<4x8xi32>
    } : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %s0 = sdy.sharding_constraint %s <@mesh, [{}, {"y", "x"}]> : tensor<4x8xi32>
    check.expect_eq %s0, %twice : tensor<4x8xi32>

    // One in another, each over its own axis; the inner result is whole over both.
    %m = sdy.manual_computation(%rows) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%p: tensor<2x8xi32>) {
      %q = sdy.manual_computation(%p) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"y"} (%r: tensor<2x4xi32>) {
        %t = "stablehlo.all_gather"(%r) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x4xi32>) -> tensor<2x8xi32>
        sdy.return %t : tensor<2x8xi32>
      } : (tensor<2x8xi32>) -> tensor<2x8xi32>
      %u = sdy.sharding_constraint %q <@mesh, [{"y"}, {}]> : tensor<2x8xi32>
      %v = stablehlo.add %u, %u : tensor<2x8xi32>
      sdy.return %v : tensor<2x8xi32>
    } : (tensor<4x8xi32>) -> tensor<4x8xi32>
    check.expect_eq %m, %twice : tensor<4x8xi32>
    return
  }
}
