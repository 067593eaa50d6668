// Decompositions put together again give the matrix that was taken apart: for every
// element type, in batches, tall, wide, empty, of one element, large enough for several
// panels, singular and not finite.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/storage.h"

typedef double _Complex number_t;

static const tensor_dtype_t dtypes[] = {TENSOR_F32,  TENSOR_F64,  TENSOR_C64,
                                        TENSOR_C128, TENSOR_BF16, TENSOR_F16};

// Units of rounding of an element of `dtype`.
static double epsilon(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_F64:
    case TENSOR_C128:
      return 0x1p-52;
    case TENSOR_BF16:
      return 0x1p-8;
    case TENSOR_F16:
      return 0x1p-11;
    default:
      return 0x1p-23;
  }
}

static tensor_dtype_t real_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_C64 ? TENSOR_F32 : dtype == TENSOR_C128 ? TENSOR_F64 : dtype;
}

// Elements as complex numbers; the caller frees them.
static number_t *numbers_of(const tensor_array_t *array) {
  const size_t count = (size_t)tensor_shape_elements(&array->shape);
  number_t *numbers = malloc(count * sizeof(number_t) + 1);
  assert_non_null(numbers);
  kernel_convert_elements(array->shape.dtype, array->data, TENSOR_C128, numbers, count);
  return numbers;
}

static void store(tensor_array_t *array, const number_t *numbers) {
  const size_t count = (size_t)tensor_shape_elements(&array->shape);
  kernel_convert_elements(TENSOR_C128, numbers, array->shape.dtype, array->data, count);
}

static void run(kernel_case_t *c) {
  const pod_status_t status = case_run(c);
  assert_null(status);
}

// --- Cases ---

typedef struct sizes_t {
  int64_t batch, rows, columns;
} sizes_t;

// Random operand [batch, rows, columns]; the caller frees the case.
static kernel_case_t *case_of(chip_op_t op, tensor_dtype_t dtype, const sizes_t *s,
                              const char *values) {
  kernel_case_t *c = case_make(op);
  const int64_t dims[] = {s->batch, s->rows, s->columns};
  case_operand(c, dtype, 3, dims, values);
  return c;
}

static int64_t least(const sizes_t *s) {
  return s->rows < s->columns ? s->rows : s->columns;
}

static tensor_array_t *result_vectors(kernel_case_t *c, tensor_dtype_t dtype,
                                      int64_t batch, int64_t size) {
  const int64_t dims[] = {batch, size};
  return case_result(c, dtype, 2, dims);
}

static tensor_array_t *result_matrices(kernel_case_t *c, tensor_dtype_t dtype,
                                       int64_t batch, int64_t rows, int64_t columns) {
  const int64_t dims[] = {batch, rows, columns};
  return case_result(c, dtype, 3, dims);
}

static const sizes_t shapes[] = {
    {1, 1, 1},   {1, 4, 4},   {3, 5, 5},    {2, 7, 3},    {2, 3, 7}, {1, 40, 33},
    {1, 33, 40}, {1, 90, 90}, {1, 130, 70}, {1, 70, 130}, {4, 2, 2}, {1, 0, 0},
    {2, 3, 0},   {2, 0, 3},   {0, 3, 3},    {1, 1, 5},    {1, 5, 1},
};

// |what| <= units · epsilon · size, NaN is not.
static void assert_small(double what, tensor_dtype_t dtype, int64_t size,
                         const char *name, const sizes_t *s) {
  const double most = 8 * epsilon(dtype) * (double)(size + 4);
  if (!(what <= most)) {
    fail_msg("%s of %s[%d,%d,%d]: off by %g, allowed %g", name, tensor_dtype_name(dtype),
             (int)s->batch, (int)s->rows, (int)s->columns, what, most);
  }
}

static void lu_of(kernel_case_t *c, tensor_dtype_t dtype, const sizes_t *s);

// --- QR ---

