// Products by tile registers against plain sums. Elements are small integers, so that
// sums are exact in any order. Operands end where memory does: nothing behind them is
// read.

#include "server/worker/kernels/product/dot_tiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"

// `size` bytes up to the end of the last page that may be touched.
typedef struct {
  char *pages;
  size_t mapped;
  void *bytes;
} guarded_t;

static guarded_t guarded_make(size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t used = (size + page - 1) / page * page;
  guarded_t guarded = {.mapped = used + page};
  guarded.pages = mmap(NULL, guarded.mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(guarded.pages != MAP_FAILED);
  assert_int_equal(mprotect(guarded.pages + used, page, PROT_NONE), 0);
  guarded.bytes = guarded.pages + used - size;
  return guarded;
}

static void guarded_free(guarded_t *guarded) {
  munmap(guarded->pages, guarded->mapped);
}

typedef struct {
  tiles_matmul_t matmul;
  guarded_t a, b, c;
} product_t;

static void fill(tensor_dtype_t dtype, int64_t count, uint64_t seed, char *out) {
  pod_random_t random = {.state = seed};
  for (int64_t i = 0; i < count; i++) {
    const uint64_t bits = pod_random_next(&random) >> 32;
    if (dtype == TENSOR_BF16) {
      tensor_element_from_double(dtype, (double)(bits % 17) - 8, out + 2 * i);
    } else {
      out[i] = (char)(bits & 0xff);
    }
  }
}

static double number_at(tensor_dtype_t dtype, const void *bytes, int64_t at) {
  return tensor_element_as_double(
      dtype, (const char *)bytes + (size_t)at * tensor_dtype_bytes(dtype));
}

static void check_sums(const product_t *p) {
  const tiles_matmul_t *t = &p->matmul;
  const size_t bytes = tensor_dtype_bytes(t->c_dtype);
  const int64_t stride = 1 + t->m * t->n / 60;  // A sample of what is large.
  for (int64_t place = 0; place < t->m * t->n; place += stride) {
    const int64_t i = place / t->n, j = place % t->n;
    double sum = 0;
    for (int64_t q = 0; q < t->k; q++) {
      sum +=
          number_at(t->a_dtype, p->a.bytes, i * t->a_strides[0] + q * t->a_strides[1]) *
          number_at(t->b_dtype, p->b.bytes, q * t->b_strides[0] + j * t->b_strides[1]);
    }
    char expected[8];
    tensor_element_from_double(t->c_dtype, sum, expected);
    if (memcmp((const char *)p->c.bytes + (size_t)place * bytes, expected, bytes) != 0) {
      fail_msg("%s %ld x %ld x %ld, strides %ld %ld, %ld %ld: element %ld is %g, not %g",
               tensor_dtype_name(t->a_dtype), (long)t->m, (long)t->k, (long)t->n,
               (long)t->a_strides[0], (long)t->a_strides[1], (long)t->b_strides[0],
               (long)t->b_strides[1], (long)place,
               number_at(t->c_dtype, p->c.bytes, place), sum);
    }
  }
}

// `gap` elements lie between lines that are contiguous.
static void check_product(const tensor_dtype_t dtypes[3], const int64_t sizes[3],
                          bool is_a_transposed, bool is_b_transposed, int64_t gap) {
  const int64_t m = sizes[0], k = sizes[1], n = sizes[2];
  product_t p = {.matmul = {.a_dtype = dtypes[0],
                            .b_dtype = dtypes[1],
                            .c_dtype = dtypes[2],
                            .m = m,
                            .k = k,
                            .n = n}};
  tiles_matmul_t *t = &p.matmul;
  t->a_strides[is_a_transposed] = (is_a_transposed ? m : k) + gap;
  t->a_strides[!is_a_transposed] = 1;
  t->b_strides[is_b_transposed] = (is_b_transposed ? k : n) + gap;
  t->b_strides[!is_b_transposed] = 1;
  const int64_t a_count = (m - 1) * t->a_strides[0] + (k - 1) * t->a_strides[1] + 1;
  const int64_t b_count = (k - 1) * t->b_strides[0] + (n - 1) * t->b_strides[1] + 1;
  p.a = guarded_make((size_t)a_count * tensor_dtype_bytes(dtypes[0]));
  p.b = guarded_make((size_t)b_count * tensor_dtype_bytes(dtypes[1]));
  p.c = guarded_make((size_t)(m * n) * tensor_dtype_bytes(dtypes[2]));
  fill(dtypes[0], a_count, 1, p.a.bytes);
  fill(dtypes[1], b_count, 2, p.b.bytes);
  pod_status_t status = tiles_matmul_run(t, p.a.bytes, p.b.bytes, p.c.bytes);
  assert_null(status);
  check_sums(&p);
  guarded_free(&p.a);
  guarded_free(&p.b);
  guarded_free(&p.c);
}

static const tensor_dtype_t types[][3] = {
    {TENSOR_BF16, TENSOR_BF16, TENSOR_BF16}, {TENSOR_BF16, TENSOR_BF16, TENSOR_F32},
    {TENSOR_S8, TENSOR_S8, TENSOR_S32},      {TENSOR_U8, TENSOR_S8, TENSOR_S32},
    {TENSOR_S8, TENSOR_U8, TENSOR_S32},      {TENSOR_U8, TENSOR_U8, TENSOR_S32},
};

static void skip_without_tiles(void) {
  print_message("skipped: this CPU has no tile registers\n");
  skip();
}

static void check_sizes(const int64_t (*sizes)[3], size_t count) {
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    if (!tiles_have_types(types[t][0], types[t][1], types[t][2])) {
      skip_without_tiles();
    }
    for (size_t s = 0; s < count; s++) {
      for (int layout = 0; layout < 4; layout++) {
        check_product(types[t], sizes[s], (layout & 1) != 0, (layout & 2) != 0, 0);
        check_product(types[t], sizes[s], (layout & 1) != 0, (layout & 2) != 0, 3);
      }
    }
  }
}

