// passes: partition=4 simplify lower
// jax.jit(step, donate_argnums=(0, 1, 2)) over a mesh of 2x2: the parts of the first two are
// updated where they lie; JAX itself saw that no result lies as the third does.
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, tf.aliasing_output = 0 : i32}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, tf.aliasing_output = 1 : i32}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg3: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x8xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x8xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16x8xf32>
    %2 = stablehlo.add %1, %arg3 : tensor<16x8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<16x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x8xf32>
    return %5, %2, %7 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}
// -----
program jit_step on 4 chips, temporaries 192 B, argument 0 lies in result 0, argument 1 lies in result 1
entry @main(%0 f32[8,4] argument 0, %1 f32[8,4] argument 1, %2 f32[8,4] argument 2, %3 f32[8,8] argument 3) {
  partition_id.0: %7 u32[] temp+0 = partition_id()
  dynamic_slice.0: %9 s32[1] temp+128 = dynamic_slice(%8 s32[4] constant 0, %7 u32[] temp+0) {slice_sizes=[1]}
  broadcast_in_dim.0: %11 f32[8,4] temp+0 = broadcast_in_dim(%10 f32[] constant 1) {dimensions=[]}
  multiply.0: %11 f32[8,4] temp+0 = multiply(%11 f32[8,4] temp+0, %5 f32[8,4] result 1)  // lower_donation_jax.mlir:9:10
  dynamic_slice.1: %5 f32[8,4] result 1 = dynamic_slice(%3 f32[8,8] argument 3, %12 s32[] constant 2, %13 s32[] temp+128) {slice_sizes=[8,4]}  // lower_donation_jax.mlir:10:10
  add.0: %5 f32[8,4] result 1 = add(%11 f32[8,4] temp+0, %5 f32[8,4] result 1)  // lower_donation_jax.mlir:10:10
  broadcast_in_dim.1: %15 f32[8,4] temp+0 = broadcast_in_dim(%14 f32[] constant 3) {dimensions=[]}
  multiply.1: %15 f32[8,4] temp+0 = multiply(%15 f32[8,4] temp+0, %5 f32[8,4] result 1)  // lower_donation_jax.mlir:13:10
  subtract.0: %4 f32[8,4] result 0 = subtract(%4 f32[8,4] result 0, %15 f32[8,4] temp+0)  // lower_donation_jax.mlir:14:10
  broadcast_in_dim.2: %17 f32[8,4] temp+0 = broadcast_in_dim(%16 f32[] constant 4) {dimensions=[]}
  add.1: %17 f32[8,4] temp+0 = add(%2 f32[8,4] argument 2, %17 f32[8,4] temp+0)  // lower_donation_jax.mlir:17:10
  all_gather.0: %6 f32[8,8] result 2 = all_gather(%17 f32[8,4] temp+0) {dimension=[1], replica_groups=[0,1,2,3], group_size=[2], channel=[1]}  // lower_donation_jax.mlir:17:10
  return %4 f32[8,4] result 0, %5 f32[8,4] result 1, %6 f32[8,8] result 2
}