// The largest difference of q r and a, and of q^H q and the identity.
static void check_qr(const sizes_t *s, tensor_dtype_t dtype, const number_t *a,
                     const number_t *r, const number_t *q, int64_t q_columns) {
  double most = 0, turned = 0;
  for (int64_t i = 0; i < s->rows; i++) {
    for (int64_t j = 0; j < s->columns; j++) {
      number_t sum = 0;
      for (int64_t k = 0; k <= j && k < q_columns && k < s->rows; k++) {
        sum += q[i * q_columns + k] * r[k * s->columns + j];
      }
      most = fmax(most, cabs(sum - a[i * s->columns + j]));
    }
  }
  for (int64_t i = 0; i < q_columns; i++) {
    for (int64_t j = 0; j < q_columns; j++) {
      number_t sum = 0;
      for (int64_t k = 0; k < s->rows; k++) {
        sum += conj(q[k * q_columns + i]) * q[k * q_columns + j];
      }
      turned = fmax(turned, cabs(sum - (i == j)));
    }
  }
  assert_small(most, dtype, s->rows + s->columns, "QR - A", s);
  assert_small(turned, dtype, s->rows, "Q^H Q - 1", s);
}

// A full Q of rows x rows, or a thin one of rows x min(rows, columns), as JAX asks for
// it.
static void check_product(const kernel_case_t *factored, tensor_dtype_t dtype,
                          const sizes_t *s, bool is_full) {
  const tensor_array_t *reflectors = &factored->arrays[1], *taus = &factored->arrays[2];
  const int64_t columns = is_full ? s->rows : least(s);
  const sizes_t size = {s->batch, s->rows, columns};
  kernel_case_t *c = case_of(CHIP_OP_HOUSEHOLDER_PRODUCT, dtype, &size, "zeros");
  const int64_t taus_dims[] = {s->batch, least(s)};
  tensor_array_t *own = case_operand(c, dtype, 2, taus_dims, "zeros");
  memcpy(own->data, taus->data, (size_t)tensor_shape_bytes(&taus->shape));
  number_t *from = numbers_of(reflectors), *to = numbers_of(&c->arrays[0]);
  for (int64_t row = 0; row < s->batch * s->rows; row++) {
    for (int64_t j = 0; j < least(s); j++) {
      to[row * columns + j] = from[row * s->columns + j];
    }
  }
  store(&c->arrays[0], to);
  const tensor_array_t *product = result_matrices(c, dtype, s->batch, s->rows, columns);
  run(c);
  number_t *q = numbers_of(product), *a = numbers_of(&factored->arrays[0]);
  for (int64_t b = 0; b < s->batch; b++) {
    check_qr(s, dtype, a + b * s->rows * s->columns, from + b * s->rows * s->columns,
             q + b * s->rows * columns, columns);
  }
  free(from);
  free(to);
  free(q);
  free(a);
  case_free(c);
}

static void test_qr_gives_the_matrix_again(void **state) {
  (void)state;
  for (size_t t = 0; t < POD_COUNT_OF(dtypes); t++) {
    for (size_t i = 0; i < POD_COUNT_OF(shapes); i++) {
      const sizes_t *s = &shapes[i];
      kernel_case_t *c = case_of(CHIP_OP_QR, dtypes[t], s, "random:1");
      result_matrices(c, dtypes[t], s->batch, s->rows, s->columns);
      result_vectors(c, dtypes[t], s->batch, least(s));
      run(c);
      check_product(c, dtypes[t], s, false);
      check_product(c, dtypes[t], s, true);
      case_free(c);
    }
  }
}

