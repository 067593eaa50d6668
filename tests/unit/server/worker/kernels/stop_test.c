// A flag that another thread raises ends kernels of every family that would go on for a
// long time, and is looked at before anything large is written. Prints how long each took
// to end.

#include "tests/unit/server/worker/kernels/region_case.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "server/worker/kernels/linear/blocks.h"
#include "server/worker/kernels/stop.h"

// The promise is 50 ms of the kernel's own time; a loaded machine may take it away.
static const int64_t latency_max_ns = 2000000000, running_ns = 50000000;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct stopper_t {
  kernel_control_t control;
  int64_t raised_ns;
} stopper_t;

static void *raise_flag(void *context) {
  stopper_t *stopper = context;
  const struct timespec while_it_runs = {.tv_nsec = running_ns};
  nanosleep(&while_it_runs, NULL);
  stopper->raised_ns = now_ns();
  atomic_store(&stopper->control.wish, KERNEL_STOP);
  return NULL;
}

// Takes the case.
static void assert_stops(const char *name, kernel_case_t *c) {
  stopper_t stopper = {0};
  pthread_t thread;
  c->control = &stopper.control;
  assert_int_equal(pthread_create(&thread, NULL, raise_flag, &stopper), 0);
  const pod_status_t status = case_run(c);
  const int64_t end_ns = now_ns();
  pthread_join(thread, NULL);
  if (pod_status_code(status) != POD_CANCELLED) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
  printf("%-32s %8.2f ms\n", name, (double)(end_ns - stopper.raised_ns) * 1e-6);
  assert_true(end_ns - stopper.raised_ns < latency_max_ns);
  pod_status_free(status);
  case_free(c);
}

// ----- products -----

static kernel_case_t *dot_of(tensor_dtype_t in, tensor_dtype_t out, int64_t m, int64_t k,
                             int64_t n) {
  kernel_case_t *c = case_make(CHIP_OP_DOT_GENERAL);
  const int64_t lhs[] = {m, k}, rhs[] = {k, n}, result[] = {m, n};
  case_operand(c, in, 2, lhs, "zeros");
  case_operand(c, in, 2, rhs, "zeros");
  case_result(c, out, 2, result);
  case_attr_one(c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  case_attr_one(c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  return c;
}

static void test_products_stop(void **state) {
  (void)state;
  assert_stops("dot f32", dot_of(TENSOR_F32, TENSOR_F32, 4096, 4096, 4096));
  assert_stops("dot bf16", dot_of(TENSOR_BF16, TENSOR_BF16, 8192, 4096, 8192));
  assert_stops("dot s8", dot_of(TENSOR_S8, TENSOR_S32, 8192, 8192, 8192));
  assert_stops("dot s64", dot_of(TENSOR_S64, TENSOR_S64, 2048, 2048, 2048));
  assert_stops("dot f64", dot_of(TENSOR_F64, TENSOR_F64, 2500, 2500, 2500));
  assert_stops("dot c64", dot_of(TENSOR_C64, TENSOR_C64, 2048, 2048, 2048));
}

// An image with as many features out as in, features last.
static kernel_case_t *convolution_of(tensor_dtype_t dtype, int64_t batch, int64_t size,
                                     int64_t features, int64_t window,
                                     int64_t base_dilation) {
  kernel_case_t *c = case_make(CHIP_OP_CONVOLUTION);
  const int64_t input[] = {0, 3, 1, 2}, kernel[] = {2, 3, 0, 1}, pads[] = {1, 1};
  const int64_t dilations[] = {base_dilation, base_dilation}, ones[] = {1, 1};
  const int64_t out_size = (size - 1) * base_dilation + 1 + 2 - window + 1;
  const int64_t lhs[] = {batch, size, size, features};
  const int64_t rhs[] = {window, window, features, features};
  const int64_t out[] = {batch, out_size, out_size, features};
  case_operand(c, dtype, 4, lhs, "zeros");
  case_operand(c, dtype, 4, rhs, "zeros");
  case_result(c, dtype, 4, out);
  case_attr(c, CHIP_ATTR_INPUT_DIMS, 4, input);
  case_attr(c, CHIP_ATTR_KERNEL_DIMS, 4, kernel);
  case_attr(c, CHIP_ATTR_OUTPUT_DIMS, 4, input);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, 2, pads);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, 2, pads);
  case_attr(c, CHIP_ATTR_BASE_DILATIONS, 2, dilations);
  case_attr(c, CHIP_ATTR_STRIDES, 2, ones);
  return c;
}

