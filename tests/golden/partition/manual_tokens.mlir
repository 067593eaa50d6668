// A token that goes through a manual computation has a sharding in its lists, and goes with it.
module @m {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:3 = sdy.manual_computation(%a, %t, %a)
        in_shardings=[<@mesh, [{"a"}, {"b"}]>, <@mesh, []>, <@mesh, [{}, {"b", ?}], replicated={"a"}>]
        out_shardings=[<@mesh, []>, <@mesh, [{"a"}, {"b"}]>, <@mesh, [{}, {"b"}]>]
        manual_axes={"a", "b"} (%x: tensor<2x2xf32>, %u: !stablehlo.token, %y: tensor<4x2xf32>) {
      %1 = stablehlo.negate %x : tensor<2x2xf32>
      sdy.return %u, %1, %y : !stablehlo.token, tensor<2x2xf32>, tensor<4x2xf32>
    } : (tensor<4x4xf32>, !stablehlo.token, tensor<4x4xf32>) -> (!stablehlo.token, tensor<4x4xf32>, tensor<4x4xf32>)
    %2 = stablehlo.add %0#1, %0#2 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}
