// Written by make_linear.py: JAX's linear algebra as lowered for TPUs.
module @jit_qr attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // qr
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[0.25, -0.5, -0.375], [-2.5, 1.75, 1.125], [-0.375, 0.75, 0.25], [-0.5, 1.0, -0.25], [-0.375, -0.75, 0.5]]> : tensor<5x3xf32>
    %r:2 = func.call @tested(%a0) : (tensor<5x3xf32>) -> (tensor<3x3xf32>, tensor<5x3xf32>)
    %e0 = stablehlo.constant dense<[[2.616055965423584, 1.9112741947174072, 1.1706552505493164], [0.0, 1.335863709449768, 0.3882826566696167], [0.0, 0.0, 0.5099537968635559]]> : tensor<3x3xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<3x3xf32>, tensor<3x3xf32>
    %e1 = stablehlo.constant dense<[[0.09556365013122559, -0.23756319284439087, -0.6968662738800049], [-0.9556370377540588, -0.057254351675510406, -0.031281862407922745], [-0.14334556460380554, 0.3563442528247833, 0.43249809741973877], [-0.19112740457057953, 0.47512567043304443, -0.5672302842140198], [-0.14334556460380554, -0.7665246725082397, 0.06777776777744293]]> : tensor<5x3xf32>
    check.expect_almost_eq %r#1, %e1 : tensor<5x3xf32>, tensor<5x3xf32>
    return
  }
  func.func private @tested(%arg0: tensor<5x3xf32>) -> (tensor<3x3xf32>, tensor<5x3xf32>) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>)
    %1 = call @diagonal(%0#1) : (tensor<3x3xf32>) -> tensor<3xf32>
    %2 = stablehlo.sign %1 : tensor<3xf32>
    %3 = stablehlo.abs %0#1 : tensor<3x3xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %6 = stablehlo.multiply %0#0, %5 : tensor<5x3xf32>
    return %3, %6 : tensor<3x3xf32>, tensor<5x3xf32>
  }
  func.func private @qr(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>) {
    %0:2 = stablehlo.custom_call @Qr(%arg0) {backend_config = ""} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
    %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) {backend_config = ""} : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
    %2 = stablehlo.slice %0#0 [0:3, 0:3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %9 = stablehlo.select %7, %8, %2 : tensor<3x3xi1>, tensor<3x3xf32>
    return %1, %9 : tensor<5x3xf32>, tensor<3x3xf32>
  }
  func.func private @diagonal(%arg0: tensor<3x3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %1 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %3 = stablehlo.add %0, %2 : tensor<3x3xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %5 = stablehlo.convert %4 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<3xi64>
      %9 = stablehlo.iota dim = 0 : tensor<3xi64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_2 = stablehlo.constant dense<3> : tensor<i64>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %13 = stablehlo.add %8, %12 : tensor<3xi64>
      %14 = stablehlo.select %11, %13, %8 : tensor<3xi1>, tensor<3xi64>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_4 = stablehlo.constant dense<3> : tensor<i64>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %18 = stablehlo.add %9, %17 : tensor<3xi64>
      %19 = stablehlo.select %16, %18, %9 : tensor<3xi1>, tensor<3xi64>
      %20 = stablehlo.convert %14 : (tensor<3xi64>) -> tensor<3xi32>
      %21 = stablehlo.convert %19 : (tensor<3xi64>) -> tensor<3xi32>
      %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
      %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
      %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
      %25 = "stablehlo.gather"(%arg0, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x3xf32>, tensor<3x2xi32>) -> tensor<3xf32>
      stablehlo.return %25 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %7 : tensor<3xf32>
  }
}

// -----

