// reduce against a walk over every element.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <math.h>
#include <stdio.h>

static int64_t random_dim(pod_random_t *random) {
  static const int64_t dims[] = {1, 2, 3, 5, 7, 17};
  return dims[pod_random_below(random, POD_COUNT_OF(dims))];
}

// The reduced dimensions are the bits of `reduced`.
static kernel_case_t *make_case(tensor_dtype_t dtype, int rank, const int64_t *dims,
                                unsigned reduced, chip_reducer_t reducer,
                                const char *generator, const char *init) {
  kernel_case_t *c = case_make(CHIP_OP_REDUCE);
  case_operand(c, dtype, rank, dims, generator);
  case_operand(c, dtype, 0, NULL, init);
  int64_t kept[TENSOR_RANK_MAX], gone[TENSOR_RANK_MAX];
  int kept_count = 0, gone_count = 0;
  for (int i = 0; i < rank; i++) {
    if ((reduced >> i & 1u) != 0) {
      gone[gone_count++] = i;
    } else {
      kept[kept_count++] = dims[i];
    }
  }
  case_result(c, dtype, kept_count, kept);
  case_attr(c, CHIP_ATTR_DIMENSIONS, gone_count, gone);
  case_attr_one(c, CHIP_ATTR_REDUCER, reducer);
  return c;
}

// The place in the result that an element of the operand goes to.
static int64_t target_of(const kernel_case_t *c, int64_t place, unsigned reduced) {
  const tensor_shape_t *in = &c->arrays[0].shape;
  int64_t index[TENSOR_RANK_MAX], kept[TENSOR_RANK_MAX];
  index_of(in, place, index);
  int count = 0;
  for (int i = 0; i < in->rank; i++) {
    if ((reduced >> i & 1u) == 0) {
      kept[count++] = index[i];
    }
  }
  return place_of(&c->arrays[2].shape, kept);
}

// ----- integers: the reference is exact -----

static int64_t combine(chip_reducer_t reducer, tensor_dtype_t dtype, int64_t x,
                       int64_t y) {
  const bool is_signed = tensor_dtype_is_signed(dtype);
  const bool is_above = is_signed ? x > y : (uint64_t)x > (uint64_t)y;
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return dtype == TENSOR_PRED ? (x | y) : (int64_t)((uint64_t)x + (uint64_t)y);
    case CHIP_REDUCER_MULTIPLY:
      return (int64_t)((uint64_t)x * (uint64_t)y);
    case CHIP_REDUCER_MAXIMUM:
      return is_above ? x : y;
    case CHIP_REDUCER_MINIMUM:
      return is_above ? y : x;
    case CHIP_REDUCER_AND:
      return x & y;
    case CHIP_REDUCER_OR:
      return x | y;
    default:
      return x ^ y;
  }
}

static void check_integers(kernel_case_t *c, unsigned reduced, chip_reducer_t reducer) {
  assert_runs(c);
  const tensor_array_t *in = &c->arrays[0], *init = &c->arrays[1], *out = &c->arrays[2];
  const tensor_dtype_t dtype = in->shape.dtype;
  const int64_t count = tensor_shape_elements(&out->shape);
  int64_t *expected = malloc((size_t)(count + 1) * sizeof(*expected));
  for (int64_t i = 0; i < count; i++) {
    expected[i] = tensor_element_as_int64(dtype, init->data);
  }
  for (int64_t i = 0; i < tensor_shape_elements(&in->shape); i++) {
    const int64_t at = target_of(c, i, reduced);
    char element[16];
    const int64_t value = tensor_element_as_int64(dtype, element_of(in, i));
    tensor_element_from_int64(dtype, combine(reducer, dtype, expected[at], value),
                              element);
    expected[at] = tensor_element_as_int64(dtype, element);
  }
  for (int64_t i = 0; i < count; i++) {
    assert_true(tensor_element_as_int64(dtype, element_of(out, i)) == expected[i]);
  }
  free(expected);
  case_free(c);
}

static void test_integers_are_combined_along_any_dimensions(void **state) {
  (void)state;
  const tensor_dtype_t types[] = {TENSOR_PRED, TENSOR_S4,  TENSOR_U2,  TENSOR_S8,
                                  TENSOR_S16,  TENSOR_S32, TENSOR_S64, TENSOR_U8,
                                  TENSOR_U32,  TENSOR_U64};
  pod_random_t random = {.state = 1};
  for (int trial = 0; trial < 700; trial++) {
    const int rank = (int)pod_random_below(&random, 5);
    int64_t dims[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = pod_random_below(&random, 30) == 0 ? 0 : random_dim(&random);
    }
    const unsigned reduced = (unsigned)pod_random_below(&random, (uint64_t)1 << rank);
    const chip_reducer_t reducer = (chip_reducer_t)(1 + pod_random_below(&random, 7));
    const tensor_dtype_t dtype = types[pod_random_below(&random, POD_COUNT_OF(types))];
    const char *init = reducer == CHIP_REDUCER_AND || reducer == CHIP_REDUCER_MULTIPLY
                           ? "ones"
                           : "random:2";
    check_integers(make_case(dtype, rank, dims, reduced, reducer, "random:1", init),
                   reduced, reducer);
  }
}

