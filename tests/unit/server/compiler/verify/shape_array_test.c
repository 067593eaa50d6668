// The rules of operations that index, order and slide over arrays, and of those that look
// at bits: each row breaks one constraint of the StableHLO specification, whose name is
// the first column.

#include "tests/unit/server/compiler/shape_rows.h"

#define GATHER(numbers, sizes, type)                                                   \
  "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<" numbers \
  ">, slice_sizes = array<i64: " sizes ">}> : " type

#define ADD_F32                                                                \
  "({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n %z = stablehlo.add %x, %y : " \
  "tensor<f32>\n stablehlo.return %z : tensor<f32>\n})"

#define SCATTER(numbers, type)                                            \
  "%0 = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = " \
  "#stablehlo.scatter<" numbers ">}> " ADD_F32 " : " type

static void test_gather(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"gather", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 1",
              "1, 4", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>"),
       NULL},
      {"gather C1", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], start_index_map = [0], index_vector_dim = 1", "1, 4",
              "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>"),
       "do not make up rank 2"},
      {"gather C2", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 3",
              "1, 4", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>"),
       "index_vector_dim is 3; the indices have rank 2"},
      {"gather C3", "%a: tensor<8x4xf32>, %i: tensor<5x2xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 1",
              "1, 4", "(tensor<8x4xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>"),
       "start_index_map names 1 dimensions, an index has 2 components"},
      {"gather C8", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], "
              "index_vector_dim = 1",
              "1, 4", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>"),
       "collapsed_slice_dims names dimension 2 of rank 2"},
      {"gather C9", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 1",
              "2, 4", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>"),
       "takes 2 of dimension 0, which is collapsed"},
      {"gather C17", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], operand_batching_dims = [0], "
              "start_indices_batching_dims = [0], start_index_map = [1], "
              "index_vector_dim = 1",
              "1, 4", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>"),
       "batching dimensions must have one size"},
      {"gather C21", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 1",
              "1, 5", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x5xf32>"),
       "takes 5 of dimension 1, which has size 4"},
      {"gather C22", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>",
       GATHER("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 1",
              "1, 4", "(tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<4x5xf32>"),
       "dimension 0 is 5, not 4"},
  };
  CHECK_ROWS(rows);
}

static void test_scatter(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"scatter", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>",
       SCATTER("update_window_dims = [1], inserted_window_dims = [0], "
               "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
               "(tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>"),
       NULL},
      {"scatter C4", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>, %u: tensor<6x4xf32>",
       SCATTER("update_window_dims = [1], inserted_window_dims = [0], "
               "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
               "(tensor<8x4xf32>, tensor<5x1xi32>, tensor<6x4xf32>) -> tensor<8x4xf32>"),
       "dimension 0 of the updates has size 6, dimension 0 of the indices 5"},
      {"scatter C4", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x7xf32>",
       SCATTER("update_window_dims = [1], inserted_window_dims = [0], "
               "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
               "(tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<8x4xf32>"),
       "dimension 1 of the input 4; a window must fit"},
      {"scatter C6", "%a: tensor<8x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf64>",
       SCATTER("update_window_dims = [1], inserted_window_dims = [0], "
               "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
               "(tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf64>) -> tensor<8x4xf32>"),
       "the updates are of f64, the input of f32"},
  };
  CHECK_ROWS(rows);
}

static void test_order(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"sort C4", "%a: tensor<3xi32>",
       "%0 = \"stablehlo.sort\"(%a) <{dimension = 1 : i64}> ({\n^bb0(%x: tensor<i32>, "
       "%y: tensor<i32>):\n %z = stablehlo.compare LT, %x, %y : (tensor<i32>, "
       "tensor<i32>) -> tensor<i1>\n stablehlo.return %z : tensor<i1>\n}) : "
       "(tensor<3xi32>) -> tensor<3xi32>",
       "'dimension' is 1, which is not in [-1, 1)"},
      {"sort C5", "%a: tensor<3xi32>",
       "%0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({\n^bb0(%x: tensor<i32>, "
       "%y: tensor<i32>):\n stablehlo.return %x : tensor<i32>\n}) : (tensor<3xi32>) -> "
       "tensor<3xi32>",
       "its comparator must return tensor<i1>"},
      {"top_k", "%a: tensor<3xf32>",
       "%0:2 = chlo.top_k(%a, k = 4) : tensor<3xf32> -> (tensor<4xf32>, tensor<4xi32>)",
       "'k' is 4"},
      {"map C3", "%a: tensor<3x2xf32>",
       "%0 = \"stablehlo.map\"(%a) <{dimensions = array<i64: 1, 0>}> ({\n^bb0(%x: "
       "tensor<f32>):\n stablehlo.return %x : tensor<f32>\n}) : (tensor<3x2xf32>) -> "
       "tensor<3x2xf32>",
       "must name all dimensions in order"},
      {"map C4", "%a: tensor<3xf32>",
       "%0 = \"stablehlo.map\"(%a) <{dimensions = array<i64: 0>}> ({\n^bb0(%x: "
       "tensor<i32>):\n stablehlo.return %x : tensor<i32>\n}) : (tensor<3xf32>) -> "
       "tensor<3xi32>",
       "argument 0 of its computation must be tensor<f32>"},
  };
  CHECK_ROWS(rows);
}

#define REDUCE_WINDOW(attrs, type) \
  "%0 = \"stablehlo.reduce_window\"(%a, %i) <{" attrs "}> " ADD_F32 " : " type

