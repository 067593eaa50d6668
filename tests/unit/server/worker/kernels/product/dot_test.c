// dot_general against the sum of products, element by element, in double or int64.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// What a dot_general contracts and in which layout its operands come: dimensions of the
// operands are named b (batch), m, n, k; several of a kind have a number.
typedef struct {
  const char *lhs, *rhs;  // "b m k": a letter and an optional digit each.
} layout_t;

typedef struct {
  char name[2];
  int64_t size;
} named_t;

typedef struct {
  int rank;
  named_t dims[8];
} names_t;

static int64_t size_of(const char *name, const int64_t *sizes) {
  const int64_t base = sizes[strchr("bmnk", name[0]) - "bmnk"];
  return name[1] == '2' ? 3 : base;
}

static names_t parse(const char *text, const int64_t *sizes) {
  names_t names = {0};
  for (; *text != '\0'; text++) {
    if (*text == ' ') {
      continue;
    }
    named_t *dim = &names.dims[names.rank++];
    dim->name[0] = text[0];
    dim->name[1] = text[1] == '2' ? '2' : '1';
    dim->size = size_of(dim->name, sizes);
    text += text[1] == '2';
  }
  return names;
}

static bool same(const named_t *a, const named_t *b) {
  return memcmp(a->name, b->name, 2) == 0;
}

static int find(const names_t *names, const named_t *wanted) {
  for (int i = 0; i < names->rank; i++) {
    if (same(&names->dims[i], wanted)) {
      return i;
    }
  }
  return -1;
}

// Fills attributes and result names: batch dimensions, then those of lhs, then of rhs.
static names_t set_attrs(kernel_case_t *c, const names_t *lhs, const names_t *rhs) {
  int64_t lists[4][8];
  int batch = 0, contracted = 0;
  names_t result = {0};
  for (int i = 0; i < lhs->rank; i++) {
    const int other = find(rhs, &lhs->dims[i]);
    if (other < 0) {
      continue;
    }
    if (lhs->dims[i].name[0] == 'b') {
      lists[0][batch] = i;
      lists[1][batch++] = other;
      result.dims[result.rank++] = lhs->dims[i];
    } else {
      lists[2][contracted] = i;
      lists[3][contracted++] = other;
    }
  }
  for (int i = 0; i < lhs->rank; i++) {
    if (lhs->dims[i].name[0] == 'm') {
      result.dims[result.rank++] = lhs->dims[i];
    }
  }
  for (int i = 0; i < rhs->rank; i++) {
    if (rhs->dims[i].name[0] == 'n') {
      result.dims[result.rank++] = rhs->dims[i];
    }
  }
  case_attr(c, CHIP_ATTR_LHS_BATCHING_DIMENSIONS, batch, lists[0]);
  case_attr(c, CHIP_ATTR_RHS_BATCHING_DIMENSIONS, batch, lists[1]);
  case_attr(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, contracted, lists[2]);
  case_attr(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, contracted, lists[3]);
  return result;
}

static void dims_of(const names_t *names, int64_t *dims) {
  for (int i = 0; i < names->rank; i++) {
    dims[i] = names->dims[i].size;
  }
}

// Strides of an operand along the result's dimensions and along the contracted ones.
typedef struct {
  int64_t lhs_result[8], rhs_result[8], lhs_k[8], rhs_k[8], k_sizes[8];
  int k_count;
  int64_t k_total;
} walk_t;

static walk_t make_walk(const names_t *lhs, const names_t *rhs, const names_t *result,
                        const kernel_case_t *c) {
  int64_t lhs_strides[TENSOR_RANK_MAX], rhs_strides[TENSOR_RANK_MAX];
  tensor_shape_strides(&c->arrays[0].shape, lhs_strides);
  tensor_shape_strides(&c->arrays[1].shape, rhs_strides);
  walk_t walk = {.k_total = 1};
  for (int i = 0; i < result->rank; i++) {
    const int in_lhs = find(lhs, &result->dims[i]), in_rhs = find(rhs, &result->dims[i]);
    walk.lhs_result[i] = in_lhs < 0 ? 0 : lhs_strides[in_lhs];
    walk.rhs_result[i] = in_rhs < 0 ? 0 : rhs_strides[in_rhs];
  }
  for (int i = 0; i < lhs->rank; i++) {
    if (lhs->dims[i].name[0] == 'k') {
      walk.lhs_k[walk.k_count] = lhs_strides[i];
      walk.rhs_k[walk.k_count] = rhs_strides[find(rhs, &lhs->dims[i])];
      walk.k_sizes[walk.k_count++] = lhs->dims[i].size;
      walk.k_total *= lhs->dims[i].size;
    }
  }
  return walk;
}