static void test_sizes_that_fill_no_tile(void **state) {
  (void)state;
  static const int64_t sizes[][3] = {
      {1, 1, 1},    {1, 2, 3},    {2, 3, 5},    {7, 31, 13},  {15, 33, 17},
      {17, 63, 31}, {16, 65, 33}, {33, 130, 1}, {1, 259, 65}, {47, 67, 79},
  };
  check_sizes(sizes, POD_COUNT_OF(sizes));
}

static void test_sizes_that_fill_tiles(void **state) {
  (void)state;
  static const int64_t sizes[][3] = {
      {16, 32, 16}, {32, 64, 32}, {48, 64, 48}, {16, 128, 112}, {64, 192, 80},
  };
  check_sizes(sizes, POD_COUNT_OF(sizes));
}

// Every choice of panel, several of them in both directions, and several blocks of rows.
static void test_sizes_beyond_the_blocks(void **state) {
  (void)state;
  static const int64_t sizes[][3] = {
      {5, 1100, 1100}, {70, 1061, 560}, {140, 1090, 300}, {531, 300, 67}, {544, 128, 64},
  };
  check_sizes(sizes, POD_COUNT_OF(sizes));
}

static void test_a_great_depth_is_taken_in_smaller_blocks_of_rows(void **state) {
  (void)state;
  static const int64_t sizes[] = {34, 66000, 3};
  if (!tiles_have_types(TENSOR_BF16, TENSOR_BF16, TENSOR_BF16)) {
    skip_without_tiles();
  }
  check_product(types[0], sizes, false, false, 0);
  check_product(types[0], sizes, true, true, 0);
}

static void test_other_types_are_refused(void **state) {
  (void)state;
  assert_false(tiles_have_types(TENSOR_F32, TENSOR_F32, TENSOR_F32));
  assert_false(tiles_have_types(TENSOR_BF16, TENSOR_F32, TENSOR_F32));
  assert_false(tiles_have_types(TENSOR_BF16, TENSOR_BF16, TENSOR_F16));
  assert_false(tiles_have_types(TENSOR_S8, TENSOR_S8, TENSOR_S8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_that_fill_no_tile),
      cmocka_unit_test(test_sizes_that_fill_tiles),
      cmocka_unit_test(test_sizes_beyond_the_blocks),
      cmocka_unit_test(test_a_great_depth_is_taken_in_smaller_blocks_of_rows),
      cmocka_unit_test(test_other_types_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
