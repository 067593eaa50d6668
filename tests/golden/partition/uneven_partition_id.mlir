// devices: 4
// An operation without operands stands beside what is padded.
func.func @main(%a: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<ui32>) {
  %0 = stablehlo.add %a, %a : tensor<6xi32>
  %1 = stablehlo.partition_id : tensor<ui32>
  return %0, %1 : tensor<6xi32>, tensor<ui32>
}
sdy.mesh @mesh = <["x"=4]>