// Offsets of the two factors number `step` of an element of the result.
static void factors_at(const walk_t *walk, const int64_t *index, int rank, int64_t step,
                       int64_t *out_lhs, int64_t *out_rhs) {
  int64_t lhs = 0, rhs = 0;
  for (int i = 0; i < rank; i++) {
    lhs += index[i] * walk->lhs_result[i];
    rhs += index[i] * walk->rhs_result[i];
  }
  for (int i = walk->k_count - 1; i >= 0; i--) {
    lhs += step % walk->k_sizes[i] * walk->lhs_k[i];
    rhs += step % walk->k_sizes[i] * walk->rhs_k[i];
    step /= walk->k_sizes[i];
  }
  *out_lhs = lhs;
  *out_rhs = rhs;
}

static bool is_integral(tensor_dtype_t dtype) {
  return tensor_dtype_is_integer(dtype) || dtype == TENSOR_PRED;
}

// How far a sum may be off: rounding of the result, and of every addition in f32 or f64.
static double tolerance(tensor_dtype_t dtype, double magnitude, int64_t k) {
  const double sum_epsilon =
      dtype == TENSOR_F64 || dtype == TENSOR_C128 ? 0x1p-52 : 0x1p-23;
  double epsilon = sum_epsilon;
  if (tensor_dtype_is_float(dtype) && dtype != TENSOR_F64 && dtype != TENSOR_F32) {
    epsilon = dtype == TENSOR_BF16 ? 0x1p-8 : dtype == TENSOR_F16 ? 0x1p-11 : 0x1p-3;
  }
  return magnitude * (epsilon + sum_epsilon * sqrt((double)k) * 4) + 1e-30;
}

static void check_element(const kernel_case_t *c, const walk_t *walk,
                          const int64_t *index, int rank, int64_t place) {
  const tensor_array_t *lhs = &c->arrays[0], *rhs = &c->arrays[1], *out = &c->arrays[2];
  double sum = 0, magnitude = 0;
  uint64_t integer = 0;
  for (int64_t step = 0; step < walk->k_total; step++) {
    int64_t at_lhs, at_rhs;
    factors_at(walk, index, rank, step, &at_lhs, &at_rhs);
    if (is_integral(out->shape.dtype)) {
      integer +=
          (uint64_t)tensor_element_as_int64(lhs->shape.dtype, element_of(lhs, at_lhs)) *
          (uint64_t)tensor_element_as_int64(rhs->shape.dtype, element_of(rhs, at_rhs));
    } else {
      const double product = number_of(lhs, at_lhs) * number_of(rhs, at_rhs);
      sum += product;
      magnitude += fabs(product);
    }
  }
  const tensor_dtype_t dtype = out->shape.dtype;
  if (is_integral(dtype)) {
    char expected[16];
    tensor_element_from_int64(dtype, (int64_t)integer, expected);
    assert_memory_equal(element_of(out, place), expected, tensor_dtype_bytes(dtype));
  } else if (fabs(number_of(out, place) - sum) >
             tolerance(dtype, magnitude, walk->k_total)) {
    pod_text_t text = {0};
    tensor_shape_print(&text, &lhs->shape);
    pod_text_add(&text, " x ");
    tensor_shape_print(&text, &rhs->shape);
    fail_msg("%s: element %lld is %g instead of %g", text.bytes, (long long)place,
             number_of(out, place), sum);
  }
}

// The second run takes what the first one kept.
static void assert_same_again(kernel_case_t *c) {
  const tensor_array_t *out = &c->arrays[2];
  const size_t size = (size_t)tensor_shape_bytes(&out->shape);
  void *first = malloc(size + 1);
  memcpy(first, out->data, size);
  memset(out->data, 0xa5, size);
  assert_runs(c);
  assert_memory_equal(out->data, first, size);
  free(first);
}

