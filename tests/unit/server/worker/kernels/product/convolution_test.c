// Convolutions that are large enough for oneDNN, of random options, against the formula
// of the StableHLO specification in double or int64, a sample of the elements; and that
// the gradients as JAX writes them are taken for what they are.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <math.h>

enum { CASES = 12, RANK_MAX = 5, SAMPLES = 25 };

typedef struct world_t {
  int rank;                               // Spatial.
  int64_t batch, features, out_features;  // Of lhs and of rhs, all groups.
  int64_t feature_groups, batch_groups;
  int64_t in[3], size[3], stride[3], base[3], dilation[3], low[3], high[3], out[3];
  int64_t reversal[3];
  int64_t input[RANK_MAX], kernel[RANK_MAX], output[RANK_MAX];  // Dimension numbers.
  tensor_dtype_t dtype, result;
} world_t;

static int64_t below(pod_random_t *random, int64_t bound) {
  return (int64_t)pod_random_below(random, (uint64_t)bound);
}

static void shuffle(pod_random_t *random, int64_t *numbers, int count) {
  for (int i = 0; i < count; i++) {
    numbers[i] = i;
  }
  for (int i = count - 1; i > 0; i--) {
    const int64_t j = below(random, i + 1), old = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = old;
  }
}

static void set_places(world_t *w) {
  for (int d = 0; d < w->rank; d++) {
    const int64_t padded = (w->in[d] - 1) * w->base[d] + 1 + w->low[d] + w->high[d];
    const int64_t span = (w->size[d] - 1) * w->dilation[d] + 1;
    w->out[d] = span > padded ? 0 : (padded - span) / w->stride[d] + 1;
  }
}

// Sizes that make more products than are summed in order.
static world_t make_world(pod_random_t *random) {
  static const int64_t sizes[] = {0, 3000, 40, 11};
  world_t w = {.rank = 1 + (int)below(random, 3), .batch = 1 + below(random, 3)};
  const bool is_depthwise = below(random, 4) == 0;
  const int64_t groups = is_depthwise ? 32 : 1 + below(random, 3);
  w.feature_groups = below(random, 6) == 0 ? 1 : groups;
  w.batch_groups = w.feature_groups == 1 && below(random, 3) == 0 ? 2 : 1;
  w.batch *= w.batch_groups;
  w.features = w.feature_groups * (is_depthwise ? 1 : 5 + below(random, 20));
  w.out_features =
      w.feature_groups * w.batch_groups * (is_depthwise ? 1 : 5 + below(random, 20));
  const bool is_dilated = below(random, 3) == 0, is_window = below(random, 4) == 0;
  for (int d = 0; d < w.rank; d++) {
    w.in[d] = (is_window && w.rank == 1 ? 400 : sizes[w.rank]) + below(random, 7);
    w.size[d] = is_window ? w.in[d] - below(random, 3) : 1 + below(random, 4);
    w.stride[d] = is_dilated && below(random, 3) != 0 ? 1 : 1 + below(random, 3);
    w.base[d] = is_dilated ? 1 + below(random, 3) : 1;
    w.dilation[d] = is_window ? 1 : 1 + below(random, 2);
    w.low[d] = below(random, 5) - 1;
    w.high[d] = below(random, 5) - 1;
    w.reversal[d] = below(random, 2);
  }
  shuffle(random, w.input, w.rank + 2);
  shuffle(random, w.kernel, w.rank + 2);
  shuffle(random, w.output, w.rank + 2);
  set_places(&w);
  return w;
}

static kernel_case_t *case_of(const world_t *w) {
  int64_t lhs[RANK_MAX], rhs[RANK_MAX], out[RANK_MAX];
  lhs[w->input[0]] = w->batch;
  lhs[w->input[1]] = w->features;
  rhs[w->kernel[0]] = w->features / w->feature_groups;
  rhs[w->kernel[1]] = w->out_features;
  out[w->output[0]] = w->batch / w->batch_groups;
  out[w->output[1]] = w->out_features;
  for (int d = 0; d < w->rank; d++) {
    lhs[w->input[2 + d]] = w->in[d];
    rhs[w->kernel[2 + d]] = w->size[d];
    out[w->output[2 + d]] = w->out[d];
  }
  kernel_case_t *c = case_make(CHIP_OP_CONVOLUTION);
  case_operand(c, w->dtype, w->rank + 2, lhs, "random:1");
  case_operand(c, w->dtype, w->rank + 2, rhs, "random:2");
  case_result(c, w->result, w->rank + 2, out);
  case_attr(c, CHIP_ATTR_STRIDES, w->rank, w->stride);
  case_attr(c, CHIP_ATTR_BASE_DILATIONS, w->rank, w->base);
  case_attr(c, CHIP_ATTR_WINDOW_DILATIONS, w->rank, w->dilation);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, w->rank, w->low);
  case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, w->rank, w->high);
  case_attr(c, CHIP_ATTR_WINDOW_REVERSAL, w->rank, w->reversal);
  case_attr(c, CHIP_ATTR_INPUT_DIMS, w->rank + 2, w->input);
  case_attr(c, CHIP_ATTR_KERNEL_DIMS, w->rank + 2, w->kernel);
  case_attr(c, CHIP_ATTR_OUTPUT_DIMS, w->rank + 2, w->output);
  case_attr_one(c, CHIP_ATTR_FEATURE_GROUP_COUNT, w->feature_groups);
  case_attr_one(c, CHIP_ATTR_BATCH_GROUP_COUNT, w->batch_groups);
  return c;
}

