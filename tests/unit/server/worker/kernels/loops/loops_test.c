// The loops of every instruction set that this CPU has, against those of the baseline:
// all but fused sums of products give the same bits.

#include "server/worker/kernels/loops/loops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "server/program/program.h"

enum { COUNT = 1031, BYTES = 16 * COUNT };

static const char *const sets[] = {"baseline", "avx2", "avx512"};

// Random bits; floats of all kinds, many of them of usual size.
static void fill(tensor_dtype_t dtype, uint64_t seed, void *out) {
  pod_random_t random = {.state = seed};
  const size_t bytes = tensor_dtype_bytes(dtype);
  const bool is_complex = tensor_dtype_is_complex(dtype);
  const bool is_float = tensor_dtype_is_float(dtype) || is_complex;
  const tensor_dtype_t part = dtype == TENSOR_C64    ? TENSOR_F32
                              : dtype == TENSOR_C128 ? TENSOR_F64
                                                     : dtype;
  for (size_t i = 0; i < COUNT * bytes / tensor_dtype_bytes(part); i++) {
    uint64_t bits = pod_random_next(&random);
    if (is_float && i % 4 != 0) {
      tensor_element_from_double(part, 8 * pod_random_uniform(&random) - 4, &bits);
    }
    memcpy((char *)out + i * tensor_dtype_bytes(part), &bits, tensor_dtype_bytes(part));
  }
}

// NaNs may differ in sign and payload.
static void assert_same(const char *what, tensor_dtype_t dtype, const void *a,
                        const void *b, size_t count) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (size_t i = 0; i < count; i++) {
    const char *x = (const char *)a + i * bytes, *y = (const char *)b + i * bytes;
    if (memcmp(x, y, bytes) == 0) {
      continue;
    }
    const double x_value = tensor_element_as_double(dtype, x);
    const double y_value = tensor_element_as_double(dtype, y);
    if (!tensor_dtype_is_float(dtype) || x_value == x_value || y_value == y_value) {
      fail_msg("%s of %s: element %zu is %.17g and %.17g", what, tensor_dtype_name(dtype),
               i, x_value, y_value);
    }
  }
}

typedef struct {
  _Alignas(64) char a[BYTES], b[BYTES], expected[BYTES], found[BYTES];
} memory_t;

static const kernel_loops_t *next_set(size_t *at) {
  while (++*at < POD_COUNT_OF(sets)) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[*at]);
    if (loops != NULL) {
      return loops;
    }
  }
  return NULL;
}

// Names of the sets, and that a CPU has the best one.
static void test_the_best_set_is_one_of_those_by_name(void **state) {
  (void)state;
  const kernel_loops_t *best = kernel_loops();
  assert_ptr_equal(kernel_loops_by_name(best->name), best);
  assert_non_null(kernel_loops_by_name("baseline"));
  assert_null(kernel_loops_by_name("abacus"));
}

static void check_unary(memory_t *memory, const kernel_loops_t *base,
                        const kernel_loops_t *loops, chip_op_t op, tensor_dtype_t dtype) {
  const kernel_unary_table_t *tables[][2] = {{base->integer_unary, loops->integer_unary},
                                             {base->float_unary, loops->float_unary}};
  for (size_t t = 0; t < 2; t++) {
    const kernel_unary_fn_t one = (*tables[t][0])[op][dtype],
                            other = (*tables[t][1])[op][dtype];
    assert_true((one == NULL) == (other == NULL));
    if (one != NULL) {
      one(memory->a, memory->expected, COUNT);
      other(memory->a, memory->found, COUNT);
      assert_same(chip_op_short_name(op), op == CHIP_OP_IS_FINITE ? TENSOR_PRED : dtype,
                  memory->expected, memory->found, COUNT);
    }
  }
}

