// passes: lower
// A region runs while its result is written: what it makes, and what it reads from outside for the last time, lies elsewhere.
func.func @main(%at: tensor<64x1xi32>, %rows: tensor<64xf32>) -> tensor<128xf32> {
  %i = stablehlo.iota dim = 0 : tensor<64xf32>
  %array = stablehlo.exponential %i : tensor<64xf32>
  %c = stablehlo.negate %i : tensor<64xf32>
  %1 = "stablehlo.scatter"(%array, %at, %rows) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %n = stablehlo.convert %new : (tensor<f32>) -> tensor<i32>
    %e = stablehlo.dynamic_slice %c, %n, sizes = [1] : (tensor<64xf32>, tensor<i32>) -> tensor<1xf32>
    %s = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>, tensor<64x1xi32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = stablehlo.concatenate %1, %array, dim = 0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  return %2 : tensor<128xf32>
}
// -----
program main on 1 chips, temporaries 1.0 KiB
entry @main(%0 s32[64,1] argument 0, %1 f32[64] argument 1) {
  iota.0: %6 f32[64] temp+0 = iota() {dimension=[0]}
  exponential.0: %7 f32[64] temp+256 = exponential(%6 f32[64] temp+0)  // lower_region_reads.mlir:5:12
  negate.0: %6 f32[64] temp+0 = negate(%6 f32[64] temp+0)  // lower_region_reads.mlir:6:8
  scatter.0: %10 f32[64] temp+768 = scatter(%7 f32[64] temp+256, %0 s32[64,1] argument 0, %1 f32[64] argument 1) {window_dims=[], dropped_dims=[0], array_batching_dims=[], indices_batching_dims=[], index_map=[0], index_vector_dim=[1], reducer=[0]} calls @region.1  // lower_region_reads.mlir:7:8
  concatenate.0: %2 f32[128] result 0 = concatenate(%10 f32[64] temp+768, %7 f32[64] temp+256) {dimension=[0]}  // lower_region_reads.mlir:14:8
  return %2 f32[128] result 0
}
@region.1(%3 f32[] temp+512, %4 f32[] temp+576) {
  convert.0: %8 s32[] temp+640 = convert(%4 f32[] temp+576)  // lower_region_reads.mlir:9:10
  dynamic_slice.0: %9 f32[1] temp+704 = dynamic_slice(%6 f32[64] temp+0, %8 s32[] temp+640) {slice_sizes=[1]}  // lower_region_reads.mlir:10:10
  return %5 f32[] temp+704
}
