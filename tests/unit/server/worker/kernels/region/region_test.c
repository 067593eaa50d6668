// Kernels whose regions run over lanes, with regions that no kernel knows, against walks
// over single elements. Sizes are on both sides of the number of lanes.

#include "tests/unit/server/worker/kernels/region_case.h"

#include "server/worker/kernels/region/lanes.h"

static int64_t below(pod_random_t *random, int64_t bound) {
  return (int64_t)pod_random_below(random, (uint64_t)bound);
}

static int32_t *values_of(const tensor_array_t *array) {
  return array->data;
}

static void fill(pod_random_t *random, tensor_array_t *array, int64_t bound) {
  const int64_t count = tensor_shape_elements(&array->shape);
  for (int64_t i = 0; i < count; i++) {
    values_of(array)[i] = (int32_t)(below(random, bound) - bound / 2);
  }
}

static void assert_values(const tensor_array_t *array, const int32_t *expected) {
  const int64_t count = tensor_shape_elements(&array->shape);
  for (int64_t i = 0; i < count; i++) {
    if (values_of(array)[i] != expected[i]) {
      fail_msg("element %lld of %lld is %d instead of %d", (long long)i, (long long)count,
               values_of(array)[i], expected[i]);
    }
  }
}

// ----- reduce -----

// Affine maps one after the other, x -> a x + b: associative, but not commutative.
static void add_affine_region(region_case_t *region) {
  int32_t parameters[4];
  for (int i = 0; i < 4; i++) {
    parameters[i] = region_parameter(region, TENSOR_S32);
  }
  const int32_t a =
      region_add(region, CHIP_OP_MULTIPLY, TENSOR_S32, parameters[0], parameters[2], -1);
  const int32_t scaled =
      region_add(region, CHIP_OP_MULTIPLY, TENSOR_S32, parameters[1], parameters[2], -1);
  const int32_t b =
      region_add(region, CHIP_OP_ADD, TENSOR_S32, scaled, parameters[3], -1);
  region_return(region, a);
  region_return(region, b);
}

static void step_affine(int32_t *so_far, int32_t a, int32_t b) {
  const uint32_t x = (uint32_t)so_far[0], y = (uint32_t)so_far[1];
  so_far[0] = (int32_t)(x * (uint32_t)a);
  so_far[1] = (int32_t)(y * (uint32_t)a + (uint32_t)b);
}

static pod_status_t call_affine(const kernel_args_t *args, int32_t computation,
                                const void *const *inputs, void *const *outputs) {
  (void)args;
  (void)computation;
  int32_t values[4];
  for (int i = 0; i < 4; i++) {
    memcpy(&values[i], inputs[i], sizeof(values[i]));
  }
  step_affine(values, values[2], values[3]);
  memcpy(outputs[0], &values[0], sizeof(values[0]));
  memcpy(outputs[1], &values[1], sizeof(values[1]));
  return NULL;
}

typedef struct reduce_shape_t {
  int rank;
  int64_t dims[4];
  unsigned reduced;
} reduce_shape_t;

