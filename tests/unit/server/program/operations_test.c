#include "server/program/operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_every_operation_is_found_by_its_name(void **state) {
  (void)state;
  for (unsigned op = CHIP_OP_INVALID + 1; op < CHIP_OP_COUNT; op++) {
    assert_int_equal(chip_op_find(chip_op_name((chip_op_t)op)), op);
  }
}

static void test_an_unknown_name_is_invalid(void **state) {
  (void)state;
  assert_int_equal(chip_op_find("stablehlo.ad"), CHIP_OP_INVALID);
  assert_int_equal(chip_op_find(""), CHIP_OP_INVALID);
  assert_int_equal(chip_op_find("invalid"), CHIP_OP_INVALID);
}

static void test_short_names_lack_the_dialect(void **state) {
  (void)state;
  assert_string_equal(chip_op_short_name(CHIP_OP_ALL_REDUCE), "all_reduce");
  assert_string_equal(chip_op_short_name(CHIP_OP_COPY), "copy");
  assert_string_equal(chip_op_short_name((chip_op_t)100000), "invalid");
}

static void test_the_traits_of_a_row(void **state) {
  (void)state;
  assert_true(chip_op_has(CHIP_OP_ADD, CHIP_TRAIT_COMMUTATIVE));
  assert_false(chip_op_has(CHIP_OP_SUBTRACT, CHIP_TRAIT_COMMUTATIVE));
  assert_true(chip_op_has(CHIP_OP_SCATTER, CHIP_TRAIT_UPDATES));
  assert_true(chip_op_has(CHIP_OP_IF, CHIP_TRAIT_CONTROL));
  assert_true(chip_op_has(CHIP_OP_EXPECT_EQ, CHIP_TRAIT_CHECKS));
  assert_true(chip_op_has(CHIP_OP_IF, CHIP_TRAIT_CHECKS | CHIP_TRAIT_CONTROL));
}

static void test_what_is_elementwise_works_in_place_and_lane_by_lane(void **state) {
  (void)state;
  assert_true(chip_op_has(CHIP_OP_TANH, CHIP_TRAIT_ELEMENTWISE));
  assert_true(chip_op_has(CHIP_OP_TANH, CHIP_TRAIT_IN_PLACE));
  assert_true(chip_op_has(CHIP_OP_TANH, CHIP_TRAIT_LANEWISE));
  assert_false(chip_op_has(CHIP_OP_RESHAPE, CHIP_TRAIT_ELEMENTWISE));
  assert_false(chip_op_has(CHIP_OP_COPY, CHIP_TRAIT_ELEMENTWISE));
  assert_true(chip_op_has(CHIP_OP_COPY, CHIP_TRAIT_IN_PLACE));
}

static void test_some_traits_follow_from_the_cost(void **state) {
  (void)state;
  assert_true(chip_op_has(CHIP_OP_FFT, CHIP_TRAIT_TRANSCENDENTAL));
  assert_true(chip_op_is_collective(CHIP_OP_ALL_TO_ALL));
  assert_false(chip_op_is_collective(CHIP_OP_ASYNC_DONE));
}

static void test_nothing_is_true_of_what_is_no_operation(void **state) {
  (void)state;
  assert_false(chip_op_has(CHIP_OP_INVALID, ~0u));
  assert_false(chip_op_has(CHIP_OP_COUNT, ~0u));
  assert_false(chip_op_has(-1, ~0u));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_operation_is_found_by_its_name),
      cmocka_unit_test(test_an_unknown_name_is_invalid),
      cmocka_unit_test(test_short_names_lack_the_dialect),
      cmocka_unit_test(test_the_traits_of_a_row),
      cmocka_unit_test(test_what_is_elementwise_works_in_place_and_lane_by_lane),
      cmocka_unit_test(test_some_traits_follow_from_the_cost),
      cmocka_unit_test(test_nothing_is_true_of_what_is_no_operation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