static void test_long_and_narrow_shapes(void **state) {
  (void)state;
  const int64_t shapes[][3] = {{1300, 3, 1}, {3, 1300, 1}, {70, 10, 3},  {9000, 1, 1},
                               {9, 513, 2},  {2, 6, 4100}, {20, 1, 511}, {1, 4097, 2}};
  for (size_t s = 0; s < POD_COUNT_OF(shapes); s++) {
    for (unsigned reduced = 1; reduced < 8; reduced++) {
      const bool is_sum = (s + reduced) % 2 == 0;
      const chip_reducer_t reducer = is_sum ? CHIP_REDUCER_ADD : CHIP_REDUCER_MAXIMUM;
      check_integers(make_case(is_sum ? TENSOR_S32 : TENSOR_S8, 3, shapes[s], reduced,
                               reducer, "iota", "const:-7"),
                     reduced, reducer);
    }
  }
}

// ----- floats: sums within a few roundings of the exact one -----

static void check_sums(kernel_case_t *c, unsigned reduced, double epsilon) {
  assert_runs(c);
  const tensor_array_t *in = &c->arrays[0], *out = &c->arrays[2];
  const int64_t count = tensor_shape_elements(&out->shape);
  double *sums = calloc((size_t)count + 1, sizeof(double));
  double *magnitudes = calloc((size_t)count + 1, sizeof(double));
  for (int64_t i = 0; i < count; i++) {
    sums[i] = number_of(&c->arrays[1], 0);
    magnitudes[i] = fabs(sums[i]);
  }
  for (int64_t i = 0; i < tensor_shape_elements(&in->shape); i++) {
    const int64_t at = target_of(c, i, reduced);
    sums[at] += number_of(in, i);
    magnitudes[at] += fabs(number_of(in, i));
  }
  for (int64_t i = 0; i < count; i++) {
    const double error = fabs(number_of(out, i) - sums[i]);
    assert_true(error <= epsilon * fabs(sums[i]) + 0x1p-20 * magnitudes[i]);
  }
  free(sums);
  free(magnitudes);
  case_free(c);
}

static void test_sums_of_narrow_floats_are_rounded_once(void **state) {
  (void)state;
  const int64_t shapes[][3] = {{1300, 3, 1}, {3, 5000, 1}, {13, 30, 7}, {2, 5, 4100}};
  for (size_t s = 0; s < POD_COUNT_OF(shapes); s++) {
    for (unsigned reduced = 1; reduced < 8; reduced++) {
      const struct {
        tensor_dtype_t dtype;
        double epsilon;
      } types[] = {{TENSOR_BF16, 0x1p-8},
                   {TENSOR_F16, 0x1p-11},
                   {TENSOR_F32, 0x1p-24},
                   {TENSOR_F64, 0x1p-50}};
      for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
        check_sums(make_case(types[t].dtype, 3, shapes[s], reduced, CHIP_REDUCER_ADD,
                             "random:3", "const:0.5"),
                   reduced, types[t].epsilon);
      }
    }
  }
}

// Added to 2^24 one after the other, ones would be lost in f32.
static void test_small_numbers_are_not_lost_beside_a_large_one(void **state) {
  (void)state;
  const int64_t count = 50000, row[] = {1, count}, column[] = {count / 2, 2};
  for (unsigned reduced = 1; reduced <= 3; reduced += 2) {
    kernel_case_t *c = make_case(TENSOR_F32, 2, reduced == 3 ? row : column, reduced,
                                 CHIP_REDUCER_ADD, "ones", "const:16777216");
    assert_runs(c);
    const int64_t ones = reduced == 3 ? count : count / 2;
    assert_true(number_of(&c->arrays[2], 0) == 16777216.0 + (double)ones);
    case_free(c);
  }
}

