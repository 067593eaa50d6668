// gather, scatter, reduce_window, convolution and top_k of random
// shapes against the formulas of the StableHLO specification, element by element. s32, so
// that sums are exact in any order.

#include "tests/unit/server/worker/kernels/kernel_case.h"

enum { CASES = 300 };

static int64_t below(pod_random_t *random, int64_t bound) {
  return (int64_t)pod_random_below(random, (uint64_t)bound);
}

static int32_t *values_of(const tensor_array_t *array) {
  return array->data;
}

static void fill(pod_random_t *random, tensor_array_t *array, int64_t low, int64_t high) {
  const int64_t count = tensor_shape_elements(&array->shape);
  for (int64_t i = 0; i < count; i++) {
    values_of(array)[i] = (int32_t)(low + below(random, high - low));
  }
}

static void assert_equals(const kernel_case_t *c, int32_t result, const int32_t *expected,
                          const char *what, int number) {
  const tensor_array_t *out = &c->arrays[result];
  const int64_t count = tensor_shape_elements(&out->shape);
  for (int64_t i = 0; i < count; i++) {
    if (values_of(out)[i] != expected[i]) {
      fail_msg("%s, case %d, element %lld: %d instead of %d", what, number, (long long)i,
               values_of(out)[i], expected[i]);
    }
  }
}

// ----- gather and scatter -----

// Which dimensions an array of rank 3 drops, takes from the indices, or batches over, all
// at random. Windows come in the last dimensions of result or updates.
typedef struct world_t {
  int64_t array[3], indices[3], window[3];  // Indices: [batch?, n, components].
  bool is_dropped[3], is_batching[3];
  int64_t map[3];
  int components, index_rank, window_rank;
  int64_t windowed[6];
  int windowed_rank, batch_rank;
} world_t;

static world_t make_world(pod_random_t *random) {
  world_t w = {0};
  int batching = -1;
  for (int d = 0; d < 3; d++) {
    w.array[d] = 1 + below(random, 5);
    const int64_t kind = below(random, 4);
    w.is_dropped[d] = kind == 0;
    w.is_batching[d] = kind == 1 && batching < 0;
    batching = w.is_batching[d] ? d : batching;
    w.window[d] = w.is_dropped[d] || w.is_batching[d] ? 1 : 1 + below(random, w.array[d]);
    if (!w.is_batching[d] && below(random, 2) == 0) {
      w.map[w.components++] = d;
    }
  }
  if (batching >= 0) {
    w.indices[w.index_rank++] = w.array[batching];
  }
  w.indices[w.index_rank++] = 1 + below(random, 4);
  w.batch_rank = w.index_rank;
  w.indices[w.index_rank++] = w.components;
  for (int b = 0; b < w.batch_rank; b++) {
    w.windowed[w.windowed_rank++] = w.indices[b];
  }
  for (int d = 0; d < 3; d++) {
    if (!w.is_dropped[d] && !w.is_batching[d]) {
      w.windowed[w.windowed_rank++] = w.window[d];
      w.window_rank++;
    }
  }
  return w;
}

static void set_attrs(kernel_case_t *c, const world_t *w) {
  int64_t window[3], dropped[3], batching[3], first = 0;
  int dropped_count = 0, batching_count = 0;
  for (int i = 0; i < w->window_rank; i++) {
    window[i] = w->batch_rank + i;
  }
  for (int d = 0; d < 3; d++) {
    if (w->is_dropped[d]) {
      dropped[dropped_count++] = d;
    } else if (w->is_batching[d]) {
      batching[batching_count++] = d;
    }
  }
  case_attr(c, CHIP_ATTR_WINDOW_DIMS, w->window_rank, window);
  case_attr(c, CHIP_ATTR_DROPPED_DIMS, dropped_count, dropped);
  case_attr(c, CHIP_ATTR_ARRAY_BATCHING_DIMS, batching_count, batching);
  case_attr(c, CHIP_ATTR_INDICES_BATCHING_DIMS, batching_count, &first);
  case_attr(c, CHIP_ATTR_INDEX_MAP, w->components, w->map);
  case_attr_one(c, CHIP_ATTR_INDEX_VECTOR_DIM, w->index_rank - 1);
}

