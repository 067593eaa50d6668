sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<?x?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<?x?xf32> {
  %a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %c = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%c, %a, %b) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %a1 = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
  %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %b1, %a1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%p: tensor<?x?xf32>) {
    %q = stablehlo.negate %p : tensor<?x?xf32>
    sdy.return %q : tensor<?x?xf32>
  } : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.custom_call @Sharding(%0, %s) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<?x?xf32>
  %3 = stablehlo.add %ones, %2 : tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