static void check_affine(pod_random_t *random, const reduce_shape_t *shape,
                         bool is_called) {
  kernel_case_t *c = case_make(CHIP_OP_REDUCE);
  region_case_t region;
  tensor_array_t *inputs[2];
  int64_t kept[4], gone[4];
  int kept_count = 0, gone_count = 0;
  for (int i = 0; i < shape->rank; i++) {
    if ((shape->reduced >> i & 1u) != 0) {
      gone[gone_count++] = i;
    } else {
      kept[kept_count++] = shape->dims[i];
    }
  }
  for (int i = 0; i < 2; i++) {
    inputs[i] = case_operand(c, TENSOR_S32, shape->rank, shape->dims, "zeros");
    fill(random, inputs[i], 1000);
  }
  case_operand(c, TENSOR_S32, 0, NULL, "const:3");
  case_operand(c, TENSOR_S32, 0, NULL, "const:5");
  tensor_array_t *results[2];
  for (int i = 0; i < 2; i++) {
    results[i] = case_result(c, TENSOR_S32, kept_count, kept);
  }
  case_attr(c, CHIP_ATTR_DIMENSIONS, gone_count, gone);
  region_init(&region, c);
  add_affine_region(&region);
  if (is_called) {
    c->program.computations = NULL;
    c->call = call_affine;
  }
  const int64_t count = tensor_shape_elements(&results[0]->shape);
  int32_t(*expected)[2] = calloc((size_t)count + 1, sizeof(*expected));
  int32_t *column = calloc((size_t)count + 1, sizeof(*column));
  assert_true(expected != NULL && column != NULL);
  for (int64_t i = 0; i < count; i++) {
    expected[i][0] = 3;
    expected[i][1] = 5;
  }
  const int64_t elements = tensor_shape_elements(&inputs[0]->shape);
  for (int64_t place = 0; place < elements; place++) {
    int64_t index[TENSOR_RANK_MAX], at = 0;
    index_of(&inputs[0]->shape, place, index);
    for (int i = 0; i < shape->rank; i++) {
      at = (shape->reduced >> i & 1u) != 0 ? at : at * shape->dims[i] + index[i];
    }
    step_affine(expected[at], values_of(inputs[0])[place], values_of(inputs[1])[place]);
  }
  assert_runs(c);
  for (int i = 0; i < 2; i++) {
    for (int64_t k = 0; k < count; k++) {
      column[k] = expected[k][i];
    }
    assert_values(results[i], column);
  }
  free(column);
  free(expected);
  case_free(c);
}

static void test_reduce_keeps_the_order_of_any_region(void **state) {
  (void)state;
  static const reduce_shape_t shapes[] = {
      {1, {0}, 1},
      {1, {1}, 1},
      {1, {31}, 1},
      {1, {20011}, 1},
      {1, {16384}, 1},
      {2, {5, 1031}, 2},
      {2, {5, 1031}, 1},
      {2, {1031, 5}, 2},
      {2, {1031, 5}, 1},
      {2, {700, 40}, 3},
      {2, {600, 67}, 2},
      {2, {3, 0}, 2},
      {2, {0, 3}, 2},
      {3, {3, 601, 7}, 2},
      {3, {3, 601, 7}, 5},
      {3, {130, 33, 9}, 2},
      {4, {2, 37, 3, 41}, 10},
      {4, {2, 37, 3, 41}, 5},
      {4, {9, 1, 129, 1}, 12},
  };
  pod_random_t random = {1};
  for (size_t i = 0; i < POD_COUNT_OF(shapes); i++) {
    check_affine(&random, &shapes[i], false);
    check_affine(&random, &shapes[i], true);
  }
}

