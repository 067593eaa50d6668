// passes: tasks=v5e:1x1
// What the backward pass needs of a product that others read as well (1 - tanh) is made there, not kept aside: the product's kernel leaves
// tanh alone. It leaves a mask (x > 0) where that spares keeping a larger array. What comes of a product that nothing else reads ends
// it (q + exp(q)), whoever wants it.
module {
  func.func @main(%x: tensor<4096x512xbf16>, %w: tensor<512x512xbf16>, %g: tensor<4096x512xbf16>) -> (tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>) {
    %one = stablehlo.constant dense<1.0> : tensor<4096x512xbf16>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %t = stablehlo.tanh %p : tensor<4096x512xbf16>
    %d = stablehlo.subtract %one, %t : tensor<4096x512xbf16>
    %y = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %b = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %m = stablehlo.multiply %b, %d : tensor<4096x512xbf16>
    %n = stablehlo.multiply %m, %t : tensor<4096x512xbf16>
    %r = stablehlo.add %m, %n : tensor<4096x512xbf16>

    %zero = stablehlo.constant dense<0.0> : tensor<4096x512xbf16>
    %h = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %k = stablehlo.maximum %h, %zero : tensor<4096x512xbf16>
    %c = stablehlo.compare GT, %h, %zero : (tensor<4096x512xbf16>, tensor<4096x512xbf16>) -> tensor<4096x512xi1>
    %l = stablehlo.dot_general %k, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %f = stablehlo.dot_general %r, %w, contracting_dims = [1] x [1] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %o = stablehlo.select %c, %f, %zero : tensor<4096x512xi1>, tensor<4096x512xbf16>

    %q = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %e = stablehlo.exponential %q : tensor<4096x512xbf16>
    %s = stablehlo.add %q, %e : tensor<4096x512xbf16>
    %u = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %v = stablehlo.multiply %u, %s : tensor<4096x512xbf16>
    return %y, %r, %l, %o, %v : tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>
  }
}
// -----
module {
  func.func @main(%x: tensor<4096x512xbf16>, %w: tensor<512x512xbf16>, %g: tensor<4096x512xbf16>) -> (tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>) {
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %t = stablehlo.tanh %p : tensor<4096x512xbf16>
    %0 = stablehlo.constant dense<1.0> : tensor<4096x512xbf16>
    %d = stablehlo.subtract %0, %t : tensor<4096x512xbf16>
    %y = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %b = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %m = stablehlo.multiply %b, %d : tensor<4096x512xbf16>
    %n = stablehlo.multiply %m, %t : tensor<4096x512xbf16>
    %r = stablehlo.add %m, %n : tensor<4096x512xbf16>
    %h = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %1 = stablehlo.constant dense<0.0> : tensor<4096x512xbf16>
    %k = stablehlo.maximum %h, %1 : tensor<4096x512xbf16>
    %c = stablehlo.compare GT, %h, %1 : (tensor<4096x512xbf16>, tensor<4096x512xbf16>) -> tensor<4096x512xi1>
    %l = stablehlo.dot_general %k, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %f = stablehlo.dot_general %r, %w, contracting_dims = [1] x [1] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %o = stablehlo.select %c, %f, %1 : tensor<4096x512xi1>, tensor<4096x512xbf16>
    %q = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %e = stablehlo.exponential %q : tensor<4096x512xbf16>
    %s = stablehlo.add %q, %e : tensor<4096x512xbf16>
    %u = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x512xbf16>) -> tensor<4096x512xbf16>
    %v = stablehlo.multiply %u, %s : tensor<4096x512xbf16>
    return %y, %r, %l, %o, %v : tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096x512xbf16>
  }
}
tasks @main {
  fusion.0: compute of dot_general.0 tanh.0, mxu 2147483648, vpu 16777216, reads 4718592, vmem 4194304
  prefetch_start.0: prefetch start for add.0, reads 4194304
  dot_general.1: compute, mxu 2147483648, writes 4194304, vmem 4718592
  prefetch_start.1: prefetch start for dot_general.3, reads 4194304
  prefetch_done.0: prefetch done for add.0
  fusion.1: compute of subtract.0 dot_general.2 multiply.0 multiply.1 add.0, mxu 2147483648, vpu 8388608, writes 4194304, vmem 8912896
  prefetch_done.1: prefetch done for dot_general.3
  dot_general.3: compute, mxu 2147483648, vmem 8912896
  fusion.2: compute of maximum.0 compare.0, vpu 4194304, vmem 10485760
  prefetch_start.2: prefetch start for select.0, reads 4194304
  dot_general.4: compute, mxu 2147483648, writes 4194304, vmem 4718592
  prefetch_done.2: prefetch done for select.0
  fusion.3: compute of dot_general.5 select.0, mxu 2147483648, vpu 2097152, writes 4194304, vmem 6815744
  fusion.4: compute of dot_general.6 exponential.0 add.1, mxu 2147483648, vpu 23068672, vmem 8912896
  fusion.5: compute of dot_general.7 multiply.2, mxu 2147483648, vpu 2097152, writes 4194304, vmem 8912896
}