static void test_windows(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"reduce_window", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 2>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<3xf32>"),
       NULL},
      {"reduce_window C4", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 2, 2>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<3xf32>"),
       "'window_dimensions' has 2 values; 1 are needed"},
      {"reduce_window C5", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 0>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<5xf32>"),
       "must be positive"},
      {"reduce_window C7", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 2>, window_strides = array<i64: 0>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<3xf32>"),
       "must be positive"},
      {"reduce_window C12", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 2>, padding = dense<0> : "
                     "tensor<2x2xi64>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<3xf32>"),
       "'padding' is tensor<2x2xi64>; it must be 1x2"},
      {"reduce_window C15", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 2>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"),
       "dimension 0 is 3, not 4"},
      {"reduce_window, too large", "%a: tensor<4xf32>, %i: tensor<f32>",
       REDUCE_WINDOW("window_dimensions = array<i64: 2>, base_dilations = array<i64: "
                     "9223372036854775807>",
                     "(tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"),
       "the padded size of dimension 0 is too large"},
      {"convolution C14", "%a: tensor<1x4x3xf32>, %k: tensor<2x2x5xf32>",
       "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
       "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
       "(tensor<1x4x3xf32>, tensor<2x2x5xf32>) -> tensor<1x3x5xf32>",
       "(its dimension 1), a group has 3"},
      {"convolution C21", "%a: tensor<1x4x3xf32>, %k: tensor<2x3x5xf32>",
       "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
       "window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : "
       "(tensor<1x4x3xf32>, tensor<2x3x5xf32>) -> tensor<1x3x5xf32>",
       "must be positive"},
  };
  CHECK_ROWS(rows);
}

static void test_bits_and_algebra(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"bitcast_convert C1", "%a: tensor<3xi32>",
       "%0 = stablehlo.bitcast_convert %a : (tensor<3xi32>) -> tensor<3xi64>",
       "must have size 2 to make elements of 64 bits"},
      {"complex C2", "%a: tensor<3xi32>",
       "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<3xi32>, tensor<3xi32>) -> "
       "tensor<3xcomplex<f32>>",
       "of f32 or f64"},
      {"reduce_precision C2", "%a: tensor<3xf32>",
       "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 0 : i32, mantissa_bits "
       "= 2 : i32}> : (tensor<3xf32>) -> tensor<3xf32>",
       "'exponent_bits' is 0"},
      {"fft C5", "%a: tensor<4xf32>",
       "%0 = stablehlo.fft %a, type = RFFT, length = [5] : (tensor<4xf32>) -> "
       "tensor<3xcomplex<f32>>",
       "dimension 0 of the operand has size 4; the transform needs 5"},
      {"qr of integers", "%a: tensor<2x3xi32>",
       "%0:2 = \"podium.qr\"(%a) : (tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)",
       "takes floats or complex numbers"},
      {"qr of a vector", "%a: tensor<3xf32>",
       "%0:2 = \"podium.qr\"(%a) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)",
       "takes matrices, of rank 2 or more"},
      {"qr, taus", "%a: tensor<2x3xf32>",
       "%0:2 = \"podium.qr\"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)",
       "tensor<2xf32>"},
      {"householder_product of a wide matrix", "%a: tensor<2x3xf32>, %b: tensor<2xf32>",
       "%0 = \"podium.householder_product\"(%a, %b) : (tensor<2x3xf32>, tensor<2xf32>) "
       "-> tensor<2x3xf32>",
       "takes matrices of no more columns than rows"},
      {"householder_product, taus", "%a: tensor<5x3x2xf32>, %b: tensor<5x3xf32>",
       "%0 = \"podium.householder_product\"(%a, %b) : (tensor<5x3x2xf32>, "
       "tensor<5x3xf32>) -> tensor<5x3x2xf32>",
       "at most 2 numbers a matrix"},
      {"householder_product of a scalar", "%a: tensor<3x2xf32>, %b: tensor<f32>",
       "%0 = \"podium.householder_product\"(%a, %b) : (tensor<3x2xf32>, tensor<f32>) "
       "-> tensor<3x2xf32>",
       "its second operand is tensor<f32>"},
      {"lu, permutation", "%a: tensor<3x2xf32>",
       "%0:3 = \"podium.lu\"(%a) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xi32>, "
       "tensor<2xi32>)",
       "tensor<3xi32>"},
      {"eigh of a tall matrix", "%a: tensor<3x2xf32>",
       "%0:2 = \"podium.eigh\"(%a) {lower = true, sorted = true} : (tensor<3x2xf32>) -> "
       "(tensor<3x2xf32>, tensor<3xf32>)",
       "takes square matrices, not 3 x 2"},
      {"eigh, values", "%a: tensor<2x2xcomplex<f64>>",
       "%0:2 = \"podium.eigh\"(%a) {lower = true, sorted = true} : "
       "(tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2xcomplex<f64>>)",
       "tensor<2xf64>"},
      {"cholesky C3", "%a: tensor<2x3xf32>",
       "%0 = stablehlo.cholesky %a : tensor<2x3xf32>", "takes square matrices"},
      {"rng_bit_generator C2", "%a: tensor<4xui64>",
       "%0:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<4xui64>) -> "
       "(tensor<4xui64>, tensor<3xui32>)",
       "must be tensor<2xui64>, or tensor<3xui64>"},
      {"check", "%a: tensor<4xui64>, %b: tensor<4xi64>",
       "\"check.expect_eq\"(%a, %b) : (tensor<4xui64>, tensor<4xi64>) -> ()",
       "they must have one type"},
  };
  CHECK_ROWS(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gather),
      cmocka_unit_test(test_scatter),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_bits_and_algebra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