// Sum and maximum, written the other way round.
static void test_reduce_takes_a_known_reducer_for_each_operand(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {
      {5, 7, 3}, {70, 1, 67}, {1, 1, 1}, {2, 0, 3}, {3, 1031, 2}};
  pod_random_t random = {7};
  for (size_t n = 0; n < POD_COUNT_OF(shapes); n++) {
    const int64_t *dims = shapes[n], kept[] = {dims[0], dims[2]}, middle[] = {1};
    kernel_case_t *c = case_make(CHIP_OP_REDUCE);
    region_case_t region;
    tensor_array_t *a = case_operand(c, TENSOR_S32, 3, dims, "zeros");
    tensor_array_t *b = case_operand(c, TENSOR_S32, 3, dims, "zeros");
    case_operand(c, TENSOR_S32, 0, NULL, "const:5");
    case_operand(c, TENSOR_S32, 0, NULL, "const:2");
    const tensor_array_t *sums = case_result(c, TENSOR_S32, 2, kept);
    const tensor_array_t *largest = case_result(c, TENSOR_S32, 2, kept);
    fill(&random, a, 100);
    fill(&random, b, 100);
    case_attr(c, CHIP_ATTR_DIMENSIONS, 1, middle);
    region_init(&region, c);
    int32_t p[4];
    for (int i = 0; i < 4; i++) {
      p[i] = region_parameter(&region, TENSOR_S32);
    }
    const int32_t maximum =
        region_add(&region, CHIP_OP_MAXIMUM, TENSOR_S32, p[3], p[1], -1);
    region_return(&region, region_add(&region, CHIP_OP_ADD, TENSOR_S32, p[0], p[2], -1));
    region_return(&region, maximum);
    assert_runs(c);
    for (int64_t i = 0; i < kept[0] * kept[1]; i++) {
      int32_t sum = 5, most = 2;
      for (int64_t k = 0; k < dims[1]; k++) {
        const int64_t at = (i / dims[2] * dims[1] + k) * dims[2] + i % dims[2];
        sum += values_of(a)[at];
        most = most > values_of(b)[at] ? most : values_of(b)[at];
      }
      assert_int_equal(values_of(sums)[i], sum);
      assert_int_equal(values_of(largest)[i], most);
    }
    case_free(c);
  }
}

// ----- reduce_window -----

typedef struct window_case_t {
  int64_t dims[2], sizes[2], strides[2], low[2], high[2];
} window_case_t;

static void add_window_attrs(kernel_case_t *c, const window_case_t *w) {
  case_attr(c, CHIP_ATTR_WINDOW_DIMENSIONS, 2, w->sizes);
  case_attr(c, CHIP_ATTR_STRIDES, 2, w->strides);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, 2, w->low);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, 2, w->high);
}

static void result_dims(const window_case_t *w, int64_t *dims) {
  for (int d = 0; d < 2; d++) {
    dims[d] = (w->dims[d] + w->low[d] + w->high[d] - w->sizes[d]) / w->strides[d] + 1;
  }
}

static void test_reduce_window_takes_any_region(void **state) {
  (void)state;
  static const window_case_t windows[] = {
      {{7, 9}, {2, 3}, {1, 2}, {1, 0}, {0, 2}},
      {{3, 1100}, {1, 5}, {1, 1}, {0, 4}, {0, 0}},
      {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{40, 3}, {6, 1}, {2, 1}, {5, 0}, {0, 0}},
  };
  pod_random_t random = {2};
  for (size_t n = 0; n < POD_COUNT_OF(windows); n++) {
    const window_case_t *w = &windows[n];
    kernel_case_t *c = case_make(CHIP_OP_REDUCE_WINDOW);
    region_case_t region;
    int64_t dims[2];
    result_dims(w, dims);
    tensor_array_t *a = case_operand(c, TENSOR_S32, 2, w->dims, "zeros");
    tensor_array_t *b = case_operand(c, TENSOR_S32, 2, w->dims, "zeros");
    case_operand(c, TENSOR_S32, 0, NULL, "const:7");
    case_operand(c, TENSOR_S32, 0, NULL, "const:2");
    const tensor_array_t *results[] = {case_result(c, TENSOR_S32, 2, dims),
                                       case_result(c, TENSOR_S32, 2, dims)};
    fill(&random, a, 100);
    fill(&random, b, 100);
    add_window_attrs(c, w);
    region_init(&region, c);
    add_affine_region(&region);
    assert_runs(c);
    for (int64_t place = 0; place < dims[0] * dims[1]; place++) {
      int32_t expected[] = {7, 2};
      for (int64_t i = 0; i < w->sizes[0] * w->sizes[1]; i++) {
        const int64_t row = place / dims[1] * w->strides[0] + i / w->sizes[1] - w->low[0];
        const int64_t column =
            place % dims[1] * w->strides[1] + i % w->sizes[1] - w->low[1];
        const bool is_inside =
            row >= 0 && row < w->dims[0] && column >= 0 && column < w->dims[1];
        const int64_t at = row * w->dims[1] + column;
        step_affine(expected, is_inside ? values_of(a)[at] : 7,
                    is_inside ? values_of(b)[at] : 2);
      }
      assert_int_equal(values_of(results[0])[place], expected[0]);
      assert_int_equal(values_of(results[1])[place], expected[1]);
    }
    case_free(c);
  }
}

