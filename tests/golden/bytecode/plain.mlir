#loc4 = loc("-":5:26)
#loc5 = loc("-":6:7)
#loc15 = loc("-":20:9)
#map = affine_map<(d0) -> (d0)>
module @plain attributes {test.list = [1 : i8, 2.500000e+00 : bf16, unit, @a::@b, i32, {k = array<i1: true, false>}, array<f32: 1.000000e+00, 2.000000e+00>, dense<[[1, -2]]> : tensor<1x2xi4>, dense<true> : tensor<9xi1>, #map, "text", complex<f32>, 7 : index]} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> loc(#loc1)
  sdy.mesh @other = <["x"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]> loc(#loc2)
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>} loc("-":5:26), %arg1: tensor<f32> loc("-":6:7)) -> tensor<8x16xf32> {
    %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32> loc(#loc6)
    %1 = chlo.broadcast_compare %arg0, %0 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1> loc(#loc7)
    %cst = stablehlo.constant dense_resource<blob> : tensor<8x16xf32> loc(#loc8)
    %2 = stablehlo.select %1, %0, %cst {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=8, j=16}>} : tensor<8x16xi1>, tensor<8x16xf32> loc(#loc9)
    %3 = stablehlo.convolution(%2, %2) dim_numbers = [b, f]x[o, i]->[f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32> loc(#loc10)
    %4 = sdy.all_gather [{"x"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32> loc(#loc11)
    %5 = sdy.all_to_all [{"x"}: 0->1] %2 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32> loc(#loc12)
    %6 = sdy.reshard %4 <@mesh, [{}, {?}], unreduced={"x"}> : tensor<8x16xf32> loc(#loc13)
    %7 = sdy.manual_computation(%6) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x16xf32> loc("-":20:9)) {
      sdy.return %arg2 : tensor<4x16xf32> loc(#loc16)
    } : (tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc14)
    return %7 : tensor<8x16xf32> loc(#loc17)
  } loc(#loc3)
} loc(#loc)
#loc = loc("-":1:1)
#loc1 = loc("-":3:3)
#loc2 = loc("-":4:3)
#loc3 = loc("-":5:3)
#loc6 = loc("-":7:10)
#loc7 = loc("-":8:10)
#loc8 = loc("-":10:10)
#loc9 = loc("-":11:10)
#loc10 = loc("-":14:10)
#loc11 = loc("-":16:10)
#loc12 = loc("-":17:10)
#loc13 = loc("-":18:10)
#loc14 = loc("-":19:10)
#loc16 = loc("-":21:7)
#loc17 = loc("-":23:5)

{-#
  dialect_resources: {
    builtin: {
      blob: "0x04000000000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F0410000F84100000042000004420000084200000C4200001042000014420000184200001C4200002042000024420000284200002C4200003042000034420000384200003C4200004042000044420000484200004C4200005042000054420000584200005C4200006042000064420000684200006C4200007042000074420000784200007C42000080420000824200008442000086420000884200008A4200008C4200008E42000090420000924200009442000096420000984200009A4200009C4200009E420000A0420000A2420000A4420000A6420000A8420000AA420000AC420000AE420000B0420000B2420000B4420000B6420000B8420000BA420000BC420000BE420000C0420000C2420000C4420000C6420000C8420000CA420000CC420000CE420000D0420000D2420000D4420000D6420000D8420000DA420000DC420000DE420000E0420000E2420000E4420000E6420000E8420000EA420000EC420000EE420000F0420000F2420000F4420000F6420000F8420000FA420000FC420000FE42"
    }
  }
#-}