// Where the window's place `tap` at `o` falls in lhs and rhs; false in the padding.
static bool find_tap(const world_t *w, const int64_t *o, int64_t tap, int64_t *lhs,
                     int64_t *rhs) {
  for (int d = w->rank - 1; d >= 0; d--) {
    const int64_t i = tap % w->size[d];
    const int64_t at =
        o[w->output[2 + d]] * w->stride[d] + i * w->dilation[d] - w->low[d];
    tap /= w->size[d];
    if (at < 0 || at % w->base[d] != 0 || at / w->base[d] >= w->in[d]) {
      return false;
    }
    lhs[w->input[2 + d]] = at / w->base[d];
    rhs[w->kernel[2 + d]] = w->reversal[d] != 0 ? w->size[d] - 1 - i : i;
  }
  return true;
}

static double epsilon_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_BF16 ? 0x1p-8 : dtype == TENSOR_F16 ? 0x1p-10 : 0;
}

static void check_element(const world_t *w, const kernel_case_t *c, int64_t place,
                          int number) {
  const tensor_array_t *lhs = &c->arrays[0], *rhs = &c->arrays[1], *out = &c->arrays[2];
  int64_t o[RANK_MAX], a[RANK_MAX], b[RANK_MAX], taps = 1;
  index_of(&out->shape, place, o);
  for (int d = 0; d < w->rank; d++) {
    taps *= w->size[d];
  }
  const int64_t feature = o[w->output[1]], inner = w->features / w->feature_groups;
  const int64_t group =
      feature / (w->out_features / (w->feature_groups * w->batch_groups));
  const int64_t first = w->feature_groups > 1 ? group * inner : 0;
  a[w->input[0]] =
      o[w->output[0]] + (w->batch_groups > 1 ? group * (w->batch / w->batch_groups) : 0);
  b[w->kernel[1]] = feature;
  double sum = 0, magnitude = 0;
  for (int64_t tap = 0; tap < taps; tap++) {
    if (!find_tap(w, o, tap, a, b)) {
      continue;
    }
    for (int64_t f = 0; f < inner; f++) {
      a[w->input[1]] = first + f;
      b[w->kernel[0]] = f;
      const double product = number_of(lhs, place_of(&lhs->shape, a)) *
                             number_of(rhs, place_of(&rhs->shape, b));
      sum += product;
      magnitude += fabs(product);
    }
  }
  const bool is_exact = tensor_dtype_is_integer(w->result);
  const double allowed =
      is_exact ? 0 : magnitude * (epsilon_of(w->result) + 0x1p-20) + 1e-30;
  if (!(fabs(number_of(out, place) - sum) <= allowed)) {
    fail_msg("case %d, rank %d, element %lld: %.9g instead of %.9g", number, w->rank,
             (long long)place, number_of(out, place), sum);
  }
}

static void check_world(const world_t *w, int number) {
  kernel_case_t *c = case_of(w);
  const tensor_array_t *out = &c->arrays[2];
  const size_t size = (size_t)tensor_shape_bytes(&out->shape);
  assert_runs(c);
  const int64_t count = tensor_shape_elements(&out->shape);
  const int64_t step = 1 + count / SAMPLES;
  for (int64_t place = 0; place < count; place += step) {
    check_element(w, c, place, number);
  }
  void *first = malloc(size + 1);  // The second run takes what the first one kept.
  memcpy(first, out->data, size);
  memset(out->data, 0xa5, size);
  assert_runs(c);
  assert_memory_equal(out->data, first, size);
  free(first);
  case_free(c);
}

static void check_random(tensor_dtype_t dtype, tensor_dtype_t result, uint64_t seed) {
  pod_random_t random = {seed};
  for (int number = 0; number < CASES; number++) {
    world_t w = make_world(&random);
    w.dtype = dtype;
    w.result = result;
    check_world(&w, number);
  }
}

static void test_f32_of_any_options_sums_what_the_formula_says(void **state) {
  (void)state;
  check_random(TENSOR_F32, TENSOR_F32, 11);
}