// ----- cumulative sums -----

typedef struct scan_case_t {
  tensor_dtype_t dtype;
  chip_reducer_t reducer;
  int64_t dims[3];
  int dimension;
  bool is_backward;
} scan_case_t;

static double scanned(const scan_case_t *s, double x, double y) {
  char element[8];
  double result = s->reducer == CHIP_REDUCER_ADD ? x + y : x > y ? x : y;
  tensor_element_from_double(s->dtype, result, element);
  return tensor_element_as_double(s->dtype, element);
}

static void check_scan(pod_random_t *random, const scan_case_t *s) {
  kernel_case_t *c = case_make(CHIP_OP_REDUCE_WINDOW);
  tensor_array_t *in = case_operand(c, s->dtype, 3, s->dims, "zeros");
  case_operand(c, s->dtype, 0, NULL,
               s->reducer == CHIP_REDUCER_ADD ? "zeros" : "const:-9");
  const tensor_array_t *out = case_result(c, s->dtype, 3, s->dims);
  const int64_t count = tensor_shape_elements(&in->shape);
  // Sums from the end are made in another order than windows are: exact ones only.
  const bool is_exact = s->is_backward || tensor_dtype_is_integer(s->dtype);
  for (int64_t i = 0; i < count; i++) {
    tensor_element_from_double(
        s->dtype,
        is_exact ? (double)(below(random, 3) - 1) : pod_random_uniform(random) - 0.5,
        mutable_element_of(in, i));
  }
  const int64_t size = s->dims[s->dimension], ones[] = {1, 1, 1};
  int64_t sizes[] = {1, 1, 1}, low[3] = {0}, high[3] = {0}, strides[TENSOR_RANK_MAX];
  sizes[s->dimension] = size;
  *(s->is_backward ? &high[s->dimension] : &low[s->dimension]) = size - 1;
  case_attr(c, CHIP_ATTR_WINDOW_DIMENSIONS, 3, sizes);
  case_attr(c, CHIP_ATTR_STRIDES, 3, ones);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, 3, low);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, 3, high);
  case_attr_one(c, CHIP_ATTR_REDUCER, s->reducer);
  assert_runs(c);
  tensor_shape_strides(&in->shape, strides);
  const int64_t step = strides[s->dimension];
  for (int64_t place = 0; place < count; place++) {
    if (place / step % size != 0) {
      continue;  // Not the first of a row.
    }
    double sum = s->reducer == CHIP_REDUCER_ADD ? 0 : -9;
    for (int64_t i = 0; i < size; i++) {
      const int64_t at = place + (s->is_backward ? size - 1 - i : i) * step;
      sum = scanned(s, sum, number_of(in, at));
      if (number_of(out, at) != sum) {
        fail_msg("%s, dimension %d: element %lld is %g instead of %g",
                 tensor_dtype_name(s->dtype), s->dimension, (long long)at,
                 number_of(out, at), sum);
      }
    }
  }
  case_free(c);
}

