// A grid of two replicas and two partitions: every cell is a chip. A gather over replicas and
// partitions goes through the partitions, the replicas within.
module @both {
  func.func @program(%x: tensor<1xi64>) -> (tensor<4xi64>, tensor<ui32>, tensor<ui32>) {
    %y = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}
      : (tensor<1xi64>) -> tensor<4xi64>
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    return %y, %r, %p : tensor<4xi64>, tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[10]> : tensor<1xi64>
    %b = stablehlo.constant dense<[11]> : tensor<1xi64>
    %c = stablehlo.constant dense<[20]> : tensor<1xi64>
    %d = stablehlo.constant dense<[21]> : tensor<1xi64>
    %results:12 = "interpreter.run_parallel"(%a, %b, %c, %d) {
      programs = [[@program, @program], [@program, @program]]
    } : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
      -> (tensor<4xi64>, tensor<ui32>, tensor<ui32>, tensor<4xi64>, tensor<ui32>, tensor<ui32>,
          tensor<4xi64>, tensor<ui32>, tensor<ui32>, tensor<4xi64>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %results#0, dense<[10, 20, 11, 21]> : tensor<4xi64>
    check.expect_eq_const %results#9, dense<[10, 20, 11, 21]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<0> : tensor<ui32>
    check.expect_eq_const %results#2, dense<0> : tensor<ui32>
    check.expect_eq_const %results#4, dense<0> : tensor<ui32>
    check.expect_eq_const %results#5, dense<1> : tensor<ui32>
    check.expect_eq_const %results#7, dense<1> : tensor<ui32>
    check.expect_eq_const %results#8, dense<0> : tensor<ui32>
    check.expect_eq_const %results#10, dense<1> : tensor<ui32>
    check.expect_eq_const %results#11, dense<1> : tensor<ui32>
    func.return
  }
}

// -----

// Sums over replicas only; a broadcast from the second of three, the first gets zeros.
module @replicas {
  func.func @program(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %s = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    %c = "stablehlo.collective_broadcast"(%x) {
      replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    return %s, %c : tensor<2xf32>, tensor<2xf32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
    %c = stablehlo.constant dense<[100.0, 200.0]> : tensor<2xf32>
    %results:6 = "interpreter.run_parallel"(%a, %b, %c) {
      programs = [[@program], [@program], [@program]]
    } : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %results#0, dense<[111.0, 222.0]> : tensor<2xf32>
    check.expect_eq_const %results#4, dense<[111.0, 222.0]> : tensor<2xf32>
    check.expect_eq_const %results#1, dense<[0.0, 0.0]> : tensor<2xf32>
    check.expect_eq_const %results#3, dense<[10.0, 20.0]> : tensor<2xf32>
    check.expect_eq_const %results#5, dense<[10.0, 20.0]> : tensor<2xf32>
    func.return
  }
}

// -----

// A sum over groups of different sizes.
module @ragged {
  func.func @program(%x: tensor<2xi32>) -> tensor<2xi32> {
    %s = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %t = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }) {replica_groups = dense<[[1, 2], [0, -1]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    return %s : tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
    %c = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
    %results:3 = "interpreter.run_parallel"(%a, %b, %c) {
      programs = [[@program], [@program], [@program]]
    } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %results#0, dense<[1, 2]> : tensor<2xi32>
    check.expect_eq_const %results#1, dense<[110, 220]> : tensor<2xi32>
    check.expect_eq_const %results#2, dense<[110, 220]> : tensor<2xi32>
    func.return
  }
}

// -----

// collective_reduce: the first of a group gets the sums, the other one zeros.
module @reduce_to_the_first {
  func.func @program(%x: tensor<2xi64>) -> tensor<2xi64> {
    %s = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %c = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %c : tensor<i64>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}
      : (tensor<2xi64>) -> tensor<2xi64>
    return %s : tensor<2xi64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %y = stablehlo.constant dense<[30, 40]> : tensor<2xi64>
    %r:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@program], [@program]]}
      : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[0, 0]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[31, 42]> : tensor<2xi64>
    return
  }
}

// -----

// collective_broadcast of two values, each from a member of the group that the program names.
module @broadcast_from_roots {
  func.func @program(%x: tensor<2xi64>, %y: tensor<f32>, %root: tensor<2xi32>) -> (tensor<2xi64>, tensor<f32>) {
    %b:2 = "stablehlo.collective_broadcast"(%x, %y, %root) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root}
      : (tensor<2xi64>, tensor<f32>, tensor<2xi32>) -> (tensor<2xi64>, tensor<f32>)
    return %b#0, %b#1 : tensor<2xi64>, tensor<f32>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %x1 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %y0 = stablehlo.constant dense<5.0> : tensor<f32>
    %y1 = stablehlo.constant dense<6.0> : tensor<f32>
    %root = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %r:4 = "interpreter.run_parallel"(%x0, %y0, %root, %x1, %y1, %root) {programs = [[@program], [@program]]}
      : (tensor<2xi64>, tensor<f32>, tensor<2xi32>, tensor<2xi64>, tensor<f32>, tensor<2xi32>)
        -> (tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>)
    check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<6.0> : tensor<f32>
    check.expect_eq_const %r#2, dense<[1, 2]> : tensor<2xi64>
    check.expect_eq_const %r#3, dense<6.0> : tensor<f32>
    return
  }
}
