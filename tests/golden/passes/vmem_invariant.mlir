// passes: tasks=v5e:1x1
// What no turn of a loop changes stays in VMEM for all of them; what is sliced does not.
func.func @main(%n: tensor<i32>, %x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %all: tensor<64x256x256xf32>) -> tensor<256x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %zero, %y = %x, %keep = %w, %many = %all, %end = %n) : tensor<i32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<64x256x256xf32>, tensor<i32>
    cond {
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %part = stablehlo.dynamic_slice %many, %i, %o, %o, sizes = [1, 256, 256] : (tensor<64x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
    %p = stablehlo.reshape %part : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
    %a = stablehlo.dot_general %y, %keep, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %b = stablehlo.add %a, %p : tensor<256x256xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b, %keep, %many, %end : tensor<i32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<64x256x256xf32>, tensor<i32>
  }
  return %0#1 : tensor<256x256xf32>
}
// -----
module {
  func.func @main(%n: tensor<i32>, %x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %all: tensor<64x256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%arg0 = %0, %arg1 = %x, %arg2 = %w, %arg3 = %all, %arg4 = %n) : tensor<i32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<64x256x256xf32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %arg0, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %2 = stablehlo.constant dense<0> : tensor<i32>
      %part = stablehlo.dynamic_slice %arg3, %arg0, %2, %2, sizes = [1, 256, 256] : (tensor<64x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %p = stablehlo.reshape %part : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %a = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %b = stablehlo.add %a, %p : tensor<256x256xf32>
      %3 = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %arg0, %3 : tensor<i32>
      stablehlo.return %j, %b, %arg2, %arg3, %arg4 : tensor<i32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<64x256x256xf32>, tensor<i32>
    }
    return %1#1 : tensor<256x256xf32>
  }
}
tasks @main {
  copy.1: compute, reads 262144, writes 262144
  copy.2: compute, reads 262144, writes 262144
  copy.3: compute, reads 16777216, writes 16777216
  while.0: while
}
tasks @body.2 {
  fusion.0: compute of dynamic_slice.0 dot_general.0 add.0, mxu 33554432, vpu 65536, reads 262144, beside 262144, vmem 786432
}