static void test_cumulative_sums_are_those_of_their_windows(void **state) {
  (void)state;
  static const tensor_dtype_t dtypes[] = {TENSOR_F32, TENSOR_BF16, TENSOR_S32,
                                          TENSOR_F16, TENSOR_S8,   TENSOR_F64};
  static const int64_t shapes[][3] = {{1, 1, 9},    {1, 1, 1031},  {3, 5, 7},
                                      {17, 2, 70},  {1, 300, 130}, {257, 3, 2},
                                      {2, 300, 300}};
  pod_random_t random = {3};
  for (size_t d = 0; d < POD_COUNT_OF(dtypes); d++) {
    for (size_t n = 0; n < POD_COUNT_OF(shapes); n++) {
      for (int dimension = 0; dimension < 3; dimension++) {
        for (int form = 0; form < 4; form++) {
          const bool is_sum = form % 2 == 0;
          scan_case_t s = {dtypes[d],
                           is_sum ? CHIP_REDUCER_ADD : CHIP_REDUCER_MAXIMUM,
                           {shapes[n][0], shapes[n][1], shapes[n][2]},
                           dimension,
                           form >= 2};
          // Sums of ones stay below what s8 can count.
          if (dtypes[d] != TENSOR_S8 || s.dims[dimension] <= 100) {
            check_scan(&random, &s);
          }
        }
      }
    }
  }
}

// ----- map and scatter -----

static void test_map_runs_its_region_for_every_element(void **state) {
  (void)state;
  static const int64_t counts[] = {
      0, 1, KERNEL_LANES - 1, KERNEL_LANES, KERNEL_LANES + 1, 5003};
  pod_random_t random = {4};
  for (size_t n = 0; n < POD_COUNT_OF(counts); n++) {
    kernel_case_t *c = case_make(CHIP_OP_MAP);
    region_case_t region;
    tensor_array_t *a = case_operand(c, TENSOR_S32, 1, &counts[n], "zeros");
    tensor_array_t *b = case_operand(c, TENSOR_S32, 1, &counts[n], "zeros");
    const tensor_array_t *out = case_result(c, TENSOR_S32, 1, &counts[n]);
    fill(&random, a, 1000);
    fill(&random, b, 1000);
    region_init(&region, c);
    const int32_t x = region_parameter(&region, TENSOR_S32);
    const int32_t y = region_parameter(&region, TENSOR_S32);
    const int32_t seven = region_constant(&region, TENSOR_S32, 7);
    const int32_t product =
        region_add(&region, CHIP_OP_MULTIPLY, TENSOR_S32, x, seven, -1);
    const int32_t is_less = region_compare(&region, CHIP_COMPARISON_LT, false, x, y);
    region_return(&region,
                  region_add(&region, CHIP_OP_SELECT, TENSOR_S32, is_less, product, y));
    assert_runs(c);
    for (int64_t i = 0; i < counts[n]; i++) {
      const int32_t p = values_of(a)[i], q = values_of(b)[i];
      assert_int_equal(values_of(out)[i], p < q ? 7 * p : q);
    }
    case_free(c);
  }
}

// Rows of updates, several of them to the same row of the operand.
static void test_scatter_combines_rows_by_any_region_one_after_the_other(void **state) {
  (void)state;
  enum { ROWS = 5, UPDATES = 23 };
  static const int64_t widths[] = {1, 3, KERNEL_LANES + 5};
  pod_random_t random = {5};
  for (size_t n = 0; n < POD_COUNT_OF(widths); n++) {
    const int64_t width = widths[n], dims[] = {ROWS, width},
                  update_dims[] = {UPDATES, width}, index_dims[] = {UPDATES, 1};
    kernel_case_t *c = case_make(CHIP_OP_SCATTER);
    region_case_t region;
    tensor_array_t *in = case_operand(c, TENSOR_S32, 2, dims, "zeros");
    tensor_array_t *indices = case_operand(c, TENSOR_S32, 2, index_dims, "zeros");
    tensor_array_t *updates = case_operand(c, TENSOR_S32, 2, update_dims, "zeros");
    const tensor_array_t *out = case_result(c, TENSOR_S32, 2, dims);
    fill(&random, in, 1000);
    fill(&random, updates, 1000);
    int32_t *expected = calloc((size_t)(ROWS * width), sizeof(*expected));
    assert_non_null(expected);
    memcpy(expected, in->data, (size_t)(ROWS * width) * sizeof(*expected));
    for (int64_t u = 0; u < UPDATES; u++) {
      const int64_t row = below(&random, ROWS);
      values_of(indices)[u] = (int32_t)row;
      for (int64_t i = 0; i < width; i++) {  // 3 x - y
        int32_t *target = &expected[row * width + i];
        *target = (int32_t)((uint32_t)*target * 3u -
                            (uint32_t)values_of(updates)[u * width + i]);
      }
    }
    case_attr(c, CHIP_ATTR_WINDOW_DIMS, 1, (const int64_t[]){1});
    case_attr(c, CHIP_ATTR_DROPPED_DIMS, 1, (const int64_t[]){0});
    case_attr(c, CHIP_ATTR_INDEX_MAP, 1, (const int64_t[]){0});
    case_attr_one(c, CHIP_ATTR_INDEX_VECTOR_DIM, 1);
    region_init(&region, c);
    const int32_t x = region_parameter(&region, TENSOR_S32);
    const int32_t y = region_parameter(&region, TENSOR_S32);
    const int32_t three = region_constant(&region, TENSOR_S32, 3);
    const int32_t product =
        region_add(&region, CHIP_OP_MULTIPLY, TENSOR_S32, x, three, -1);
    region_return(&region,
                  region_add(&region, CHIP_OP_SUBTRACT, TENSOR_S32, product, y, -1));
    assert_runs(c);
    assert_values(out, expected);
    free(expected);
    case_free(c);
  }
}

