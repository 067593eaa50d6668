// Gradients of microbatches: a loop over microbatches around a scan over layers, from the last to the first, which stacks what each
// layer's product comes to, whole (an all_reduce a turn) and scattered (a reduce_scatter a turn). Behind it one microbatch more.
module @stacks {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<2x3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}, %y: tensor<2x3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}) -> (tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<3x8x8xf32>
    %w:3 = stablehlo.while(%m = %zero, %g = %z, %h = %z) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %m, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %v:3 = stablehlo.while(%i = %zero, %a = %z, %b = %z) : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
      cond {
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %back = stablehlo.subtract %two, %i : tensor<i32>
        %s = stablehlo.dynamic_slice %x, %m, %back, %zero, %zero, sizes = [1, 1, 8, 8] : (tensor<2x3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x8xf32>
        %r = stablehlo.reshape %s : (tensor<1x1x8x8xf32>) -> tensor<8x8xf32>
        %t = stablehlo.dynamic_slice %y, %m, %back, %zero, %zero, sizes = [1, 1, 8, 8] : (tensor<2x3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x8xf32>
        %u = stablehlo.reshape %t : (tensor<1x1x8x8xf32>) -> tensor<8x8xf32>
        %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
        %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
        %f = stablehlo.broadcast_in_dim %e, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
        %a1 = stablehlo.dynamic_update_slice %a, %f, %back, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
        %k = stablehlo.dot_general %u, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
        %l = sdy.sharding_constraint %k <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
        %n = stablehlo.transpose %l, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
        %o = stablehlo.reshape %n : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
        %b1 = stablehlo.dynamic_update_slice %b, %o, %back, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %a1, %b1 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
      }
      %g1 = stablehlo.add %g, %v#1 : tensor<3x8x8xf32>
      %h1 = stablehlo.add %v#2, %h : tensor<3x8x8xf32>
      %m1 = stablehlo.add %m, %one : tensor<i32>
      stablehlo.return %m1, %g1, %h1 : tensor<i32>, tensor<3x8x8xf32>, tensor<3x8x8xf32>
    }
    %q:2 = stablehlo.while(%i = %zero, %a = %z) : tensor<i32>, tensor<3x8x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %y, %one, %i, %zero, %zero, sizes = [1, 1, 8, 8] : (tensor<2x3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x8xf32>
      %r = stablehlo.reshape %s : (tensor<1x1x8x8xf32>) -> tensor<8x8xf32>
      %d = stablehlo.dot_general %r, %r, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %e = sdy.sharding_constraint %d <@mesh, [{}, {}]> : tensor<8x8xf32>
      %f = stablehlo.reshape %e : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
      %a1 = stablehlo.dynamic_update_slice %a, %f, %i, %zero, %zero : (tensor<3x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %a1 : tensor<i32>, tensor<3x8x8xf32>
    }
    %g2 = stablehlo.add %w#1, %q#1 : tensor<3x8x8xf32>
    return %g2, %w#2 : tensor<3x8x8xf32>, tensor<3x8x8xf32>
  }
}