// Products by a panel are cut into parts there.
static void test_large_matrices_are_decomposed_in_parts(void **state) {
  (void)state;
  static const sizes_t large[] = {{1, 700, 300}, {1, 300, 1300}};
  for (size_t i = 0; i < POD_COUNT_OF(large); i++) {
    const sizes_t *s = &large[i];
    kernel_case_t *c = case_of(CHIP_OP_QR, TENSOR_F64, s, "random:5");
    result_matrices(c, TENSOR_F64, s->batch, s->rows, s->columns);
    result_vectors(c, TENSOR_F64, s->batch, least(s));
    run(c);
    check_product(c, TENSOR_F64, s, false);
    case_free(c);
    kernel_case_t *lu = case_of(CHIP_OP_LU, TENSOR_C64, s, "random:6");
    lu_of(lu, TENSOR_C64, s);
    case_free(lu);
  }
}

// tau is 0, and nothing is turned, where a column is reduced already.
static void test_qr_leaves_a_triangle_alone(void **state) {
  (void)state;
  const sizes_t s = {1, 3, 3};
  kernel_case_t *c = case_of(CHIP_OP_QR, TENSOR_F32, &s, "zeros");
  const float a[] = {-1, 2, 3, 0, 4, 5, 0, 0, -6};
  memcpy(c->arrays[0].data, a, sizeof(a));
  const tensor_array_t *r = result_matrices(c, TENSOR_F32, 1, 3, 3);
  const tensor_array_t *taus = result_vectors(c, TENSOR_F32, 1, 3);
  run(c);
  assert_memory_equal(r->data, a, sizeof(a));
  for (int i = 0; i < 3; i++) {
    assert_true(((const float *)taus->data)[i] == 0);
  }
  case_free(c);
}

// --- LU ---

static void check_lu(const sizes_t *s, tensor_dtype_t dtype, const number_t *a,
                     const number_t *lu, const int32_t *pivots,
                     const int32_t *permutation) {
  double most = 0;
  int32_t *order = malloc((size_t)s->rows * sizeof(int32_t) + 1);
  for (int64_t i = 0; i < s->rows; i++) {
    order[i] = (int32_t)i;
  }
  for (int64_t i = 0; i < least(s); i++) {
    assert_in_range(pivots[i], i, s->rows - 1);
    const int32_t kept = order[i];
    order[i] = order[pivots[i]];
    order[pivots[i]] = kept;
  }
  for (int64_t i = 0; i < s->rows; i++) {
    assert_int_equal(permutation[i], order[i]);
    for (int64_t j = 0; j < s->columns; j++) {
      number_t sum = 0;
      for (int64_t k = 0; k <= j && k <= i; k++) {
        const number_t l = k == i ? 1 : lu[i * s->columns + k];
        sum += l * lu[k * s->columns + j];
      }
      most = fmax(most, cabs(sum - a[order[i] * s->columns + j]));
      if (j < i) {  // Partial pivoting.
        assert_true(cabs(lu[i * s->columns + j]) <= 1.5);
      }
    }
  }
  free(order);
  assert_small(most, dtype, s->rows + s->columns, "LU - PA", s);
}

static void lu_of(kernel_case_t *c, tensor_dtype_t dtype, const sizes_t *s) {
  result_matrices(c, dtype, s->batch, s->rows, s->columns);
  result_vectors(c, TENSOR_S32, s->batch, least(s));
  result_vectors(c, TENSOR_S32, s->batch, s->rows);
  run(c);
  number_t *a = numbers_of(&c->arrays[0]), *lu = numbers_of(&c->arrays[1]);
  for (int64_t b = 0; b < s->batch; b++) {
    check_lu(s, dtype, a + b * s->rows * s->columns, lu + b * s->rows * s->columns,
             (const int32_t *)c->arrays[2].data + b * least(s),
             (const int32_t *)c->arrays[3].data + b * s->rows);
  }
  free(a);
  free(lu);
}

static void test_lu_gives_the_permuted_matrix_again(void **state) {
  (void)state;
  for (size_t t = 0; t < POD_COUNT_OF(dtypes); t++) {
    for (size_t i = 0; i < POD_COUNT_OF(shapes); i++) {
      kernel_case_t *c = case_of(CHIP_OP_LU, dtypes[t], &shapes[i], "random:2");
      lu_of(c, dtypes[t], &shapes[i]);
      case_free(c);
    }
  }
}