static void test_convolutions_stop(void **state) {
  (void)state;
  assert_stops("convolution f32", convolution_of(TENSOR_F32, 2, 512, 256, 3, 1));
  assert_stops("convolution bf16", convolution_of(TENSOR_BF16, 2, 512, 256, 3, 1));
  assert_stops("convolution by input", convolution_of(TENSOR_F32, 2, 256, 256, 3, 2));
  assert_stops("convolution by kernel", convolution_of(TENSOR_F32, 256, 48, 256, 47, 1));
  assert_stops("convolution f64", convolution_of(TENSOR_F64, 1, 256, 128, 3, 1));
}

// ----- windows -----

static kernel_case_t *window_of(chip_op_t op, tensor_dtype_t dtype, int64_t size,
                                int64_t window) {
  kernel_case_t *c = case_make(op);
  const int64_t dims[] = {size, size}, sizes[] = {window, window};
  const int64_t low[] = {window / 2, window / 2};
  const int64_t high[] = {window - 1 - window / 2, window - 1 - window / 2};
  case_operand(c, dtype, 2, dims, "zeros");
  if (op == CHIP_OP_SELECT_AND_SCATTER) {
    case_operand(c, dtype, 2, dims, "zeros");
  }
  case_operand(c, dtype, 0, NULL, "zeros");
  case_result(c, dtype, 2, dims);
  case_attr(c, CHIP_ATTR_WINDOW_DIMENSIONS, 2, sizes);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, 2, low);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, 2, high);
  return c;
}

static void test_windows_stop(void **state) {
  (void)state;
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_BF16};
  for (size_t i = 0; i < POD_COUNT_OF(types); i++) {
    kernel_case_t *c = window_of(CHIP_OP_REDUCE_WINDOW, types[i], 4000, 4000);
    case_attr_one(c, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
    assert_stops(i == 0 ? "reduce_window f32" : "reduce_window bf16", c);
  }
  kernel_case_t *c = window_of(CHIP_OP_REDUCE_WINDOW, TENSOR_F32, 2000, 2000);
  region_case_t region;
  region_init(&region, c);
  int32_t x = region_parameter(&region, TENSOR_F32);
  int32_t y = region_parameter(&region, TENSOR_F32);
  const int32_t sum = region_add(&region, CHIP_OP_ADD, TENSOR_F32, x, y, -1);
  region_return(&region, region_add(&region, CHIP_OP_TANH, TENSOR_F32, sum, -1, -1));
  assert_stops("reduce_window by a region", c);
  for (int64_t window = 31; window <= 1001; window += 970) {
    c = window_of(CHIP_OP_SELECT_AND_SCATTER, TENSOR_F32, 3000, window);
    region_init(&region, c);
    x = region_parameter(&region, TENSOR_F32);
    y = region_parameter(&region, TENSOR_F32);
    region_return(&region, region_compare(&region, CHIP_COMPARISON_GE, false, x, y));
    region_next(&region);
    x = region_parameter(&region, TENSOR_F32);
    y = region_parameter(&region, TENSOR_F32);
    region_return(&region, region_add(&region, CHIP_OP_ADD, TENSOR_F32, x, y, -1));
    assert_stops("select_and_scatter", c);
  }
}

// ----- others that take long for their size -----

static kernel_case_t *sort_of(int64_t count, region_case_t *region) {
  kernel_case_t *c = case_make(CHIP_OP_SORT);
  case_attr_one(c, CHIP_ATTR_DIMENSION, 0);
  case_operand(c, TENSOR_F32, 1, &count, "random:1");
  case_result(c, TENSOR_F32, 1, &count);
  region_init(region, c);
  return c;
}

