// Replicas and partitions together, in groups, by a region that is no single operation.
module @m {
 func.func @p(%x0: tensor<2xf8E4M3>, %x1: tensor<2xf8E4M3>) -> (tensor<2xf8E4M3>, tensor<2xf8E4M3>) {
 %y:2 = "stablehlo.all_reduce"(%x0, %x1) ({
^bb0(%a: tensor<f8E4M3>, %b: tensor<f8E4M3>):
 %m = stablehlo.negate %b : tensor<f8E4M3>
 %c = stablehlo.subtract %a, %m : tensor<f8E4M3>
 stablehlo.return %c : tensor<f8E4M3>
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xf8E4M3>, tensor<2xf8E4M3>) -> (tensor<2xf8E4M3>, tensor<2xf8E4M3>)
 return %y#0, %y#1 : tensor<2xf8E4M3>, tensor<2xf8E4M3>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf8E4M3>
 %v0_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E4M3>
 %v1_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf8E4M3>
 %v1_1 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf8E4M3>
 %v2_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E4M3>
 %v2_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E4M3>
 %v3_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E4M3>
 %v3_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E4M3>
 %v4_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf8E4M3>
 %v4_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E4M3>
 %v5_0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E4M3>
 %v5_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E4M3>
 %r:12 = "interpreter.run_parallel"(%v0_0, %v0_1, %v1_0, %v1_1, %v2_0, %v2_1, %v3_0, %v3_1, %v4_0, %v4_1, %v5_0, %v5_1) {programs = [[@p, @p, @p], [@p, @p, @p]]} : (tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>) -> (tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>, tensor<2xf8E4M3>)
 check.expect_eq_const %r#0, dense<[3.0, 4.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#1, dense<[6.0, 1.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#2, dense<[3.0, 4.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#3, dense<[6.0, 1.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#4, dense<[3.0, 4.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#5, dense<[6.0, 1.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#6, dense<[3.0, 4.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#7, dense<[6.0, 1.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#8, dense<[3.0, 4.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#9, dense<[6.0, 1.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#10, dense<[3.0, 4.0]> : tensor<2xf8E4M3>
 check.expect_eq_const %r#11, dense<[6.0, 1.0]> : tensor<2xf8E4M3>
 func.return
 }
}

// -----

// Groups of different sizes over replicas and partitions.
module @m {
 func.func @p(%x0: tensor<2xf8E4M3FNUZ>) -> (tensor<2xf8E4M3FNUZ>) {
 %y = "stablehlo.all_reduce"(%x0) ({
^bb0(%a: tensor<f8E4M3FNUZ>, %b: tensor<f8E4M3FNUZ>):
 %c = stablehlo.add %a, %b : tensor<f8E4M3FNUZ>
 stablehlo.return %c : tensor<f8E4M3FNUZ>
}) {replica_groups = dense<[[2, -1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xf8E4M3FNUZ>) -> (tensor<2xf8E4M3FNUZ>)
 return %y : tensor<2xf8E4M3FNUZ>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf8E4M3FNUZ>
 %v1_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E4M3FNUZ>
 %v2_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E4M3FNUZ>
 %r:3 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0) {programs = [[@p], [@p], [@p]]} : (tensor<2xf8E4M3FNUZ>, tensor<2xf8E4M3FNUZ>, tensor<2xf8E4M3FNUZ>) -> (tensor<2xf8E4M3FNUZ>, tensor<2xf8E4M3FNUZ>, tensor<2xf8E4M3FNUZ>)
 check.expect_eq_const %r#0, dense<[0.0, 1.0]> : tensor<2xf8E4M3FNUZ>
 check.expect_eq_const %r#1, dense<[0.0, 1.0]> : tensor<2xf8E4M3FNUZ>
 check.expect_eq_const %r#2, dense<[0.0, 1.0]> : tensor<2xf8E4M3FNUZ>
 func.return
 }
}

// -----

// Groups of different sizes, of processes.
module @m {
 func.func @p(%x0: tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>) {
 %y = "stablehlo.all_reduce"(%x0) ({
^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
 %m = stablehlo.negate %b : tensor<complex<f64>>
 %c = stablehlo.subtract %a, %m : tensor<complex<f64>>
 stablehlo.return %c : tensor<complex<f64>>
}) {replica_groups = dense<[[1, -1, -1, -1, -1], [5, 3, 0, 2, 4]]> : tensor<2x5xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>)
 return %y : tensor<2xcomplex<f64>>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v1_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v2_0 = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v3_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v4_0 = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v5_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %r:6 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0, %v4_0, %v5_0) {programs = [[@p, @p, @p], [@p, @p, @p]]} : (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>)
 check.expect_eq_const %r#0, dense<[(4.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#1, dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#2, dense<[(4.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#3, dense<[(4.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#4, dense<[(4.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#5, dense<[(4.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
 func.return
 }
}

// -----

// Truth values.
module @m {
 func.func @p(%x0: tensor<2xi1>) -> (tensor<2xi1>) {
 %y = "stablehlo.all_reduce"(%x0) ({
^bb0(%a: tensor<i1>, %b: tensor<i1>):
 %c = stablehlo.xor %a, %b : tensor<i1>
 stablehlo.return %c : tensor<i1>
}) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi1>) -> (tensor<2xi1>)
 return %y : tensor<2xi1>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[false, false]> : tensor<2xi1>
 %v1_0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
 %v2_0 = stablehlo.constant dense<[false, false]> : tensor<2xi1>
 %v3_0 = stablehlo.constant dense<[false, true]> : tensor<2xi1>
 %r:4 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0) {programs = [[@p, @p], [@p, @p]]} : (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>)
 check.expect_eq_const %r#0, dense<[false, false]> : tensor<2xi1>
 check.expect_eq_const %r#1, dense<[true, true]> : tensor<2xi1>
 check.expect_eq_const %r#2, dense<[false, false]> : tensor<2xi1>
 check.expect_eq_const %r#3, dense<[true, true]> : tensor<2xi1>
 func.return
 }
}