// Pivots of 0 are left standing, as LAPACK and JAX's own loop leave them.
static void test_lu_of_a_singular_matrix_is_finite(void **state) {
  (void)state;
  const sizes_t s = {1, 3, 3};
  kernel_case_t *zeros = case_of(CHIP_OP_LU, TENSOR_F32, &s, "zeros");
  lu_of(zeros, TENSOR_F32, &s);
  case_free(zeros);
  kernel_case_t *ones = case_of(CHIP_OP_LU, TENSOR_C64, &s, "ones");
  lu_of(ones, TENSOR_C64, &s);
  case_free(ones);
}

// --- Eigenvalues ---

// The operand becomes Hermitian, in both triangles, or with NaN in the one not read.
static void make_hermitian(tensor_array_t *array, int64_t size, const char *triangle) {
  number_t *a = numbers_of(array);
  for (int64_t b = 0; b < array->shape.dims[0]; b++) {
    number_t *m = a + b * size * size;
    for (int64_t i = 0; i < size; i++) {
      m[i * size + i] = creal(m[i * size + i]);
      for (int64_t j = 0; j < i; j++) {
        m[j * size + i] = conj(m[i * size + j]);
        if (triangle[0] == 'L') {
          m[j * size + i] = (double)NAN;
        } else if (triangle[0] == 'U') {
          m[i * size + j] = (double)NAN;
        }
      }
    }
  }
  store(array, a);
  free(a);
}

static number_t element(const number_t *a, int64_t size, int64_t i, int64_t j,
                        char triangle) {
  const bool is_turned = (triangle == 'L' && j > i) || (triangle == 'U' && j < i);
  return is_turned ? conj(a[j * size + i]) : a[i * size + j];
}

static void check_eigh(const sizes_t *s, tensor_dtype_t dtype, const number_t *a,
                       char triangle, const number_t *v, const number_t *w) {
  const int64_t n = s->rows;
  double most = 0, turned = 0;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++) {
      number_t product = 0, sum = 0;
      for (int64_t k = 0; k < n; k++) {
        product += element(a, n, i, k, triangle) * v[k * n + j];
        sum += conj(v[k * n + i]) * v[k * n + j];
      }
      most = fmax(most, cabs(product - v[i * n + j] * w[j]));
      turned = fmax(turned, cabs(sum - (i == j)));
    }
  }
  assert_small(most, dtype, 4 * n, "A V - V W", s);
  assert_small(turned, dtype, 4 * n, "V^H V - 1", s);
}

static kernel_case_t *eigh_of(tensor_dtype_t dtype, const sizes_t *s,
                              const char *triangle, bool is_sorted) {
  kernel_case_t *c = case_of(CHIP_OP_EIGH, dtype, s, "random:3");
  make_hermitian(&c->arrays[0], s->rows, triangle);
  case_attr_one(c, CHIP_ATTR_LOWER, triangle[0] != 'U');
  case_attr_one(c, CHIP_ATTR_SORTED, is_sorted);
  result_matrices(c, dtype, s->batch, s->rows, s->columns);
  result_vectors(c, real_of(dtype), s->batch, s->rows);
  return c;
}

static void check_eigh_case(const kernel_case_t *c, tensor_dtype_t dtype,
                            const sizes_t *s, char triangle, bool is_sorted) {
  number_t *a = numbers_of(&c->arrays[0]), *v = numbers_of(&c->arrays[1]);
  number_t *w = numbers_of(&c->arrays[2]);
  for (int64_t b = 0; b < s->batch; b++) {
    const number_t *values = w + b * s->rows;
    check_eigh(s, dtype, a + b * s->rows * s->rows, triangle, v + b * s->rows * s->rows,
               values);
    for (int64_t i = 1; i < s->rows && is_sorted; i++) {
      assert_true(creal(values[i - 1]) <= creal(values[i]));
    }
  }
  free(a);
  free(v);
  free(w);
}