static void test_sorts_stop(void **state) {
  (void)state;
  region_case_t region;
  kernel_case_t *c = sort_of(1 << 24, &region);
  int32_t x = region_parameter(&region, TENSOR_F32);
  int32_t y = region_parameter(&region, TENSOR_F32);
  region_return(&region, region_compare(&region, CHIP_COMPARISON_LT, false, x, y));
  assert_stops("sort by numbers", c);
  c = sort_of(1 << 24, &region);
  x = region_parameter(&region, TENSOR_F32);
  y = region_parameter(&region, TENSOR_F32);
  const int32_t a = region_add(&region, CHIP_OP_MULTIPLY, TENSOR_F32, x, y, -1);
  const int32_t b = region_add(&region, CHIP_OP_SUBTRACT, TENSOR_F32, y, x, -1);
  region_return(&region, region_compare(&region, CHIP_COMPARISON_LT, false, a, b));
  assert_stops("sort by a comparator", c);
}

static void test_transforms_and_factors_stop(void **state) {
  (void)state;
  const int64_t length = 999983;  // A prime: operations grow with its square.
  kernel_case_t *c = case_make(CHIP_OP_FFT);
  case_operand(c, TENSOR_C64, 1, &length, "zeros");
  case_result(c, TENSOR_C64, 1, &length);
  case_attr_one(c, CHIP_ATTR_FFT_LENGTH, length);
  case_attr_one(c, CHIP_ATTR_FFT_TYPE, CHIP_FFT_FFT);
  assert_stops("fft", c);
  const int64_t square[] = {3000, 3000};
  c = case_make(CHIP_OP_CHOLESKY);
  tensor_array_t *matrix = case_operand(c, TENSOR_F64, 2, square, "zeros");
  for (int64_t i = 0; i < square[0]; i++) {
    ((double *)matrix->data)[i * (square[0] + 1)] = 1;
  }
  case_result(c, TENSOR_F64, 2, square);
  case_attr_one(c, CHIP_ATTR_LOWER, 1);
  assert_stops("cholesky", c);
  c = case_make(CHIP_OP_TRIANGULAR_SOLVE);
  case_operand(c, TENSOR_F64, 2, square, "ones");
  case_operand(c, TENSOR_F64, 2, square, "ones");
  case_result(c, TENSOR_F64, 2, square);
  case_attr_one(c, CHIP_ATTR_LEFT_SIDE, 1);
  case_attr_one(c, CHIP_ATTR_LOWER, 1);
  assert_stops("triangular_solve", c);
}

static kernel_case_t *decomposition_of(chip_op_t op, int64_t batch, int64_t rows,
                                       int64_t columns) {
  kernel_case_t *c = case_make(op);
  const int64_t least = rows < columns ? rows : columns;
  const int64_t dims[] = {batch, rows, columns}, vector[] = {batch, least};
  case_operand(c, TENSOR_F64, 3, dims, "random:1");
  if (op == CHIP_OP_HOUSEHOLDER_PRODUCT) {
    case_operand(c, TENSOR_F64, 2, vector, "random:2");
  }
  case_result(c, TENSOR_F64, 3, dims);
  if (op == CHIP_OP_LU) {
    const int64_t all[] = {batch, rows};
    case_result(c, TENSOR_S32, 2, vector);
    case_result(c, TENSOR_S32, 2, all);
  } else if (op != CHIP_OP_HOUSEHOLDER_PRODUCT) {
    case_result(c, TENSOR_F64, 2, vector);
  }
  return c;
}

static void test_decompositions_stop(void **state) {
  (void)state;
  assert_stops("qr", decomposition_of(CHIP_OP_QR, 1, 2000, 2000));
  assert_stops("qr, tall", decomposition_of(CHIP_OP_QR, 1, 1000000, 20));
  assert_stops("qr, wide", decomposition_of(CHIP_OP_QR, 1, 20, 1000000));
  assert_stops("qr of many", decomposition_of(CHIP_OP_QR, 500000, 4, 4));
  assert_stops("householder_product",
               decomposition_of(CHIP_OP_HOUSEHOLDER_PRODUCT, 1, 2000, 2000));
  assert_stops("lu", decomposition_of(CHIP_OP_LU, 1, 2000, 2000));
  assert_stops("lu, tall", decomposition_of(CHIP_OP_LU, 1, 1000000, 20));
  assert_stops("eigh", decomposition_of(CHIP_OP_EIGH, 1, 1500, 1500));
  assert_stops("eigh of many", decomposition_of(CHIP_OP_EIGH, 200000, 4, 4));
  kernel_case_t *c = decomposition_of(CHIP_OP_EIGH, 1, 1500, 1500);
  case_attr_one(c, CHIP_ATTR_SORTED, 0);
  assert_stops("eigh, in place", c);
}

