// Every turn of the loop needs a layer's array from the host's memory last, and two products before.
module @fetched {
  func.func public @main(%stack: tensor<8x256x2048xbf16> {mhlo.memory_kind = "pinned_host"}, %g: tensor<2048x2048xbf16>, %w: tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<8> : tensor<i32>
    %nothing = stablehlo.constant dense<0.0> : tensor<bf16>
    %end:2 = stablehlo.while(%i = %zero, %a = %g) : tensor<i32>, tensor<2048x2048xbf16>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %stack, %i, %zero, %zero, sizes = [1, 256, 2048] : (tensor<8x256x2048xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2048xbf16>
      %r = stablehlo.reshape %s : (tensor<1x256x2048xbf16>) -> tensor<256x2048xbf16>
      %q = stablehlo.pad %r, %nothing, low = [0, 0], high = [1792, 0], interior = [0, 0] : (tensor<256x2048xbf16>, tensor<bf16>) -> tensor<2048x2048xbf16>
      %b = stablehlo.add %a, %q : tensor<2048x2048xbf16>
      %c = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
      %d = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %d : tensor<i32>, tensor<2048x2048xbf16>
    }
    return %end#1 : tensor<2048x2048xbf16>
  }
}
