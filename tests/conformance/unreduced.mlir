// Values that are the sum, or the largest or smallest, of what the chips hold: what the chips hold is seen in manual
// computations that lay it side by side, the sums are those of one chip.
module @unreduced attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @flat = <["d"=4]>
  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<16xi32>
    %m = stablehlo.reshape %n : (tensor<16xi32>) -> tensor<4x4xi32>
    %a = sdy.sharding_constraint %m <@mesh, [{}, {"x"}]> : tensor<4x4xi32>
    %b = sdy.sharding_constraint %m <@mesh, [{"x"}, {}]> : tensor<4x4xi32>
    %w = sdy.sharding_constraint %m <@mesh, [{}, {}]> : tensor<4x4xi32>

    // A product of parts: each chip has its own.
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %d = sdy.sharding_constraint %p <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    check.expect_eq_const %d, dense<[[56, 62, 68, 74], [152, 174, 196, 218], [248, 286, 324, 362], [344, 398, 452, 506]]> : tensor<4x4xi32>
    %parts = sdy.manual_computation(%d) in_shardings=[<@mesh, [{}, {}], unreduced={"x"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg0: tensor<4x4xi32>) {
      sdy.return %arg0 : tensor<4x4xi32>
    } : (tensor<4x4xi32>) -> tensor<8x4xi32>
    %first = stablehlo.slice %parts [3:4, 0:4] : (tensor<8x4xi32>) -> tensor<1x4xi32>
    check.expect_eq_const %first, dense<[[52, 77, 102, 127]]> : tensor<1x4xi32>

    // Linear operations, a sum with a whole value among them; and one that is not linear.
    %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<4x4xi32>) -> tensor<4x4xi32>
    %u = sdy.sharding_constraint %t <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    %s = stablehlo.add %u, %w : tensor<4x4xi32>
    %e = sdy.sharding_constraint %s <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    check.expect_eq_const %e, dense<[[56, 153, 250, 347], [66, 179, 292, 405], [76, 205, 334, 463], [86, 231, 376, 521]]> : tensor<4x4xi32>
    %q = stablehlo.multiply %d, %w : tensor<4x4xi32>
    %r = sdy.sharding_constraint %q <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    %row = stablehlo.slice %r [1:2, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
    check.expect_eq_const %row, dense<[[608, 870, 1176, 1526]]> : tensor<1x4xi32>
    %dd = stablehlo.multiply %d, %d : tensor<4x4xi32>
    %sq = sdy.sharding_constraint %dd <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    %top = stablehlo.slice %sq [0:1, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
    check.expect_eq_const %top, dense<[[3136, 3844, 4624, 5476]]> : tensor<1x4xi32>

    // A maximum of parts is reduced before it is part of a sum.
    %low = stablehlo.constant dense<-1> : tensor<i32>
    %x = stablehlo.reduce(%b init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
    %y = sdy.sharding_constraint %x <@mesh, [{}], unreduced={"x"}> : tensor<4xi32>
    check.expect_eq_const %y, dense<[12, 13, 14, 15]> : tensor<4xi32>

    // A loop adds up summands.
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %none = stablehlo.constant dense<0> : tensor<4x4xi32>
    %loop:2 = stablehlo.while(%i = %zero, %sum = %none) : tensor<i32>, tensor<4x4xi32>
      cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %k = stablehlo.add %sum, %d : tensor<4x4xi32>
      %l = sdy.sharding_constraint %k <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
      stablehlo.return %j, %l : tensor<i32>, tensor<4x4xi32>
    }
    %last = stablehlo.slice %loop#1 [0:1, 0:4] : (tensor<4x4xi32>) -> tensor<1x4xi32>
    check.expect_eq_const %last, dense<[[168, 186, 204, 222]]> : tensor<1x4xi32>

    // A scatter that adds: each chip its updates, and the first one along the axis the array.
    %places = stablehlo.constant dense<[[0], [3], [0], [7], [0], [1], [3], [3]]> : tensor<8x1xi32>
    %index = sdy.sharding_constraint %places <@mesh, [{"x"}, {}]> : tensor<8x1xi32>
    %ones = stablehlo.constant dense<1> : tensor<8xi32>
    %counts = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
    %scattered = "stablehlo.scatter"(%counts, %index, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %add = stablehlo.add %arg0, %arg1 : tensor<i32>
      stablehlo.return %add : tensor<i32>
    }) : (tensor<4xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<4xi32>
    check.expect_eq_const %scattered, dense<[13, 21, 30, 43]> : tensor<4xi32>
    %summed = sdy.sharding_constraint %scattered <@mesh, [{}], unreduced={"x"}> : tensor<4xi32>
    %summands = sdy.manual_computation(%summed) in_shardings=[<@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%arg0: tensor<4xi32>) {
      sdy.return %arg0 : tensor<4xi32>
    } : (tensor<4xi32>) -> tensor<8xi32>
    check.expect_eq_const %summands, dense<[12, 20, 30, 41, 1, 1, 0, 2]> : tensor<8xi32>

    // A whole value, and a divided one, become sums; an axis of another mesh over the same chips is both axes.
    %f = sdy.sharding_constraint %n <@mesh, [{}], unreduced={"y"}> : tensor<16xi32>
    %g = sdy.sharding_constraint %n <@flat, [{"d"}]> : tensor<16xi32>
    %h = sdy.sharding_constraint %g <@mesh, [{"x"}], unreduced={"y"}> : tensor<16xi32>
    %held:2 = sdy.manual_computation(%f, %h) in_shardings=[<@mesh, [{}], unreduced={"y"}>, <@mesh, [{"x"}], unreduced={"y"}>] out_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg0: tensor<16xi32>, %arg1: tensor<8xi32>) {
      sdy.return %arg0, %arg1 : tensor<16xi32>, tensor<8xi32>
    } : (tensor<16xi32>, tensor<16xi32>) -> (tensor<32xi32>, tensor<32xi32>)
    check.expect_eq_const %held#0, dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<32xi32>
    check.expect_eq_const %held#1, dense<[0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 12, 13, 14, 15]> : tensor<32xi32>

    // The largest and the smallest of parts: what each chip has found, behind a movement and a further maximum; a whole value is a
    // part as it is, a divided one lies among the least there is; from one kind to the other all of it is reduced first.
    %big = sdy.sharding_constraint %x <@mesh, [{}], unreduced=max{"x"}> : tensor<4xi32>
    %turned = stablehlo.reverse %big, dims = [0] : tensor<4xi32>
    %some = stablehlo.constant dense<[9, 2, 9, 2]> : tensor<4xi32>
    %larger = stablehlo.maximum %turned, %some : tensor<4xi32>
    %kept = sdy.sharding_constraint %larger <@mesh, [{}], unreduced=max{"x"}> : tensor<4xi32>
    check.expect_eq_const %kept, dense<[15, 14, 13, 12]> : tensor<4xi32>
    %whole = sdy.sharding_constraint %n <@mesh, [{}], unreduced=min{"y"}> : tensor<16xi32>
    %among = sdy.sharding_constraint %g <@mesh, [{"x"}], unreduced=max{"y"}> : tensor<16xi32>
    %other = sdy.sharding_constraint %kept <@mesh, [{}], unreduced={"x"}> : tensor<4xi32>
    %found:4 = sdy.manual_computation(%big, %whole, %among, %other) in_shardings=[<@mesh, [{}], unreduced=max{"x"}>, <@mesh, [{}], unreduced=min{"y"}>, <@mesh, [{"x"}], unreduced=max{"y"}>, <@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"y"}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x"}]>] manual_axes={"x", "y"} (%arg0: tensor<4xi32>, %arg1: tensor<16xi32>, %arg2: tensor<8xi32>, %arg3: tensor<4xi32>) {
      sdy.return %arg0, %arg1, %arg2, %arg3 : tensor<4xi32>, tensor<16xi32>, tensor<8xi32>, tensor<4xi32>
    } : (tensor<4xi32>, tensor<16xi32>, tensor<16xi32>, tensor<4xi32>) -> (tensor<8xi32>, tensor<32xi32>, tensor<32xi32>, tensor<8xi32>)
    check.expect_eq_const %found#0, dense<[4, 5, 6, 7, 12, 13, 14, 15]> : tensor<8xi32>
    check.expect_eq_const %found#1, dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<32xi32>
    %rest = stablehlo.slice %found#2 [0:8] : (tensor<32xi32>) -> tensor<8xi32>
    check.expect_eq_const %rest, dense<[0, 1, 2, 3, -2147483648, -2147483648, -2147483648, -2147483648]> : tensor<8xi32>
    check.expect_eq_const %found#3, dense<[15, 14, 13, 12, 0, 0, 0, 0]> : tensor<8xi32>
    %back = sdy.sharding_constraint %among <@mesh, [{}]> : tensor<16xi32>
    check.expect_eq_const %back, dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
    return
  }
}
