// devices: 4
// A result over a mesh that has the devices in another order, and the axes of its dimension
// swapped: one permute does both, where nobody else wants the value. The second result is
// wanted in the program's order too, and is moved by a permute of its own.
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @main(%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %b: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@other, [{"y", "x"}, {}]>}, tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@other, [{"y", "x"}, {}]>}, tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) {
    %0 = stablehlo.negate %b : tensor<8x2xf32>
    return %a, %0, %0 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
  }
}
