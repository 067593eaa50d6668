// Arrays in the host's memory hold what they would hold on the chip, wherever they are read, written, carried or chosen.
module @memories {
  func.func @main() {
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %c2 = stablehlo.constant dense<2> : tensor<i32>
    %c3 = stablehlo.constant dense<3> : tensor<i32>
    %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %y = stablehlo.constant dense<[[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]> : tensor<3x2xf32>
    %row = stablehlo.constant dense<[[-1.0, -2.0]]> : tensor<1x2xf32>

    // There and back, also of what has no elements, of a scalar and of what is there already.
    %hx = stablehlo.custom_call @MoveToHost(%x) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %hhx = stablehlo.custom_call @MoveToHost(%hx) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %dx = stablehlo.custom_call @MoveToDevice(%hhx) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %ddx = stablehlo.custom_call @MoveToDevice(%dx) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    check.expect_eq %ddx, %x : tensor<3x2xf32>
    %none = stablehlo.constant dense<> : tensor<0x4xf32>
    %hnone = stablehlo.custom_call @MoveToHost(%none) : (tensor<0x4xf32>) -> tensor<0x4xf32>
    check.expect_eq %hnone, %none : tensor<0x4xf32>
    %h3 = stablehlo.custom_call @MoveToHost(%c3) : (tensor<i32>) -> tensor<i32>

    // What computes reads it as it is.
    %sum = stablehlo.add %hx, %hx : tensor<3x2xf32>
    check.expect_eq_const %sum, dense<[[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]> : tensor<3x2xf32>
    %sorted = "stablehlo.sort"(%hx) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    check.expect_eq_const %sorted, dense<[[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]]> : tensor<3x2xf32>

    // Slices and updates, of what was made there and of what was not.
    %one = stablehlo.dynamic_slice %hx, %c1, %c0, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    check.expect_eq_const %one, dense<[[3.0, 4.0]]> : tensor<1x2xf32>
    %two = stablehlo.slice %hx [1:3, 0:1] : (tensor<3x2xf32>) -> tensor<2x1xf32>
    check.expect_eq_const %two, dense<[[3.0], [5.0]]> : tensor<2x1xf32>
    %hrow = stablehlo.custom_call @MoveToHost(%row) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %u1 = stablehlo.dynamic_update_slice %y, %hrow, %c2, %c0 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %u2 = stablehlo.dynamic_update_slice %hx, %one, %c0, %c0 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %u3 = stablehlo.dynamic_update_slice %u2, %hrow, %c1, %c0 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    check.expect_eq_const %u1, dense<[[7.0, 8.0], [9.0, 10.0], [-1.0, -2.0]]> : tensor<3x2xf32>
    check.expect_eq_const %u3, dense<[[3.0, 4.0], [-1.0, -2.0], [5.0, 6.0]]> : tensor<3x2xf32>
    check.expect_eq %hx, %x : tensor<3x2xf32>

    // Two stacks that change places in a loop whose end is told on the host, and a third
    // that starts on the chip and is left there by the body.
    %z = stablehlo.constant dense<0.0> : tensor<3x2xf32>
    %0:4 = stablehlo.while(%i = %c0, %p = %hx, %q = %y, %r = %z) : tensor<i32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %h3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %c1 : tensor<i32>
      %2 = stablehlo.dynamic_slice %p, %i, %c0, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x2xf32>) -> tensor<2xf32>
      %4 = stablehlo.custom_call @MoveToHost(%3) : (tensor<2xf32>) -> tensor<2xf32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %6 = stablehlo.dynamic_update_slice %r, %5, %i, %c0 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
      stablehlo.return %1, %q, %p, %6 : tensor<i32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
    }
    check.expect_eq %0#1, %y : tensor<3x2xf32>
    check.expect_eq %0#2, %x : tensor<3x2xf32>
    check.expect_eq_const %0#3, dense<[[1.0, 2.0], [9.0, 10.0], [5.0, 6.0]]> : tensor<3x2xf32>

    // A branch that gives what is on the host, and one that does not; loops in loops.
    %yes = stablehlo.constant dense<true> : tensor<i1>
    %7 = "stablehlo.if"(%yes) ({
      %8 = stablehlo.negate %x : tensor<3x2xf32>
      stablehlo.return %8 : tensor<3x2xf32>
    }, {
      stablehlo.return %hx : tensor<3x2xf32>
    }) : (tensor<i1>) -> tensor<3x2xf32>
    %9:2 = stablehlo.while(%i = %c0, %s = %7) : tensor<i32>, tensor<3x2xf32>
     cond {
      %10 = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:2 = stablehlo.while(%k = %c0, %t = %s) : tensor<i32>, tensor<3x2xf32>
       cond {
        %11 = stablehlo.compare LE, %k, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %11 = stablehlo.dynamic_slice %t, %k, %c0, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
        %12 = stablehlo.multiply %11, %11 : tensor<1x2xf32>
        %13 = stablehlo.dynamic_update_slice %t, %12, %k, %c0 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
        %14 = stablehlo.add %k, %c1 : tensor<i32>
        stablehlo.return %14, %13 : tensor<i32>, tensor<3x2xf32>
      }
      %15 = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %15, %10#1 : tensor<i32>, tensor<3x2xf32>
    }
    check.expect_eq_const %9#1, dense<[[1.0, 16.0], [9.0, 16.0], [-5.0, -6.0]]> : tensor<3x2xf32>
    return
  }
}