static void check_binary(memory_t *memory, const kernel_loops_t *base,
                         const kernel_loops_t *loops, chip_op_t op,
                         tensor_dtype_t dtype) {
  const kernel_binary_table_t *tables[][2] = {
      {base->integer_binary, loops->integer_binary},
      {base->float_binary, loops->float_binary}};
  for (size_t t = 0; t < 2; t++) {
    const kernel_binary_fn_t one = (*tables[t][0])[op][dtype];
    const kernel_binary_fn_t other = (*tables[t][1])[op][dtype];
    assert_true((one == NULL) == (other == NULL));
    if (one != NULL) {
      one(memory->a, memory->b, memory->expected, COUNT);
      other(memory->a, memory->b, memory->found, COUNT);
      assert_same(chip_op_short_name(op), dtype, memory->expected, memory->found, COUNT);
    }
  }
}

static void check_tables(memory_t *memory, const kernel_loops_t *base,
                         const kernel_loops_t *loops, tensor_dtype_t dtype) {
  fill(dtype, 1, memory->a);
  fill(dtype, 2, memory->b);
  for (int op = 1; op < CHIP_OP_COUNT; op++) {
    check_unary(memory, base, loops, (chip_op_t)op, dtype);
    check_binary(memory, base, loops, (chip_op_t)op, dtype);
  }
  for (int direction = 0; direction < KERNEL_DIRECTIONS; direction++) {
    const kernel_binary_fn_t compare = base->compare[direction][dtype];
    if (compare != NULL) {
      compare(memory->a, memory->b, memory->expected, COUNT);
      loops->compare[direction][dtype](memory->a, memory->b, memory->found, COUNT);
      assert_memory_equal(memory->expected, memory->found, COUNT);
    }
  }
  for (int reducer = 1; reducer < KERNEL_REDUCERS; reducer++) {
    const kernel_reduce_fn_t reduce = base->reduce[reducer][dtype];
    for (size_t row = 1; reduce != NULL && row <= COUNT;
         row = row < 9 ? row + 1 : row * 3) {
      reduce(memory->a, COUNT / row, row, memory->expected);
      loops->reduce[reducer][dtype](memory->a, COUNT / row, row, memory->found);
      assert_same("reduce", dtype, memory->expected, memory->found,
                  tensor_dtype_is_complex(dtype) ? 0 : COUNT / row);
    }
  }
}

static void check_conversions(memory_t *memory, const kernel_loops_t *base,
                              const kernel_loops_t *loops, tensor_dtype_t from) {
  fill(from, 3, memory->a);
  for (int to = 1; to < TENSOR_DTYPE_COUNT; to++) {
    const kernel_unary_fn_t convert = base->convert[from][to];
    if (convert != NULL) {
      convert(memory->a, memory->expected, COUNT);
      loops->convert[from][to](memory->a, memory->found, COUNT);
      assert_same("convert", (tensor_dtype_t)to, memory->expected, memory->found, COUNT);
    }
  }
  if (base->to_odd_f32[from] != NULL) {
    base->to_odd_f32[from](memory->a, memory->expected, COUNT);
    loops->to_odd_f32[from](memory->a, memory->found, COUNT);
    assert_same("to odd", TENSOR_F32, memory->expected, memory->found, COUNT);
  }
}

static void test_every_set_computes_the_same_bits(void **state) {
  (void)state;
  memory_t *memory = aligned_alloc(64, sizeof(*memory));
  assert_non_null(memory);
  const kernel_loops_t *base = kernel_loops_by_name("baseline");
  for (size_t at = 0;;) {
    const kernel_loops_t *loops = next_set(&at);
    if (loops == NULL) {
      break;
    }
    for (int dtype = 1; dtype < TENSOR_DTYPE_COUNT; dtype++) {
      check_tables(memory, base, loops, (tensor_dtype_t)dtype);
      check_conversions(memory, base, loops, (tensor_dtype_t)dtype);
    }
  }
  free(memory);
}

