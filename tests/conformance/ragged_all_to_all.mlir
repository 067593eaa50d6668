// As lax.ragged_all_to_all is lowered: rows go from chip to chip of a group, as many as values say. Chip 0 of a group keeps its
// rows 0 and 1 and sends 2 and 3; chip 1 sends row 0, keeps 1 and 2, and sends its last to nobody.
module @ragged_all_to_all attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>

  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<32xi32>
    %rows = stablehlo.reshape %n : (tensor<32xi32>) -> tensor<8x4xi32>
    %a = sdy.reshard %rows <@mesh, [{"x"}, {"y"}]> : tensor<8x4xi32>
    %before = stablehlo.constant dense<-1> : tensor<8x4xi32>
    %input_offsets = stablehlo.constant dense<[[0, 2], [0, 1]]> : tensor<2x2xi32>
    %send_sizes = stablehlo.constant dense<[[2, 2], [1, 2]]> : tensor<2x2xi32>
    %output_offsets = stablehlo.constant dense<[[0, 0], [2, 2]]> : tensor<2x2xi32>
    %recv_sizes = stablehlo.constant dense<[[2, 1], [2, 2]]> : tensor<2x2xi32>
    %0 = sdy.manual_computation(%a, %before, %input_offsets, %send_sizes, %output_offsets, %recv_sizes) in_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{"x", ?}, {?}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%p: tensor<4x4xi32>, %q: tensor<4x4xi32>, %i: tensor<1x2xi32>, %s: tensor<1x2xi32>, %o: tensor<1x2xi32>, %r: tensor<1x2xi32>) {
      %is = stablehlo.reshape %i : (tensor<1x2xi32>) -> tensor<2xi32>
      %ss = stablehlo.reshape %s : (tensor<1x2xi32>) -> tensor<2xi32>
      %os = stablehlo.reshape %o : (tensor<1x2xi32>) -> tensor<2xi32>
      %rs = stablehlo.reshape %r : (tensor<1x2xi32>) -> tensor<2xi32>
      %1 = stablehlo.custom_call @ragged_all_to_all(%p, %q, %is, %ss, %os, %rs) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}} : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x4xi32>
      sdy.return %1 : tensor<4x4xi32>
    } : (tensor<8x4xi32>, tensor<8x4xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<8x4xi32>
    check.expect_eq_const %0, dense<[[0, 1, 2, 3], [4, 5, 6, 7], [16, 17, 18, 19], [-1, -1, -1, -1], [8, 9, 10, 11], [12, 13, 14, 15], [20, 21, 22, 23], [24, 25, 26, 27]]> : tensor<8x4xi32>
    return
  }
}
