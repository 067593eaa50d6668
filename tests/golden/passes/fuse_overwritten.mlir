// passes: tasks=v5e:1x1
// What makes something smaller of an array before that is written over is no part of a kernel behind: %row, %y and %old would
// keep %cache, %w and the loop's state aside. %copied is kept anyway, %small is less than a kernel costs: no kernels more.
module @jit_fuse_overwritten {
  func.func public @main(%cache: tensor<1024x4096xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4096xf32>, %w: tensor<4096x4096xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<4096x4096xf32>, %last: tensor<1024x4096xf32>, %small: tensor<64x128xf32> {tf.aliasing_output = 6 : i32}) -> (tensor<1024x4096xf32>, tensor<4096x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<64x128xf32>, tensor<8x128xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %turns = stablehlo.constant dense<8> : tensor<i32>
    %negative = stablehlo.negate %cache : tensor<1024x4096xf32>
    %row = stablehlo.slice %negative [16:24, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %loop:2 = stablehlo.while(%a = %cache, %i = %zero) : tensor<1024x4096xf32>, tensor<i32>
     cond {
      %1 = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %old = stablehlo.dynamic_slice %a, %i, %zero, sizes = [8, 4096] : (tensor<1024x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4096xf32>
      %1 = stablehlo.dynamic_update_slice %a, %x, %zero, %zero : (tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
      %new = stablehlo.dynamic_slice %1, %i, %zero, sizes = [8, 4096] : (tensor<1024x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4096xf32>
      %both = stablehlo.add %old, %new : tensor<8x4096xf32>
      %2 = stablehlo.dynamic_update_slice %1, %both, %i, %zero : (tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
      %3 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2, %3 : tensor<1024x4096xf32>, tensor<i32>
    }
    %new_row = stablehlo.slice %loop#0 [0:8, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %rows = stablehlo.add %row, %new_row : tensor<8x4096xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4096xf32>, tensor<4096x4096xf32>) -> tensor<8x4096xf32>
    %step = stablehlo.subtract %w, %g : tensor<4096x4096xf32>
    %bias = stablehlo.slice %step [0:8, 0:4096] : (tensor<4096x4096xf32>) -> tensor<8x4096xf32>
    %z = stablehlo.add %y, %bias : tensor<8x4096xf32>
    %copied = stablehlo.negate %last : tensor<1024x4096xf32>
    %kept = stablehlo.slice %copied [0:8, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %updated = stablehlo.dynamic_update_slice %copied, %x, %zero, %zero : (tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
    %updated_row = stablehlo.slice %updated [8:16, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %last_rows = stablehlo.add %kept, %updated_row : tensor<8x4096xf32>
    %small_row = stablehlo.slice %small [0:8, 0:128] : (tensor<64x128xf32>) -> tensor<8x128xf32>
    %small_new = stablehlo.add %small, %small : tensor<64x128xf32>
    %small_end = stablehlo.slice %small_new [8:16, 0:128] : (tensor<64x128xf32>) -> tensor<8x128xf32>
    %small_rows = stablehlo.add %small_row, %small_end : tensor<8x128xf32>
    return %loop#0, %step, %rows, %z, %copied, %last_rows, %small_new, %small_rows : tensor<1024x4096xf32>, tensor<4096x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<64x128xf32>, tensor<8x128xf32>
  }
}
// -----
module @jit_fuse_overwritten {
  func.func public @main(%cache: tensor<1024x4096xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4096xf32>, %w: tensor<4096x4096xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<4096x4096xf32>, %last: tensor<1024x4096xf32>, %small: tensor<64x128xf32> {tf.aliasing_output = 6 : i32}) -> (tensor<1024x4096xf32>, tensor<4096x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<64x128xf32>, tensor<8x128xf32>) {
    %negative = stablehlo.negate %cache : tensor<1024x4096xf32>
    %row = stablehlo.slice %negative [16:24, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%arg0 = %cache, %arg1 = %0) : tensor<1024x4096xf32>, tensor<i32>
    cond {
      %4 = stablehlo.compare LT, %arg1, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %old = stablehlo.dynamic_slice %arg0, %arg1, %0, sizes = [8, 4096] : (tensor<1024x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4096xf32>
      %4 = stablehlo.dynamic_update_slice %arg0, %x, %0, %0 : (tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
      %new = stablehlo.dynamic_slice %4, %arg1, %0, sizes = [8, 4096] : (tensor<1024x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4096xf32>
      %both = stablehlo.add %old, %new : tensor<8x4096xf32>
      %5 = stablehlo.dynamic_update_slice %4, %both, %arg1, %0 : (tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
      %6 = stablehlo.add %arg1, %2 : tensor<i32>
      stablehlo.return %5, %6 : tensor<1024x4096xf32>, tensor<i32>
    }
    %new_row = stablehlo.slice %3#0 [0:8, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %rows = stablehlo.add %row, %new_row : tensor<8x4096xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4096xf32>, tensor<4096x4096xf32>) -> tensor<8x4096xf32>
    %step = stablehlo.subtract %w, %g : tensor<4096x4096xf32>
    %bias = stablehlo.slice %step [0:8, 0:4096] : (tensor<4096x4096xf32>) -> tensor<8x4096xf32>
    %z = stablehlo.add %y, %bias : tensor<8x4096xf32>
    %copied = stablehlo.negate %last : tensor<1024x4096xf32>
    %kept = stablehlo.slice %copied [0:8, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %updated = stablehlo.dynamic_update_slice %copied, %x, %0, %0 : (tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x4096xf32>
    %updated_row = stablehlo.slice %updated [8:16, 0:4096] : (tensor<1024x4096xf32>) -> tensor<8x4096xf32>
    %last_rows = stablehlo.add %kept, %updated_row : tensor<8x4096xf32>
    %small_row = stablehlo.slice %small [0:8, 0:128] : (tensor<64x128xf32>) -> tensor<8x128xf32>
    %small_new = stablehlo.add %small, %small : tensor<64x128xf32>
    %small_end = stablehlo.slice %small_new [8:16, 0:128] : (tensor<64x128xf32>) -> tensor<8x128xf32>
    %small_rows = stablehlo.add %small_row, %small_end : tensor<8x128xf32>
    return %3#0, %step, %rows, %z, %copied, %last_rows, %small_new, %small_rows : tensor<1024x4096xf32>, tensor<4096x4096xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<64x128xf32>, tensor<8x128xf32>
  }
}
tasks @main {
  fusion.0: compute of negate.0 slice.0, vpu 32768, reads 131072, vmem 131072
  while.0: while
  fusion.1: compute of slice.1 add.2, vpu 32768, reads 131072, writes 131072, vmem 131072
  dot_general.0: compute, mxu 268435456, busy 4294967296, reads 67239936, vmem 131072
  subtract.0: compute, vpu 16777216, reads 67108864, writes 67108864, vmem 67108864
  fusion.2: compute of slice.2 add.3, vpu 32768, reads 131072, writes 131072, vmem 131072
  negate.1: compute, vpu 4194304, reads 16777216, writes 16777216
  dynamic_update_slice.2: compute, reads 16777216, writes 16777216
  fusion.3: compute of slice.3 slice.4 add.4, vpu 32768, reads 262144, writes 131072
  add.5: compute, vpu 8192, reads 32768, writes 32768
  fusion.4: compute of slice.5 slice.6 add.6, vpu 1024, reads 8192, writes 4096
}
tasks @body.2 {
  dynamic_slice.0: compute, reads 131072, vmem 131072
  dynamic_update_slice.0: compute, reads 131072, writes 131072
  fusion.5: compute of dynamic_slice.1 add.0 dynamic_update_slice.1, vpu 32768, reads 131072, writes 131072, vmem 131072
}