static void test_every_set_rounds_16_bit_floats_the_same(void **state) {
  (void)state;
  memory_t *memory = aligned_alloc(64, sizeof(*memory));
  assert_non_null(memory);
  const kernel_loops_t *base = kernel_loops_by_name("baseline");
  for (size_t at = 0;;) {
    const kernel_loops_t *loops = next_set(&at);
    if (loops == NULL) {
      break;
    }
    const kernel_unary_fn_t pairs[][2] = {{base->f32_to_bf16, loops->f32_to_bf16},
                                          {base->f32_to_f16, loops->f32_to_f16},
                                          {base->bf16_to_f32, loops->bf16_to_f32},
                                          {base->f16_to_f32, loops->f16_to_f32}};
    for (size_t i = 0; i < POD_COUNT_OF(pairs); i++) {
      fill(i < 2 ? TENSOR_F32 : TENSOR_F16, 4 + i, memory->a);
      pairs[i][0](memory->a, memory->expected, COUNT);
      pairs[i][1](memory->a, memory->found, COUNT);
      assert_memory_equal(memory->expected, memory->found, COUNT * (i < 2 ? 2 : 4));
    }
  }
  free(memory);
}

// Vector functions of different widths may differ in the last bit of a double, which
// seldom shows in an f32.
static void test_functions_of_every_set_are_within_an_ulp(void **state) {
  (void)state;
  memory_t *memory = aligned_alloc(64, sizeof(*memory));
  assert_non_null(memory);
  const kernel_loops_t *base = kernel_loops_by_name("baseline");
  fill(TENSOR_F32, 5, memory->a);
  fill(TENSOR_F32, 6, memory->b);
  for (size_t at = 0;;) {
    const kernel_loops_t *loops = next_set(&at);
    if (loops == NULL) {
      break;
    }
    for (int op = 1; op < CHIP_OP_COUNT; op++) {
      const kernel_unary_fn_t unary = (*base->math_unary)[op][TENSOR_F32];
      const kernel_binary_fn_t binary = (*base->math_binary)[op][TENSOR_F32];
      if (unary != NULL) {
        unary(memory->a, memory->expected, COUNT);
        (*loops->math_unary)[op][TENSOR_F32](memory->a, memory->found, COUNT);
      } else if (binary != NULL) {
        binary(memory->a, memory->b, memory->expected, COUNT);
        (*loops->math_binary)[op][TENSOR_F32](memory->a, memory->b, memory->found, COUNT);
      } else {
        continue;
      }
      for (size_t i = 0; i < COUNT; i++) {
        float x, y;
        memcpy(&x, memory->expected + i * sizeof(x), sizeof(x));
        memcpy(&y, memory->found + i * sizeof(y), sizeof(y));
        const bool is_close = x == y || (x != x && y != y) || nextafterf(x, y) == y;
        assert_true(is_close);
      }
    }
  }
  free(memory);
}

// The bits must not depend on whether a result lies where an operand lay.
static void check_in_place(memory_t *memory, const kernel_unary_table_t *unary,
                           const kernel_binary_table_t *binary, chip_op_t op) {
  const size_t bytes = COUNT * sizeof(float);
  if ((*unary)[op][TENSOR_F32] != NULL) {
    (*unary)[op][TENSOR_F32](memory->a, memory->expected, COUNT);
    memcpy(memory->found, memory->a, bytes);
    (*unary)[op][TENSOR_F32](memory->found, memory->found, COUNT);
    assert_memory_equal(memory->found, memory->expected, bytes);
  }
  if ((*binary)[op][TENSOR_F32] != NULL) {
    (*binary)[op][TENSOR_F32](memory->a, memory->b, memory->expected, COUNT);
    memcpy(memory->found, memory->a, bytes);
    (*binary)[op][TENSOR_F32](memory->found, memory->b, memory->found, COUNT);
    assert_memory_equal(memory->found, memory->expected, bytes);
    memcpy(memory->found, memory->b, bytes);
    (*binary)[op][TENSOR_F32](memory->a, memory->found, memory->found, COUNT);
    assert_memory_equal(memory->found, memory->expected, bytes);
  }
}