static void test_bf16_is_summed_in_f32_and_rounded_once(void **state) {
  (void)state;
  check_random(TENSOR_BF16, TENSOR_BF16, 12);
  check_random(TENSOR_BF16, TENSOR_F32, 13);
}

static void test_f16_and_f64_sum_what_the_formula_says(void **state) {
  (void)state;
  check_random(TENSOR_F16, TENSOR_F16, 14);
  check_random(TENSOR_F64, TENSOR_F64, 15);
}

static void test_integers_are_exact(void **state) {
  (void)state;
  check_random(TENSOR_S8, TENSOR_S32, 16);
  check_random(TENSOR_S32, TENSOR_S32, 17);
}

// A layer of an image with `features` in and out, and its three convolutions as JAX has
// them: itself, the gradient by its input, the gradient by its kernel.
static void check_layer(int64_t groups, int64_t features, int64_t size, int64_t stride,
                        tensor_dtype_t dtype) {
  world_t forward = {.rank = 2,
                     .batch = 2,
                     .features = features,
                     .out_features = 2 * features,
                     .feature_groups = groups,
                     .batch_groups = 1,
                     .input = {0, 3, 1, 2},
                     .kernel = {2, 3, 0, 1},
                     .output = {0, 3, 1, 2},
                     .dtype = dtype,
                     .result = dtype};
  for (int d = 0; d < 2; d++) {
    forward.in[d] = size;
    forward.size[d] = 3;
    forward.stride[d] = stride;
    forward.base[d] = forward.dilation[d] = 1;
    forward.low[d] = forward.high[d] = 1;
  }
  set_places(&forward);
  check_world(&forward, 0);
  world_t data = forward, weights = forward;
  data.features = forward.out_features;
  data.out_features = forward.features;
  weights.batch = forward.features;
  weights.features = forward.batch;
  weights.feature_groups = 1;
  weights.batch_groups = groups;
  memcpy(weights.input, (const int64_t[]){3, 0, 1, 2}, 4 * sizeof(int64_t));
  memcpy(weights.kernel, (const int64_t[]){0, 3, 1, 2}, 4 * sizeof(int64_t));
  memcpy(weights.output, (const int64_t[]){2, 3, 0, 1}, 4 * sizeof(int64_t));
  for (int d = 0; d < 2; d++) {
    data.in[d] = weights.size[d] = forward.out[d];
    data.stride[d] = weights.stride[d] = 1;
    data.base[d] = weights.dilation[d] = stride;
    data.reversal[d] = 1;
    data.low[d] = 1;
    data.high[d] = size - ((forward.out[d] - 1) * stride + 1) + 1;
    weights.high[d] = (forward.out[d] - 1) * stride + 3 - size - 1;
  }
  set_places(&data);
  set_places(&weights);
  assert_int_equal(data.out[0], size);
  assert_int_equal(weights.out[0], 3);
  check_world(&data, 1);
  check_world(&weights, 2);
}

static void test_the_gradients_of_a_layer_are_those_of_the_formula(void **state) {
  (void)state;
  for (int64_t groups = 1; groups <= 16; groups *= 4) {
    for (int64_t stride = 1; stride <= 3; stride++) {
      check_layer(groups, 16, 29, stride, TENSOR_F32);
      check_layer(groups, 16, 29, stride, TENSOR_BF16);
    }
  }
}

// So many products that images are cut into bands.
static void test_long_convolutions_are_the_sum_of_their_pieces(void **state) {
  (void)state;
  for (int64_t stride = 1; stride <= 3; stride++) {
    check_layer(1, 96, 97 * stride, stride, TENSOR_F32);
    check_layer(1, 96, 97 * stride, stride, TENSOR_BF16);
  }
  check_layer(2, 128, 120, 1, TENSOR_F32);
}

// The gradient by the kernel of a convolution: its source is the left operand, what came
// back the window, and the result has the kernel's sizes.
typedef struct gradient_t {
  int rank;
  int64_t batch, in_features, out_features;
  int64_t source[3], kernel[3], destination[3], stride[3], dilation[3], low[3];
} gradient_t;

static void check_gradient(const gradient_t *g, tensor_dtype_t dtype) {
  world_t w = {.rank = g->rank,
               .batch = g->in_features,
               .features = g->batch,
               .out_features = g->out_features,
               .feature_groups = 1,
               .batch_groups = 1,
               .dtype = dtype,
               .result = dtype};
  const int last = g->rank + 1;
  w.input[0] = last;  // Features last, as JAX lays out images.
  w.kernel[1] = w.output[1] = last;
  for (int d = 0; d < g->rank; d++) {
    w.in[d] = g->source[d];
    w.size[d] = g->destination[d];
    w.stride[d] = g->dilation[d];
    w.dilation[d] = g->stride[d];
    w.base[d] = 1;
    w.low[d] = g->low[d];
    w.high[d] = (g->kernel[d] - 1) * g->dilation[d] +
                (g->destination[d] - 1) * g->stride[d] + 1 - g->source[d] - g->low[d];
    w.input[2 + d] = w.kernel[2 + d] = w.output[2 + d] = 1 + d;
  }
  w.output[0] = 0;
  set_places(&w);
  for (int d = 0; d < g->rank; d++) {
    assert_int_equal(w.out[d], g->kernel[d]);
  }
  check_world(&w, g->rank);
}