static void check_dot(const layout_t *layout, const int64_t *sizes,
                      const tensor_dtype_t *dtypes) {
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  const names_t lhs = parse(layout->lhs, sizes), rhs = parse(layout->rhs, sizes);
  int64_t dims[8];
  dims_of(&lhs, dims);
  case_operand(c, dtypes[0], lhs.rank, dims, "random:1");
  dims_of(&rhs, dims);
  case_operand(c, dtypes[1], rhs.rank, dims, "random:2");
  const names_t result = set_attrs(c, &lhs, &rhs);
  dims_of(&result, dims);
  const tensor_array_t *out = case_result(c, dtypes[2], result.rank, dims);
  assert_runs(c);
  const walk_t walk = make_walk(&lhs, &rhs, &result, c);
  const int64_t count = tensor_shape_elements(&out->shape);
  const int64_t stride = 1 + count / 300;  // A sample of what is large.
  for (int64_t place = 0; place < count; place += stride) {
    int64_t index[TENSOR_RANK_MAX];
    index_of(&out->shape, place, index);
    check_element(c, &walk, index, result.rank, place);
  }
  assert_same_again(c);
  case_free(c);
}

static const layout_t layouts[] = {
    {"m k", "k n"},
    {"k m", "k n"},
    {"m k", "n k"},
    {"k m", "n k"},
    {"b m k", "b k n"},
    {"m b k", "b k n"},
    {"b m k", "k b n"},
    {"b m k", "n k b"},
    {"m k b", "b n k"},
    {"k", "k"},
    {"k", "k n"},
    {"m k", "k"},
    {"m", "n"},
    {"m", ""},
    {"", ""},
    {"b b2 m k", "b b2 k n"},
    {"b2 m b k", "b k b2 n"},
    {"m k k2", "k k2 n"},
    {"m k k2", "k2 k n"},
    {"k2 m k", "k n k2"},
    {"m m2 k", "k n n2"},
    {"m k m2", "n k n2"},
    {"b m2 k m k2", "n k2 b k"},
    {"b m b2 k", "b n b2 k"},
    {"b m b2 k", "b k b2 n"},
    {"b b2 m k", "b n b2 k"},
    {"b2 m b k", "b n b2 k"},
    {"b m b2 k", "b b2 k"},
    {"m b k", "b k"},
    {"k b m", "k b"},
    {"b m k b2", "b2 b k n"},
};

static void test_every_layout_gives_the_sum_of_products(void **state) {
  (void)state;
  const int64_t sizes[][4] = {{2, 3, 5, 7},    {1, 1, 1, 1},    {3, 17, 33, 19},
                              {2, 40, 24, 70}, {4, 64, 64, 32}, {3, 1, 40, 64}};
  const tensor_dtype_t types[][3] = {
      {TENSOR_F32, TENSOR_F32, TENSOR_F32},   {TENSOR_BF16, TENSOR_BF16, TENSOR_BF16},
      {TENSOR_BF16, TENSOR_BF16, TENSOR_F32}, {TENSOR_S32, TENSOR_S32, TENSOR_S32},
      {TENSOR_S8, TENSOR_S8, TENSOR_S32},     {TENSOR_F64, TENSOR_F64, TENSOR_F64},
      {TENSOR_F16, TENSOR_F16, TENSOR_F16},
  };
  for (size_t l = 0; l < POD_COUNT_OF(layouts); l++) {
    for (size_t s = 0; s < POD_COUNT_OF(sizes); s++) {
      for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
        check_dot(&layouts[l], sizes[s], types[t]);
      }
    }
  }
}

static void test_every_mixture_of_types_is_computed(void **state) {
  (void)state;
  const tensor_dtype_t types[][3] = {
      {TENSOR_S64, TENSOR_S64, TENSOR_S64},  {TENSOR_U64, TENSOR_U64, TENSOR_U64},
      {TENSOR_U32, TENSOR_U32, TENSOR_U32},  {TENSOR_S16, TENSOR_S16, TENSOR_S16},
      {TENSOR_S8, TENSOR_S8, TENSOR_S8},     {TENSOR_U8, TENSOR_U8, TENSOR_U8},
      {TENSOR_U8, TENSOR_S8, TENSOR_S32},    {TENSOR_S8, TENSOR_U8, TENSOR_S32},
      {TENSOR_U8, TENSOR_U8, TENSOR_U32},    {TENSOR_S4, TENSOR_S4, TENSOR_S32},
      {TENSOR_S4, TENSOR_S8, TENSOR_S32},    {TENSOR_S8, TENSOR_S8, TENSOR_S64},
      {TENSOR_BF16, TENSOR_F32, TENSOR_F32}, {TENSOR_F32, TENSOR_BF16, TENSOR_F32},
      {TENSOR_F32, TENSOR_F32, TENSOR_F64},  {TENSOR_F32, TENSOR_F32, TENSOR_BF16},
      {TENSOR_F16, TENSOR_F16, TENSOR_F32},  {TENSOR_F8E5M2, TENSOR_F8E4M3FN, TENSOR_F32},
      {TENSOR_S8, TENSOR_BF16, TENSOR_F32},
  };
  const int64_t sizes[][4] = {{2, 3, 5, 7}, {2, 40, 24, 70}};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t s = 0; s < POD_COUNT_OF(sizes); s++) {
      check_dot(&layouts[0], sizes[s], types[t]);
      check_dot(&layouts[6], sizes[s], types[t]);
    }
  }
}

