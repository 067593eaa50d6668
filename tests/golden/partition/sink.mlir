// What a sink takes is computed where it is: no chip needs the whole of it.
module @sink attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.add %x, %x : tensor<8x4xf32>
    stablehlo.custom_call @dce_sink(%0) {api_version = 4 : i32, has_side_effect = true} : (tensor<8x4xf32>) -> ()
    return %x : tensor<8x4xf32>
  }
}
