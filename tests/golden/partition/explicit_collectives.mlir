// devices: 4
// What Shardy's own pipeline prints once it has put in the reshards: each lays a value out anew.
module @jit_collectives {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x16xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = sdy.all_gather [{}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
    %2 = sdy.all_to_all [{"y"}: 1->0] %1 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x16xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<8x16xf32>
    %4 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %5 = sdy.all_reduce {"y"} %4 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %6 = sdy.reduce_scatter [{}, {"y"}] %4 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x4xf32>
    %7 = sdy.sharded_to_unreduced [{}, {"y"}] %6 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x4xf32>
    %8 = sdy.constant dense<1.0> : tensor<8x4xf32>
    %9 = arith.constant dense<2.0> : tensor<8x4xf32>
    %10 = stablehlo.add %8, %9 : tensor<8x4xf32>
    %11 = stablehlo.add %7, %10 : tensor<8x4xf32>
    %12 = sdy.replicated_to_unreduced {"x"} %5 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x4xf32>
    %13 = sdy.data_flow_edge %12 sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %14 = sdy.func_data_flow_edge %13 : tensor<8x4xf32>
    return %3, %14, %11 : tensor<8x16xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}