static void test_functions_have_the_same_bits_in_place(void **state) {
  (void)state;
  memory_t *memory = aligned_alloc(64, (sizeof(*memory) + 63) / 64 * 64);
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (uint64_t seed = 0; loops != NULL && seed < 20; seed++) {
      fill(TENSOR_F32, 3 + seed, memory->a);
      fill(TENSOR_F32, 100 + seed, memory->b);
      for (int op = 1; op < CHIP_OP_COUNT; op++) {
        check_in_place(memory, loops->math_unary, loops->math_binary, (chip_op_t)op);
        check_in_place(memory, loops->narrow_unary, loops->narrow_binary, (chip_op_t)op);
      }
    }
  }
  free(memory);
}

// What lies beyond the range that is computed by vectors.
static void test_exponentials_of_extremes_are_right(void **state) {
  (void)state;
  const float in[] = {-1e9f, -INFINITY, -201,   -200,    -150,    -104.5f, -104, -103.9f,
                      -103,  -88.5f,    88.5f,  89,      200,     201,     1e9f, INFINITY,
                      -0.0f, 0,         1e-40f, -1e-40f, -87.33f, 1,       -1,   -104.1f};
  float exponential[POD_COUNT_OF(in)], logistic[POD_COUNT_OF(in)],
      narrow[POD_COUNT_OF(in)];
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    if (loops == NULL) {
      continue;
    }
    (*loops->math_unary)[CHIP_OP_EXPONENTIAL][TENSOR_F32](in, exponential,
                                                          POD_COUNT_OF(in));
    (*loops->math_unary)[CHIP_OP_LOGISTIC][TENSOR_F32](in, logistic, POD_COUNT_OF(in));
    (*loops->narrow_unary)[CHIP_OP_EXPONENTIAL][TENSOR_F32](in, narrow, POD_COUNT_OF(in));
    for (size_t i = 0; i < POD_COUNT_OF(in); i++) {
      const double x = (double)in[i];
      assert_true(exponential[i] == (float)exp(x));
      assert_true(logistic[i] == (float)(1 / (1 + exp(-x))));
      assert_true(tensor_f32_to_bf16(narrow[i]) == tensor_f32_to_bf16((float)exp(x)));
    }
    const float nan_in = NAN;
    float nan_out = 0;
    (*loops->math_unary)[CHIP_OP_EXPONENTIAL][TENSOR_F32](&nan_in, &nan_out, 1);
    assert_true(nan_out != nan_out);
    (*loops->narrow_unary)[CHIP_OP_EXPONENTIAL][TENSOR_F32](&nan_in, &nan_out, 1);
    assert_true(nan_out != nan_out);
  }
}