static void test_truth_values_are_multiplied_by_and_and_added_by_or(void **state) {
  (void)state;
  const int64_t dims[] = {2, 3}, transposed[] = {3, 2}, square[] = {2, 2};
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  const tensor_array_t *a = case_operand(c, TENSOR_PRED, 2, dims, "zeros");
  const tensor_array_t *b = case_operand(c, TENSOR_PRED, 2, transposed, "ones");
  memcpy(a->data, "\1\1\1\0\0\0", 6);
  const tensor_array_t *out = case_result(c, TENSOR_PRED, 2, square);
  case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  assert_runs(c);
  assert_memory_equal(out->data, "\1\1\0\0", 4);
  (void)b;
  case_free(c);
}

static void test_complex_products_have_both_parts(void **state) {
  (void)state;
  const int64_t dims[] = {1, 2}, transposed[] = {2, 1}, one[] = {1, 1};
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  float *a = case_operand(c, TENSOR_C64, 2, dims, "zeros")->data;
  float *b = case_operand(c, TENSOR_C64, 2, transposed, "zeros")->data;
  const float lhs[] = {1, 2, 3, -1}, rhs[] = {0, 1, 2, 5};
  memcpy(a, lhs, sizeof(lhs));
  memcpy(b, rhs, sizeof(rhs));
  const float *out = case_result(c, TENSOR_C64, 2, one)->data;
  case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  assert_runs(c);
  assert_true(out[0] == -2 + 11 && out[1] == 1 + 13);
  case_free(c);
}

// The real part nearly cancels: fused or summed in another order it is something else.
static void test_small_complex_products_are_rounded_before_they_are_summed(void **state) {
  (void)state;
  enum { N = 5, K = 3 };
  const int64_t left[] = {N, K}, right[] = {K, N}, square[] = {N, N};
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  const float *a = case_operand(c, TENSOR_C64, 2, left, "random:5")->data;
  const float *b = case_operand(c, TENSOR_C64, 2, right, "random:6")->data;
  const float *out = case_result(c, TENSOR_C64, 2, square)->data;
  case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  assert_runs(c);
  for (int i = 0; i < N * N; i++) {
    float real = 0;
    for (int p = 0; p < K; p++) {
      const float *x = a + 2 * (i / N * K + p), *y = b + 2 * (p * N + i % N);
      const volatile float first = x[0] * y[0], second = x[1] * y[1];
      const volatile float product = first - second;
      real += product;
    }
    assert_true(out[2 * i] == real);
  }
  case_free(c);
}

static void test_large_complex_products_have_both_parts(void **state) {
  (void)state;
  enum { N = 37 };
  const int64_t square[] = {N, N};
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  const double *a = case_operand(c, TENSOR_C128, 2, square, "random:5")->data;
  const double *b = case_operand(c, TENSOR_C128, 2, square, "random:6")->data;
  const double *out = case_result(c, TENSOR_C128, 2, square)->data;
  case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  assert_runs(c);
  for (int i = 0; i < N * N; i++) {
    double real = 0, imaginary = 0;
    for (int p = 0; p < N; p++) {
      const double *x = a + 2 * (i / N * N + p), *y = b + 2 * (p * N + i % N);
      real += x[0] * y[0] - x[1] * y[1];
      imaginary += x[0] * y[1] + x[1] * y[0];
    }
    assert_true(fabs(out[2 * i] - real) < 1e-12 &&
                fabs(out[2 * i + 1] - imaginary) < 1e-12);
  }
  case_free(c);
}