static void test_eigenvectors_diagonalise_the_matrix(void **state) {
  (void)state;
  static const sizes_t squares[] = {{1, 1, 1}, {2, 2, 2},   {3, 5, 5},    {1, 0, 0},
                                    {0, 3, 3}, {1, 33, 33}, {1, 100, 100}};
  static const char *const triangles[] = {"both", "L", "U"};
  for (size_t t = 0; t < POD_COUNT_OF(dtypes); t++) {
    for (size_t i = 0; i < POD_COUNT_OF(squares); i++) {
      for (size_t k = 0; k < POD_COUNT_OF(triangles); k++) {
        kernel_case_t *c = eigh_of(dtypes[t], &squares[i], triangles[k], k != 0);
        run(c);
        check_eigh_case(c, dtypes[t], &squares[i], triangles[k][0], k != 0);
        case_free(c);
      }
    }
  }
}

// What is padded with zeros keeps its values where it was: JAX's eigh of large matrices
// takes them from there.
static void test_unsorted_eigenvalues_stay_with_their_block(void **state) {
  (void)state;
  const sizes_t s = {1, 5, 5};
  kernel_case_t *c = eigh_of(TENSOR_F32, &s, "both", false);
  const float a[25] = {-2, 1, 0, 0, 0, 1, 3, 0, 0, 0};  // The rest is 0.
  memcpy(c->arrays[0].data, a, sizeof(a));
  run(c);
  const float *v = (const float *)c->arrays[1].data;
  const float *w = (const float *)c->arrays[2].data;
  assert_true(fabsf(w[0] + 2.19258f) < 1e-4f && fabsf(w[1] - 3.19258f) < 1e-4f);
  for (int i = 2; i < 5; i++) {
    assert_true(w[i] == 0);
    for (int j = 0; j < 5; j++) {
      assert_true(fabsf(v[i * 5 + j]) == (i == j ? 1.0F : 0.0F));
    }
  }
  check_eigh_case(c, TENSOR_F32, &s, 'b', false);
  case_free(c);
}

// Indexes 0, 3, 4 and 1, 5 are coupled, 2 is alone; 4 is with 0 by way of 3.
static void test_blocks_need_not_be_side_by_side(void **state) {
  (void)state;
  const sizes_t s = {1, 6, 6};
  kernel_case_t *c = eigh_of(TENSOR_F64, &s, "both", false);
  double a[36] = {0};
  for (int i = 0; i < 6; i++) {
    a[i * 7] = 10 * i;
  }
  a[0 * 6 + 3] = a[3 * 6 + 0] = a[3 * 6 + 4] = a[4 * 6 + 3] = 1;
  a[1 * 6 + 5] = a[5 * 6 + 1] = 2;
  memcpy(c->arrays[0].data, a, sizeof(a));
  run(c);
  const double *w = (const double *)c->arrays[2].data;
  for (int i = 0; i < 6; i++) {
    assert_true(fabs(w[i] - 10 * i) < 1);  // Weakly coupled: each where it was.
  }
  assert_true(w[2] == 20);
  check_eigh_case(c, TENSOR_F64, &s, 'b', false);
  case_free(c);
}

static void test_equal_eigenvalues_have_orthogonal_vectors(void **state) {
  (void)state;
  const sizes_t s = {1, 50, 50};
  static const char *const values[] = {"zeros", "ones"};
  for (size_t i = 0; i < POD_COUNT_OF(values); i++) {
    kernel_case_t *c = eigh_of(TENSOR_F64, &s, "both", true);
    assert_null(tensor_fill(values[i], &c->arrays[0]));
    run(c);
    check_eigh_case(c, TENSOR_F64, &s, 'b', true);
    case_free(c);
  }
}