// Sums of integers, so that no rounding hides what is left out.
static void check_products(const kernel_loops_t *loops, size_t m, size_t k, size_t n) {
  float *a = calloc(m * (k + 16), sizeof(*a)), *b = calloc(k * n, sizeof(*b));
  float *by_column = calloc(k * n, sizeof(*b)), *c = calloc(m * n, sizeof(*c));
  double *wide_a = calloc(m * k, sizeof(*wide_a)),
         *wide_b = calloc(k * n, sizeof(*wide_b));
  double *wide_c = calloc(m * n, sizeof(*wide_c)), *sums = calloc(m * n, sizeof(*sums));
  uint16_t *narrow = calloc(k * n, sizeof(*narrow));
  const size_t stride = (k + 15) / 16 * 16;
  for (size_t i = 0; i < m * k; i++) {
    wide_a[i] = (double)(i * 7 % 5) - 2;
  }
  for (size_t i = 0; i < k * n; i++) {
    wide_b[i] = (double)(i * 11 % 7) - 3;
    b[i] = (float)wide_b[i];
    narrow[i] = tensor_f32_to_bf16(b[i]);
    by_column[i % n * k + i / n] = b[i];
  }
  for (size_t i = 0; i < m * n; i++) {
    for (size_t p = 0; p < k; p++) {
      sums[i] += wide_a[i / n * k + p] * wide_b[p * n + i % n];
    }
  }
  loops->matmul[TENSOR_F64](wide_a, wide_b, wide_c, m, k, n);
  assert_memory_equal(wide_c, sums, m * n * sizeof(*sums));
  for (int way = 0; m <= KERNEL_SKINNY_ROWS && way < 3; way++) {
    const size_t row = way == 2 ? stride : k;
    memset(a, 0, m * (k + 16) * sizeof(*a));
    for (size_t i = 0; i < m * k; i++) {
      a[i / k * row + i % k] = (float)wide_a[i];
    }
    if (way == 2) {
      loops->skinny_columns(a, stride, by_column, false, k, c, m, k, n);
    } else {
      memset(c, 0, m * n * sizeof(*c));
      loops->skinny_rows(a, way == 0 ? (const void *)b : narrow,
                         way == 1 ? TENSOR_BF16 : TENSOR_F32, n, c, m, k, n);
    }
    for (size_t i = 0; i < m * n; i++) {
      assert_true((double)c[i] == sums[i]);
    }
  }
  free(a);
  free(b);
  free(by_column);
  free(c);
  free(wide_a);
  free(wide_b);
  free(wide_c);
  free(sums);
  free(narrow);
}

static void test_products_of_every_set_are_complete(void **state) {
  (void)state;
  const size_t shapes[][3] = {{1, 1, 1},    {4, 16, 256}, {3, 17, 5},     {16, 40, 300},
                              {7, 1030, 9}, {5, 300, 33}, {20, 260, 270}, {2, 15, 260}};
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (size_t i = 0; loops != NULL && i < POD_COUNT_OF(shapes); i++) {
      check_products(loops, shapes[i][0], shapes[i][1], shapes[i][2]);
    }
  }
}

static double combined(int reducer, double x, double y) {
  const bool is_above = x > y || (x == y && !signbit(x));
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return x + y;
    case CHIP_REDUCER_MULTIPLY:
      return x * y;
    case CHIP_REDUCER_MAXIMUM:
      return x != x || (y == y && is_above) ? x : y;
    default:
      return x != x || (y == y && !is_above) ? x : y;
  }
}

// Sums and products of 16-bit floats are exact in double but for what f32 rounds first;
// those that are not are left out.
static void check_stored_reducer(const kernel_loops_t *loops, tensor_dtype_t dtype,
                                 int reducer) {
  enum { PAIRS = 4099 };
  const kernel_binary_fn_t loop =
      (dtype == TENSOR_BF16 ? loops->bf16_reducers : loops->f16_reducers)[reducer];
  assert_true(loop != NULL);
  static uint16_t a[PAIRS], b[PAIRS], found[PAIRS];
  pod_random_t random = {.state = (uint64_t)reducer};
  for (int i = 0; i < PAIRS; i++) {
    a[i] = (uint16_t)pod_random_next(&random);
    b[i] = i % 16 == 0 ? a[i] : (uint16_t)pod_random_next(&random);
    b[i] = i % 32 == 0 ? a[i] ^ 0x8000u : b[i];
    a[i] = i % 64 == 0 ? 0x8000u : a[i];
    b[i] = i % 64 == 0 ? 0 : b[i];
  }
  loop(a, b, found, PAIRS);
  for (int i = 0; i < PAIRS; i++) {
    const double exact = combined(reducer, tensor_element_as_double(dtype, &a[i]),
                                  tensor_element_as_double(dtype, &b[i]));
    uint16_t expected;
    tensor_element_from_double(dtype, exact, &expected);
    if (exact == (double)(float)exact || exact != exact) {
      assert_same("a stored reducer", dtype, &expected, &found[i], 1);
    }
  }
}