module @jit_qr attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // qr of a batch
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[[2.0, -2.5, 0.375, -0.625], [-0.5, -0.25, -2.0, -0.25], [-0.875, 3.375, 0.25, -0.375]], [[-0.25, -0.625, -1.0, -0.375], [0.5, -0.25, 1.0, -0.25], [0.0, 1.5, 0.5, -0.5]]]> : tensor<2x3x4xf32>
    %r:2 = func.call @tested(%a0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x3xf32>)
    %e0 = stablehlo.constant dense<[[[2.2395591735839844, 3.4953866004943848, 0.6837283372879028, 0.3558177351951599], [0.0, 2.342092514038086, 1.1938663721084595, 0.3775879442691803], [0.0, 0.0, 1.5199754238128662, 0.5697113275527954]], [[0.55901700258255, 0.05590164661407471, 1.3416407108306885, 0.05590170621871948], [0.0, 1.643167495727539, 0.6390096545219421, 0.2738613486289978], [0.0, 0.0, 0.20412425696849823, 0.6123723983764648]]]> : tensor<2x3x4xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    %e1 = stablehlo.constant dense<[[[0.8930329084396362, 0.2653590142726898, -0.36342373490333557], [-0.22325822710990906, -0.4399372935295105, -0.8698338866233826], [-0.39070188999176025, 0.8579276204109192, -0.3336348235607147]], [[-0.4472135305404663, -0.36514827609062195, -0.8164966106414795], [0.8944271802902222, -0.18257413804531097, -0.40824833512306213], [0.0, 0.9128710031509399, -0.4082481563091278]]]> : tensor<2x3x3xf32>
    check.expect_almost_eq %r#1, %e1 : tensor<2x3x3xf32>, tensor<2x3x3xf32>
    return
  }
  func.func private @tested(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x3xf32>) {
    %0:2 = call @qr(%arg0) : (tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>)
    %1 = call @diagonal(%0#1) : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.sign %1 : tensor<2x3xf32>
    %3 = stablehlo.abs %0#1 : tensor<2x3x4xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x1x3xf32>) -> tensor<2x3x3xf32>
    %6 = stablehlo.multiply %0#0, %5 : tensor<2x3x3xf32>
    return %3, %6 : tensor<2x3x4xf32>, tensor<2x3x3xf32>
  }
  func.func private @qr(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>) {
    %0:2 = stablehlo.custom_call @Qr(%arg0) {backend_config = ""} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>)
    %1 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
    %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%1, %0#1) {backend_config = ""} : (tensor<2x3x3xf32>, tensor<2x3xf32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %10 = stablehlo.select %8, %9, %0#0 : tensor<2x3x4xi1>, tensor<2x3x4xf32>
    return %2, %10 : tensor<2x3x3xf32>, tensor<2x3x4xf32>
  }
  func.func private @diagonal(%arg0: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<3xi64>
    %1 = stablehlo.iota dim = 0 : tensor<3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %5 = stablehlo.add %0, %4 : tensor<3xi64>
    %6 = stablehlo.select %3, %5, %0 : tensor<3xi1>, tensor<3xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %10 = stablehlo.add %1, %9 : tensor<3xi64>
    %11 = stablehlo.select %8, %10, %1 : tensor<3xi1>, tensor<3xi64>
    %12 = stablehlo.convert %6 : (tensor<3xi64>) -> tensor<3xi32>
    %13 = stablehlo.convert %11 : (tensor<3xi64>) -> tensor<3xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %17 = "stablehlo.gather"(%arg0, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 1, 1>}> : (tensor<2x3x4xf32>, tensor<3x2xi32>) -> tensor<2x3xf32>
    return %17 : tensor<2x3xf32>
  }
}

// -----

