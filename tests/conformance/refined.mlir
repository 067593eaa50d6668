// Symbolic sizes as jax.export writes them, called with arrays of known sizes.
module @refined {
  func.func private @center(%n: tensor<i32>, %x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %c0 = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
    %m = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %m3 = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %mean = stablehlo.divide %sum, %m3 : tensor<3xf32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %shape = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %all = stablehlo.dynamic_broadcast_in_dim %mean, %shape, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
    %y = stablehlo.subtract %x, %all : tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
  func.func private @polymorphic(%x: tensor<?x3xf32>) -> (tensor<?xf32>, tensor<?x?xi32>, tensor<?x3xf32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %positive = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%positive, %n) {error_message = "Expected value >= 1 for dimension variable 'n', got {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %y = call @center(%n, %x) : (tensor<i32>, tensor<?x3xf32>) -> tensor<?x3xf32>

    // All elements in a row: 3 n of them.
    %three = stablehlo.constant dense<3> : tensor<i32>
    %count = stablehlo.multiply %n, %three : tensor<i32>
    %flat_shape = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
    %flat = stablehlo.dynamic_reshape %y, %flat_shape : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>

    // (n + 1) x floor((n - 1) / 2)
    %more = stablehlo.add %n, %one : tensor<i32>
    %less = stablehlo.subtract %n, %one : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %half = stablehlo.divide %less, %two : tensor<i32>
    %more1 = stablehlo.reshape %more : (tensor<i32>) -> tensor<1xi32>
    %half1 = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
    %table_shape = stablehlo.concatenate %more1, %half1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %table = stablehlo.dynamic_iota %table_shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>

    // A row of zeros behind, then every second row, in a loop that doubles them n times.
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<2xi32>
    %behind = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %padded = stablehlo.dynamic_pad %x, %zero, %none, %behind, %none : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
    %three1 = stablehlo.constant dense<3> : tensor<1xi32>
    %limits = stablehlo.concatenate %more1, %three1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %strides = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %rows = stablehlo.real_dynamic_slice %padded, %none, %limits, %strides : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %last, %doubled = stablehlo.while(%i = %i0, %r = %rows) : tensor<i32>, tensor<?x3xf32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %s = stablehlo.add %r, %r : tensor<?x3xf32>
      stablehlo.return %j, %s : tensor<i32>, tensor<?x3xf32>
    }
    return %flat, %table, %doubled : tensor<?xf32>, tensor<?x?xi32>, tensor<?x3xf32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [5.0, 2.0, 2.0]]> : tensor<3x3xf32>
    %x1 = stablehlo.convert %x : (tensor<3x3xf32>) -> tensor<?x3xf32>
    %0:3 = call @polymorphic(%x1) : (tensor<?x3xf32>) -> (tensor<?xf32>, tensor<?x?xi32>, tensor<?x3xf32>)
    %1 = stablehlo.convert %0#0 : (tensor<?xf32>) -> tensor<9xf32>
    check.expect_eq_const %1, dense<[-2.0, 0.0, 1.0, 0.0, 0.0, -1.0, 2.0, 0.0, 0.0]> : tensor<9xf32>
    %2 = stablehlo.convert %0#1 : (tensor<?x?xi32>) -> tensor<4x1xi32>
    check.expect_eq_const %2, dense<[[0], [1], [2], [3]]> : tensor<4x1xi32>
    %3 = stablehlo.convert %0#2 : (tensor<?x3xf32>) -> tensor<2x3xf32>
    check.expect_eq_const %3, dense<[[8.0, 16.0, 24.0], [40.0, 16.0, 16.0]]> : tensor<2x3xf32>
    return
  }
}