// -----

// Four bits wrap.
module @m {
 func.func @p(%x0: tensor<2xui4>) -> (tensor<2xui4>) {
 %y = "stablehlo.all_reduce"(%x0) ({
^bb0(%a: tensor<ui4>, %b: tensor<ui4>):
 %c = stablehlo.multiply %a, %b : tensor<ui4>
 stablehlo.return %c : tensor<ui4>
}) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xui4>) -> (tensor<2xui4>)
 return %y : tensor<2xui4>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0, 1]> : tensor<2xui4>
 %v1_0 = stablehlo.constant dense<[0, 1]> : tensor<2xui4>
 %v2_0 = stablehlo.constant dense<[0, 1]> : tensor<2xui4>
 %v3_0 = stablehlo.constant dense<[1, 1]> : tensor<2xui4>
 %r:4 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0) {programs = [[@p, @p], [@p, @p]]} : (tensor<2xui4>, tensor<2xui4>, tensor<2xui4>, tensor<2xui4>) -> (tensor<2xui4>, tensor<2xui4>, tensor<2xui4>, tensor<2xui4>)
 check.expect_eq_const %r#0, dense<[0, 1]> : tensor<2xui4>
 check.expect_eq_const %r#1, dense<[0, 1]> : tensor<2xui4>
 check.expect_eq_const %r#2, dense<[0, 1]> : tensor<2xui4>
 check.expect_eq_const %r#3, dense<[0, 1]> : tensor<2xui4>
 func.return
 }
}

// -----

// Eight-bit floats.
module @m {
 func.func @p(%x0: tensor<2xf8E5M2>) -> (tensor<2xf8E5M2>) {
 %y = "stablehlo.all_reduce"(%x0) ({
^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
 %c = stablehlo.add %a, %b : tensor<f8E5M2>
 stablehlo.return %c : tensor<f8E5M2>
}) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xf8E5M2>) -> (tensor<2xf8E5M2>)
 return %y : tensor<2xf8E5M2>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E5M2>
 %v1_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf8E5M2>
 %v2_0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E5M2>
 %v3_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf8E5M2>
 %r:4 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0) {programs = [[@p, @p], [@p, @p]]} : (tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>) -> (tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>)
 check.expect_eq_const %r#0, dense<[1.0, 1.0]> : tensor<2xf8E5M2>
 check.expect_eq_const %r#1, dense<[2.0, 2.0]> : tensor<2xf8E5M2>
 check.expect_eq_const %r#2, dense<[1.0, 1.0]> : tensor<2xf8E5M2>
 check.expect_eq_const %r#3, dense<[2.0, 2.0]> : tensor<2xf8E5M2>
 func.return
 }
}

// -----