module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // qr, all of q
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[(-0.625, -1.625), (-0.125, 0.25)], [(1.625, 0.25), (0.625, 1.625)], [(-1.625, 0.375), (0.0, 0.5)], [(-0.625, -1.5), (0.125, 2.25)]]> : tensor<4x2xcomplex<f32>>
    %r:2 = func.call @tested(%a0) : (tensor<4x2xcomplex<f32>>) -> (tensor<4x2xf32>, tensor<4x2xcomplex<f32>>)
    %e0 = stablehlo.constant dense<[[3.340097427368164, 0.6508485674858093], [0.0, 2.8308825492858887], [0.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<4x2xf32>, tensor<4x2xf32>
    %e1 = stablehlo.constant dense<[[(-0.18712031841278076, -0.4865127503871918), (-0.09196044504642487, -0.02158317156136036)], [(0.48651280999183655, 0.07484813034534454), (0.33327147364616394, 0.5863944888114929)], [(-0.48651278018951416, 0.11227220296859741), (-0.11063700169324875, 0.20723560452461243)], [(-0.18712030351161957, -0.4490887522697449), (-0.0032777097076177597, 0.6935064196586609)]]> : tensor<4x2xcomplex<f32>>
    check.expect_almost_eq %r#1, %e1 : tensor<4x2xcomplex<f32>>, tensor<4x2xcomplex<f32>>
    return
  }
  func.func private @tested(%arg0: tensor<4x2xcomplex<f32>>) -> (tensor<4x2xf32>, tensor<4x2xcomplex<f32>>) {
    %0:2 = call @qr(%arg0) : (tensor<4x2xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>)
    %1 = call @diagonal(%0#1) : (tensor<4x2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    %2 = stablehlo.real %1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %3 = stablehlo.sign %2 : tensor<2xf32>
    %4 = stablehlo.abs %0#1 : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xf32>
    %5 = stablehlo.slice %0#0 [0:4, 0:2] : (tensor<4x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %7 = stablehlo.convert %6 : (tensor<1x2xf32>) -> tensor<1x2xcomplex<f32>>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %9 = stablehlo.multiply %5, %8 : tensor<4x2xcomplex<f32>>
    return %4, %9 : tensor<4x2xf32>, tensor<4x2xcomplex<f32>>
  }
  func.func private @qr(%arg0: tensor<4x2xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>) {
    %0:2 = stablehlo.custom_call @Qr(%arg0) {backend_config = ""} : (tensor<4x2xcomplex<f32>>) -> (tensor<4x2xcomplex<f32>>, tensor<2xcomplex<f32>>)
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<4x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4x4xcomplex<f32>>
    %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%1, %0#1) {backend_config = ""} : (tensor<4x4xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %3 = stablehlo.iota dim = 0 : tensor<4x2xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x2xi64>
    %5 = stablehlo.add %3, %4 : tensor<4x2xi64>
    %6 = stablehlo.iota dim = 1 : tensor<4x2xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x2xi64>, tensor<4x2xi64>) -> tensor<4x2xi1>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<4x2xcomplex<f32>>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<4x2xi1>, tensor<4x2xcomplex<f32>>
    return %2, %9 : tensor<4x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>
  }
  func.func private @diagonal(%arg0: tensor<4x2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.iota dim = 0 : tensor<2xi64>
    %1 = stablehlo.iota dim = 0 : tensor<2xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %5 = stablehlo.add %0, %4 : tensor<2xi64>
    %6 = stablehlo.select %3, %5, %0 : tensor<2xi1>, tensor<2xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_2 = stablehlo.constant dense<2> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %10 = stablehlo.add %1, %9 : tensor<2xi64>
    %11 = stablehlo.select %8, %10, %1 : tensor<2xi1>, tensor<2xi64>
    %12 = stablehlo.convert %6 : (tensor<2xi64>) -> tensor<2xi32>
    %13 = stablehlo.convert %11 : (tensor<2xi64>) -> tensor<2xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %17 = "stablehlo.gather"(%arg0, %16) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x2xcomplex<f32>>, tensor<2x2xi32>) -> tensor<2xcomplex<f32>>
    return %17 : tensor<2xcomplex<f32>>
  }
}

// -----

