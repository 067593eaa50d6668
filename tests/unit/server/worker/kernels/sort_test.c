// sort with the comparators that JAX writes and with others, against a plain insertion of
// places, one after the other.

#include <math.h>

#include "tests/unit/server/worker/kernels/region_case.h"

static int64_t below(pod_random_t *random, int64_t bound) {
  return (int64_t)pod_random_below(random, (uint64_t)bound);
}

// Few values, so that many are equal; of floats also both zeros, infinities and NaNs.
static void fill(pod_random_t *random, tensor_array_t *array, bool has_nan) {
  const tensor_dtype_t dtype = array->shape.dtype;
  const int64_t count = tensor_shape_elements(&array->shape);
  for (int64_t i = 0; i < count; i++) {
    double value = (double)(below(random, 60) - 30);
    const int64_t kind = tensor_dtype_is_float(dtype) ? below(random, 20) : 19;
    value = kind == 0              ? -0.0
            : kind == 1            ? INFINITY
            : kind == 2            ? -INFINITY
            : kind == 3 && has_nan ? NAN
                                   : value;
    if (tensor_dtype_is_integer(dtype) && !tensor_dtype_is_signed(dtype)) {
      value = fabs(value);
    }
    tensor_element_from_double(dtype, value, mutable_element_of(array, i));
    if (kind == 3 && has_nan && below(random, 2) == 0) {  // A negative one.
      mutable_element_of(array, i)[tensor_dtype_bytes(dtype) - 1] |= (char)0x80;
    }
  }
}

// ----- comparators -----

typedef enum order_kind_t {
  ORDER_PLAIN,      // compare LT or GT, as IEEE 754 has it
  ORDER_TOTAL,      // TOTALORDER
  ORDER_CANONICAL,  // JAX's: zeros and NaNs are made one first.
  ORDER_COUNT,
} order_kind_t;

static int32_t canonical(region_case_t *region, tensor_dtype_t dtype, int32_t x) {
  const int32_t zero = region_constant(region, dtype, 0);
  const int32_t nan = region_constant(region, dtype, NAN);
  const int32_t is_zero = region_compare(region, CHIP_COMPARISON_EQ, false, x, zero);
  const int32_t plain = region_add(region, CHIP_OP_SELECT, dtype, is_zero, zero, x);
  const int32_t is_nan = region_compare(region, CHIP_COMPARISON_NE, false, x, x);
  return region_add(region, CHIP_OP_SELECT, dtype, is_nan, nan, plain);
}

typedef struct side_t {
  int32_t left, right;
} side_t;

static side_t add_parameters(region_case_t *region, tensor_dtype_t dtype) {
  side_t side;
  side.left = region_parameter(region, dtype);
  side.right = region_parameter(region, dtype);
  return side;
}

static side_t key_of_order(region_case_t *region, tensor_dtype_t dtype, side_t side,
                           order_kind_t kind) {
  if (kind == ORDER_CANONICAL) {
    side.left = canonical(region, dtype, side.left);
    side.right = canonical(region, dtype, side.right);
  }
  return side;
}

static int expected_sign(order_kind_t kind, const tensor_array_t *array, int64_t a,
                         int64_t b) {
  const double x = number_of(array, a), y = number_of(array, b);
  const bool is_total = kind == ORDER_TOTAL;
  const double rank_x = isnan(x)   ? (is_total && signbit(x) ? -2 : 2)
                        : isinf(x) ? (x > 0) - (x < 0)
                                   : 0;
  const double rank_y = isnan(y)   ? (is_total && signbit(y) ? -2 : 2)
                        : isinf(y) ? (y > 0) - (y < 0)
                                   : 0;
  if (rank_x != 0 || rank_y != 0) {
    return (rank_x > rank_y) - (rank_x < rank_y);
  }
  if (is_total && x == 0 && y == 0) {
    return (signbit(x) == 0) - (signbit(y) == 0);
  }
  return (x > y) - (x < y);
}

// ----- worlds -----

typedef struct world_t {
  kernel_case_t *c;
  region_case_t region;
  tensor_array_t *keys[2], *places;
  tensor_array_t *results[3];
  int64_t outer, count, inner;
} world_t;

