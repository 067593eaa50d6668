module @layers {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<6x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<8x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<6> : tensor<i32>
    %w:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %y, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<6x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %a, %r, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
      %h = stablehlo.maximum %e, %a : tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %h : tensor<i32>, tensor<8x8xf32>
    }
    return %w#1 : tensor<8x8xf32>
  }
}