// The place in the array of element `index` of the windowed side; -1 outside of it.
static int64_t place_in_array(const world_t *w, const tensor_array_t *indices,
                              const int64_t *index, bool clamps) {
  int64_t at[3] = {0, 0, 0};
  for (int c = 0; c < w->components; c++) {
    int64_t full[3] = {index[0], w->batch_rank > 1 ? index[1] : c, c};
    int64_t start = values_of(indices)[place_of(&indices->shape, full)];
    const int64_t d = w->map[c], last = w->array[d] - w->window[d];
    if (clamps) {
      start = start < 0 ? 0 : start > last ? last : start;
    }
    at[d] = start;
  }
  for (int d = 0, window = w->batch_rank; d < 3; d++) {
    if (w->is_batching[d]) {
      at[d] = index[0];
    } else if (!w->is_dropped[d]) {
      at[d] += index[window++];
    }
    if (at[d] < 0 || at[d] >= w->array[d]) {
      return -1;
    }
  }
  return (at[0] * w->array[1] + at[1]) * w->array[2] + at[2];
}

static void test_gather_takes_what_the_formula_says(void **state) {
  (void)state;
  pod_random_t random = {1};
  for (int number = 0; number < CASES; number++) {
    const world_t w = make_world(&random);
    kernel_case_t *c = case_make(CHIP_OP_GATHER);
    fill(&random, case_operand(c, TENSOR_S32, 3, w.array, "zeros"), -99, 99);
    fill(&random, case_operand(c, TENSOR_S32, w.index_rank, w.indices, "zeros"), -2, 7);
    case_result(c, TENSOR_S32, w.windowed_rank, w.windowed);
    set_attrs(c, &w);
    case_attr(c, CHIP_ATTR_SLICE_SIZES, 3, w.window);
    assert_runs(c);
    int32_t expected[2000];
    const int64_t count = tensor_shape_elements(&c->arrays[2].shape);
    assert_true(count <= 2000);
    for (int64_t i = 0; i < count; i++) {
      int64_t index[6];
      index_of(&c->arrays[2].shape, i, index);
      expected[i] =
          values_of(&c->arrays[0])[place_in_array(&w, &c->arrays[1], index, true)];
    }
    assert_equals(c, 2, expected, "gather", number);
    case_free(c);
  }
}

static void test_scatter_combines_what_the_formula_says(void **state) {
  (void)state;
  pod_random_t random = {2};
  for (int number = 0; number < CASES; number++) {
    const world_t w = make_world(&random);
    kernel_case_t *c = case_make(CHIP_OP_SCATTER);
    fill(&random, case_operand(c, TENSOR_S32, 3, w.array, "zeros"), -99, 99);
    fill(&random, case_operand(c, TENSOR_S32, w.index_rank, w.indices, "zeros"), -2, 7);
    fill(&random, case_operand(c, TENSOR_S32, w.windowed_rank, w.windowed, "zeros"), -9,
         9);
    case_result(c, TENSOR_S32, 3, w.array);
    set_attrs(c, &w);
    case_attr_one(c, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
    int32_t expected[125];
    memcpy(expected, c->arrays[0].data, (size_t)tensor_shape_bytes(&c->arrays[0].shape));
    const int64_t count = tensor_shape_elements(&c->arrays[2].shape);
    for (int64_t i = 0; i < count; i++) {
      int64_t index[6];
      index_of(&c->arrays[2].shape, i, index);
      const int64_t place = place_in_array(&w, &c->arrays[1], index, false);
      if (place >= 0) {
        expected[place] += values_of(&c->arrays[2])[i];
      }
    }
    assert_runs(c);
    assert_equals(c, 3, expected, "scatter", number);
    case_free(c);
  }
}

// ----- windows -----

typedef struct slide_t {
  int64_t size[2], stride[2], base[2], dilation[2], low[2], high[2];
  int64_t in[2], out[2];
} slide_t;

static slide_t make_slide(pod_random_t *random) {
  slide_t s;
  for (int d = 0; d < 2; d++) {
    s.in[d] = 1 + below(random, 6);
    s.size[d] = 1 + below(random, 3);
    s.stride[d] = 1 + below(random, 3);
    s.base[d] = 1 + below(random, 3);
    s.dilation[d] = 1 + below(random, 3);
    s.low[d] = below(random, 5) - 1;
    s.high[d] = below(random, 5) - 1;
    const int64_t padded = (s.in[d] - 1) * s.base[d] + 1 + s.low[d] + s.high[d];
    const int64_t span = (s.size[d] - 1) * s.dilation[d] + 1;
    s.out[d] = padded <= 0 || span > padded ? 0 : (padded - span) / s.stride[d] + 1;
  }
  return s;
}

static void set_slide(kernel_case_t *c, const slide_t *s) {
  case_attr(c, CHIP_ATTR_STRIDES, 2, s->stride);
  case_attr(c, CHIP_ATTR_BASE_DILATIONS, 2, s->base);
  case_attr(c, CHIP_ATTR_WINDOW_DILATIONS, 2, s->dilation);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, 2, s->low);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, 2, s->high);
}