// Two keys and the places, as an argsort by two keys has it.
static void make_world(world_t *world, pod_random_t *random, tensor_dtype_t dtype,
                       tensor_dtype_t second, bool has_nan, int64_t count, bool is_last) {
  world->outer = 1 + below(random, 3);
  world->count = count;
  world->inner = is_last ? 1 : 1 + below(random, 4);
  const int64_t dims[] = {world->outer, count, world->inner};
  kernel_case_t *c = world->c = case_make(CHIP_OP_SORT);
  case_attr_one(c, CHIP_ATTR_DIMENSION, 1);
  world->keys[0] = case_operand(c, dtype, 3, dims, "zeros");
  world->keys[1] = case_operand(c, second, 3, dims, "zeros");
  world->places = case_operand(c, TENSOR_S32, 3, dims, "iota");
  world->results[0] = case_result(c, dtype, 3, dims);
  world->results[1] = case_result(c, second, 3, dims);
  world->results[2] = case_result(c, TENSOR_S32, 3, dims);
  fill(random, world->keys[0], has_nan);
  fill(random, world->keys[1], has_nan);
  region_init(&world->region, c);
}

typedef int (*sign_fn_t)(const world_t *world, int64_t a, int64_t b, const void *how);

static void assert_sorted(world_t *world, sign_fn_t sign, const void *how,
                          const char *what) {
  const int64_t n = world->count;
  int64_t *order = calloc((size_t)n + 1, sizeof(*order));
  assert_non_null(order);
  for (int64_t row = 0; row < world->outer * world->inner; row++) {
    const int64_t base = row / world->inner * n * world->inner + row % world->inner;
    for (int64_t i = 0; i < n; i++) {
      const int64_t moved = base + i * world->inner;
      int64_t low = 0, high = i;  // Behind all that are not above it.
      while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (sign(world, order[middle], moved, how) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      memmove(order + low + 1, order + low, (size_t)(i - low) * sizeof(*order));
      order[low] = moved;
    }
    for (int64_t i = 0; i < n; i++) {
      const int64_t at = base + i * world->inner;
      const int32_t place = ((const int32_t *)world->results[2]->data)[at];
      if (place != (int32_t)order[i]) {
        fail_msg("%s: %lld of %lld is element %d instead of %lld", what, (long long)i,
                 (long long)n, place, (long long)order[i]);
      }
      for (int k = 0; k < 2; k++) {
        assert_memory_equal(element_of(world->results[k], at),
                            element_of(world->keys[k], order[i]),
                            tensor_dtype_bytes(world->keys[k]->shape.dtype));
      }
    }
  }
  free(order);
}

static const int64_t counts[] = {1, 2, 3, 7, 8, 9, 31, 191, 193, 509, 1031, 9001};

// ----- one key -----

typedef struct one_key_t {
  order_kind_t kind;
  bool descends;
} one_key_t;

static int sign_of_one_key(const world_t *world, int64_t a, int64_t b, const void *how) {
  const one_key_t *key = how;
  const int sign = expected_sign(key->kind, world->keys[0], a, b);
  return key->descends ? -sign : sign;
}

static void test_one_key_of_any_type_is_sorted_by_its_order(void **state) {
  (void)state;
  static const tensor_dtype_t dtypes[] = {
      TENSOR_PRED, TENSOR_S8,  TENSOR_U8,   TENSOR_S16, TENSOR_S32, TENSOR_U32,
      TENSOR_S64,  TENSOR_U64, TENSOR_BF16, TENSOR_F16, TENSOR_F32, TENSOR_F64};
  pod_random_t random = {1};
  for (size_t d = 0; d < POD_COUNT_OF(dtypes); d++) {
    const bool is_float = tensor_dtype_is_float(dtypes[d]);
    for (int kind = 0; kind < (is_float ? ORDER_COUNT : 1); kind++) {
      for (size_t n = 0; n < POD_COUNT_OF(counts); n++) {
        world_t world;
        const one_key_t key = {(order_kind_t)kind, below(&random, 2) == 0};
        make_world(&world, &random, dtypes[d], TENSOR_U8, kind != ORDER_PLAIN, counts[n],
                   below(&random, 2) == 0);
        side_t side = add_parameters(&world.region, dtypes[d]);
        add_parameters(&world.region, TENSOR_U8);
        add_parameters(&world.region, TENSOR_S32);
        side = key_of_order(&world.region, dtypes[d], side, key.kind);
        region_return(
            &world.region,
            region_compare(&world.region,
                           key.descends ? CHIP_COMPARISON_GT : CHIP_COMPARISON_LT,
                           kind != ORDER_PLAIN, side.left, side.right));
        assert_runs(world.c);
        assert_sorted(&world, sign_of_one_key, &key, tensor_dtype_name(dtypes[d]));
        case_free(world.c);
      }
    }
  }
}

// ----- two keys -----

static int sign_of_two_keys(const world_t *world, int64_t a, int64_t b, const void *how) {
  const order_kind_t *kinds = how;
  const int first = expected_sign(kinds[0], world->keys[0], a, b);
  return first != 0 ? first : expected_sign(kinds[1], world->keys[1], a, b);
}

// or(lt, and(eq, lt)) as JAX has it, or a select as XLA's own passes write it.
static int32_t add_lexicographic(region_case_t *region, side_t first, side_t second,
                                 int form) {
  const int32_t below_first =
      region_compare(region, CHIP_COMPARISON_LT, true, first.left, first.right);
  const int32_t same =
      region_compare(region, form == 2 ? CHIP_COMPARISON_NE : CHIP_COMPARISON_EQ, true,
                     first.left, first.right);
  const int32_t below_second =
      region_compare(region, CHIP_COMPARISON_LT, true, second.left, second.right);
  if (form == 0) {
    const int32_t both =
        region_add(region, CHIP_OP_AND, TENSOR_PRED, same, below_second, -1);
    return region_add(region, CHIP_OP_OR, TENSOR_PRED, below_first, both, -1);
  }
  return form == 1 ? region_add(region, CHIP_OP_SELECT, TENSOR_PRED, same, below_second,
                                below_first)
                   : region_add(region, CHIP_OP_SELECT, TENSOR_PRED, same, below_first,
                                below_second);
}

static void test_two_keys_are_sorted_one_after_the_other(void **state) {
  (void)state;
  pod_random_t random = {2};
  for (int form = 0; form < 3; form++) {
    for (size_t n = 0; n < POD_COUNT_OF(counts); n++) {
      world_t world;
      const order_kind_t kinds[] = {ORDER_CANONICAL, ORDER_TOTAL};
      make_world(&world, &random, TENSOR_F32, TENSOR_F64, true, counts[n], n % 2 == 0);
      side_t first = add_parameters(&world.region, TENSOR_F32);
      const side_t second = add_parameters(&world.region, TENSOR_F64);
      add_parameters(&world.region, TENSOR_S32);
      first = key_of_order(&world.region, TENSOR_F32, first, kinds[0]);
      region_return(&world.region, add_lexicographic(&world.region, first, second, form));
      assert_runs(world.c);
      assert_sorted(&world, sign_of_two_keys, kinds, "two keys");
      case_free(world.c);
    }
  }
}

// ----- other comparators -----

static int sign_of_sum(const world_t *world, int64_t a, int64_t b, const void *how) {
  (void)how;
  const double x = number_of(world->keys[0], a) + number_of(world->keys[1], a);
  const double y = number_of(world->keys[0], b) + number_of(world->keys[1], b);
  return (x > y) - (x < y);
}

// x0 - y0 < y1 - x1 orders by x0 + x1, but no side of it has the elements of one place.
static void add_sum_region(region_case_t *region) {
  const side_t first = add_parameters(region, TENSOR_S32);
  const side_t second = add_parameters(region, TENSOR_S32);
  add_parameters(region, TENSOR_S32);
  const int32_t left =
      region_add(region, CHIP_OP_SUBTRACT, TENSOR_S32, first.left, first.right, -1);
  const int32_t right =
      region_add(region, CHIP_OP_SUBTRACT, TENSOR_S32, second.right, second.left, -1);
  region_return(region, region_compare(region, CHIP_COMPARISON_LT, false, left, right));
}

static pod_status_t call_sum_region(const kernel_args_t *args, int32_t computation,
                                    const void *const *inputs, void *const *outputs) {
  (void)args;
  assert_int_equal(computation, 0);
  int32_t values[4];
  for (int i = 0; i < 4; i++) {
    memcpy(&values[i], inputs[i], sizeof(values[i]));
  }
  *(uint8_t *)outputs[0] = values[0] - values[1] < values[3] - values[2];
  return NULL;
}

static void test_any_comparator_sorts_whether_it_is_called_or_not(void **state) {
  (void)state;
  pod_random_t random = {3};
  for (int is_called = 0; is_called < 2; is_called++) {
    for (size_t n = 0; n < POD_COUNT_OF(counts); n++) {
      world_t world;
      make_world(&world, &random, TENSOR_S32, TENSOR_S32, false, counts[n], n % 2 == 0);
      if (is_called != 0) {
        world.c->program.computations = NULL;
        world.c->call = call_sum_region;
      } else {
        add_sum_region(&world.region);
      }
      assert_runs(world.c);
      assert_sorted(&world, sign_of_sum, NULL, is_called != 0 ? "called" : "sum");
      case_free(world.c);
    }
  }
}

static void assert_is_permutation(const world_t *world) {
  const int64_t n = tensor_shape_elements(&world->places->shape);
  bool *is_seen = calloc((size_t)n, sizeof(*is_seen));
  assert_non_null(is_seen);
  for (int64_t i = 0; i < n; i++) {
    const int32_t place = ((const int32_t *)world->results[2]->data)[i];
    assert_true(place >= 0 && place < n && !is_seen[place]);
    is_seen[place] = true;
  }
  free(is_seen);
}

// NaN is neither below nor above anything, so that no order is right; and one that says
// yes to everything.
static void test_an_inconsistent_comparator_loses_no_element(void **state) {
  (void)state;
  pod_random_t random = {4};
  for (size_t n = 0; n < POD_COUNT_OF(counts); n++) {
    for (int is_always = 0; is_always < 2; is_always++) {
      world_t world;
      make_world(&world, &random, TENSOR_F32, TENSOR_U8, true, counts[n], true);
      const side_t side = add_parameters(&world.region, TENSOR_F32);
      add_parameters(&world.region, TENSOR_U8);
      add_parameters(&world.region, TENSOR_S32);
      const int32_t is_below =
          region_compare(&world.region, CHIP_COMPARISON_LT, false, side.left, side.right);
      const int32_t is_not =
          region_add(&world.region, CHIP_OP_NOT, TENSOR_PRED, is_below, -1, -1);
      region_return(&world.region, is_always == 0
                                       ? is_below
                                       : region_add(&world.region, CHIP_OP_OR,
                                                    TENSOR_PRED, is_below, is_not, -1));
      assert_runs(world.c);
      assert_is_permutation(&world);
      case_free(world.c);
    }
  }
}

static void test_nothing_is_sorted_when_there_is_nothing(void **state) {
  (void)state;
  pod_random_t random = {5};
  world_t world;
  make_world(&world, &random, TENSOR_S32, TENSOR_S32, false, 0, true);
  add_sum_region(&world.region);
  assert_runs(world.c);
  case_free(world.c);
}

static pod_status_t failing(const kernel_args_t *args, int32_t computation,
                            const void *const *inputs, void *const *outputs) {
  (void)args;
  (void)computation;
  (void)inputs;
  (void)outputs;
  return pod_error(POD_INTERNAL, "the region failed");
}

static void test_a_comparator_that_fails_ends_the_sort(void **state) {
  (void)state;
  pod_random_t random = {6};
  world_t world;
  make_world(&world, &random, TENSOR_S32, TENSOR_S32, false, 100, false);
  world.c->program.computations = NULL;
  world.c->call = failing;
  const pod_status_t status = case_run(world.c);
  assert_string_equal(pod_status_message(status), "the region failed");
  pod_status_free(status);
  case_free(world.c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_key_of_any_type_is_sorted_by_its_order),
      cmocka_unit_test(test_two_keys_are_sorted_one_after_the_other),
      cmocka_unit_test(test_any_comparator_sorts_whether_it_is_called_or_not),
      cmocka_unit_test(test_an_inconsistent_comparator_loses_no_element),
      cmocka_unit_test(test_nothing_is_sorted_when_there_is_nothing),
      cmocka_unit_test(test_a_comparator_that_fails_ends_the_sort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
