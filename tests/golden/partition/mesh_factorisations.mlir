// devices: 6
// Two factorisations of the same devices: 2x3 and 3x2. The axes of the second one are the others of the first, over devices with
// other names: its manual computation is told, and the result goes to its own chips at the end.
module @jit_f {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  sdy.mesh @mesh_0 = <["p"=3, "q"=2]>
  func.func public @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"q"}, {}]>}) -> (tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"p"}, {"q"}]>}, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<12x12xf32>
    %2 = sdy.sharding_constraint %1 <@mesh_0, [{"p"}, {"q"}]> : tensor<12x12xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh_0, [{"p"}, {"q"}]>] out_shardings=[<@mesh_0, [{"p"}, {}]>] manual_axes={"p", "q"} (%arg2: tensor<4x6xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.divide %5, %c : tensor<ui32>
      %7 = stablehlo.remainder %6, %c_0 : tensor<ui32>
      %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %8, %c_1 : tensor<i32>
      %10 = stablehlo.convert %9 : (tensor<i32>) -> tensor<f32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %12 = stablehlo.multiply %arg2, %11 : tensor<4x6xf32>
      %13 = "stablehlo.all_reduce"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %14 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      sdy.return %13 : tensor<4x6xf32>
    } : (tensor<12x12xf32>) -> tensor<12x6xf32>
    %4 = stablehlo.dot_general %3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x6xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
    return %4, %2 : tensor<12x12xf32>, tensor<12x12xf32>
  }
}