// Many equal pairs of eigenvalues, and values that are all coupled.
static void fill_tridiagonal(bool has_pairs, int64_t n, double *diagonal,
                             double *beside) {
  for (int64_t i = 0; i < n; i++) {
    diagonal[i] = has_pairs ? fabs((double)(n / 2 - i)) : 2;
    beside[i] = has_pairs ? 1 : -1;
  }
}

typedef struct timed_stop_t {
  kernel_control_t control;
  clockid_t cpu;
  atomic_int at_ms;
  int64_t raised_ns;
} timed_stop_t;

static int64_t time_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *raise_later(void *context) {
  timed_stop_t *stop = context;
  while (time_of(stop->cpu) / 1000000 < atomic_load(&stop->at_ms)) {
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
  }
  stop->raised_ns = time_of(stop->cpu);
  atomic_store(&stop->control.wish, KERNEL_STOP);
  return NULL;
}

// Whatever part of it has been reached. The time is the thread's own.
static void test_tridiagonal_eigenproblems_stop(void **state) {
  (void)state;
  enum { N = 3000, LATENCY_MAX_MS = 500 };
  static const int after_ms[] = {5, 20, 60, 100};
  double *numbers =
      malloc((3 * N + (size_t)N * N) * sizeof(double) + (size_t)N * LAPACK_WORK);
  assert_non_null(numbers);
  double *vectors = numbers + 3 * (size_t)N;
  const lapack_matrix_t matrix = {(char *)vectors, N, N, N, false};
  for (size_t i = 0; i < 2 * POD_COUNT_OF(after_ms); i++) {
    timed_stop_t stop = {0};
    pthread_t thread;
    bool is_converged = false;
    fill_tridiagonal(i % 2 == 0, N, numbers, numbers + N);
    assert_int_equal(pthread_getcpuclockid(pthread_self(), &stop.cpu), 0);
    atomic_store(&stop.at_ms, (int)(time_of(stop.cpu) / 1000000) + after_ms[i / 2]);
    kernel_control = &stop.control;
    assert_int_equal(pthread_create(&thread, NULL, raise_later, &stop), 0);
    assert_null(blocks_tridiagonal(N, numbers, numbers + N, numbers + 2 * (size_t)N,
                                   &matrix, vectors + (size_t)N * N, &is_converged));
    const int64_t end_ns = time_of(stop.cpu);
    atomic_store(&stop.at_ms, 0);
    kernel_control = NULL;
    pthread_join(thread, NULL);
    assert_true(is_converged);
    const double ms = (double)(end_ns - stop.raised_ns) * 1e-6;
    printf("tridiagonal, after %3d ms         %8.2f ms\n", after_ms[i / 2], ms);
    assert_true(ms < LATENCY_MAX_MS);
  }
  free(numbers);
}

static void test_functions_and_numbers_stop(void **state) {
  (void)state;
  const int64_t count = 1 << 24, state_size = 2;
  kernel_case_t *c = case_make(CHIP_OP_LGAMMA);
  case_operand(c, TENSOR_F64, 1, &count, "random:1");
  case_result(c, TENSOR_F64, 1, &count);
  assert_stops("lgamma f64", c);
  c = case_make(CHIP_OP_POWER);
  case_operand(c, TENSOR_F64, 1, &count, "random:1");
  case_operand(c, TENSOR_F64, 1, &count, "random:2");
  case_result(c, TENSOR_F64, 1, &count);
  assert_stops("power f64", c);
  c = case_make(CHIP_OP_RNG_BIT_GENERATOR);
  case_operand(c, TENSOR_U64, 1, &state_size, "ones");
  case_result(c, TENSOR_U64, 1, &state_size);
  case_result(c, TENSOR_U64, 1, &count);
  case_attr_one(c, CHIP_ATTR_RNG_ALGORITHM, CHIP_RNG_THREE_FRY);
  assert_stops("rng_bit_generator", c);
  const int64_t row = (int64_t)1 << 28;
  c = case_make(CHIP_OP_RNG_BIT_GENERATOR);
  case_operand(c, TENSOR_U64, 1, &state_size, "ones");
  case_operand(c, TENSOR_S32, 0, NULL, "zeros");
  case_result(c, TENSOR_U64, 1, &state_size);
  case_result(c, TENSOR_U8, 1, &row);
  case_attr_one(c, CHIP_ATTR_RNG_ALGORITHM, CHIP_RNG_PHILOX);
  case_attr_one(c, CHIP_ATTR_LIMIT_INDICES, row);
  assert_stops("rng_bit_generator of a part", c);
  region_case_t region;
  c = case_make(CHIP_OP_REDUCE);
  case_operand(c, TENSOR_F32, 1, &count, "random:1");
  case_operand(c, TENSOR_F32, 0, NULL, "zeros");
  case_result(c, TENSOR_F32, 0, NULL);
  case_attr_one(c, CHIP_ATTR_DIMENSIONS, 0);
  region_init(&region, c);
  const int32_t x = region_parameter(&region, TENSOR_F32);
  const int32_t y = region_parameter(&region, TENSOR_F32);
  int32_t value = region_add(&region, CHIP_OP_ADD, TENSOR_F32, x, y, -1);
  for (int i = 0; i < 16; i++) {
    value = region_add(&region, CHIP_OP_TANH, TENSOR_F32, value, -1, -1);
  }
  region_return(&region, value);
  assert_stops("reduce by a region", c);
}