module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // qr, raw
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[-0.75, -1.375, -0.25], [0.375, 1.125, 0.125], [-0.5, -0.75, 0.75], [1.625, 0.25, -1.25]]> : tensor<4x3xf64>
    %r:2 = func.call @tested(%a0) : (tensor<4x3xf64>) -> (tensor<3x4xf64>, tensor<3xf64>)
    %e0 = stablehlo.constant dense<[[1.8957188610128877, -0.14173841579540877, 0.18898455439387837, -0.6141998017801047], [1.1786425961949694, -1.5466258857379773, -0.11577421204538671, -0.5708360899865323], [-1.14567357252518, -0.6205215383777911, -0.7109923245905336, -0.14492250243381036]]> : tensor<3x4xf64>
    check.expect_almost_eq %r#0, %e0 : tensor<3x4xf64>, tensor<3x4xf64>
    %e1 = stablehlo.constant dense<[1.3956282840374723, 1.4933647826174579, 1.9588590016981293]> : tensor<3xf64>
    check.expect_almost_eq %r#1, %e1 : tensor<3xf64>, tensor<3xf64>
    return
  }
  func.func private @tested(%arg0: tensor<4x3xf64>) -> (tensor<3x4xf64>, tensor<3xf64>) {
    %0:2 = call @qr(%arg0) : (tensor<4x3xf64>) -> (tensor<3x4xf64>, tensor<3xf64>)
    return %0#0, %0#1 : tensor<3x4xf64>, tensor<3xf64>
  }
  func.func private @qr(%arg0: tensor<4x3xf64>) -> (tensor<3x4xf64>, tensor<3xf64>) {
    %0:2 = stablehlo.custom_call @Qr(%arg0) {backend_config = ""} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>)
    %1 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<4x3xf64>) -> tensor<3x4xf64>
    return %1, %0#1 : tensor<3x4xf64>, tensor<3xf64>
  }
}

// -----

module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // qr of nothing
  func.func public @main() {
    %a0 = stablehlo.constant dense<> : tensor<0x3xf32>
    %r:2 = func.call @tested(%a0) : (tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0x3xf32>)
    %e0 = stablehlo.constant dense<> : tensor<0x0xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<0x0xf32>, tensor<0x0xf32>
    %e1 = stablehlo.constant dense<> : tensor<0x3xf32>
    check.expect_almost_eq %r#1, %e1 : tensor<0x3xf32>, tensor<0x3xf32>
    return
  }
  func.func private @tested(%arg0: tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0x3xf32>) {
    %0:2 = call @qr(%arg0) : (tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0x3xf32>)
    return %0#0, %0#1 : tensor<0x0xf32>, tensor<0x3xf32>
  }
  func.func private @qr(%arg0: tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0x3xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<0x0xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<0x0xi32>
    %2 = stablehlo.add %0, %1 : tensor<0x0xi32>
    %3 = stablehlo.iota dim = 1 : tensor<0x0xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<0x0xi32>, tensor<0x0xi32>) -> tensor<0x0xi1>
    %5 = stablehlo.convert %4 : (tensor<0x0xi1>) -> tensor<0x0xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<0x3xf32>
    return %5, %6 : tensor<0x0xf32>, tensor<0x3xf32>
  }
}

// -----

