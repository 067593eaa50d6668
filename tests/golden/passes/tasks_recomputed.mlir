// passes: inline partition=1 simplify place verify tasks=v5e:1x1
// What JAX computes again in the backward pass has a name that says so, also when it is in
// a function that the forward pass calls too: MFU does not count it.
module @jit_f {
  func.func public @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %g: tensor<256x256xf32>) -> (tensor<256x256xf32>) {
    %0 = func.call @product(%x, %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc("jit(f)/jvp(checkpoint)/jit(_einsum)")
    %1 = stablehlo.add %0, %g : tensor<256x256xf32> loc("jit(f)/add")
    %2 = func.call @product(%1, %w) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc("jit(f)/transpose(jvp(checkpoint))/rematted_computation/jit(_einsum)")
    %3 = stablehlo.dot_general %2, %g, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc("jit(f)/transpose(jvp(checkpoint))/dot_general")
    return %3 : tensor<256x256xf32>
  }
  func.func private @product(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc("dot_general")
    return %0 : tensor<256x256xf32>
  }
}
// -----
module @jit_f {
  func.func public @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %g: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.add %0, %g : tensor<256x256xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %3 = stablehlo.dot_general %2, %g, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    return %3 : tensor<256x256xf32>
  }
}
tasks @main {
  fusion.0: compute of dot_general.0 add.0, mxu 33554432, vpu 65536, reads 786432, beside 262144, vmem 262144
  dot_general.1: compute, mxu 33554432, again 33554432, vmem 786432
  dot_general.2: compute, mxu 33554432, writes 262144, vmem 524288
}
