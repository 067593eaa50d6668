// devices: 4
// x comes from the argument and passes FORWARD and BOTH, y from the results and passes BACKWARD
// and BOTH; nothing passes NONE.
module @jit_barriers {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<8x16xf32>, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %d: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %e: tensor<8x16xf32>, %f: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) {
    %0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<8x16xf32>
    %1 = sdy.propagation_barrier %b allowed_direction=BACKWARD : tensor<8x16xf32>
    %2 = sdy.propagation_barrier %c allowed_direction=BOTH : tensor<8x16xf32>
    %3 = sdy.propagation_barrier %d allowed_direction=NONE : tensor<8x16xf32>
    %4 = sdy.propagation_barrier %e allowed_direction=FORWARD : tensor<8x16xf32>
    %5 = "sdy.propagation_barrier"(%f) <{allowed_direction = 0 : i32}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