// ----- what memory bounds: raised before, nothing large is written -----

enum { LARGE = 1 << 22 };

static void assert_looks_first(const char *name, kernel_case_t *c) {
  kernel_control_t raised = {.wish = KERNEL_STOP};
  c->control = &raised;
  const pod_status_t status = case_run(c);
  if (pod_status_code(status) != POD_CANCELLED) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
  pod_status_free(status);
  const tensor_array_t *out = &c->arrays[c->results[c->result_count - 1]];
  const size_t size = (size_t)tensor_shape_bytes(&out->shape);
  size_t untouched = 0;
  while (untouched < size && ((const uint8_t *)out->data)[size - 1 - untouched] == 0xa5) {
    untouched++;
  }
  if (untouched < size / 2) {
    fail_msg("%s wrote all but %zu of %zu bytes", name, untouched, size);
  }
  case_free(c);
}

static kernel_case_t *elementwise_of(chip_op_t op, tensor_dtype_t in, int operands,
                                     tensor_dtype_t out) {
  const int64_t count = LARGE;
  kernel_case_t *c = case_make(op);
  for (int i = 0; i < operands; i++) {
    case_operand(c, in, 1, &count, "zeros");
  }
  case_result(c, out, 1, &count);
  return c;
}

static void test_elements_are_not_computed_after_the_flag(void **state) {
  (void)state;
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_BF16, TENSOR_F16, TENSOR_F64};
  for (size_t i = 0; i < POD_COUNT_OF(types); i++) {
    const tensor_dtype_t t = types[i];
    assert_looks_first("exp", elementwise_of(CHIP_OP_EXPONENTIAL, t, 1, t));
    assert_looks_first("add", elementwise_of(CHIP_OP_ADD, t, 2, t));
    assert_looks_first("compare", elementwise_of(CHIP_OP_COMPARE, t, 2, TENSOR_PRED));
    assert_looks_first("clamp", elementwise_of(CHIP_OP_CLAMP, t, 3, t));
    assert_looks_first("convert", elementwise_of(CHIP_OP_CONVERT, t, 1, TENSOR_S32));
    assert_looks_first("next_after", elementwise_of(CHIP_OP_NEXT_AFTER, t, 2, t));
    assert_looks_first("reduce_precision",
                       elementwise_of(CHIP_OP_REDUCE_PRECISION, t, 1, t));
  }
  assert_looks_first("not", elementwise_of(CHIP_OP_NOT, TENSOR_PRED, 1, TENSOR_PRED));
  assert_looks_first("popcnt", elementwise_of(CHIP_OP_POPCNT, TENSOR_U4, 1, TENSOR_U4));
  assert_looks_first("complex",
                     elementwise_of(CHIP_OP_COMPLEX, TENSOR_F32, 2, TENSOR_C64));
  assert_looks_first("select",
                     elementwise_of(CHIP_OP_SELECT, TENSOR_PRED, 3, TENSOR_PRED));
}