// Complex numbers.
module @m {
 func.func @p(%x0: tensor<2xcomplex<f64>>, %x1: tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) {
 %y:2 = "stablehlo.all_reduce"(%x0, %x1) ({
^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
 %m = stablehlo.negate %b : tensor<complex<f64>>
 %c = stablehlo.subtract %a, %m : tensor<complex<f64>>
 stablehlo.return %c : tensor<complex<f64>>
}) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>)
 return %y#0, %y#1 : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v0_1 = stablehlo.constant dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v1_0 = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v1_1 = stablehlo.constant dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v2_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v2_1 = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v3_0 = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v3_1 = stablehlo.constant dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %r:8 = "interpreter.run_parallel"(%v0_0, %v0_1, %v1_0, %v1_1, %v2_0, %v2_1, %v3_0, %v3_1) {programs = [[@p, @p], [@p, @p]]} : (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>)
 check.expect_eq_const %r#0, dense<[(2.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#1, dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#2, dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#3, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#4, dense<[(2.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#5, dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#6, dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#7, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 func.return
 }
}

// -----

// Two operands, two groups of processes.
module @m {
 func.func @p(%x0: tensor<2xf16>, %x1: tensor<2xf16>) -> (tensor<6xf16>, tensor<6xf16>) {
 %y:2 = "stablehlo.all_gather"(%x0, %x1)  {replica_groups = dense<[[4, 5, 3], [0, 1, 2]]> : tensor<2x3xi64>, all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xf16>, tensor<2xf16>) -> (tensor<6xf16>, tensor<6xf16>)
 return %y#0, %y#1 : tensor<6xf16>, tensor<6xf16>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf16>
 %v0_1 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf16>
 %v1_0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf16>
 %v1_1 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf16>
 %v2_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf16>
 %v2_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf16>
 %v3_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf16>
 %v3_1 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf16>
 %v4_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf16>
 %v4_1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf16>
 %v5_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf16>
 %v5_1 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf16>
 %r:12 = "interpreter.run_parallel"(%v0_0, %v0_1, %v1_0, %v1_1, %v2_0, %v2_1, %v3_0, %v3_1, %v4_0, %v4_1, %v5_0, %v5_1) {programs = [[@p, @p, @p], [@p, @p, @p]]} : (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> (tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>)
 check.expect_eq_const %r#0, dense<[0.0, 1.0, 1.0, 0.0, 0.0, 0.0]> : tensor<6xf16>
 check.expect_eq_const %r#1, dense<[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]> : tensor<6xf16>
 check.expect_eq_const %r#2, dense<[0.0, 1.0, 1.0, 0.0, 0.0, 0.0]> : tensor<6xf16>
 check.expect_eq_const %r#3, dense<[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]> : tensor<6xf16>
 check.expect_eq_const %r#4, dense<[0.0, 1.0, 1.0, 0.0, 0.0, 0.0]> : tensor<6xf16>
 check.expect_eq_const %r#5, dense<[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]> : tensor<6xf16>
 check.expect_eq_const %r#6, dense<[1.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<6xf16>
 check.expect_eq_const %r#7, dense<[1.0, 0.0, 0.0, 1.0, 0.0, 1.0]> : tensor<6xf16>
 check.expect_eq_const %r#8, dense<[1.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<6xf16>
 check.expect_eq_const %r#9, dense<[1.0, 0.0, 0.0, 1.0, 0.0, 1.0]> : tensor<6xf16>
 check.expect_eq_const %r#10, dense<[1.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<6xf16>
 check.expect_eq_const %r#11, dense<[1.0, 0.0, 0.0, 1.0, 0.0, 1.0]> : tensor<6xf16>
 func.return
 }
}

// -----

// Partitions in pairs.
module @m {
 func.func @p(%x0: tensor<4xf4E2M1FN>, %x1: tensor<4xf4E2M1FN>) -> (tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>) {
 %y:2 = "stablehlo.all_to_all"(%x0, %x1)  {replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>, split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>) -> (tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>)
 return %y#0, %y#1 : tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 %v0_1 = stablehlo.constant dense<[0.0, 1.0, 1.0, 1.0]> : tensor<4xf4E2M1FN>
 %v1_0 = stablehlo.constant dense<[0.0, 0.0, 1.0, 0.0]> : tensor<4xf4E2M1FN>
 %v1_1 = stablehlo.constant dense<[1.0, 1.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 %v2_0 = stablehlo.constant dense<[1.0, 0.0, 1.0, 1.0]> : tensor<4xf4E2M1FN>
 %v2_1 = stablehlo.constant dense<[1.0, 1.0, 0.0, 0.0]> : tensor<4xf4E2M1FN>
 %v3_0 = stablehlo.constant dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 %v3_1 = stablehlo.constant dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 %r:8 = "interpreter.run_parallel"(%v0_0, %v0_1, %v1_0, %v1_1, %v2_0, %v2_1, %v3_0, %v3_1) {programs = [[@p, @p, @p, @p]]} : (tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>) -> (tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>)
 check.expect_eq_const %r#0, dense<[1.0, 1.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#1, dense<[0.0, 0.0, 1.0, 1.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#2, dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#3, dense<[1.0, 1.0, 0.0, 0.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#4, dense<[1.0, 0.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#5, dense<[1.0, 1.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#6, dense<[1.0, 0.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 check.expect_eq_const %r#7, dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf4E2M1FN>
 func.return
 }
}

// -----

// Each replica is a group of its partitions.
module @m {
 func.func @p(%x0: tensor<4xf8E3M4>) -> (tensor<2xf8E3M4>) {
 %y = "stablehlo.reduce_scatter"(%x0) ({
^bb0(%a: tensor<f8E3M4>, %b: tensor<f8E3M4>):
 %c = stablehlo.add %a, %b : tensor<f8E3M4>
 stablehlo.return %c : tensor<f8E3M4>
}) {replica_groups = dense<[[1], [0]]> : tensor<2x1xi64>, scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf8E3M4>) -> (tensor<2xf8E3M4>)
 return %y : tensor<2xf8E3M4>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf8E3M4>
 %v1_0 = stablehlo.constant dense<[1.0, 0.0, 1.0, 0.0]> : tensor<4xf8E3M4>
 %v2_0 = stablehlo.constant dense<[0.0, 0.0, 1.0, 1.0]> : tensor<4xf8E3M4>
 %v3_0 = stablehlo.constant dense<[1.0, 0.0, 0.0, 0.0]> : tensor<4xf8E3M4>
 %r:4 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0) {programs = [[@p, @p], [@p, @p]]} : (tensor<4xf8E3M4>, tensor<4xf8E3M4>, tensor<4xf8E3M4>, tensor<4xf8E3M4>) -> (tensor<2xf8E3M4>, tensor<2xf8E3M4>, tensor<2xf8E3M4>, tensor<2xf8E3M4>)
 check.expect_eq_const %r#0, dense<[1.0, 0.0]> : tensor<2xf8E3M4>
 check.expect_eq_const %r#1, dense<[1.0, 1.0]> : tensor<2xf8E3M4>
 check.expect_eq_const %r#2, dense<[1.0, 0.0]> : tensor<2xf8E3M4>
 check.expect_eq_const %r#3, dense<[1.0, 1.0]> : tensor<2xf8E3M4>
 func.return
 }
}

// -----

// The first of each group has the result, also of groups of different sizes.
module @m {
 func.func @p(%x0: tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>) {
 %y = "stablehlo.collective_reduce"(%x0) ({
^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
 %c = stablehlo.add %a, %b : tensor<complex<f64>>
 stablehlo.return %c : tensor<complex<f64>>
}) {replica_groups = dense<[[0, -1, -1, -1, -1], [4, 2, 3, 5, 1]]> : tensor<2x5xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>)
 return %y : tensor<2xcomplex<f64>>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v1_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v2_0 = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v3_0 = stablehlo.constant dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v4_0 = stablehlo.constant dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %v5_0 = stablehlo.constant dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 %r:6 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0, %v4_0, %v5_0) {programs = [[@p, @p, @p], [@p, @p, @p]]} : (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>)
 check.expect_eq_const %r#0, dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#1, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#2, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#3, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#4, dense<[(2.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f64>>
 check.expect_eq_const %r#5, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
 func.return
 }
}

