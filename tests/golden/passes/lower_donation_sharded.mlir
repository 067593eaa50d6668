// passes: partition=2 simplify lower
// On a chip %arg0 has half of the rows, result 0 all of them: it is not used. Donors take
// the first free result of their part's shape, else one of as many bytes, padding included.
module @jit_sharded {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, tf.aliasing_output = 0 : i32}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, jax.buffer_donor = true}, %arg2: tensor<256x256xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<256x256xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.tanh %arg0 : tensor<8x16xf32>
    %1 = stablehlo.negate %arg1 : tensor<8x16xf32>
    %2 = stablehlo.convert %arg2 : (tensor<256x256xf32>) -> tensor<256x256xi32>
    return %0, %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<256x256xi32>
  }
}
// -----
program jit_sharded on 2 chips, temporaries 128.2 KiB, argument 1 lies in result 1, argument 2 lies in result 2
entry @main(%0 f32[4,16] argument 0, %1 f32[4,16] argument 1, %2 f32[128,256] argument 2) {
  tanh.0: %6 f32[4,16] temp+0 = tanh(%0 f32[4,16] argument 0)  // lower_donation_sharded.mlir:7:10
  negate.0: %4 f32[4,16] result 1 = negate(%4 f32[4,16] result 1)  // lower_donation_sharded.mlir:8:10
  convert.0: %8 s32[128,256] temp+256 = convert(%7 f32[128,256] result 2)  // lower_donation_sharded.mlir:9:10
  all_gather.0: %3 f32[8,16] result 0 = all_gather(%6 f32[4,16] temp+0) {dimension=[0], replica_groups=[0,1], group_size=[2], channel=[1]}  // lower_donation_sharded.mlir:7:10
  all_to_all.0: %9 s32[256,128] result 2 = all_to_all(%8 s32[128,256] temp+256) {split_dimension=[1], concat_dimension=[0], split_count=[2], replica_groups=[0,1], group_size=[2], channel=[2]}  // lower_donation_sharded.mlir:9:10
  return %3 f32[8,16] result 0, %4 f32[4,16] result 1, %5 s32[256,128] result 2
}
