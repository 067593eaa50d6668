// What windows of random shapes see, block by block, against the formula for each of
// them.

#include "server/worker/kernels/window_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/windows.h"

static int64_t below(pod_random_t *random, int64_t bound) {
  return (int64_t)pod_random_below(random, (uint64_t)bound);
}

static int64_t padded_size(const chip_window_t *window, int d, int64_t size) {
  const int64_t dilated = size > 0 ? (size - 1) * window->base_dilations[d] + 1 : 0;
  return dilated + window->low[d] + window->high[d];
}

// Half of the dimensions have no windows, and one is long now and then.
static void make_windows(pod_random_t *random, tensor_dtype_t dtype,
                         chip_window_t *window, tensor_shape_t *in, tensor_shape_t *out) {
  const int rank = (int)below(random, 5);
  *window = chip_window_make(rank);
  int64_t dims[4], places[4];
  for (int d = 0; d < rank; d++) {
    dims[d] = below(random, 20) == 0 ? 130 + below(random, 70) : 1 + below(random, 7);
    if (below(random, 2) == 0) {
      window->sizes[d] = 1 + below(random, 3);
      window->strides[d] = 1 + below(random, 3);
      window->window_dilations[d] = 1 + below(random, 2);
      window->base_dilations[d] = below(random, 3) == 0 ? 2 : 1;
      window->low[d] = below(random, 4) - 1;
      window->high[d] = below(random, 4) - 1;
    }
    const int64_t span = (window->sizes[d] - 1) * window->window_dilations[d] + 1;
    const int64_t padded = padded_size(window, d, dims[d]);
    places[d] = padded < span ? 0 : (padded - span) / window->strides[d] + 1;
  }
  *in = tensor_shape_make(dtype, rank, dims);
  *out = tensor_shape_make(dtype, rank, places);
}

static void assert_sees(const kernel_window_view_t *view, const char *data,
                        const char *initial, const int64_t *w, int64_t place,
                        const char *seen) {
  int64_t o[TENSOR_RANK_MAX] = {0}, index = place;
  for (int d = view->out->rank - 1; d >= 0; d--) {
    o[d] = index % view->out->dims[d];
    index /= view->out->dims[d];
  }
  const size_t bytes = tensor_dtype_bytes(view->in->dtype);
  const int64_t offset =
      kernel_window_offset(view->window, view->in->rank, view->in, view->strides, o, w);
  assert_memory_equal(seen, offset < 0 ? initial : data + (size_t)offset * bytes, bytes);
}

static void check_windows(pod_random_t *random, tensor_dtype_t dtype, size_t most) {
  chip_window_t window;
  tensor_shape_t in, out;
  make_windows(random, dtype, &window, &in, &out);
  const size_t bytes = tensor_dtype_bytes(dtype);
  const int64_t count = tensor_shape_elements(&out);
  const size_t size = (size_t)tensor_shape_elements(&in) * bytes;
  char *data = malloc(size), *buffer = malloc(most * bytes), initial[16];
  POD_CHECK(data != NULL && buffer != NULL);
  for (size_t i = 0; i < size; i++) {
    data[i] = (char)pod_random_next(random);
  }
  memset(initial, 0x5a, sizeof(initial));
  const kernel_window_view_t view = kernel_window_view_make(&window, &in, &out);
  for (int64_t first = 0; first < count;) {
    const size_t part = kernel_window_view_block(&view, first, most);
    assert_true(part > 0 && part <= most && (int64_t)part <= count - first);
    int64_t w[TENSOR_RANK_MAX] = {0};
    do {
      const char *seen =
          kernel_window_view_fetch(&view, data, initial, w, first, part, buffer);
      for (size_t i = 0; i < part; i++) {
        assert_sees(&view, data, initial, w, first + (int64_t)i, seen + i * bytes);
      }
    } while (kernel_next_index(in.rank, window.sizes, w));
    first += (int64_t)part;
  }
  free(data);
  free(buffer);
}

static void test_windows_see_what_the_formula_says(void **state) {
  (void)state;
  static const tensor_dtype_t dtypes[] = {TENSOR_S8, TENSOR_BF16, TENSOR_F32, TENSOR_F64,
                                          TENSOR_C128};
  static const size_t sizes[] = {1, 7, 64, 2048};
  pod_random_t random = {1};
  for (size_t i = 0; i < 600; i++) {
    check_windows(&random, dtypes[i % POD_COUNT_OF(dtypes)],
                  sizes[i % POD_COUNT_OF(sizes)]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows_see_what_the_formula_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