// The element of the operand under place (i, j) of the window at (o, p); -1 in padding.
static int64_t under(const slide_t *s, int64_t o, int64_t p, int64_t i, int64_t j) {
  const int64_t at[2] = {o * s->stride[0] + i * s->dilation[0] - s->low[0],
                         p * s->stride[1] + j * s->dilation[1] - s->low[1]};
  for (int d = 0; d < 2; d++) {
    if (at[d] < 0 || at[d] % s->base[d] != 0 || at[d] / s->base[d] >= s->in[d]) {
      return -1;
    }
  }
  return at[0] / s->base[0] * s->in[1] + at[1] / s->base[1];
}

static void test_reduce_window_sums_what_the_formula_says(void **state) {
  (void)state;
  pod_random_t random = {3};
  for (int number = 0; number < CASES; number++) {
    const slide_t s = make_slide(&random);
    kernel_case_t *c = case_make(CHIP_OP_REDUCE_WINDOW);
    fill(&random, case_operand(c, TENSOR_S32, 2, s.in, "zeros"), -99, 99);
    fill(&random, case_operand(c, TENSOR_S32, 0, NULL, "zeros"), -3, 3);
    case_result(c, TENSOR_S32, 2, s.out);
    set_slide(c, &s);
    case_attr(c, CHIP_ATTR_WINDOW_DIMENSIONS, 2, s.size);
    case_attr_one(c, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
    assert_runs(c);
    const int32_t init = values_of(&c->arrays[1])[0];
    int32_t expected[2000];
    for (int64_t place = 0; place < s.out[0] * s.out[1]; place++) {
      expected[place] = init;
      for (int64_t k = 0; k < s.size[0] * s.size[1]; k++) {
        const int64_t at =
            under(&s, place / s.out[1], place % s.out[1], k / s.size[1], k % s.size[1]);
        expected[place] += at < 0 ? init : values_of(&c->arrays[0])[at];
      }
    }
    assert_equals(c, 2, expected, "reduce_window", number);
    case_free(c);
  }
}

static void test_convolution_sums_what_the_formula_says(void **state) {
  (void)state;
  pod_random_t random = {4};
  for (int number = 0; number < CASES; number++) {
    const slide_t s = make_slide(&random);
    const int64_t groups = 1 + below(&random, 2), features = 1 + below(&random, 3);
    const int64_t out_features = groups * (1 + below(&random, 3)), batch = 2;
    // Input [b, h, f, w], kernel [o, h, i, w], result [h, b, w, f].
    const int64_t in[] = {batch, s.in[0], features * groups, s.in[1]};
    const int64_t kernel[] = {out_features, s.size[0], features, s.size[1]};
    const int64_t out[] = {s.out[0], batch, s.out[1], out_features};
    const int64_t reversal[] = {below(&random, 2), below(&random, 2)};
    kernel_case_t *c = case_make(CHIP_OP_CONVOLUTION);
    fill(&random, case_operand(c, TENSOR_S32, 4, in, "zeros"), -99, 99);
    fill(&random, case_operand(c, TENSOR_S32, 4, kernel, "zeros"), -99, 99);
    case_result(c, TENSOR_S32, 4, out);
    set_slide(c, &s);
    case_attr(c, CHIP_ATTR_WINDOW_REVERSAL, 2, reversal);
    case_attr(c, CHIP_ATTR_INPUT_DIMS, 4, (const int64_t[]){0, 2, 1, 3});
    case_attr(c, CHIP_ATTR_KERNEL_DIMS, 4, (const int64_t[]){2, 0, 1, 3});
    case_attr(c, CHIP_ATTR_OUTPUT_DIMS, 4, (const int64_t[]){1, 3, 0, 2});
    case_attr_one(c, CHIP_ATTR_FEATURE_GROUP_COUNT, groups);
    case_attr_one(c, CHIP_ATTR_BATCH_GROUP_COUNT, 1);
    assert_runs(c);
    int32_t expected[4000];
    const int64_t count = tensor_shape_elements(&c->arrays[2].shape);
    assert_true(count <= 4000);
    for (int64_t place = 0; place < count; place++) {
      int64_t o[4];  // h, b, w, f
      index_of(&c->arrays[2].shape, place, o);
      const int64_t group = o[3] / (out_features / groups);
      expected[place] = 0;
      for (int64_t k = 0; k < s.size[0] * s.size[1] * features; k++) {
        const int64_t f = k % features, i = k / features / s.size[1],
                      j = k / features % s.size[1];
        const int64_t at = under(&s, o[0], o[2], i, j);
        if (at >= 0) {
          const int64_t from[] = {o[1], at / s.in[1], group * features + f, at % s.in[1]};
          const int64_t by[] = {o[3], reversal[0] != 0 ? s.size[0] - 1 - i : i, f,
                                reversal[1] != 0 ? s.size[1] - 1 - j : j};
          expected[place] +=
              values_of(&c->arrays[0])[place_of(&c->arrays[0].shape, from)] *
              values_of(&c->arrays[1])[place_of(&c->arrays[1].shape, by)];
        }
      }
    }
    assert_equals(c, 2, expected, "convolution", number);
    case_free(c);
  }
}

// ----- order -----

static void test_top_k_is_the_head_of_what_is_sorted(void **state) {
  (void)state;
  pod_random_t random = {5};
  for (int number = 0; number < CASES; number++) {
    const int64_t size = 1 + below(&random, 60), kept = 1 + below(&random, size);
    kernel_case_t *c = case_make(CHIP_OP_TOP_K);
    fill(&random, case_operand(c, TENSOR_S32, 1, &size, "zeros"), -9, 9);
    case_result(c, TENSOR_S32, 1, &kept);
    case_result(c, TENSOR_S32, 1, &kept);
    assert_runs(c);
    const int32_t *in = values_of(&c->arrays[0]);
    for (int64_t k = 0; k < kept; k++) {
      const int32_t value = values_of(&c->arrays[1])[k];
      const int32_t at = values_of(&c->arrays[2])[k];
      int64_t before = 0;  // Elements that come before it: larger, or equal and earlier.
      for (int64_t i = 0; i < size; i++) {
        before += in[i] > value || (in[i] == value && i < at);
      }
      assert_int_equal(in[at], value);
      assert_int_equal(before, k);
    }
    case_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gather_takes_what_the_formula_says),
      cmocka_unit_test(test_scatter_combines_what_the_formula_says),
      cmocka_unit_test(test_reduce_window_sums_what_the_formula_says),
      cmocka_unit_test(test_convolution_sums_what_the_formula_says),
      cmocka_unit_test(test_top_k_is_the_head_of_what_is_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