// Tridiagonal, with pairs of eigenvalues that are equal to the last bit (Wilkinson).
static void fill_with_pairs(tensor_array_t *array, int64_t size) {
  number_t *a = numbers_of(array);
  for (int64_t i = 0; i < size * size; i++) {
    const int64_t row = i / size, column = i % size;
    a[i] = row == column              ? fabs((double)(size / 2 - row))
           : llabs(row - column) == 1 ? 1
                                      : 0;
  }
  store(array, a);
  free(a);
}

// They are torn in two, and those again.
static void test_large_eigenproblems_are_solved_in_parts(void **state) {
  (void)state;
  static const sizes_t squares[] = {{1, 257, 257}, {1, 530, 530}};
  static const char *const values[] = {NULL, "random:3", "zeros", "ones"};
  static const tensor_dtype_t types[] = {TENSOR_F64, TENSOR_C64};
  for (size_t i = 0; i < POD_COUNT_OF(values) * POD_COUNT_OF(squares); i++) {
    const sizes_t *s = &squares[i % 2];
    const tensor_dtype_t type = types[i / 2 % 2];
    kernel_case_t *c = eigh_of(type, s, "both", true);
    if (values[i / 2] == NULL) {
      fill_with_pairs(&c->arrays[0], s->rows);
    } else {
      assert_null(tensor_fill(values[i / 2], &c->arrays[0]));
      make_hermitian(&c->arrays[0], s->rows, "both");
    }
    run(c);
    check_eigh_case(c, type, s, 'b', true);
    case_free(c);
  }
}

static int64_t admitted_bytes, admitted_bytes_max, most_admitted_bytes;

static pod_status_t admit(int64_t size_bytes) {
  if (admitted_bytes + size_bytes > admitted_bytes_max) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no room");
  }
  admitted_bytes += size_bytes;
  most_admitted_bytes =
      admitted_bytes > most_admitted_bytes ? admitted_bytes : most_admitted_bytes;
  return NULL;
}

static void watch(const void *memory, int64_t size_bytes, bool is_used_before) {
  (void)memory, (void)size_bytes, (void)is_used_before;
}

static void release(const void *memory, int64_t size_bytes) {
  (void)memory;
  admitted_bytes -= size_bytes;
}

// The matrix in double, its vectors, and what they are made in; complex ones are as large
// again.
static void test_the_memory_of_eigenproblems_is_counted(void **state) {
  (void)state;
  static const kernel_host_t host = {admit, watch, release};
  static const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_C64};
  static const int parts[] = {3, 6};
  kernel_memory_set_host(&host);
  const sizes_t s = {1, 800, 800};
  const int64_t square_bytes = s.rows * s.columns * (int64_t)sizeof(double);
  for (size_t i = 0; i < POD_COUNT_OF(types); i++) {
    kernel_case_t *c = eigh_of(types[i], &s, "both", true);
    fill_with_pairs(&c->arrays[0], s.rows);
    admitted_bytes_max = INT64_MAX;
    most_admitted_bytes = 0;
    run(c);
    assert_true(most_admitted_bytes >= parts[i] * square_bytes);
    assert_int_equal(admitted_bytes, 0);
    for (int part = 0; part < parts[i]; part++) {
      admitted_bytes_max = part * square_bytes;
      const pod_status_t status = case_run(c);
      assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
      pod_status_free(status);
      assert_int_equal(admitted_bytes, 0);
    }
    case_free(c);
  }
  kernel_memory_set_host(NULL);
}