static void test_sizes_around_the_blocks_of_the_loops(void **state) {
  (void)state;
  const tensor_dtype_t types[][3] = {
      {TENSOR_F32, TENSOR_F32, TENSOR_F32},
      {TENSOR_BF16, TENSOR_BF16, TENSOR_BF16},
      {TENSOR_S32, TENSOR_S32, TENSOR_S32},
      {TENSOR_F64, TENSOR_F64, TENSOR_F64},
  };
  const int64_t ms[] = {1, 4, 16, 17}, ns[] = {1, 3, 255, 257, 520},
                ks[] = {1, 15, 17, 261, 1030};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t i = 0; i < POD_COUNT_OF(ms); i++) {
      for (size_t j = 0; j < POD_COUNT_OF(ns); j++) {
        for (size_t p = 0; p < POD_COUNT_OF(ks); p++) {
          const int64_t sizes[] = {1, ms[i], ns[j], ks[p]};
          check_dot(&layouts[0], sizes, types[t]);
          if (t < 2 && p > 2) {
            check_dot(&layouts[2], sizes, types[t]);
          }
        }
      }
    }
  }
}

static void test_many_rows_take_the_packed_way(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 600, 65, 130}, batched[] = {2, 520, 33, 40};
  const tensor_dtype_t types[][3] = {{TENSOR_BF16, TENSOR_BF16, TENSOR_BF16},
                                     {TENSOR_S8, TENSOR_S8, TENSOR_S32}};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t l = 0; l < 9; l++) {
      check_dot(&layouts[l], l < 4 ? sizes : batched, types[t]);
    }
  }
}

static void test_some_rows_by_a_large_matrix_take_the_panels(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 19, 2100, 520}, batched[] = {2, 12, 1100, 1000};
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_F32, TENSOR_F32};
  for (size_t l = 0; l < 7; l++) {
    check_dot(&layouts[l], l < 4 ? sizes : batched, types);
  }
}

static void test_batches_of_tiny_matrices_by_column_are_transposed_on_the_way(
    void **state) {
  (void)state;
  const layout_t by_column[] = {{"b m k", "b n k"}, {"b m b2 k", "b n b2 k"}};
  const int64_t ms[] = {3, 8, 17}, ns[] = {8, 16}, ks[] = {8, 24, 64};
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_F32, TENSOR_F32};
  for (size_t i = 0; i < 3 * 2 * 3; i++) {
    const int64_t sizes[] = {20, ms[i % 3], ns[i / 3 % 2], ks[i / 6]};
    check_dot(&by_column[0], sizes, types);
    check_dot(&by_column[1], sizes, types);
  }
}

static void check_sums_of_extremes(int64_t m, int64_t k) {
  const int64_t lhs[] = {m, k}, rhs[] = {k, 32}, result[] = {m, 32};
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  case_operand(c, TENSOR_S8, 2, lhs, "const:-128");
  tensor_array_t *b = case_operand(c, TENSOR_S8, 2, rhs, "const:-128");
  tensor_element_from_int64(TENSOR_S8, -127, b->data);
  const int32_t *out = case_result(c, TENSOR_S32, 2, result)->data;
  case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  assert_runs(c);
  for (int64_t row = 0; row < m; row++) {
    assert_int_equal(out[32 * row], 128 * 128 * k - 128);
    assert_int_equal(out[32 * row + 31], 128 * 128 * k);
  }
  case_free(c);
}

// In parts, one row or some; and, where no parts are equal or the rows are many, shifted.
static void test_sums_of_bytes_are_exact_beyond_24_bits(void **state) {
  (void)state;
  const int64_t ms[] = {1, 32, 300}, ks[] = {1024, 1025, 2053, 4096};
  for (size_t m = 0; m < POD_COUNT_OF(ms); m++) {
    for (size_t k = 0; k < POD_COUNT_OF(ks); k++) {
      check_sums_of_extremes(ms[m], ks[k]);
    }
  }
}

static void test_long_sums_of_bytes_are_exact_in_every_layout(void **state) {
  (void)state;
  const int64_t sizes[][4] = {{2, 9, 40, 2053}, {3, 5, 33, 2100}};
  const tensor_dtype_t types[] = {TENSOR_S8, TENSOR_S8, TENSOR_S32};
  for (size_t l = 0; l < 9; l++) {
    for (size_t s = 0; s < POD_COUNT_OF(sizes); s++) {
      check_dot(&layouts[l], sizes[s], types);
    }
  }
}