module @jit_lu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // lu
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[1.0, 1.75, -2.5], [-0.125, 1.0, 1.375], [0.625, 1.5, 0.25], [0.5, 0.125, -1.125]]> : tensor<4x3xf32>
    %r:3 = func.call @tested(%a0) : (tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>)
    %e0 = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<4x4xf32>, tensor<4x4xf32>
    %e1 = stablehlo.constant dense<[[1.0, 0.0, 0.0], [-0.125, 1.0, 0.0], [0.625, 0.3333333432674408, 1.0], [0.5, -0.6153846383094788, 0.5340659022331238]]> : tensor<4x3xf32>
    check.expect_almost_eq %r#1, %e1 : tensor<4x3xf32>, tensor<4x3xf32>
    %e2 = stablehlo.constant dense<[[1.0, 1.75, -2.5], [0.0, 1.21875, 1.0625], [0.0, 0.0, 1.4583333730697632]]> : tensor<3x3xf32>
    check.expect_almost_eq %r#2, %e2 : tensor<3x3xf32>, tensor<3x3xf32>
    return
  }
  func.func private @tested(%arg0: tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
    %0:3 = call @lu(%arg0) : (tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>
  }
  func.func private @lu(%arg0: tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
    %0:3 = call @_lu(%arg0) : (tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>
  }
  func.func private @_lu(%arg0: tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
    %0:3 = stablehlo.custom_call @LuDecomposition(%arg0) {api_version = 2 : i32, backend_config = ""} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi32>, tensor<4xi32>)
    %1 = stablehlo.broadcast_in_dim %0#2, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
    %2 = stablehlo.iota dim = 0 : tensor<4xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
    %6 = stablehlo.compare EQ, %4, %5, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %7 = stablehlo.convert %6 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %8 = call @tril(%0#0) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4x3xi64>
    %10 = stablehlo.iota dim = 1 : tensor<4x3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x3xi64>
    %12 = stablehlo.add %9, %11 : tensor<4x3xi64>
    %13 = stablehlo.compare EQ, %12, %10, SIGNED : (tensor<4x3xi64>, tensor<4x3xi64>) -> tensor<4x3xi1>
    %14 = stablehlo.convert %13 : (tensor<4x3xi1>) -> tensor<4x3xf32>
    %15 = stablehlo.add %8, %14 : tensor<4x3xf32>
    %16 = call @triu(%0#0) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %17 = stablehlo.slice %16 [0:3, 0:3] : (tensor<4x3xf32>) -> tensor<3x3xf32>
    return %7, %15, %17 : tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>
  }
  func.func private @tril(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x3xi64>
    %2 = stablehlo.add %0, %1 : tensor<4x3xi64>
    %3 = stablehlo.iota dim = 1 : tensor<4x3xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x3xi64>, tensor<4x3xi64>) -> tensor<4x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x3xi1>, tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
  func.func private @triu(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x3xi64>
    %2 = stablehlo.add %0, %1 : tensor<4x3xi64>
    %3 = stablehlo.iota dim = 1 : tensor<4x3xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x3xi64>, tensor<4x3xi64>) -> tensor<4x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<4x3xi1>, tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
}

// -----

module @jit_lu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // lu_factor of a batch
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[[(0.0, -1.875), (0.25, -1.25), (-0.25, -1.875)], [(-0.875, -0.25), (-0.5, -1.25), (-1.0, 0.25)], [(0.0, 0.125), (1.375, -0.125), (-0.5, -2.5)]], [[(-0.625, -0.5), (0.5, -0.0), (0.375, 0.125)], [(0.125, -1.5), (-0.875, -0.5), (-0.0, -1.0)], [(0.75, -0.75), (-1.375, 1.0), (-0.5, -0.75)]]]> : tensor<2x3x3xcomplex<f64>>
    %r:3 = func.call @tested(%a0) : (tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xi32>, tensor<2x3xi32>)
    %e0 = stablehlo.constant dense<[[[(0.0, -1.875), (0.25, -1.25), (-0.25, -1.875)], [(-0.06666666666666667, 0.0), (1.3916666666666666, -0.20833333333333331), (-0.5166666666666667, -2.625)], [(0.13333333333333333, -0.4666666666666667), (0.1368450585677211, -0.6741249912323769), (1.748614715578312, 0.39425369993687315)]], [[(0.125, -1.5), (-0.875, -0.5), (-0.0, -1.0)], [(0.5379310344827587, 0.4551724137931035), (-1.131896551724138, 1.6672413793103449), (-0.9551724137931035, -0.2120689655172413)], [(0.29655172413793107, -0.44137931034482764), (-0.37089027464508434, -0.3361018973066207), (0.5333919331298924, 0.021862146742735844)]]]> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %r#0, %e0 : tensor<2x3x3xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>
    %e1 = stablehlo.constant dense<[[0, 2, 2], [1, 2, 2]]> : tensor<2x3xi32>
    check.expect_eq %r#1, %e1 : tensor<2x3xi32>, tensor<2x3xi32>
    %e2 = stablehlo.constant dense<[[0, 2, 1], [1, 2, 0]]> : tensor<2x3xi32>
    check.expect_eq %r#2, %e2 : tensor<2x3xi32>, tensor<2x3xi32>
    return
  }
  func.func private @tested(%arg0: tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xi32>, tensor<2x3xi32>) {
    %0:3 = stablehlo.custom_call @LuDecomposition(%arg0) {api_version = 2 : i32, backend_config = ""} : (tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xi32>, tensor<2x3xi32>)
    return %0#0, %0#1, %0#2 : tensor<2x3x3xcomplex<f64>>, tensor<2x3xi32>, tensor<2x3xi32>
  }
}