// -----

// Groups of different sizes.
module @m {
 func.func @p(%x0: tensor<2xf8E5M2>) -> (tensor<2xf8E5M2>) {
 %y = "stablehlo.collective_broadcast"(%x0)  {replica_groups = dense<[[1, -1, -1], [2, 0, 3]]> : tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xf8E5M2>) -> (tensor<2xf8E5M2>)
 return %y : tensor<2xf8E5M2>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E5M2>
 %v1_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E5M2>
 %v2_0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E5M2>
 %v3_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf8E5M2>
 %r:4 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0) {programs = [[@p, @p, @p, @p]]} : (tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>) -> (tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>, tensor<2xf8E5M2>)
 check.expect_eq_const %r#0, dense<[1.0, 0.0]> : tensor<2xf8E5M2>
 check.expect_eq_const %r#1, dense<[0.0, 1.0]> : tensor<2xf8E5M2>
 check.expect_eq_const %r#2, dense<[1.0, 0.0]> : tensor<2xf8E5M2>
 check.expect_eq_const %r#3, dense<[1.0, 0.0]> : tensor<2xf8E5M2>
 func.return
 }
}

// -----

// The chip that nobody sends to has zeros.
module @m {
 func.func @p(%x0: tensor<2xf8E5M2FNUZ>) -> (tensor<2xf8E5M2FNUZ>) {
 %y = "stablehlo.collective_permute"(%x0)  {source_target_pairs = dense<[[2, 0], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xf8E5M2FNUZ>) -> (tensor<2xf8E5M2FNUZ>)
 return %y : tensor<2xf8E5M2FNUZ>
 }
 func.func @main() {
 %v0_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf8E5M2FNUZ>
 %v1_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 %v2_0 = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf8E5M2FNUZ>
 %v3_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 %v4_0 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 %v5_0 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 %r:6 = "interpreter.run_parallel"(%v0_0, %v1_0, %v2_0, %v3_0, %v4_0, %v5_0) {programs = [[@p, @p, @p], [@p, @p, @p]]} : (tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>) -> (tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>)
 check.expect_eq_const %r#0, dense<[0.0, 0.0]> : tensor<2xf8E5M2FNUZ>
 check.expect_eq_const %r#1, dense<[0.0, 0.0]> : tensor<2xf8E5M2FNUZ>
 check.expect_eq_const %r#2, dense<[0.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 check.expect_eq_const %r#3, dense<[1.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 check.expect_eq_const %r#4, dense<[0.0, 0.0]> : tensor<2xf8E5M2FNUZ>
 check.expect_eq_const %r#5, dense<[0.0, 1.0]> : tensor<2xf8E5M2FNUZ>
 func.return
 }
}

// -----

// A root that the program computes keeps the sums; the others have zeros.
module @root {
  func.func @p(%x: tensor<2xi32>, %y: tensor<i32>) -> (tensor<2xi32>, tensor<i32>) {
    %roots = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
    %z:2 = "stablehlo.collective_reduce"(%x, %y, %roots) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, has_dynamic_root}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>)
    return %z#0, %z#1 : tensor<2xi32>, tensor<i32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %r:6 = "interpreter.run_parallel"(%a, %c, %b, %c, %a, %c) {programs = [[@p], [@p], [@p]]}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
      -> (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
    check.expect_eq_const %r#0, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<21> : tensor<i32>
    check.expect_eq_const %r#3, dense<0> : tensor<i32>
    check.expect_eq_const %r#4, dense<[12, 24]> : tensor<2xi32>
    return
  }
}

