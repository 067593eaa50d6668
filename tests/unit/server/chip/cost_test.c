// The cost of single instructions, held against published measurements and against what
// padding must do.

#include "server/chip/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "server/chip/layout.h"

// A program of one product [m,k] x [k,n].
static chip_cost_t product_cost(const char *kind, tensor_dtype_t dtype, int64_t m,
                                int64_t k, int64_t n, int64_t precision) {
  const chip_buffer_t buffers[] = {
      {.kind = CHIP_BUFFER_ARGUMENT,
       .shape = tensor_shape_make(dtype, 2, (int64_t[]){m, k})},
      {.kind = CHIP_BUFFER_ARGUMENT,
       .shape = tensor_shape_make(dtype, 2, (int64_t[]){k, n})},
      {.kind = CHIP_BUFFER_RESULT,
       .shape = tensor_shape_make(dtype, 2, (int64_t[]){m, n})},
  };
  const int64_t precisions[] = {precision, precision};
  const chip_attr_t attrs[] = {
      {CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1, (int64_t[]){1}},
      {CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 1, (int64_t[]){0}},
      {CHIP_ATTR_PRECISION, 2, precisions},
  };
  const chip_instruction_t instruction = {.op = CHIP_OP_DOT_GENERAL,
                                          .operand_count = 2,
                                          .operands = (int32_t[]){0, 1},
                                          .result_count = 1,
                                          .results = (int32_t[]){2},
                                          .attr_count = 3,
                                          .attrs = attrs};
  const chip_program_t program = {.buffer_count = 3, .buffers = buffers};
  const chip_spec_t *spec = chip_spec_find(kind);
  const torus_t torus = {.size = {1, 1, 1}};
  return chip_instruction_cost(spec, &torus, &program, &instruction);
}

static chip_cost_t copy_cost(const char *kind, int64_t elements) {
  const tensor_shape_t shape = tensor_shape_make(TENSOR_BF16, 1, &elements);
  const chip_buffer_t buffers[] = {{.kind = CHIP_BUFFER_ARGUMENT, .shape = shape},
                                   {.kind = CHIP_BUFFER_RESULT, .shape = shape}};
  const chip_instruction_t instruction = {.op = CHIP_OP_COPY,
                                          .operand_count = 1,
                                          .operands = (int32_t[]){0},
                                          .result_count = 1,
                                          .results = (int32_t[]){1}};
  const chip_program_t program = {.buffer_count = 2, .buffers = buffers};
  const torus_t torus = {.size = {1, 1, 1}};
  return chip_instruction_cost(chip_spec_find(kind), &torus, &program, &instruction);
}

static void assert_near_us(chip_cost_t cost, double measured_us, double tolerance) {
  const double predicted_us = (double)cost.duration_ps / 1e6;
  const double error = predicted_us / measured_us - 1;
  if (error > tolerance || error < -tolerance) {
    fail_msg("predicted %.2f us, measured %.2f us", predicted_us, measured_us);
  }
}

static void test_large_products_take_the_time_that_was_measured(void **state) {
  (void)state;
  // v6e, 8192³: 1328.76 us of device time. v5e, 16384³: 46953 us on the host, 105 of them
  // the call. v4: 36 ms.
  assert_near_us(product_cost("v6e", TENSOR_BF16, 8192, 8192, 8192, 0), 1328.76, 0.01);
  assert_near_us(product_cost("v5e", TENSOR_BF16, 16384, 16384, 16384, 0), 46848, 0.01);
  assert_near_us(product_cost("v4", TENSOR_BF16, 16384, 16384, 16384, 0), 36000, 0.02);
}

static void test_copies_and_matvecs_take_the_time_that_was_measured(void **state) {
  (void)state;
  const chip_cost_t matvec = product_cost("v5e", TENSOR_BF16, 1, 8192, 4096, 0);
  assert_int_equal(matvec.bound, CHIP_BOUND_HBM);
  assert_near_us(matvec, 90, 0.02);
  assert_near_us(copy_cost("v6e", 16777216), 49.36, 0.02);
}

static void test_a_small_product_costs_what_starting_it_costs(void **state) {
  (void)state;
  const chip_cost_t cost = product_cost("v7x", TENSOR_BF16, 128, 128, 128, 0);
  assert_int_equal(cost.bound, CHIP_BOUND_FIXED);
  assert_near_us(cost, 1.62, 0.1);
}

static void test_a_product_is_padded_to_the_array_but_its_flops_are_not(void **state) {
  (void)state;
  const chip_cost_t odd = product_cost("v5e", TENSOR_BF16, 4096, 4097, 4096, 0);
  const chip_cost_t even = product_cost("v5e", TENSOR_BF16, 4096, 4224, 4096, 0);
  assert_int_equal(odd.mxu_flop, 2 * (int64_t)4096 * 4096 * 4097);
  assert_int_equal(odd.duration_ps, even.duration_ps);
}

static void test_f32_products_take_one_three_or_six_passes_by_precision(void **state) {
  (void)state;
  const int64_t fixed = chip_spec_find("v5e")->op_overhead_ps;
  const int64_t one = product_cost("v5e", TENSOR_F32, 8192, 8192, 8192, 0).duration_ps;
  const int64_t three = product_cost("v5e", TENSOR_F32, 8192, 8192, 8192, 1).duration_ps;
  const int64_t six = product_cost("v5e", TENSOR_F32, 8192, 8192, 8192, 2).duration_ps;
  assert_in_range(three - fixed, 3 * (one - fixed) - 3, 3 * (one - fixed) + 3);
  assert_in_range(six - fixed, 6 * (one - fixed) - 6, 6 * (one - fixed) + 6);
}

static void test_arrays_are_padded_to_tiles_in_hbm(void **state) {
  (void)state;
  const struct {
    tensor_dtype_t dtype;
    int rank;
    int64_t dims[3];
    int64_t bytes;
  } cases[] = {
      {TENSOR_F32, 0, {0}, 4},
      {TENSOR_F32, 2, {8, 128}, 4096},
      {TENSOR_F32, 2, {9, 129}, 16 * 256 * 4},
      {TENSOR_BF16, 2, {16, 128}, 4096},
      {TENSOR_BF16, 2, {17, 128}, 8192},
      {TENSOR_S8, 2, {33, 128}, 64 * 128},
      {TENSOR_F32, 2, {1, 128}, 512},
      {TENSOR_F32, 2, {3, 100}, 4 * 128 * 4},
      {TENSOR_F32, 3, {5, 8, 128}, 5 * 4096},
      {TENSOR_F32, 1, {100}, 512},
      {TENSOR_F32, 2, {0, 128}, 0},
      {TENSOR_F32, 3, {INT64_MAX, 128, 128}, INT64_MAX},
  };
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    const tensor_shape_t shape =
        tensor_shape_make(cases[i].dtype, cases[i].rank, cases[i].dims);
    assert_int_equal(chip_layout_bytes(&shape), cases[i].bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_large_products_take_the_time_that_was_measured),
      cmocka_unit_test(test_copies_and_matvecs_take_the_time_that_was_measured),
      cmocka_unit_test(test_a_small_product_costs_what_starting_it_costs),
      cmocka_unit_test(test_a_product_is_padded_to_the_array_but_its_flops_are_not),
      cmocka_unit_test(test_f32_products_take_one_three_or_six_passes_by_precision),
      cmocka_unit_test(test_arrays_are_padded_to_tiles_in_hbm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