// ----- many indexes -----

// More places than are read at once, some of them outside of the array.
static void test_many_rows_are_gathered_and_scattered(void **state) {
  (void)state;
  enum { ROWS = 37, PLACES = 1031 };
  static const int64_t widths[] = {1, 2, 3, 16, 40};
  pod_random_t random = {7};
  for (size_t n = 0; n < POD_COUNT_OF(widths); n++) {
    const int64_t width = widths[n], dims[] = {ROWS, width},
                  window_dims[] = {PLACES, width}, index_dims[] = {PLACES, 1};
    for (int is_scatter = 0; is_scatter < 2; is_scatter++) {
      kernel_case_t *c = case_make(is_scatter != 0 ? CHIP_OP_SCATTER : CHIP_OP_GATHER);
      region_case_t region;
      tensor_array_t *in = case_operand(c, TENSOR_S32, 2, dims, "zeros");
      tensor_array_t *indices = case_operand(c, TENSOR_S32, 2, index_dims, "zeros");
      fill(&random, in, 1000);
      fill(&random, indices, 3 * ROWS);
      int32_t *expected = calloc((size_t)(PLACES * width), sizeof(*expected));
      assert_non_null(expected);
      region_init(&region, c);
      tensor_array_t *updates = NULL;
      if (is_scatter != 0) {
        updates = case_operand(c, TENSOR_S32, 2, window_dims, "zeros");
        fill(&random, updates, 1000);
        memcpy(expected, in->data, (size_t)(ROWS * width) * sizeof(*expected));
        const int32_t x = region_parameter(&region, TENSOR_S32);
        const int32_t y = region_parameter(&region, TENSOR_S32);
        region_return(&region, region_add(&region, CHIP_OP_ADD, TENSOR_S32, x, y, -1));
      }
      const tensor_array_t *out =
          case_result(c, TENSOR_S32, 2, is_scatter != 0 ? dims : window_dims);
      for (int64_t i = 0; i < PLACES * width; i++) {
        const int64_t row = values_of(indices)[i / width], column = i % width;
        const int64_t clamped = row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
        if (is_scatter == 0) {
          expected[i] = values_of(in)[clamped * width + column];
        } else if (row == clamped) {
          expected[row * width + column] += values_of(updates)[i];
        }
      }
      case_attr(c, CHIP_ATTR_WINDOW_DIMS, 1, (const int64_t[]){1});
      case_attr(c, CHIP_ATTR_DROPPED_DIMS, 1, (const int64_t[]){0});
      case_attr(c, CHIP_ATTR_INDEX_MAP, 1, (const int64_t[]){0});
      case_attr_one(c, CHIP_ATTR_INDEX_VECTOR_DIM, 1);
      assert_runs(c);
      assert_values(out, expected);
      free(expected);
      case_free(c);
    }
  }
}

