module @accumulate {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x4096x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %y: tensor<8x4096x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<2048x2048xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<8> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<2048x2048xf32>
    %w:2 = stablehlo.while(%i = %zero, %g = %z) : tensor<i32>, tensor<2048x2048xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 4096, 2048] : (tensor<8x4096x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x2048xf32>
      %r = stablehlo.reshape %s : (tensor<1x4096x2048xf32>) -> tensor<4096x2048xf32>
      %t = stablehlo.dynamic_slice %y, %i, %zero, %zero, sizes = [1, 4096, 2048] : (tensor<8x4096x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x2048xf32>
      %u = stablehlo.reshape %t : (tensor<1x4096x2048xf32>) -> tensor<4096x2048xf32>
      %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<4096x2048xf32>, tensor<4096x2048xf32>) -> tensor<2048x2048xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<2048x2048xf32>
      %h = stablehlo.add %g, %e : tensor<2048x2048xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %h : tensor<i32>, tensor<2048x2048xf32>
    }
    return %w#1 : tensor<2048x2048xf32>
  }
}