// -----

// Sums in a wider type than that of what is summed: 200 + 100 does not fit a ui8, and bf16 has no 257.
module @promoted {
  func.func @p(%x: tensor<2xui8>, %y: tensor<2xbf16>) -> (tensor<2xui16>, tensor<1xf32>) {
    %s = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<ui16>, %b: tensor<ui16>):
      %c = stablehlo.add %a, %b : tensor<ui16>
      stablehlo.return %c : tensor<ui16>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xui8>) -> tensor<2xui16>
    %t = "stablehlo.reduce_scatter"(%y) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2xbf16>) -> tensor<1xf32>
    return %s, %t : tensor<2xui16>, tensor<1xf32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[200, 1]> : tensor<2xui8>
    %b = stablehlo.constant dense<[100, 2]> : tensor<2xui8>
    %c = stablehlo.constant dense<[256.0, 1.0]> : tensor<2xbf16>
    %d = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xbf16>
    %r:4 = "interpreter.run_parallel"(%a, %c, %b, %d) {programs = [[@p], [@p]]}
      : (tensor<2xui8>, tensor<2xbf16>, tensor<2xui8>, tensor<2xbf16>)
      -> (tensor<2xui16>, tensor<1xf32>, tensor<2xui16>, tensor<1xf32>)
    check.expect_eq_const %r#0, dense<[300, 3]> : tensor<2xui16>
    check.expect_eq_const %r#1, dense<257.0> : tensor<1xf32>
    check.expect_eq_const %r#2, dense<[300, 3]> : tensor<2xui16>
    check.expect_eq_const %r#3, dense<2.0> : tensor<1xf32>
    return
  }
}