static void test_reducers_of_stored_floats_round_once(void **state) {
  (void)state;
  static const int reducers[] = {CHIP_REDUCER_ADD, CHIP_REDUCER_MULTIPLY,
                                 CHIP_REDUCER_MAXIMUM, CHIP_REDUCER_MINIMUM};
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (size_t i = 0; loops != NULL && i < POD_COUNT_OF(reducers); i++) {
      check_stored_reducer(loops, TENSOR_BF16, reducers[i]);
      check_stored_reducer(loops, TENSOR_F16, reducers[i]);
    }
  }
}

// In memory of exactly what is read and written.
static void check_gather(const kernel_loops_t *loops, unsigned size, int64_t stride,
                         size_t count) {
  const size_t bytes = (size_t)1 << size, step = (size_t)stride * bytes;
  char *in = malloc((count - 1) * step + bytes), *out = malloc(count * bytes);
  for (size_t i = 0; i < (count - 1) * step + bytes; i++) {
    in[i] = (char)(i * 7 + i / 256);
  }
  loops->gather[size](in, stride, out, count);
  for (size_t i = 0; i < count; i++) {
    assert_memory_equal(out + i * bytes, in + i * step, bytes);
  }
  free(in);
  free(out);
}

static void test_gathers_read_no_more_than_they_take(void **state) {
  (void)state;
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (unsigned i = 0; loops != NULL && i < KERNEL_SIZES * 6; i++) {
      for (size_t count = 1; count < 140; count++) {
        check_gather(loops, i / 6, i % 6, count);
      }
    }
  }
}

// Dense on both sides, in memory of exactly their size.
static void check_transpose(const kernel_loops_t *loops, unsigned size, size_t rows,
                            size_t columns) {
  const size_t bytes = (size_t)1 << size, count = rows * columns;
  char *in = malloc(count * bytes), *out = malloc(count * bytes);
  for (size_t i = 0; i < count * bytes; i++) {
    in[i] = (char)(i * 7 + i / 256);
  }
  loops->transpose[size](in, (int64_t)columns, out, (int64_t)rows, (int64_t)rows,
                         (int64_t)columns, false);
  for (size_t i = 0; i < count; i++) {
    const size_t from = i % rows * columns + i / rows;
    assert_memory_equal(out + i * bytes, in + from * bytes, bytes);
  }
  free(in);
  free(out);
}

static void test_transpositions_of_any_size_are_complete(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 67, 131};
  enum { N = POD_COUNT_OF(counts) };
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (unsigned i = 0; loops != NULL && i < KERNEL_SIZES * N * N; i++) {
      check_transpose(loops, i / (N * N), counts[i / N % N], counts[i % N]);
    }
  }
}

static void test_repeats_are_complete(void **state) {
  (void)state;
  enum { IN = 23 };
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (unsigned i = 0; loops != NULL && i < KERNEL_SIZES * 40 * IN; i++) {
      const unsigned size = i / (40 * IN);
      const size_t bytes = (size_t)1 << size, repeats = i / IN % 40, count = i % IN;
      char in[3 * IN * 16], *out = malloc(count * repeats * bytes + 1);
      for (size_t k = 0; k < sizeof(in); k++) {
        in[k] = (char)(k * 7 + k / 256);
      }
      loops->repeat[size](in, 3, out, count, repeats);
      for (size_t k = 0; k < count * repeats; k++) {
        assert_memory_equal(out + k * bytes, in + k / repeats * 3 * bytes, bytes);
      }
      free(out);
    }
  }
}