// -----

module @jit_lu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // lu of a wide matrix
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[-1.75, -1.375, -1.375, -0.375, -2.375], [-0.25, -1.0, 0.875, 1.0, 1.375]]> : tensor<2x5xf32>
    %r:3 = func.call @tested(%a0) : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2xi32>, tensor<2xi32>)
    %e0 = stablehlo.constant dense<[[-1.75, -1.375, -1.375, -0.375, -2.375], [0.1428571492433548, -0.8035714030265808, 1.0714285373687744, 1.0535714626312256, 1.7142857313156128]]> : tensor<2x5xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<2x5xf32>, tensor<2x5xf32>
    %e1 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    check.expect_eq %r#1, %e1 : tensor<2xi32>, tensor<2xi32>
    %e2 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    check.expect_eq %r#2, %e2 : tensor<2xi32>, tensor<2xi32>
    return
  }
  func.func private @tested(%arg0: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2xi32>, tensor<2xi32>) {
    %0:3 = stablehlo.custom_call @LuDecomposition(%arg0) {api_version = 2 : i32, backend_config = ""} : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2xi32>, tensor<2xi32>)
    return %0#0, %0#1, %0#2 : tensor<2x5xf32>, tensor<2xi32>, tensor<2xi32>
  }
}

// -----

module @jit_eigh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // eigh
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[0.375, 0.875, 0.375, -1.0], [0.875, 0.5, -0.125, 0.25], [0.375, -0.125, 0.0, 0.0], [-1.0, 0.25, 0.0, 0.625]]> : tensor<4x4xf32>
    %r:2 = func.call @tested(%a0) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
    %e0 = stablehlo.constant dense<[-1.081695556640625, 0.06571434438228607, 0.8049249649047852, 1.711056113243103]> : tensor<4xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<4xf32>, tensor<4xf32>
    %e1 = stablehlo.constant dense<[[0.6836722493171692, 0.1214754581451416, 0.08419470489025116, 0.7146657705307007], [0.47561168670654297, 0.13196344673633575, 0.7795573472976685, 0.3855763077735901], [0.2919754981994629, 0.944219708442688, 0.08183576911687851, 0.12846022844314575], [0.4702509939670563, 0.276185005903244, 0.6152269244194031, 0.5692816376686096]]> : tensor<4x4xf32>
    check.expect_almost_eq %r#1, %e1 : tensor<4x4xf32>, tensor<4x4xf32>
    return
  }
  func.func private @tested(%arg0: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    %0:2 = call @eigh(%arg0) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
    %1 = stablehlo.abs %0#1 : tensor<4x4xf32>
    return %0#0, %1 : tensor<4xf32>, tensor<4x4xf32>
  }
  func.func private @eigh(%arg0: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x4xf32>
    %4:2 = stablehlo.custom_call @Eigh(%3) {backend_config = "1,1,100,1e-6"} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
    return %4#1, %4#0 : tensor<4xf32>, tensor<4x4xf32>
  }
}

// -----