static void test_maximum_and_minimum_hand_nan_on(void **state) {
  (void)state;
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_BF16, TENSOR_F64};
  const chip_reducer_t reducers[] = {CHIP_REDUCER_MAXIMUM, CHIP_REDUCER_MINIMUM};
  const int64_t dims[] = {4, 300};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t r = 0; r < 2; r++) {
      kernel_case_t *c = make_case(types[t], 2, dims, 2, reducers[r], "random:4",
                                   r == 0 ? "const:-inf" : "const:inf");
      tensor_array_t *in = &c->arrays[0];
      tensor_element_from_double(types[t], (double)NAN,
                                 mutable_element_of(in, 300 + 299));
      assert_runs(c);
      for (int64_t row = 0; row < 4; row++) {
        double expected = number_of(in, row * 300);
        for (int64_t i = 1; i < 300; i++) {
          const double value = number_of(in, row * 300 + i);
          expected = r == 0 ? fmax(expected, value) : fmin(expected, value);
        }
        const double found = number_of(&c->arrays[2], row);
        assert_true(row == 1 ? found != found : found == expected);
      }
      case_free(c);
    }
  }
}

static void test_complex_numbers_are_added_and_multiplied(void **state) {
  (void)state;
  const int64_t dims[] = {2, 3};
  const float numbers[] = {1, 1, 2, 0, 0, 3, 1, 0, 0, 1, 5, 5};
  for (int reducer = CHIP_REDUCER_ADD; reducer <= CHIP_REDUCER_MULTIPLY; reducer++) {
    kernel_case_t *c = make_case(TENSOR_C64, 2, dims, 2, (chip_reducer_t)reducer, "zeros",
                                 reducer == CHIP_REDUCER_ADD ? "zeros" : "ones");
    memcpy(c->arrays[0].data, numbers, sizeof(numbers));
    assert_runs(c);
    const float sums[] = {3, 4, 6, 6}, products[] = {-6, 6, -5, 5};
    assert_memory_equal(c->arrays[2].data, reducer == CHIP_REDUCER_ADD ? sums : products,
                        16);
    case_free(c);
  }
}

// ----- any region -----

// The region of an arg-max: values and indexes, the later of equal values.
static pod_status_t arg_max(const kernel_args_t *args, int32_t computation,
                            const void *const *inputs, void *const *outputs) {
  (void)args;
  assert_int_equal(computation, 0);
  float best, value;
  memcpy(&best, inputs[0], sizeof(best));
  memcpy(&value, inputs[2], sizeof(value));
  const bool is_better = value >= best;
  memcpy(outputs[0], is_better ? &value : &best, sizeof(value));
  memcpy(outputs[1], inputs[is_better ? 3 : 1], sizeof(int32_t));
  return NULL;
}

static pod_status_t failing(const kernel_args_t *args, int32_t computation,
                            const void *const *inputs, void *const *outputs) {
  (void)args;
  (void)computation;
  (void)inputs;
  (void)outputs;
  return pod_error(POD_INTERNAL, "the region failed");
}

static kernel_case_t *make_region_case(kernel_call_fn_t call) {
  const int64_t dims[] = {3, 4}, kept[] = {3}, reduced[] = {1};
  kernel_case_t *c = case_make(CHIP_OP_REDUCE);
  const float values[] = {1, 5, 2, 5, -1, -2, -3, -4, 0, 0, 0, 9};
  memcpy(case_operand(c, TENSOR_F32, 2, dims, "zeros")->data, values, sizeof(values));
  case_operand(c, TENSOR_S32, 2, dims, "iota");
  case_operand(c, TENSOR_F32, 0, NULL, "const:-inf");
  case_operand(c, TENSOR_S32, 0, NULL, "const:-1");
  case_result(c, TENSOR_F32, 1, kept);
  case_result(c, TENSOR_S32, 1, kept);
  case_attr(c, CHIP_ATTR_DIMENSIONS, 1, reduced);
  c->call = call;
  return c;
}

static void test_any_region_of_several_operands_is_called(void **state) {
  (void)state;
  kernel_case_t *c = make_region_case(arg_max);
  assert_runs(c);
  const float values[] = {5, -1, 9};
  const int32_t indexes[] = {3, 4, 11};
  assert_memory_equal(c->arrays[4].data, values, sizeof(values));
  assert_memory_equal(c->arrays[5].data, indexes, sizeof(indexes));
  case_free(c);
}

static void test_a_region_that_fails_ends_the_kernel(void **state) {
  (void)state;
  kernel_case_t *c = make_region_case(failing);
  const pod_status_t status = case_run(c);
  assert_string_equal(pod_status_message(status), "the region failed");
  pod_status_free(status);
  case_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers_are_combined_along_any_dimensions),
      cmocka_unit_test(test_long_and_narrow_shapes),
      cmocka_unit_test(test_sums_of_narrow_floats_are_rounded_once),
      cmocka_unit_test(test_small_numbers_are_not_lost_beside_a_large_one),
      cmocka_unit_test(test_maximum_and_minimum_hand_nan_on),
      cmocka_unit_test(test_complex_numbers_are_added_and_multiplied),
      cmocka_unit_test(test_any_region_of_several_operands_is_called),
      cmocka_unit_test(test_a_region_that_fails_ends_the_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
