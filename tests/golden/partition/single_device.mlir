// devices: 2
// An operation for device 1 whose operand depends on the device: all get what device 1
// computes, each its shard of it. The other operation, of values that all have, is computed
// by every chip.
module @m {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %id = stablehlo.partition_id : tensor<ui32>
    %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %0 = stablehlo.add %a, %numbers {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<4xi32>
    %1 = stablehlo.add %b, %b {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<4xi32>
    return %0, %1 : tensor<4xi32>, tensor<4xi32>
  }
}