static void test_a_gradient_padded_and_strided_in_depth_reads_its_operands_only(
    void **state) {
  (void)state;
  const gradient_t gradient = {.rank = 3,
                               .batch = 4,
                               .in_features = 16,
                               .out_features = 24,
                               .source = {5, 9, 9},
                               .kernel = {5, 2, 4},
                               .destination = {3, 9, 9},
                               .stride = {3, 1, 1},
                               .dilation = {1, 1, 1},
                               .low = {4, 0, 1}};
  check_gradient(&gradient, TENSOR_F32);
  check_gradient(&gradient, TENSOR_BF16);
}

static void test_a_gradient_dilated_before_the_last_dimension_is_that_of_the_formula(
    void **state) {
  (void)state;
  const gradient_t gradient = {.rank = 2,
                               .batch = 3,
                               .in_features = 19,
                               .out_features = 16,
                               .source = {21, 47},
                               .kernel = {2, 1},
                               .destination = {21, 47},
                               .stride = {1, 1},
                               .dilation = {3, 1},
                               .low = {1, 0}};
  check_gradient(&gradient, TENSOR_BF16);
  check_gradient(&gradient, TENSOR_F32);
}

// A layer of bytes, features last.
static world_t bytes_layer(int64_t groups, int64_t features, int64_t out_features,
                           int64_t size) {
  world_t w = {.rank = 2,
               .batch = 3,
               .features = groups * features,
               .out_features = groups * out_features,
               .feature_groups = groups,
               .batch_groups = 1,
               .input = {0, 3, 1, 2},
               .kernel = {2, 3, 0, 1},
               .output = {0, 3, 1, 2},
               .dtype = TENSOR_S8,
               .result = TENSOR_S32};
  for (int d = 0; d < 2; d++) {
    w.in[d] = 14;
    w.size[d] = size;
    w.stride[d] = w.base[d] = w.dilation[d] = w.low[d] = w.high[d] = 1;
  }
  set_places(&w);
  return w;
}

static void test_groups_of_bytes_have_their_own_sums(void **state) {
  (void)state;
  for (int64_t size = 1; size <= 8; size++) {
    const world_t w = bytes_layer(3, 35, 22, size), odd = bytes_layer(2, 7, 31, size);
    check_world(&w, (int)size);
    check_world(&odd, (int)size);
  }
}

static void test_sums_of_bytes_are_exact_beyond_24_bits(void **state) {
  (void)state;
  const int64_t features[] = {250, 251};  // The second is prime.
  for (size_t f = 0; f < POD_COUNT_OF(features); f++) {
    const world_t w = bytes_layer(1, features[f], 16, 3);
    kernel_case_t *c = case_of(&w);
    memset(c->arrays[0].data, -127, (size_t)tensor_shape_bytes(&c->arrays[0].shape));
    memset(c->arrays[1].data, -127, (size_t)tensor_shape_bytes(&c->arrays[1].shape));
    *mutable_element_of(&c->arrays[1], 0) = (char)-126;
    assert_runs(c);
    const tensor_array_t *out = &c->arrays[2];
    const int64_t count = tensor_shape_elements(&out->shape);
    for (int64_t place = 0; place < count; place += 1 + count / SAMPLES) {
      check_element(&w, c, place, (int)f);
    }
    case_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f32_of_any_options_sums_what_the_formula_says),
      cmocka_unit_test(test_bf16_is_summed_in_f32_and_rounded_once),
      cmocka_unit_test(test_f16_and_f64_sum_what_the_formula_says),
      cmocka_unit_test(test_integers_are_exact),
      cmocka_unit_test(test_the_gradients_of_a_layer_are_those_of_the_formula),
      cmocka_unit_test(test_long_convolutions_are_the_sum_of_their_pieces),
      cmocka_unit_test(
          test_a_gradient_padded_and_strided_in_depth_reads_its_operands_only),
      cmocka_unit_test(
          test_a_gradient_dilated_before_the_last_dimension_is_that_of_the_formula),
      cmocka_unit_test(test_groups_of_bytes_have_their_own_sums),
      cmocka_unit_test(test_sums_of_bytes_are_exact_beyond_24_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
