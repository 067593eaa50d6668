// A transform of length 6 and back; of real numbers and back.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (2.0, -1.0), (0.0, -1.0), (-1.0, 2.0), (3.0, 0.0), (0.5, 0.5)]> : tensor<6xcomplex<f64>>
  %y = stablehlo.fft %x, type = FFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  %z = stablehlo.fft %y, type = IFFT, length = [6] : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  check.expect_almost_eq %z, %x : tensor<6xcomplex<f64>>, tensor<6xcomplex<f64>>
  %first = stablehlo.slice %y [0:1] : (tensor<6xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  %sum = stablehlo.constant dense<[(5.5, 0.5)]> : tensor<1xcomplex<f64>>
  check.expect_almost_eq %first, %sum : tensor<1xcomplex<f64>>, tensor<1xcomplex<f64>>
  %r = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<2x4xf32>
  %s = stablehlo.fft %r, type = RFFT, length = [4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
  %t = stablehlo.constant dense<[[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)], [(0.0, 0.0), (0.0, -2.0), (0.0, 0.0)]]> : tensor<2x3xcomplex<f32>>
  check.expect_almost_eq %s, %t : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
  %u = stablehlo.fft %s, type = IRFFT, length = [4] : (tensor<2x3xcomplex<f32>>) -> tensor<2x4xf32>
  check.expect_almost_eq %u, %r : tensor<2x4xf32>, tensor<2x4xf32>
  %v = stablehlo.fft %r, type = RFFT, length = [2, 4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
  %w = stablehlo.fft %v, type = IRFFT, length = [2, 4] : (tensor<2x3xcomplex<f32>>) -> tensor<2x4xf32>
  check.expect_almost_eq %w, %r : tensor<2x4xf32>, tensor<2x4xf32>
  return
}

// -----

// cholesky from either triangle: a = l l^T.
func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 99.0, 99.0], [2.0, 5.0, 99.0], [6.0, 7.0, 14.0]]> : tensor<3x3xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %x = stablehlo.constant dense<[[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [3.0, 2.0, 1.0]]> : tensor<3x3xf32>
  check.expect_eq %l, %x : tensor<3x3xf32>, tensor<3x3xf32>
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %u = stablehlo.cholesky %t : tensor<3x3xf32>
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_eq %u, %y : tensor<3x3xf32>, tensor<3x3xf32>
  %c = stablehlo.constant dense<[[(2.0, 0.0), (0.0, 0.0)], [(0.0, 2.0), (4.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %d = stablehlo.cholesky %c, lower = true : tensor<2x2xcomplex<f64>>
  %e = stablehlo.constant dense<[[(1.4142135623730951, 0.0), (0.0, 0.0)], [(0.0, 1.4142135623730951), (1.4142135623730951, 0.0)]]> : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq %d, %e : tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>
  return
}

// -----

// triangular_solve from the left, transposed, and from the right.
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 99.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0, 4.0], [9.0, 10.0]]> : tensor<2x2xf32>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = stablehlo.constant dense<[[1.0, 2.0], [2.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq %x, %p : tensor<2x2xf32>, tensor<2x2xf32>
  %y = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true,
    transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %q = stablehlo.constant dense<[[-7.0, -6.0], [9.0, 10.0]]> : tensor<2x2xf32>
  check.expect_eq %y, %q : tensor<2x2xf32>, tensor<2x2xf32>
  %z = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.constant dense<[[0.5, 1.0], [3.25, 2.5]]> : tensor<2x2xf32>
  check.expect_eq %z, %r : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

// Threefry and Philox give the numbers of their authors' known answers (Random123, kat_vectors).
func.func @main() {
  %s = stablehlo.constant dense<0> : tensor<2xui64>
  %t, %x = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  %y = stablehlo.constant dense<[0x6b200159, 0x99ba4efe]> : tensor<2xui32>
  check.expect_eq %x, %y : tensor<2xui32>, tensor<2xui32>
  %u = stablehlo.constant dense<[0, 1]> : tensor<2xui64>
  check.expect_eq %t, %u : tensor<2xui64>, tensor<2xui64>
  %p = stablehlo.constant dense<0> : tensor<3xui64>
  %q, %z = stablehlo.rng_bit_generator %p, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  %w = stablehlo.constant dense<[0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]> : tensor<4xui32>
  check.expect_eq %z, %w : tensor<4xui32>, tensor<4xui32>
  %v = stablehlo.constant dense<[0, 1, 0]> : tensor<3xui64>
  check.expect_eq %q, %v : tensor<3xui64>, tensor<3xui64>
  return
}

// -----

// CHLO's functions at arguments whose values are tabulated (DLMF).
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -1.5, 2.0]> : tensor<3xf64>
  %erf = chlo.erf %x : tensor<3xf64> -> tensor<3xf64>
  %a = stablehlo.constant dense<[0.5204998778130465, -0.9661051464753107, 0.9953222650189527]> : tensor<3xf64>
  check.expect_close %erf, %a : tensor<3xf64>, tensor<3xf64>
  %inv = chlo.erf_inv %erf : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq %inv, %x : tensor<3xf64>, tensor<3xf64>
  %lg = chlo.lgamma %x : tensor<3xf64> -> tensor<3xf64>
  %b = stablehlo.constant dense<[0.5723649429247001, 0.8600470153764810, 0.0]> : tensor<3xf64>
  check.expect_almost_eq %lg, %b : tensor<3xf64>, tensor<3xf64>
  %dg = chlo.digamma %x : tensor<3xf64> -> tensor<3xf64>
  %c = stablehlo.constant dense<[-1.9635100260214235, 0.7031566406452432, 0.4227843350984671]> : tensor<3xf64>
  check.expect_almost_eq %dg, %c : tensor<3xf64>, tensor<3xf64>
  %n = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %pg = chlo.polygamma %n, %one : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  %d = stablehlo.constant dense<[1.6449340668482264, -2.4041138063191886, 6.493939402266829]> : tensor<3xf64>
  check.expect_almost_eq %pg, %d : tensor<3xf64>, tensor<3xf64>
  %i1 = chlo.bessel_i1e %x : tensor<3xf64> -> tensor<3xf64>
  %e = stablehlo.constant dense<[0.15642080318487, -0.2190393860, 0.21526928924893]> : tensor<3xf64>
  check.expect_almost_eq %i1, %e : tensor<3xf64>, tensor<3xf64>
  return
}