// So many products that they are computed in pieces: of batches, columns and rows.
static void test_long_products_are_made_of_pieces(void **state) {
  (void)state;
  const int64_t sizes[][4] = {
      {40, 200, 300, 250}, {1, 900, 1001, 777}, {2, 33, 9000, 1100}};
  const tensor_dtype_t types[][3] = {{TENSOR_F32, TENSOR_F32, TENSOR_F32},
                                     {TENSOR_BF16, TENSOR_BF16, TENSOR_BF16},
                                     {TENSOR_S8, TENSOR_S8, TENSOR_S32},
                                     {TENSOR_F16, TENSOR_F16, TENSOR_F16}};
  const int chosen[] = {4, 5, 6, 7, 8, 15};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t s = 0; s < POD_COUNT_OF(sizes); s++) {
      for (size_t l = 0; l<POD_COUNT_OF(chosen); l += t> 1 ? 2 : 1) {
        check_dot(&layouts[chosen[l]], sizes[s], types[t]);
      }
    }
  }
}

static void test_an_empty_sum_is_zero_and_an_empty_result_is_nothing(void **state) {
  (void)state;
  const int64_t sizes[][4] = {{2, 3, 4, 0}, {2, 0, 4, 5}, {0, 3, 4, 5}, {2, 3, 0, 5}};
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_F32, TENSOR_F32};
  for (size_t s = 0; s < POD_COUNT_OF(sizes); s++) {
    check_dot(&layouts[4], sizes[s], types);
    check_dot(&layouts[7], sizes[s], types);
  }
}

// One worker has one compute thread: oneDNN must not start more.
static void test_no_thread_is_started(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 300, 300, 300};
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_F32, TENSOR_F32};
  check_dot(&layouts[0], sizes, types);
  FILE *status = fopen("/proc/self/status", "r");
  assert_non_null(status);
  char line[256];
  int threads = 0;
  while (fgets(line, sizeof(line), status) != NULL) {
    sscanf(line, "Threads: %d", &threads);
  }
  fclose(status);
#if !defined(__SANITIZE_THREAD__)  // Which has a thread of its own.
  assert_int_equal(threads, 1);
#endif
}

static int64_t resident_kib(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  long long all = 0, resident = 0;
  assert_int_equal(fscanf(file, "%lld %lld", &all, &resident), 2);
  fclose(file);
  return resident * (int64_t)sysconf(_SC_PAGESIZE) / 1024;
}

// Programs come and go, each with products of other sizes: a worker does not grow by
// them. (Each took 60 KiB for good, up to 1024 of them.)
static void test_products_that_are_gone_take_no_memory(void **state) {
  (void)state;
  enum { WARM = 100, ALL = 500, KIB_MAX = 8 << 10 };
  int64_t before_kib = 0;
  for (int64_t i = 0; i < ALL; i++) {
    if (i == WARM) {
      before_kib = resident_kib();
    }
    const int64_t left[] = {24 + i % 37, 32 + i % 53},
                  right[] = {32 + i % 53, 40 + i / 7},
                  square[] = {24 + i % 37, 40 + i / 7};
    kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
    case_operand(c, TENSOR_F32, 2, left, "ones");
    case_operand(c, TENSOR_F32, 2, right, "ones");
    const float *out = case_result(c, TENSOR_F32, 2, square)->data;
    case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
    case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
    assert_runs(c);
    assert_float_equal(out[0], (float)(32 + i % 53), 0);
    case_free(c);
  }
  const int64_t grown_kib = resident_kib() - before_kib;
#ifdef __SANITIZE_ADDRESS__  // Which keeps what is freed for a while.
  (void)grown_kib;
#else
  assert_true(grown_kib <= KIB_MAX);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_layout_gives_the_sum_of_products),
      cmocka_unit_test(test_products_that_are_gone_take_no_memory),
      cmocka_unit_test(test_every_mixture_of_types_is_computed),
      cmocka_unit_test(test_truth_values_are_multiplied_by_and_and_added_by_or),
      cmocka_unit_test(test_complex_products_have_both_parts),
      cmocka_unit_test(test_small_complex_products_are_rounded_before_they_are_summed),
      cmocka_unit_test(test_large_complex_products_have_both_parts),
      cmocka_unit_test(test_sizes_around_the_blocks_of_the_loops),
      cmocka_unit_test(test_many_rows_take_the_packed_way),
      cmocka_unit_test(test_some_rows_by_a_large_matrix_take_the_panels),
      cmocka_unit_test(test_batches_of_tiny_matrices_by_column_are_transposed_on_the_way),
      cmocka_unit_test(test_sums_of_bytes_are_exact_beyond_24_bits),
      cmocka_unit_test(test_long_sums_of_bytes_are_exact_in_every_layout),
      cmocka_unit_test(test_long_products_are_made_of_pieces),
      cmocka_unit_test(test_an_empty_sum_is_zero_and_an_empty_result_is_nothing),
      cmocka_unit_test(test_no_thread_is_started),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