static kernel_case_t *moved(chip_op_t op, const int64_t *in, const int64_t *out) {
  kernel_case_t *c = case_make(op);
  case_operand(c, TENSOR_F32, 2, in, "zeros");
  case_result(c, TENSOR_F32, 2, out);
  return c;
}

static void test_nothing_is_moved_after_the_flag(void **state) {
  (void)state;
  const int64_t dims[] = {2048, 2048}, order[] = {1, 0}, identity[] = {0, 1};
  const int64_t row[] = {1, 2048}, column[] = {2048, 1}, both[] = {0, 1};
  kernel_case_t *c = moved(CHIP_OP_TRANSPOSE, dims, dims);
  case_attr(c, CHIP_ATTR_DIMENSIONS, 2, order);
  assert_looks_first("transpose", c);
  c = moved(CHIP_OP_REVERSE, dims, dims);
  case_attr(c, CHIP_ATTR_DIMENSIONS, 2, both);
  assert_looks_first("reverse", c);
  c = moved(CHIP_OP_BROADCAST_IN_DIM, row, dims);
  case_attr(c, CHIP_ATTR_DIMENSIONS, 2, identity);
  assert_looks_first("broadcast of a row", c);
  c = moved(CHIP_OP_BROADCAST_IN_DIM, column, dims);
  case_attr(c, CHIP_ATTR_DIMENSIONS, 2, identity);
  assert_looks_first("broadcast of a column", c);
  assert_looks_first("reshape", moved(CHIP_OP_RESHAPE, dims, dims));
  c = case_make(CHIP_OP_IOTA);
  case_attr_one(c, CHIP_ATTR_DIMENSION, 0);
  case_result(c, TENSOR_F32, 2, dims);
  assert_looks_first("iota", c);
  const int64_t wide[] = {2048, 4096};
  c = case_make(CHIP_OP_CONCATENATE);
  case_operand(c, TENSOR_F32, 2, dims, "zeros");
  case_operand(c, TENSOR_F32, 2, dims, "zeros");
  case_result(c, TENSOR_F32, 2, wide);
  case_attr_one(c, CHIP_ATTR_DIMENSION, 1);
  assert_looks_first("concatenate", c);
  assert_looks_first("real", elementwise_of(CHIP_OP_REAL, TENSOR_C64, 1, TENSOR_F32));
  assert_looks_first("imag", elementwise_of(CHIP_OP_IMAG, TENSOR_C64, 1, TENSOR_F32));
  assert_looks_first("real of a real",
                     elementwise_of(CHIP_OP_REAL, TENSOR_F32, 1, TENSOR_F32));
  assert_looks_first("imag of a real",
                     elementwise_of(CHIP_OP_IMAG, TENSOR_F32, 1, TENSOR_F32));
  assert_looks_first("bitcast_convert",
                     elementwise_of(CHIP_OP_BITCAST_CONVERT, TENSOR_F32, 1, TENSOR_S32));
}

// Zeros to add to, before anything is added.
static void test_sums_are_not_begun_after_the_flag(void **state) {
  (void)state;
  assert_looks_first("dot c128", dot_of(TENSOR_C128, TENSOR_C128, 1024, 8, 1024));
  assert_looks_first("empty sums", dot_of(TENSOR_F32, TENSOR_F32, 2048, 0, 2048));
  const int64_t two[] = {2}, many[] = {LARGE};
  kernel_case_t *c = case_make(CHIP_OP_RNG_BIT_GENERATOR);
  case_operand(c, TENSOR_U64, 1, two, "zeros");
  case_result(c, TENSOR_U64, 1, two);
  case_result(c, TENSOR_U64, 1, many);
  assert_looks_first("random bits", c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_products_stop),
      cmocka_unit_test(test_convolutions_stop),
      cmocka_unit_test(test_windows_stop),
      cmocka_unit_test(test_sorts_stop),
      cmocka_unit_test(test_transforms_and_factors_stop),
      cmocka_unit_test(test_decompositions_stop),
      cmocka_unit_test(test_tridiagonal_eigenproblems_stop),
      cmocka_unit_test(test_functions_and_numbers_stop),
      cmocka_unit_test(test_elements_are_not_computed_after_the_flag),
      cmocka_unit_test(test_nothing_is_moved_after_the_flag),
      cmocka_unit_test(test_sums_are_not_begun_after_the_flag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