// ----- select_and_scatter -----

static void test_select_and_scatter_finds_the_largest_of_each_window(void **state) {
  (void)state;
  static const window_case_t windows[] = {
      {{6, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}},
      {{7, 1300}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
      {{5, 5}, {3, 2}, {1, 1}, {0, 1}, {2, 0}},
      {{9, 1301}, {3, 3}, {2, 2}, {0, 0}, {0, 0}},
      {{37, 53}, {2, 5}, {1, 3}, {-1, -2}, {0, -1}},
      {{1500, 1}, {2, 1}, {1, 1}, {0, 0}, {0, 0}},
  };
  pod_random_t random = {6};
  for (size_t n = 0; n < POD_COUNT_OF(windows); n++) {
    const window_case_t *w = &windows[n];
    kernel_case_t *c = case_make(CHIP_OP_SELECT_AND_SCATTER);
    region_case_t region;
    int64_t dims[2];
    result_dims(w, dims);
    tensor_array_t *in = case_operand(c, TENSOR_S32, 2, w->dims, "zeros");
    tensor_array_t *source = case_operand(c, TENSOR_S32, 2, dims, "zeros");
    case_operand(c, TENSOR_S32, 0, NULL, "const:11");
    const tensor_array_t *out = case_result(c, TENSOR_S32, 2, w->dims);
    fill(&random, in, 50);
    fill(&random, source, 1000);
    add_window_attrs(c, w);
    region_init(&region, c);
    int32_t x = region_parameter(&region, TENSOR_S32);
    int32_t y = region_parameter(&region, TENSOR_S32);
    region_return(&region, region_compare(&region, CHIP_COMPARISON_GE, false, x, y));
    region_next(&region);
    x = region_parameter(&region, TENSOR_S32);
    y = region_parameter(&region, TENSOR_S32);
    region_return(&region, region_add(&region, CHIP_OP_ADD, TENSOR_S32, x, y, -1));
    int32_t *expected = calloc((size_t)(w->dims[0] * w->dims[1]), sizeof(*expected));
    assert_non_null(expected);
    for (int64_t i = 0; i < w->dims[0] * w->dims[1]; i++) {
      expected[i] = 11;
    }
    for (int64_t place = 0; place < dims[0] * dims[1]; place++) {
      int64_t best = -1;
      for (int64_t i = 0; i < w->sizes[0] * w->sizes[1]; i++) {
        const int64_t row = place / dims[1] * w->strides[0] + i / w->sizes[1] - w->low[0];
        const int64_t column =
            place % dims[1] * w->strides[1] + i % w->sizes[1] - w->low[1];
        const int64_t at = row * w->dims[1] + column;
        if (row >= 0 && row < w->dims[0] && column >= 0 && column < w->dims[1] &&
            (best < 0 || values_of(in)[at] > values_of(in)[best])) {
          best = at;
        }
      }
      expected[best] += values_of(source)[place];
    }
    assert_runs(c);
    assert_values(out, expected);
    free(expected);
    case_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reduce_keeps_the_order_of_any_region),
      cmocka_unit_test(test_reduce_takes_a_known_reducer_for_each_operand),
      cmocka_unit_test(test_reduce_window_takes_any_region),
      cmocka_unit_test(test_cumulative_sums_are_those_of_their_windows),
      cmocka_unit_test(test_map_runs_its_region_for_every_element),
      cmocka_unit_test(test_scatter_combines_rows_by_any_region_one_after_the_other),
      cmocka_unit_test(test_many_rows_are_gathered_and_scattered),
      cmocka_unit_test(test_select_and_scatter_finds_the_largest_of_each_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