module @jit_eigh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // eigh of a batch
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[[(-0.75, 0.0), (0.4375, 0.75), (-0.625, -0.125)], [(0.4375, -0.75), (1.125, 0.0), (-0.125, 1.375)], [(-0.625, 0.125), (-0.125, -1.375), (-0.375, 0.0)]], [[(-0.875, 0.0), (-1.0, 0.125), (0.8125, -0.25)], [(-1.0, -0.125), (2.5, 0.0), (0.125, -0.1875)], [(0.8125, 0.25), (0.125, 0.1875), (1.375, 0.0)]]]> : tensor<2x3x3xcomplex<f32>>
    %r:2 = func.call @tested(%a0) : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x3xf32>)
    %e0 = stablehlo.constant dense<[[-1.4598969221115112, -0.8360357880592346, 2.2959322929382324], [-1.4195725917816162, 1.61696457862854, 2.8026089668273926]]> : tensor<2x3xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<2x3xf32>, tensor<2x3xf32>
    %e1 = stablehlo.constant dense<[[[0.6191055774688721, 0.7161632180213928, 0.322208970785141], [0.39409705996513367, 0.43314602971076965, 0.8105998635292053], [0.6792613863945007, 0.5472611784934998, 0.4889879822731018]], [[0.922168493270874, 0.27101975679397583, 0.27595922350883484], [0.2496708780527115, 0.1823306530714035, 0.9510102272033691], [0.29541441798210144, 0.9451473951339722, 0.13937903940677643]]]> : tensor<2x3x3xf32>
    check.expect_almost_eq %r#1, %e1 : tensor<2x3x3xf32>, tensor<2x3x3xf32>
    return
  }
  func.func private @tested(%arg0: tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x3xf32>) {
    %0:2 = call @eigh(%arg0) : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>)
    %1 = stablehlo.abs %0#1 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    return %0#0, %1 : tensor<2x3xf32>, tensor<2x3x3xf32>
  }
  func.func private @eigh(%arg0: tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %2 = stablehlo.imag %0 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %3 = stablehlo.negate %2 : tensor<2x3x3xf32>
    %4 = stablehlo.complex %1, %3 : tensor<2x3x3xcomplex<f32>>
    %5 = stablehlo.add %arg0, %4 : tensor<2x3x3xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %7 = stablehlo.divide %5, %6 : tensor<2x3x3xcomplex<f32>>
    %8:2 = stablehlo.custom_call @Eigh(%7) {backend_config = "1,1,100,1e-6"} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xf32>)
    return %8#1, %8#0 : tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>
  }
}

// -----

module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // eigh from the upper triangle
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[-1.125, -0.75, -0.75], [0.25, -0.25, 0.125], [0.875, 0.875, 0.5]]> : tensor<3x3xf64>
    %r:1 = func.call @tested(%a0) : (tensor<3x3xf64>) -> (tensor<3xf64>)
    %e0 = stablehlo.constant dense<[-1.7205956833506035, -0.09749508763696649, 0.94309077098757]> : tensor<3xf64>
    check.expect_almost_eq %r#0, %e0 : tensor<3xf64>, tensor<3xf64>
    return
  }
  func.func private @tested(%arg0: tensor<3x3xf64>) -> (tensor<3xf64>) {
    %0 = call @eigh(%arg0) : (tensor<3x3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func private @eigh(%arg0: tensor<3x3xf64>) -> tensor<3xf64> {
    %0:2 = stablehlo.custom_call @Eigh(%arg0) {backend_config = "0,1,100,1e-6"} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
    return %0#1 : tensor<3xf64>
  }
}

// -----

module @jit_householder_product attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  // householder_product
  func.func public @main() {
    %a0 = stablehlo.constant dense<[[0.0, 1.375, 1.25], [-0.5, -0.25, -0.5], [0.625, -0.0, 0.75], [-1.875, 1.625, -0.125]]> : tensor<4x3xf32>
    %a1 = stablehlo.constant dense<[-0.0, 1.0]> : tensor<2xf32>
    %r:1 = func.call @tested(%a0, %a1) : (tensor<4x3xf32>, tensor<2xf32>) -> (tensor<4x3xf32>)
    %e0 = stablehlo.constant dense<[[1.0, 0.0, 0.0], [-0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-0.0, -1.625, 0.0]]> : tensor<4x3xf32>
    check.expect_almost_eq %r#0, %e0 : tensor<4x3xf32>, tensor<4x3xf32>
    return
  }
  func.func private @tested(%arg0: tensor<4x3xf32>, %arg1: tensor<2xf32>) -> (tensor<4x3xf32>) {
    %0 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%arg0, %arg1) {backend_config = ""} : (tensor<4x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