// -----

// The same on one chip: reduce, reduce_window and scatter.
func.func @main() {
  %x = stablehlo.constant dense<[[200, 100], [1, 2]]> : tensor<2x2xui8>
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %sum = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %c = stablehlo.add %a, %b : tensor<ui32>
    stablehlo.return %c : tensor<ui32>
  }) {dimensions = array<i64: 1>} : (tensor<2x2xui8>, tensor<ui8>) -> tensor<2xui32>
  check.expect_eq_const %sum, dense<[300, 3]> : tensor<2xui32>
  %window = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<ui16>, %b: tensor<ui16>):
    %c = stablehlo.add %a, %b : tensor<ui16>
    stablehlo.return %c : tensor<ui16>
  }) {window_dimensions = array<i64: 1, 2>} : (tensor<2x2xui8>, tensor<ui8>) -> tensor<2x1xui16>
  check.expect_eq_const %window, dense<[[300], [3]]> : tensor<2x1xui16>
  %into = stablehlo.constant dense<[100, -100]> : tensor<2xi8>
  %indices = stablehlo.constant dense<[[0], [1], [0]]> : tensor<3x1xi32>
  %updates = stablehlo.constant dense<[100, -100, 1]> : tensor<3xi8>
  %scattered = "stablehlo.scatter"(%into, %indices, %updates) ({
  ^bb0(%a: tensor<i16>, %b: tensor<i16>):
    %c = stablehlo.add %a, %b : tensor<i16>
    stablehlo.return %c : tensor<i16>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<2xi8>, tensor<3x1xi32>, tensor<3xi8>) -> tensor<2xi16>
  check.expect_eq_const %scattered, dense<[201, -200]> : tensor<2xi16>
  return
}

// -----

// What starts asynchronously has its value once it is done.
module @async {
  func.func @p(%x: tensor<2xi32>, %i: tensor<i32>) -> (tensor<4xi32>, tensor<1xi32>) {
    %future = "stablehlo.async_start"(%x) ({
    ^bb0(%y: tensor<2xi32>):
      %z = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
      stablehlo.return %z : tensor<4xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<4xi32>>
    %slice = "stablehlo.async_start"(%x, %i) ({
    ^bb0(%y: tensor<2xi32>, %j: tensor<i32>):
      %z = "stablehlo.dynamic_slice"(%y, %j) {slice_sizes = array<i64: 1>} : (tensor<2xi32>, tensor<i32>) -> tensor<1xi32>
      stablehlo.return %z : tensor<1xi32>
    }) : (tensor<2xi32>, tensor<i32>) -> !stablehlo.future<tensor<1xi32>>
    %0 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<4xi32>>) -> tensor<4xi32>
    %1 = "stablehlo.async_done"(%slice) : (!stablehlo.future<tensor<1xi32>>) -> tensor<1xi32>
    return %0, %1 : tensor<4xi32>, tensor<1xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:4 = "interpreter.run_parallel"(%a, %one, %b, %one) {programs = [[@p], [@p]]}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
      -> (tensor<4xi32>, tensor<1xi32>, tensor<4xi32>, tensor<1xi32>)
    check.expect_eq_const %r#0, dense<[1, 2, 3, 4]> : tensor<4xi32>
    check.expect_eq_const %r#1, dense<2> : tensor<1xi32>
    check.expect_eq_const %r#3, dense<4> : tensor<1xi32>
    return
  }
}

// -----

// An asynchronous operation of several results that gives way to others itself.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[0.5, 1.5, 2.5]> : tensor<3xf32>
  %future = "stablehlo.async_start"(%x, %y) ({
  ^bb0(%a: tensor<2xi32>, %b: tensor<3xf32>):
    %z:2 = "stablehlo.collective_broadcast"(%a, %b) {
      replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xi32>, tensor<3xf32>) -> (tensor<2xi32>, tensor<3xf32>)
    stablehlo.return %z#0, %z#1 : tensor<2xi32>, tensor<3xf32>
  }) : (tensor<2xi32>, tensor<3xf32>) -> !stablehlo.future<tensor<2xi32>, tensor<3xf32>>
  %r:2 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xi32>, tensor<3xf32>>) -> (tensor<2xi32>, tensor<3xf32>)
  check.expect_eq %r#0, %x : tensor<2xi32>
  check.expect_eq %r#1, %y : tensor<3xf32>
  return
}
