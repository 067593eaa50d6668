// passes: tasks=v5e:1x1
// What reads an array goes before what writes over it: no copy of %cache, %w or the loop's state, though the program reads
// their old values later. What depends on the new ones stays (%both), and so does all that reads that array.
module @jit_reads_first {
  func.func public @main(%cache: tensor<1024x4096xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32> {tf.aliasing_output = 2 : i32}, %g: tensor<4096x4096xf32>, %kept: tensor<512x512xf32> {tf.aliasing_output = 4 : i32}) -> (tensor<1024x4096xf32>, tensor<f32>, tensor<4096x4096xf32>, tensor<1x4096xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %new = stablehlo.dynamic_update_slice %cache, %x, %c, %zero : (tensor<1024x4096xf32>, tensor<1x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
    %sum = stablehlo.reduce(%cache init: %f) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<f32>
    %step = stablehlo.subtract %w, %g : tensor<4096x4096xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    %twice = stablehlo.add %kept, %kept : tensor<512x512xf32>
    %both = stablehlo.dot_general %twice, %kept, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %new, %sum, %step, %y, %twice, %both : tensor<1024x4096xf32>, tensor<f32>, tensor<4096x4096xf32>, tensor<1x4096xf32>, tensor<512x512xf32>, tensor<512x512xf32>
  }
}
// -----
module @jit_reads_first {
  func.func public @main(%cache: tensor<1024x4096xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32> {tf.aliasing_output = 2 : i32}, %g: tensor<4096x4096xf32>, %kept: tensor<512x512xf32> {tf.aliasing_output = 4 : i32}) -> (tensor<1024x4096xf32>, tensor<f32>, tensor<4096x4096xf32>, tensor<1x4096xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%cache init: %2) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<f32>
    %new = stablehlo.dynamic_update_slice %cache, %x, %0, %1 : (tensor<1024x4096xf32>, tensor<1x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    %step = stablehlo.subtract %w, %g : tensor<4096x4096xf32>
    %twice = stablehlo.add %kept, %kept : tensor<512x512xf32>
    %both = stablehlo.dot_general %twice, %kept, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %new, %sum, %step, %y, %twice, %both : tensor<1024x4096xf32>, tensor<f32>, tensor<4096x4096xf32>, tensor<1x4096xf32>, tensor<512x512xf32>, tensor<512x512xf32>
  }
}
tasks @main {
  reduce.0: compute, vpu 4194304, reads 16777216, writes 4
  dynamic_update_slice.0: compute, reads 16384, writes 16384
  dot_general.0: compute, mxu 33554432, vpu 33554432, reads 67108864, writes 16384, vmem 16384
  subtract.0: compute, vpu 16777216, reads 67108864, writes 67108864, vmem 67108864
  add.0: compute, vpu 262144, reads 1048576, writes 1048576
  dot_general.1: compute, mxu 268435456, reads 1048576, writes 1048576, vmem 1048576
  copy.0: compute, reads 1048576, writes 1048576
}
