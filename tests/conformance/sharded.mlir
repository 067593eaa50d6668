// Operations over shards: what an index or a window touches is whole on every chip, the rest is
// divided, and the results are those of one chip.
module @sharded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<64xi32>
    %table = stablehlo.reshape %n : (tensor<64xi32>) -> tensor<8x8xi32>
    %rows = sdy.sharding_constraint %table <@mesh, [{"x"}, {"y"}]> : tensor<8x8xi32>
    %i = stablehlo.constant dense<[[7], [0], [3], [3]]> : tensor<4x1xi32>
    %at = sdy.sharding_constraint %i <@mesh, [{"x"}, {}]> : tensor<4x1xi32>

    // Rows by index: divided by the index and by the column.
    %g = "stablehlo.gather"(%rows, %at) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                                            start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xi32>, tensor<4x1xi32>) -> tensor<4x8xi32>
    %h = sdy.sharding_constraint %g <@mesh, [{"x"}, {"y"}]> : tensor<4x8xi32>
    check.expect_eq_const %h, dense<[[56, 57, 58, 59, 60, 61, 62, 63], [0, 1, 2, 3, 4, 5, 6, 7],
                                     [24, 25, 26, 27, 28, 29, 30, 31],
                                     [24, 25, 26, 27, 28, 29, 30, 31]]> : tensor<4x8xi32>

    // Added to rows of zeros: divided by the column.
    %zero = stablehlo.constant dense<0> : tensor<8x8xi32>
    %z = sdy.sharding_constraint %zero <@mesh, [{}, {"y"}]> : tensor<8x8xi32>
    %s = "stablehlo.scatter"(%z, %at, %h) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) : (tensor<8x8xi32>, tensor<4x1xi32>, tensor<4x8xi32>) -> tensor<8x8xi32>
    %t = stablehlo.slice %s [3:4, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
    check.expect_eq_const %t, dense<[[48, 50, 52, 54, 56, 58, 60, 62]]> : tensor<1x8xi32>
    %u = stablehlo.slice %s [1:2, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
    check.expect_eq_const %u, dense<0> : tensor<1x8xi32>

    // Sorted along one dimension, divided by the other.
    %d = "stablehlo.sort"(%rows) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8x8xi32>) -> tensor<8x8xi32>
    %e = stablehlo.slice %d [0:1, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
    check.expect_eq_const %e, dense<[[56, 57, 58, 59, 60, 61, 62, 63]]> : tensor<1x8xi32>

    // A window over one dimension, divided by the other.
    %init = stablehlo.constant dense<0> : tensor<i32>
    %w = "stablehlo.reduce_window"(%rows, %init) <{window_dimensions = array<i64: 8, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) : (tensor<8x8xi32>, tensor<i32>) -> tensor<1x8xi32>
    check.expect_eq_const %w, dense<[[224, 232, 240, 248, 256, 264, 272, 280]]> : tensor<1x8xi32>

    // The largest of each row.
    %v, %p = chlo.top_k(%rows, k = 1) : tensor<8x8xi32> -> (tensor<8x1xi32>, tensor<8x1xi32>)
    check.expect_eq_const %v, dense<[[7], [15], [23], [31], [39], [47], [55], [63]]> : tensor<8x1xi32>
    check.expect_eq_const %p, dense<7> : tensor<8x1xi32>

    // A convolution divided by batch and by output feature: differences of neighbours, and sums.
    %f = stablehlo.convert %rows : (tensor<8x8xi32>) -> tensor<8x8xf32>
    %x = stablehlo.reshape %f : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %k = stablehlo.constant dense<[[[-1.0, 1.0]], [[1.0, 1.0]]]> : tensor<2x1x2xf32>
    %l = sdy.sharding_constraint %k <@mesh, [{}, {}, {"y"}]> : tensor<2x1x2xf32>
    %y = stablehlo.convolution(%x, %l) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<8x8x1xf32>, tensor<2x1x2xf32>) -> tensor<8x7x2xf32>
    %m = sdy.sharding_constraint %y <@mesh, [{"x"}, {}, {"y"}]> : tensor<8x7x2xf32>
    %q = stablehlo.slice %m [7:8, 0:7, 0:2] : (tensor<8x7x2xf32>) -> tensor<1x7x2xf32>
    check.expect_eq_const %q, dense<[[[1.0, 113.0], [1.0, 115.0], [1.0, 117.0], [1.0, 119.0],
                                      [1.0, 121.0], [1.0, 123.0], [1.0, 125.0]]]> : tensor<1x7x2xf32>
    return
  }
}

// -----

// Matrices are whole, their batches are divided, and so are right-hand sides; what each chip
// computes is what one chip does.
module @matrices attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() {
    %a = stablehlo.constant dense<[[[4.0, 2.0], [2.0, 5.0]], [[9.0, 3.0], [3.0, 2.0]], [[1.0, 2.0], [2.0, 8.0]], [[16.0, 4.0], [4.0, 10.0]]]> : tensor<4x2x2xf32>
    %as = sdy.sharding_constraint %a <@mesh, [{"x"}, {}, {}]> : tensor<4x2x2xf32>
    %l = stablehlo.cholesky %as, lower = true : tensor<4x2x2xf32>
    check.expect_eq_const %l, dense<[[[2.0, 0.0], [1.0, 2.0]], [[3.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [2.0, 2.0]], [[4.0, 0.0], [1.0, 3.0]]]> : tensor<4x2x2xf32>
    %n = stablehlo.iota dim = 2 : tensor<4x2x4xf32>
    %b = sdy.sharding_constraint %n <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x2x4xf32>
    %x = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x2x2xf32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    %xs = sdy.sharding_constraint %x <@mesh, [{"x"}, {}, {"y"}]> : tensor<4x2x4xf32>
    %last = stablehlo.slice %xs [3:4, 0:2, 0:4] : (tensor<4x2x4xf32>) -> tensor<1x2x4xf32>
    check.expect_eq_const %last, dense<[[[0.0, 0.25, 0.5, 0.75], [0.0, 0.25, 0.5, 0.75]]]> : tensor<1x2x4xf32>
    %f = stablehlo.fft %as, type = RFFT, length = [2] : (tensor<4x2x2xf32>) -> tensor<4x2x2xcomplex<f32>>
    %re = stablehlo.real %f : (tensor<4x2x2xcomplex<f32>>) -> tensor<4x2x2xf32>
    check.expect_eq_const %re, dense<[[[6.0, 2.0], [7.0, -3.0]], [[12.0, 6.0], [5.0, 1.0]], [[3.0, -1.0], [10.0, -6.0]], [[20.0, 12.0], [14.0, -6.0]]]> : tensor<4x2x2xf32>
    %bits = stablehlo.bitcast_convert %as : (tensor<4x2x2xf32>) -> tensor<4x2x2x4xui8>
    %back = stablehlo.bitcast_convert %bits : (tensor<4x2x2x4xui8>) -> tensor<4x2x2xf32>
    check.expect_eq %back, %a : tensor<4x2x2xf32>
    return
  }
}