static void test_moves_of_every_set_are_complete(void **state) {
  (void)state;
  enum { ROWS = 150, COLUMNS = 140 };
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (unsigned size = 0; loops != NULL && size < KERNEL_SIZES; size++) {
      const size_t bytes = (size_t)1 << size;
      char *in = malloc(ROWS * COLUMNS * bytes), *out = malloc(ROWS * COLUMNS * bytes);
      pod_random_t random = {.state = s};
      for (size_t i = 0; i < ROWS * COLUMNS * bytes; i++) {
        in[i] = (char)pod_random_next(&random);
      }
      loops->transpose[size](in, COLUMNS, out, ROWS, ROWS, COLUMNS, false);
      for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        const size_t from = i % ROWS * COLUMNS + i / ROWS;
        assert_memory_equal(out + i * bytes, in + from * bytes, bytes);
      }
      loops->repeat[size](in, 3, out, 100, 4);
      loops->scatter[size](in, out + 400 * bytes, 2, 100);
      loops->gather[size](in + 200 * bytes, -1, out + 700 * bytes, 100);
      for (size_t i = 0; i < 100; i++) {
        assert_memory_equal(out + (4 * i + 3) * bytes, in + 3 * i * bytes, bytes);
        assert_memory_equal(out + (400 + 2 * i) * bytes, in + i * bytes, bytes);
        assert_memory_equal(out + (700 + i) * bytes, in + (200 - i) * bytes, bytes);
      }
      free(in);
      free(out);
    }
  }
}

// A plain row by row, in memory of exactly their size, so that nothing beyond is read.
static void check_rows(const kernel_loops_t *loops, int reducer, tensor_dtype_t dtype,
                       size_t rows, size_t row_count) {
  const kernel_reduce_fn_t reduce = loops->reduce[reducer][dtype];
  const tensor_dtype_t result = dtype == TENSOR_BF16 ? TENSOR_F32 : dtype;
  const size_t bytes = tensor_dtype_bytes(dtype), row_bytes = row_count * bytes;
  const size_t result_bytes = tensor_dtype_bytes(result);
  char *in = malloc(rows * row_bytes), *alone = malloc(row_bytes);
  char *found = malloc(rows * result_bytes), *expected = malloc(rows * result_bytes);
  pod_random_t random = {.state = rows * row_count};
  for (size_t i = 0; i < rows * row_count; i++) {
    uint64_t bits = pod_random_next(&random);
    if (tensor_dtype_is_float(dtype) && i % 64 != 0) {
      const double value = (double)pod_random_below(&random, 9) - 4;
      tensor_element_from_double(dtype, i % 16 == 0 ? -0.0 : value * 1.1, &bits);
    }
    memcpy(in + i * bytes, &bits, bytes);
  }
  reduce(in, rows, row_count, found);
  for (size_t row = 0; row < rows; row++) {
    memcpy(alone, in + row * row_bytes, row_bytes);
    reduce(alone, 1, row_count, expected + row * result_bytes);
  }
  assert_same("rows", result, expected, found, rows);
  if (dtype == TENSOR_BF16) {
    float *wide = malloc(rows * row_count * sizeof(*wide));
    loops->bf16_to_f32(in, wide, rows * row_count);
    loops->reduce[reducer][TENSOR_F32](wide, rows, row_count, expected);
    assert_same("bf16 rows", result, expected, found, rows);
    free(wide);
  }
  free(in);
  free(alone);
  free(found);
  free(expected);
}

static void test_rows_side_by_side_are_combined_as_they_are_alone(void **state) {
  (void)state;
  static const size_t row_counts[] = {1,  2,  3,  4,  5,  7,  8,   9,   13,  16,   17,
                                      31, 63, 64, 65, 96, 97, 100, 128, 131, 4096, 4097};
  static const size_t rows[] = {1, 2, 15, 16, 17, 63, 64, 65, 131};
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (int i = 0; loops != NULL && i < KERNEL_REDUCERS * TENSOR_DTYPE_COUNT; i++) {
      const tensor_dtype_t dtype = (tensor_dtype_t)(i / KERNEL_REDUCERS);
      if (loops->reduce[i % KERNEL_REDUCERS][dtype] == NULL ||
          tensor_dtype_is_complex(dtype)) {
        continue;
      }
      for (size_t r = 0; r < POD_COUNT_OF(rows); r++) {
        for (size_t c = 0; c < POD_COUNT_OF(row_counts); c++) {
          if (row_counts[c] < 1000 || rows[r] == 17) {
            check_rows(loops, i % KERNEL_REDUCERS, dtype, rows[r], row_counts[c]);
          }
        }
      }
    }
  }
}

