// devices: 4
// shard_alike without Shardy: both values of group 3 lie as the one whose sharding is known.
// Strings may be serialized, and say nothing.
module @jit_alike attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4] metadata={op_name=\"x\"}}"}, %b: tensor<8x4xf32> {mhlo.sharding = "{unknown}"}, %c: tensor<8x4xf32> {mhlo.sharding = ""}) -> (tensor<8x4xf32> {mhlo.sharding = "\08\05"}, tensor<8x4xf32>) {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{unknown shard_as 3}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @Sharding(%b) {mhlo.sharding = "\08\05X\01`\03"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.tanh %1 : tensor<8x4xf32>
    return %2, %c : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