// Squares of these elements would overflow, or be 0.
static void test_eigenvalues_of_extreme_elements(void **state) {
  (void)state;
  static const double scales[] = {1e300, 1e-300};
  for (size_t i = 0; i < POD_COUNT_OF(scales); i++) {
    const sizes_t s = {1, 2, 2};
    kernel_case_t *c = eigh_of(TENSOR_F64, &s, "both", true);
    const double a[] = {2 * scales[i], scales[i], scales[i], 2 * scales[i]};
    memcpy(c->arrays[0].data, a, sizeof(a));
    run(c);
    const double *w = (const double *)c->arrays[2].data;
    assert_true(fabs(w[0] / scales[i] - 1) < 1e-14);
    assert_true(fabs(w[1] / scales[i] - 3) < 1e-14);
    case_free(c);
  }
}

// --- What is not finite ---

static bool has_nan(const tensor_array_t *array) {
  number_t *numbers = numbers_of(array);
  bool found = false;
  for (int64_t i = 0; i < tensor_shape_elements(&array->shape); i++) {
    found |= isnan(creal(numbers[i])) || isnan(cimag(numbers[i]));
  }
  free(numbers);
  return found;
}

// The second matrix of the batch is as if the first were finite.
static void check_poisoned(chip_op_t op, tensor_dtype_t dtype, double poison) {
  const sizes_t s = {2, 40, 40};
  kernel_case_t *c = op == CHIP_OP_EIGH ? eigh_of(dtype, &s, "both", true)
                                        : case_of(op, dtype, &s, "random:4");
  number_t *a = numbers_of(&c->arrays[0]);
  a[0] = a[41] = a[80] = poison;
  store(&c->arrays[0], a);
  free(a);
  if (op == CHIP_OP_QR) {
    result_matrices(c, dtype, 2, 40, 40);
    result_vectors(c, dtype, 2, 40);
  } else if (op == CHIP_OP_LU) {
    result_matrices(c, dtype, 2, 40, 40);
    result_vectors(c, TENSOR_S32, 2, 40);
    result_vectors(c, TENSOR_S32, 2, 40);
  }
  run(c);
  assert_true(has_nan(&c->arrays[1]));
  const number_t *result = numbers_of(&c->arrays[1]);
  for (int i = 1600; i < 3200; i++) {
    assert_true(isfinite(creal(result[i])) && isfinite(cimag(result[i])));
  }
  free((void *)result);
  if (op == CHIP_OP_LU) {
    for (int i = 0; i < 80; i++) {
      assert_in_range(((const int32_t *)c->arrays[2].data)[i], 0, 39);
      assert_in_range(((const int32_t *)c->arrays[3].data)[i], 0, 39);
    }
  }
  case_free(c);
}

static void test_what_is_not_finite_spoils_its_matrix_alone(void **state) {
  (void)state;
  static const chip_op_t ops[] = {CHIP_OP_QR, CHIP_OP_LU, CHIP_OP_EIGH};
  static const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_C128};
  for (size_t i = 0; i < POD_COUNT_OF(ops); i++) {
    for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
      check_poisoned(ops[i], types[t], (double)NAN);
      check_poisoned(ops[i], types[t], (double)INFINITY);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_qr_gives_the_matrix_again),
      cmocka_unit_test(test_large_matrices_are_decomposed_in_parts),
      cmocka_unit_test(test_qr_leaves_a_triangle_alone),
      cmocka_unit_test(test_lu_gives_the_permuted_matrix_again),
      cmocka_unit_test(test_lu_of_a_singular_matrix_is_finite),
      cmocka_unit_test(test_eigenvectors_diagonalise_the_matrix),
      cmocka_unit_test(test_unsorted_eigenvalues_stay_with_their_block),
      cmocka_unit_test(test_blocks_need_not_be_side_by_side),
      cmocka_unit_test(test_equal_eigenvalues_have_orthogonal_vectors),
      cmocka_unit_test(test_large_eigenproblems_are_solved_in_parts),
      cmocka_unit_test(test_the_memory_of_eigenproblems_is_counted),
      cmocka_unit_test(test_eigenvalues_of_extreme_elements),
      cmocka_unit_test(test_what_is_not_finite_spoils_its_matrix_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