// Small integers: sums are exact in any order. Left operands by row and by column, rows
// of the right one with a gap.
static void check_panel_rows(const kernel_loops_t *loops, size_t m, size_t k, size_t n,
                             bool is_by_column) {
  const size_t strides[] = {is_by_column ? 1 : k, is_by_column ? m : 1}, b_stride = n + 5;
  float *a = calloc(m * k, sizeof(*a)), *b = calloc(k * b_stride, sizeof(*b));
  float *c = malloc(m * n * sizeof(*c));
  float *workspace = aligned_alloc(
      64, (loops->panel_workspace(m, k) * sizeof(*workspace) + 63) / 64 * 64);
  pod_random_t random = {.state = m + k + n};
  for (size_t i = 0; i < m * k; i++) {
    a[i] = (float)(pod_random_next(&random) >> 60);
  }
  for (size_t i = 0; i < k * b_stride; i++) {
    b[i] = (float)(pod_random_next(&random) >> 60) - 8;
  }
  loops->panel_rows(a, strides, b, b_stride, c, m, k, n, workspace);
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++) {
      float sum = 0;
      for (size_t p = 0; p < k; p++) {
        sum += a[i * strides[0] + p * strides[1]] * b[p * b_stride + j];
      }
      if (c[i * n + j] != sum) {
        fail_msg("%s: %zu x %zu x %zu at %zu, %zu is %g, not %g", loops->name, m, k, n, i,
                 j, (double)c[i * n + j], (double)sum);
      }
    }
  }
  free(a);
  free(b);
  free(c);
  free(workspace);
}

static void test_panels_of_every_set_are_complete(void **state) {
  (void)state;
  const size_t ms[] = {1, 8, 13, 17}, ks[] = {1, 31, 64, 97};
  const size_t ns[] = {1, 48, 401, 1536, 3100};
  for (size_t s = 0; s < POD_COUNT_OF(sets); s++) {
    const kernel_loops_t *loops = kernel_loops_by_name(sets[s]);
    for (size_t i = 0; loops != NULL && i < POD_COUNT_OF(ms); i++) {
      for (size_t p = 0; p < POD_COUNT_OF(ks); p++) {
        for (size_t j = 0; j < POD_COUNT_OF(ns); j++) {
          check_panel_rows(loops, ms[i], ks[p], ns[j], (i + p + j) % 2 != 0);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_best_set_is_one_of_those_by_name),
      cmocka_unit_test(test_every_set_computes_the_same_bits),
      cmocka_unit_test(test_every_set_rounds_16_bit_floats_the_same),
      cmocka_unit_test(test_rows_side_by_side_are_combined_as_they_are_alone),
      cmocka_unit_test(test_functions_of_every_set_are_within_an_ulp),
      cmocka_unit_test(test_functions_have_the_same_bits_in_place),
      cmocka_unit_test(test_exponentials_of_extremes_are_right),
      cmocka_unit_test(test_products_of_every_set_are_complete),
      cmocka_unit_test(test_reducers_of_stored_floats_round_once),
      cmocka_unit_test(test_gathers_read_no_more_than_they_take),
      cmocka_unit_test(test_transpositions_of_any_size_are_complete),
      cmocka_unit_test(test_repeats_are_complete),
      cmocka_unit_test(test_panels_of_every_set_are_complete),
      cmocka_unit_test(test_moves_of_every_set_are_complete),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
